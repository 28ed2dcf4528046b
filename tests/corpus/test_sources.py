"""Which documents a corpus has, whatever the format, the compression and the size of its parts, and what is refused."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
import tarfile
import tempfile
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenarium.corpus import documents as documents_module
from tokenarium.corpus import tables
from tokenarium.corpus.addresses import extra
from tokenarium.corpus.sources import ReadContext, SourcePart, batches, describe_guess, parts, source, sources
from tokenarium.errors import BadFile, Invalid
from tokenarium.settings import ROOT

TEXTS = ["one", "zwei drei", "три", "四\t五", "a,b\"c'", "x" * 3000, "🌍"]
LINES = "\n".join(TEXTS).encode() + b"\n"


@pytest.fixture(autouse=True)
def _restored_field_limit():
    """The module csv has one limit for a process: tests with a small one give it back."""
    limit = csv.field_size_limit()
    yield
    csv.field_size_limit(limit)


def documents(path, *, format=None, size=1 << 24, reading=None):
    """The documents of a file that is read in parts of a size."""
    reading = reading or ReadContext()
    found = source(str(path), format=format)
    every = [batch for part in parts(found, size=size) for batch in batches(part, reading)]
    return [document.decode() for batch in every for document in batch.documents]


@pytest.mark.parametrize("size", [1, 3, 7, 100, 3000, 10**6])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n\n"])
def test_lines_are_the_same_in_parts_of_any_size(tmp_path, size, end):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\n" + LINES.removesuffix(b"\n") + end)
    assert documents(path, size=size) == TEXTS


@example([b"\r"], 1, 1)
@given(st.lists(st.binary(max_size=9), max_size=12), st.integers(1, 40), st.integers(1, 9))
def test_no_bytes_are_read_twice_or_lost(tmp_path_factory, lines, size, batch):
    path = tmp_path_factory.mktemp("a") / "a.txt"
    # Its first bytes say that it is no other kind of file, and without NUL it is no UTF-16.
    lines = [b"text", *(line.replace(b"\0", b"") for line in lines)]
    path.write_bytes(b"\n".join(lines))
    kept = documents_module.BATCH
    documents_module.BATCH = batch
    try:
        read = ReadContext(invalid="skip")
        assert documents(path, size=size, reading=read) == [
            line.decode()
            for whole in b"\n".join(lines).split(b"\n")
            if (line := whole.removesuffix(b"\r")) and line.decode(errors="ignore").encode() == line
        ]
    finally:
        documents_module.BATCH = kept


ZSTANDARD = extra("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
OPENERS = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open, ".zst": ZSTANDARD.open}


@pytest.mark.parametrize("ending", OPENERS)
def test_a_compressed_file_has_the_same_documents(tmp_path, ending):
    path = tmp_path / f"a.txt{ending}"
    with OPENERS[ending](path, "wb") as file:
        file.write(LINES)
    assert documents(path, size=10) == TEXTS


@pytest.mark.parametrize("ending", OPENERS)
def test_a_truncated_file_is_refused_with_its_name(tmp_path, ending):
    path = tmp_path / f"a.txt{ending}"
    with OPENERS[ending](path, "wb") as file:
        file.write(bytes(range(33, 127)) * 5000 + b"\n" + LINES)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(BadFile, match=r"a\.txt.* cannot be read"):
        documents(path)


def test_paragraphs_are_separated_by_empty_lines(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"\n\na\nb\r\n\r\n \n\nc\n")
    assert documents(path, format="paragraphs") == ["a\nb", "c"]


def test_a_file_can_be_one_document(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(LINES)
    assert documents(path, format="text") == [LINES.decode()]


def write_tables(folder, table):
    """Write a table as Parquet, as an Arrow file and stream, each compressed too, and as Feather."""
    pq.write_table(table, folder / "a.parquet", row_group_size=2)
    feather.write_feather(table, folder / "a.feather", compression="lz4", chunksize=3)
    for ending, opened in ((".arrow", pa.ipc.new_file), (".arrows", pa.ipc.new_stream)):
        with opened(folder / f"a{ending}", table.schema) as file:
            file.write_table(table, max_chunksize=2)
        (folder / f"a{ending}.gz").write_bytes(gzip.compress((folder / f"a{ending}").read_bytes()))


def test_tables_give_their_column_and_their_groups(tmp_path):
    rows = [{"id": number, "body": text, "lang": "ab"[number % 2]} for number, text in enumerate(TEXTS)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    text = io.StringIO()
    table = csv.DictWriter(text, ["id", "body", "lang"])
    table.writeheader()
    table.writerows([*rows, {"id": 9, "body": "two\nlines", "lang": "a"}])
    (tmp_path / "a.csv").write_text(text.getvalue(), newline="")
    write_tables(tmp_path, pa.Table.from_pylist(rows))
    names = ("a.jsonl", "a.csv", "a.parquet", "a.arrow", "a.feather", "a.arrows", "a.arrow.gz", "a.arrows.gz")
    for name in names:
        found, reading = source(str(tmp_path / name)), ReadContext("body", "lang")
        every = [batch for part in parts(found, size=50) for batch in batches(part, reading)]
        pairs = [pair for batch in every for pair in zip(map(bytes.decode, batch.documents), batch.groups, strict=True)]
        expected = [(row["body"], row["lang"]) for row in rows]
        assert pairs == expected + ([("two\nlines", "a")] if name == "a.csv" else []), name
        assert reading.unread.problems == []


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet", "a.arrow"])
def test_an_unknown_column_is_named_with_those_there_are(tmp_path, name):
    (tmp_path / "a.jsonl").write_text('{"body": "x", "lang": "a"}')
    (tmp_path / "a.csv").write_text("body,lang\nx,a\n")
    write_tables(tmp_path, pa.table({"body": ["x"], "lang": ["a"]}))
    with pytest.raises(Invalid, match="no column 'text'; it has body, lang"):
        documents(tmp_path / name)


def test_what_is_no_json_is_left_out_and_said(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "a"}\nnot json\n[1]\n{"text": 7}\n{"text": null}\n\n{"text": "b"}\n')
    reading = ReadContext()
    assert documents(path, reading=reading) == ["a", "b"]
    assert reading.unread.documents == 3
    places = [problem.removeprefix(f"{path}, ") for problem in reading.unread.problems]
    assert places[0].startswith("byte 14: no JSON: ")
    assert places[1:] == ["byte 23: no JSON object", "byte 27: text is no text"]


def test_invalid_utf8_is_left_out_or_replaced_as_the_policy_says(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\ncaf\xe9\ngood\x00too\n")
    reading = ReadContext()
    assert documents(path, reading=reading) == ["good", "good\x00too"]
    assert reading.unread.problems == [f"{path}, byte 5: byte 3 of it is not UTF-8"]
    replacing = ReadContext(invalid="replace")
    assert documents(path, reading=replacing) == ["good", "caf\ufffd", "good\x00too"]
    assert (replacing.unread.documents, replacing.unread.replaced) == (0, 1)


def test_a_line_that_is_too_long_is_left_out_and_the_next_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(documents_module, "MAX_DOCUMENT", 100)
    monkeypatch.setattr(documents_module, "BATCH", 10)
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n" + b"x" * 500 + b"\nb\n" + b"y" * 90 + b"\nc")
    reading = ReadContext()
    assert documents(path, reading=reading) == ["a", "b", "y" * 90, "c"]
    assert reading.unread.problems == [f"{path}, byte 2: a line of more than 100 bytes"]


def test_folders_and_patterns_give_each_file_once_in_order(tmp_path):
    for name in ("b.txt", "a.txt", "sub/c.jsonl", "sub/.hidden", ".git/x.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"x")
    found = sources([str(tmp_path), str(tmp_path / "*.txt")])
    names = [(one.path.removeprefix(f"{tmp_path}/"), one.format) for one in found]
    assert names == [("a.txt", "lines"), ("b.txt", "lines"), ("sub/c.jsonl", "jsonl")]
    with pytest.raises(Invalid, match="no file at"):
        [*sources([str(tmp_path / "*.none")])]


def test_a_file_is_taken_once_by_whatever_path_or_link(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_bytes(b"x")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.txt").write_bytes(b"x")
    (tmp_path / "sub/up").symlink_to("..")
    (tmp_path / "link.txt").symlink_to("a.txt")
    (tmp_path / "other").mkdir()
    (tmp_path / "corpus").mkdir()
    (tmp_path / "other/c.txt").write_bytes(b"x")
    (tmp_path / "corpus/far").symlink_to("../other")
    monkeypatch.chdir(tmp_path)
    assert [one.path for one in sources(["./a.txt", "a.txt", str(tmp_path / "link.txt"), "sub/../a.txt"])] == [
        "./a.txt"
    ]
    assert [one.path for one in sources(["corpus"])] == ["corpus/far/c.txt"]
    names = ["./a.txt", "./corpus/far/c.txt", "./sub/b.txt"]
    assert [one.path for one in sources(["."])] == names


def test_a_file_that_changed_or_vanished_is_not_read(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(LINES)
    (part,) = parts(source(str(path)))
    path.write_bytes(LINES + b"more\n")
    with pytest.raises(BadFile, match="has changed"):
        [*batches(part, ReadContext())]
    path.unlink()
    with pytest.raises(BadFile, match="No such file"):
        [*batches(part, ReadContext())]
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    damaged = source(str(tmp_path / "b.parquet"))
    with pytest.raises(BadFile, match="no readable Parquet"):
        [*parts(damaged)]


def test_a_part_beyond_the_last_line_has_no_documents(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one long line without an end")
    found = source(str(path))
    assert [*batches(SourcePart(found, 10, 20), ReadContext())] == []


def test_parts_of_tables_stand_for_the_bytes_of_the_file(tmp_path):
    write_tables(tmp_path, pa.table({"text": [f"{number} {'x' * 999}" for number in range(100)]}))
    for name, number in (("a.parquet", 50), ("a.arrow", 50), ("a.arrows", 50), ("a.arrow.gz", 1)):
        found = source(str(tmp_path / name))
        some = [*parts(found, size=1)]
        assert len(some) == number, name
        assert 0.9 * found.bytes <= sum(part.bytes for part in some) <= found.bytes
        assert [len(batch.documents) for part in some for batch in batches(part, ReadContext())] == [
            100 // number
        ] * number


def test_text_of_tables_that_is_not_utf8_is_treated_as_the_policy_says(tmp_path):
    raw = pa.array([b"good", b"caf\xe9", None, b""])
    texts = pa.StringArray.from_buffers(4, raw.buffers()[1], raw.buffers()[2], raw.buffers()[0])
    write_tables(tmp_path, pa.table({"text": texts, "n": [1, 2, 3, 4]}))
    for name in ("a.parquet", "a.arrow", "a.arrows"):
        reading, replacing = ReadContext(), ReadContext(invalid="replace")
        assert documents(tmp_path / name, reading=reading) == ["good"]
        assert reading.unread.documents == 1
        assert reading.unread.problems[0].endswith("row 1: byte 3 of it is not UTF-8")
        assert documents(tmp_path / name, reading=replacing) == ["good", "caf\ufffd"]
        numbers = ReadContext("n")
        assert documents(tmp_path / name, reading=numbers) == []
        assert numbers.unread.problems[0].endswith("row 0: n is no text")


def test_json_that_is_not_utf8_is_treated_as_the_policy_says(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "caf\xe9"}\n{"text": "b"}\n')
    reading, replacing = ReadContext(), ReadContext(invalid="replace")
    assert documents(path, reading=reading) == ["b"]
    assert reading.unread.problems == [f"{path}, byte 0: byte 13 of it is not UTF-8"]
    assert documents(path, reading=replacing) == ["caf\ufffd", "b"]


@pytest.mark.parametrize("name", ["a.arrow", "a.arrows", "a.feather", "a.arrow.gz", "a.parquet"])
def test_a_table_cut_short_is_refused_with_its_name(tmp_path, name):
    write_tables(tmp_path, pa.table({"text": ["x" * 5000] * 50}))
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(BadFile, match=rf"{name}.* (cannot be read|is no readable (Arrow|Parquet) file): "):
        documents(path)


def test_an_empty_file_has_no_documents(tmp_path):
    for name in ("a.txt", "a.jsonl", "a.csv", "a.txt.gz", "a.txt.xz", "a.txt.zst"):
        (tmp_path / name).write_bytes(b"")
        assert documents(tmp_path / name) == [], name
    for format in ("text", "paragraphs"):
        assert documents(tmp_path / "a.txt", format=format) == []


def test_a_long_line_is_read_once_and_not_to_its_end_by_each_part(tmp_path, monkeypatch):
    monkeypatch.setattr(documents_module, "MAX_DOCUMENT", 1000)
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n" + b"x" * 500_000 + b"\nb\n")
    read = 0

    class Counting(io.BufferedReader):
        def read(self, size=-1):
            nonlocal read
            data = super().read(size)
            read += len(data)
            return data

        def readline(self, size=-1):
            nonlocal read
            line = super().readline(size)
            read += len(line)
            return line

    monkeypatch.setattr(documents_module, "open_file", lambda path, **_: Counting(io.FileIO(path)))
    reading = ReadContext()
    assert documents(path, size=10_000, reading=reading) == ["a", "b"]
    assert reading.unread.problems == [f"{path}, byte 2: a line of more than 1,000 bytes"]
    assert read < 2 * path.stat().st_size


def test_a_row_of_csv_that_is_too_long_is_left_out_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(documents_module, "MAX_DOCUMENT", 100)
    path = tmp_path / "a.csv"
    path.write_text("text\na\n" + "x" * 200 + "\nb\n")
    reading = ReadContext()
    assert documents(path, reading=reading) == ["a", "b"]
    assert reading.unread.problems == [f"{path}, line 3: a line of more than 100 characters"]


@pytest.mark.parametrize(
    ("rows", "texts", "line"),
    [
        ('a,1\n"never closed,2\nb,3\nc,4\n', ["a", "b", "c"], 3),
        ('a,1\n"open,2\nb,3\n"c",4\n', ["a", "b", "c"], 3),
        ('"two\nlines",1\n"x"y,2\nb,3\n', ["two\nlines", "b"], 4),
    ],
)
def test_a_row_of_csv_with_a_wrong_quote_is_left_out_alone(tmp_path, rows, texts, line):
    path = tmp_path / "a.csv"
    path.write_text("text,id\n" + rows)
    reading = ReadContext()
    assert documents(path, reading=reading) == texts
    assert [problem.partition(": ")[0] for problem in reading.unread.problems] == [f"{path}, line {line}"]


def test_a_tsv_has_tabs_between_its_columns(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text('id\ttext\n1\ta, b\n2\t"c\td"\n')
    assert documents(path) == ["a, b", "c\td"]


RECORDS = [{"text": "one\ntwo", "id": 1}, {"text": None}, {"text": '{]"', "id": {"a": [2]}}, {"text": "три"}, 7]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("chunk", [1, 7, 1000])
def test_an_array_of_records_gives_their_column(tmp_path, monkeypatch, indent, chunk):
    monkeypatch.setattr(tables, "CHUNK", chunk)
    path = tmp_path / "a.json"
    path.write_text(f"  {json.dumps(RECORDS, indent=indent, ensure_ascii=False)}\n")
    assert source(str(path)).format == "json"
    reading = ReadContext()
    assert documents(path, reading=reading) == ["one\ntwo", '{]"', "три"]
    assert reading.unread.problems == [f"{path}, record 4: no JSON object"]
    path.write_text(json.dumps(RECORDS)[:-20])
    with pytest.raises(BadFile, match="record 3 is no JSON"):
        documents(path)


def test_a_json_file_is_lines_of_records_or_text_where_it_is_no_array(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("\n".join(json.dumps({"text": text}) for text in TEXTS))
    assert (source(str(path)).format, documents(path)) == ("jsonl", TEXTS)
    assert describe_guess([source(str(path))]) == []
    for text in ('{"a": 1}\n', '{\n  "a": 1\n}\n', "[1, 2]\n"):
        path.write_text(text)
        assert source(str(path)).format == "lines"
    (note,) = describe_guess([source(str(path))])
    assert note.startswith(f"{path}: no array of objects and no JSON Lines, read as lines of text")
    assert source(str(path), format="text").format == "text"


@pytest.mark.parametrize("name", ["a.tar", "a.tar.gz", "a.tgz"])
def test_an_archive_has_a_document_a_sample(tmp_path, name):
    members = {
        "x/0.txt": "one",
        "x/0.jpg": "\xff",
        "x/0.json": '{"lang": "a"}',
        "x/1.json": '{"text": "two", "lang": "b"}',
        "x/2.jpg": "\xff",
        "x/3.txt": "четыре",
    }
    with tarfile.open(tmp_path / name, "w" if name.endswith("tar") else "w:gz") as archive:
        for member, text in members.items():
            info = tarfile.TarInfo(member)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    assert source(str(tmp_path / name)).format == "tar"
    reading = ReadContext()
    assert documents(tmp_path / name, reading=reading) == ["one", "two", "четыре"]
    assert reading.unread.problems == [f"{tmp_path / name}, x/2: no file .text, and none .json"]


def test_what_an_archive_has_beside_its_samples_is_said(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        info = tarfile.TarInfo("0.txt")
        info.size = 3
        archive.addfile(info, io.BytesIO(b"one"))
        info = tarfile.TarInfo("1.txt")
        info.type = tarfile.LNKTYPE
        info.linkname = "0.txt"
        archive.addfile(info)
    reading = ReadContext()
    assert documents(path, reading=reading) == ["one"]
    assert reading.unread.problems == [f"{path}, 1: .txt is a link"]
    path.write_bytes(2 * path.read_bytes())
    with pytest.raises(BadFile, match="another archive, or something else, follows its end"):
        documents(path)


def test_what_follows_an_array_is_said(tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"text": "one"}]\n[{"text": "two"}]')
    with pytest.raises(BadFile, match="something follows the end of its array, behind record 1"):
        documents(path)


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_rows_that_lack_the_column_are_left_out_where_others_have_it(tmp_path, name):
    rows = [{"id": 1}, {"text": "a"}, {"doc": 7}, {"text": None}, {"text": "b"}]
    path = tmp_path / name
    path.write_text(json.dumps(rows) if name == "a.json" else "\n".join(map(json.dumps, rows)))
    reading = ReadContext()
    assert documents(path, reading=reading) == ["a", "b"]
    whys = [problem.partition(": ")[2] for problem in reading.unread.problems]
    assert whys == ["no column 'text'; it has id", "no column 'text'; it has doc"]
    with pytest.raises(Invalid, match="no column 'body'; it has id"):
        documents(path, reading=ReadContext("body"))


def test_fields_behind_those_of_the_first_line_of_csv_are_no_text(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,text\n1,not quoted, and cut\n2,whole\n3,ends,\n")
    reading = ReadContext()
    assert documents(path, reading=reading) == ["whole", "ends"]
    assert reading.unread.problems == [f"{path}, line 2: 3 fields, where the first line has 2"]
    path.write_text("text,text\na,b\n")
    with pytest.raises(Invalid, match="2 columns 'text'; give each a name"):
        documents(path)


def test_a_byte_order_mark_costs_no_record(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n', encoding="utf-8-sig")
    assert documents(tmp_path / "a.jsonl") == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", ["text\nonly ASCII\n", "text\nein schöner Text, 和\n" * 40])
def test_wide_characters_without_a_byte_order_mark_are_refused(tmp_path, encoding, text):
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    name = encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
    with pytest.raises(BadFile, match=f"iconv -f {name} -t UTF-8"):
        documents(tmp_path / "a.txt")


@pytest.mark.parametrize("begin", [b"a\0b", b"\0" * 300, "\0x和".encode() * 100])
def test_zeros_in_utf8_are_text(tmp_path, begin):
    (tmp_path / "a.txt").write_bytes(begin + b"\nmore")
    assert documents(tmp_path / "a.txt") == [begin.decode(), "more"]


@pytest.mark.parametrize(
    ("begin", "what"),
    [(b"PK\3\4 text", "zip archive; unpack it"), (b"%PDF-1.7\n", "PDF; extract its text"), (b"PAR1", "Parquet; give")],
)
def test_a_file_of_another_kind_is_not_read_as_text(tmp_path, begin, what):
    (tmp_path / "a.txt").write_bytes(begin)
    with pytest.raises(BadFile, match=what):
        documents(tmp_path / "a.txt")


def test_columns_may_be_inside_others(tmp_path):
    rows = [
        {"doc": {"text": "a"}, "messages": [{"role": "user", "content": "hi"}, {"role": "tool", "content": None}]},
        {"doc": None, "messages": [{"role": "user", "content": "x"}, {"role": "user", "content": "y"}]},
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "a.json").write_text(json.dumps(rows))
    write_tables(tmp_path, pa.Table.from_pylist(rows))
    for name in ("a.jsonl", "a.json", "a.parquet", "a.arrow"):
        assert documents(tmp_path / name, reading=ReadContext("doc.text")) == ["a"], name
        assert documents(tmp_path / name, reading=ReadContext("messages[].content")) == ["hi", "x\ny"], name
        with pytest.raises(Invalid, match=r"no column 'doc\.body'; doc has text"):
            documents(tmp_path / name, reading=ReadContext("doc.body"))
        with pytest.raises(Invalid, match="no column 'text'; it has doc, messages"):
            documents(tmp_path / name)


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl", "a.txt.gz"])
def test_a_file_in_utf_16_is_refused_with_what_to_do(tmp_path, name):
    data = "text\nein Text\n".encode("utf-16")
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    with pytest.raises(BadFile, match="it is UTF-16; convert it, as with iconv -f UTF-16 -t UTF-8"):
        documents(tmp_path / name)


@pytest.mark.parametrize("name", ["a.txt", "a.csv", "a.jsonl"])
def test_a_compressed_file_without_its_ending_is_refused_with_what_to_do(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(b"text"))
    with pytest.raises(BadFile, match=r"compressed with gzip; give it a name that ends in \.gz"):
        documents(tmp_path / name)


def test_a_folder_without_files_is_said(tmp_path):
    (tmp_path / "inner").mkdir()
    with pytest.raises(Invalid, match="no file in the folder"):
        [*sources([str(tmp_path)])]


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(documents_module, "BATCH", 10)
    path = tmp_path / "a.txt"
    path.write_bytes(LINES)
    (part,) = parts(source(str(path)))
    reader = batches(part, ReadContext())
    next(reader)
    path.write_bytes(LINES + b"more\n")
    with pytest.raises(BadFile, match=r"a\.txt has changed since it was listed"):
        list(reader)


@contextmanager
def without_rights():
    """Nobody's rights, also where tests run as root."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


