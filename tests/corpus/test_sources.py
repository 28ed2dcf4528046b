"""Which documents a corpus has, whatever the format, the compression and the size of its parts, and what is refused."""

import bz2
import csv
import gzip
import io
import json
import lzma
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenarium.corpus import sources as module
from tokenarium.corpus.addresses import extra
from tokenarium.corpus.sources import Part, Reading, batches, parts, source, sources
from tokenarium.errors import BadFile, Invalid

TEXTS = ["one", "zwei drei", "три", "四\t五", "a,b\"c'", "x" * 3000, "🌍"]
LINES = "\n".join(TEXTS).encode() + b"\n"


def documents(path, *, format=None, size=1 << 24, reading=None):
    """The documents of a file that is read in parts of a size."""
    reading = reading or Reading()
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
    path.write_bytes(b"\n".join(lines))
    kept = module.BATCH
    module.BATCH = batch
    try:
        read = Reading(invalid="skip")
        assert documents(path, size=size, reading=read) == [
            line.decode()
            for whole in b"\n".join(lines).split(b"\n")
            if (line := whole.removesuffix(b"\r")) and line.decode(errors="ignore").encode() == line
        ]
    finally:
        module.BATCH = kept


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


def test_tables_give_their_column_and_their_groups(tmp_path):
    rows = [{"id": number, "body": text, "lang": "ab"[number % 2]} for number, text in enumerate(TEXTS)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    text = io.StringIO()
    table = csv.DictWriter(text, ["id", "body", "lang"])
    table.writeheader()
    table.writerows([*rows, {"id": 9, "body": "two\nlines", "lang": "a"}])
    (tmp_path / "a.csv").write_text(text.getvalue(), newline="")
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet", row_group_size=2)
    for name in ("a.jsonl", "a.csv", "a.parquet"):
        found, reading = source(str(tmp_path / name)), Reading("body", "lang")
        every = [batch for part in parts(found, size=50) for batch in batches(part, reading)]
        pairs = [pair for batch in every for pair in zip(map(bytes.decode, batch.documents), batch.groups, strict=True)]
        expected = [(row["body"], row["lang"]) for row in rows]
        assert pairs == expected + ([("two\nlines", "a")] if name == "a.csv" else []), name
        assert reading.unread.problems == []


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet"])
def test_an_unknown_column_is_named_with_those_there_are(tmp_path, name):
    (tmp_path / "a.jsonl").write_text('{"body": "x", "lang": "a"}')
    (tmp_path / "a.csv").write_text("body,lang\nx,a\n")
    pq.write_table(pa.table({"body": ["x"], "lang": ["a"]}), tmp_path / "a.parquet")
    with pytest.raises(Invalid, match="no column 'text'; it has body, lang"):
        documents(tmp_path / name)


def test_what_is_no_json_is_left_out_and_said(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "a"}\nnot json\n[1]\n{"text": 7}\n{"text": null}\n\n{"text": "b"}\n')
    reading = Reading()
    assert documents(path, reading=reading) == ["a", "b"]
    assert reading.unread.documents == 3
    places = [problem.removeprefix(f"{path}, ") for problem in reading.unread.problems]
    assert places[0].startswith("byte 14: no JSON: ")
    assert places[1:] == ["byte 23: no JSON object", "byte 27: text is no text"]


def test_invalid_utf8_is_left_out_or_replaced_as_the_policy_says(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"good\ncaf\xe9\ngood\x00too\n")
    reading = Reading()
    assert documents(path, reading=reading) == ["good", "good\x00too"]
    assert reading.unread.problems == [f"{path}, byte 5: byte 3 of it is not UTF-8"]
    replacing = Reading(invalid="replace")
    assert documents(path, reading=replacing) == ["good", "caf\ufffd", "good\x00too"]
    assert (replacing.unread.documents, replacing.unread.replaced) == (0, 1)


def test_a_line_that_is_too_long_is_left_out_and_the_next_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "MAX_DOCUMENT", 100)
    monkeypatch.setattr(module, "BATCH", 10)
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n" + b"x" * 500 + b"\nb\n" + b"y" * 90 + b"\nc")
    reading = Reading()
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


def test_a_file_that_changed_or_vanished_is_not_read(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(LINES)
    (part,) = parts(source(str(path)))
    path.write_bytes(LINES + b"more\n")
    with pytest.raises(BadFile, match="has changed"):
        [*batches(part, Reading())]
    path.unlink()
    with pytest.raises(BadFile, match="No such file"):
        [*batches(part, Reading())]
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    damaged = source(str(tmp_path / "b.parquet"))
    with pytest.raises(BadFile, match="no readable Parquet"):
        [*parts(damaged)]


def test_a_part_beyond_the_last_line_has_no_documents(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes(b"one long line without an end")
    found = source(str(path))
    assert [*batches(Part(found, 10, 20), Reading())] == []