def test_what_may_not_be_read_is_listed_and_the_others_are_read(tmp_path):
    for folder in [tmp_path, *tmp_path.parents]:
        if folder.owner() == tmp_path.owner() and folder != Path(tempfile.gettempdir()):
            folder.chmod(0o755)
        else:
            break
    for name in ("a.txt", "closed.txt", "closed/b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"x\n")
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere")
    (tmp_path / "closed.txt").chmod(0)
    (tmp_path / "closed").chmod(0)
    read, failed = [], []
    with without_rights():
        for one in sources([str(tmp_path), str(tmp_path / "closed" / "b.txt")]):
            try:
                read += [*batches(*parts(one), ReadContext())]
            except BadFile as error:
                failed.append(error.detail.removeprefix(f"{tmp_path}/"))
    (tmp_path / "closed").chmod(0o755)
    assert [[*batch.documents] for batch in read] == [[b"x"]]
    assert failed == [
        "closed.txt cannot be read: Permission denied.",
        "gone.txt cannot be read: No such file or directory.",
        "closed cannot be read: Permission denied.",
        "closed/b.txt cannot be read: Permission denied.",
    ]


READ = """
import sys
from tokenarium.corpus.sources import batches, parts, sources
from tokenarium.corpus.types import ReadContext
for name in sys.argv[2:]:
    sys.modules[name] = None
for one in sources([sys.argv[1]]):
    for part in parts(one):
        for batch in batches(part, ReadContext()):
            print(one.path.rpartition("/")[2], one.format, *map(bytes.decode, batch.documents))
"""


def test_standard_input_and_pipes_are_read_whatever_their_kind(tmp_path):
    write_tables(tmp_path, pa.table({"text": ["a", "b"]}))
    (tmp_path / "a.txt").write_bytes(b"a\nb\n")
    with OPENERS[".zst"](tmp_path / "a.txt.zst", "wb") as file:
        file.write(b"a\nb\n")
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n')
    kinds = (
        ("a.txt", "lines"),
        ("a.jsonl", "jsonl"),
        ("a.txt.zst", "lines"),
        ("a.parquet", "parquet"),
        ("a.arrow", "arrow"),
    )
    for name, format in kinds:
        with (tmp_path / name).open("rb") as file:
            output = subprocess.check_output([sys.executable, "-c", READ, "-"], stdin=file, cwd=ROOT, text=True)
        assert output.split()[1:] == [format, "a", "b"], name
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["cp", tmp_path / "a.txt", tmp_path / "pipe"]):
        found = source(str(tmp_path / "pipe"))
    assert [[*batch.documents] for part in parts(found) for batch in batches(part, ReadContext())] == [[b"a", b"b"]]


def test_text_and_json_lines_need_no_extra_package(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"a\n")
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(b'{"text": "b"}\n'))
    missing = ("fsspec", "s3fs", "aiohttp", "pyarrow", "distributed", "gigatoken", "backports")
    run = partial(subprocess.run, cwd=ROOT, text=True, capture_output=True)
    done = run([sys.executable, "-c", READ, str(tmp_path), *missing])
    assert (done.stdout.split("\n"), done.stderr) == (["a.txt lines a", "b.jsonl.gz jsonl b", ""], "")
    done = run([sys.executable, "-c", READ, "s3://bucket/a.txt", *missing])
    assert "s3fs is not installed; pip install 'tokenarium[corpus]' brings it." in done.stderr
