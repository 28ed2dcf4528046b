"""Shards have the ids of the reference, read back by readers of their own, and are the same after any kill."""

import csv
import json
import os
import resource
import shutil
import struct
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from multiprocessing import get_context

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tokenarium.corpus import documents as documents_module
from tokenarium.corpus import plan as plan_module
from tokenarium.corpus import shard_work, sinks
from tokenarium.corpus import shards as shards_module
from tokenarium.corpus.encoders import ReferenceEncoder
from tokenarium.corpus.plan import Plan
from tokenarium.corpus.shard_work import make_document_end, make_job
from tokenarium.corpus.shards import FORMATS, open
from tokenarium.corpus.sources import parts, sources
from tokenarium.corpus.tokenizing import tokenize
from tokenarium.corpus.verifying import verify
from tokenarium.errors import BadFile, Invalid, NoSpace
from tokenarium.settings import Settings

from tests.conftest import REGISTRY
from tests.support.lying_encoder import Lying
from tests.support.strings import NASTY

SETTINGS = Settings(max_loaded=10**12)
TEXTS = [text for text in NASTY.values() if text and len(text) < 5000]


@pytest.fixture
def corpus(tmp_path):
    """A folder with nasty documents, among them special tokens as text, and with lines."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    rows = [*TEXTS, "a<|endoftext|>b"]
    (folder / "a.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in rows))
    (folder / "b.txt").write_text("".join(f"line {number} of them\n" for number in range(3000)))
    return folder


def documents(folder):
    return [
        *(json.loads(line)["text"] for line in (folder / "a.jsonl").read_text().split("\n")),
        *(folder / "b.txt").read_text().splitlines(),
    ]


def written(corpus, out, format="npy", *, tokenizer="gpt2", end="none", executor=None, size=9000, **options):
    """Tokenize a corpus in parts of 9,000 bytes."""
    found = [*sources([str(corpus)])]
    job = make_job(Plan(SETTINGS, (tokenizer,), **options), str(out), format, end, size)
    with executor or ThreadPoolExecutor(1) as pool:
        return tokenize(job, found, [part for one in found for part in parts(one, size=9000)], pool)


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def from_parquet(out):
    for path in sorted((out / "shards").glob("*.parquet")):
        for row in pq.read_table(path).to_pylist():
            assert list(row) == ["ids", "source", "part", "position", "row"]
            yield row["ids"]


def from_npy(out):
    for path in sorted((out / "shards").glob("*.offsets.npy")):
        offsets, ids = np.load(path), np.load(str(path).replace(".offsets", ""))
        assert ids.dtype == np.uint16
        yield from (ids[begin:end].tolist() for begin, end in pairwise(offsets))


def from_megatron(out):
    """Read an indexed dataset as megatron/core/datasets/indexed_dataset.py of NVIDIA/Megatron-LM describes it."""
    for path in sorted((out / "shards").glob("*.idx")):
        data, ids = path.read_bytes(), path.with_suffix(".bin").read_bytes()
        assert data[:9] == b"MMIDIDX\x00\x00"
        version, code, sequences, documents = struct.unpack("<QBQQ", data[9:34])
        assert (version, code, documents) == (1, 8, sequences + 1)  # 8 is uint16
        lengths = struct.unpack(f"<{sequences}i", data[34 : 34 + 4 * sequences])
        pointers = struct.unpack(f"<{sequences}q", data[34 + 4 * sequences : 34 + 12 * sequences])
        assert struct.unpack(f"<{documents}q", data[34 + 12 * sequences :]) == (*range(documents),)
        for length, pointer in zip(lengths, pointers, strict=True):
            yield [*struct.unpack(f"<{length}H", ids[pointer : pointer + 2 * length])]


READERS = {"parquet": from_parquet, "npy": from_npy, "megatron": from_megatron}


@pytest.mark.parametrize(
    ("format", "end"),
    [
        *((format, "eos") for format in FORMATS),
        *(("npy", "none"), ("npy", "0")),
        *(pytest.param(format, end, marks=pytest.mark.nightly) for format in FORMATS[1:] for end in ("none", "0")),
    ],
)
def test_another_reader_finds_the_ids_of_the_reference(corpus, tmp_path, format, end):
    manifest = written(corpus, tmp_path / "out", format, end=end)
    tokenizer, last = REGISTRY.get("gpt2"), {"none": [], "eos": [50256], "0": [0]}[end]
    expected = [[*tokenizer.encode(text).ids.tolist(), *last] for text in documents(corpus)]
    assert [*READERS[format](tmp_path / "out")] == expected
    assert (manifest["documents"], manifest["tokens"]) == (len(expected), sum(map(len, expected)))
    assert manifest["bytes"] == sum(len(text.encode()) for text in documents(corpus))
    shards = open(str(tmp_path / "out"))
    assert len(manifest["shards"]) > 3
    assert len(shards) == len(expected)
    for number in (0, len(TEXTS), len(TEXTS) + 1, 1000, len(shards) - 1):
        assert shards[number].tolist() == expected[number]
    place = shards.place(len(shards) - 1)
    assert (place.source["path"], place.end) == (f"{corpus}/b.txt", (corpus / "b.txt").stat().st_size)
    report = verify(shards, REGISTRY)
    assert (report.problems, report.notes) == ([], [])
    assert report.compared == report.decoded > 100


def test_a_large_vocabulary_has_wider_ids(corpus, tmp_path):
    ids = REGISTRY.get("o200k_base").encode(documents(corpus)[-1]).ids.tolist()
    for format, dtype in (("npy", np.uint32), ("megatron", np.int32), ("parquet", np.uint32)):
        written(corpus, tmp_path / format, format, tokenizer="o200k_base")
        last = open(str(tmp_path / format))[-1 + len(documents(corpus))]
        assert (last.tolist(), last.dtype) == (ids, dtype)


def test_many_tokens_are_cut_to_several_files(corpus, tmp_path, monkeypatch):
    one = written(corpus, tmp_path / "one", size=10**9)
    monkeypatch.setattr(shard_work, "MAX_TOKENS", 4000)
    many = written(corpus, tmp_path / "many", size=10**9)
    assert (len(one["shards"][0]["files"]), len(many["shards"][0]["files"])) == (1, 3)
    assert [*from_npy(tmp_path / "many")] == [*from_npy(tmp_path / "one")]


def test_the_files_are_the_same_with_two_processes(corpus, tmp_path):
    for format in FORMATS:
        written(corpus, tmp_path / f"{format}-1", format)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for format in FORMATS:
            pool_of_it = _Shared(pool)
            written(corpus, tmp_path / f"{format}-2", format, executor=pool_of_it)
            assert contents(tmp_path / f"{format}-1") == contents(tmp_path / f"{format}-2")


class _Shared:
    """An executor that is used by several runs."""

    def __init__(self, executor):
        self.submit = executor.submit

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def test_an_interrupted_run_goes_on_and_gives_the_same(corpus, tmp_path):
    written(corpus, tmp_path / "whole")
    submitted = []

    class Stops(ThreadPoolExecutor):
        def submit(self, function, shard):
            submitted.append(shard)
            if len(submitted) == 4:
                raise KeyboardInterrupt
            return super().submit(function, shard)

    with pytest.raises(KeyboardInterrupt):
        written(corpus, tmp_path / "out", executor=Stops(1))
    (tmp_path / "out/shards/000000-000.npy.0a1b.part").write_bytes(b"half")  # as a killed process leaves it
    (tmp_path / "out/shards/000009-001.npy").write_bytes(b"of another try")
    with pytest.raises(Invalid, match="not complete"):
        open(str(tmp_path / "out"))
    done = len([*(tmp_path / "out/done").iterdir()])
    assert done == 3
    submitted.clear()
    submitted += [None] * 4
    manifest = written(corpus, tmp_path / "out", executor=Stops(1))
    assert len(submitted) - 4 == len(manifest["shards"]) - done
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    submitted.clear()
    written(corpus, tmp_path / "out", executor=Stops(1))
    assert submitted == []


def test_what_cannot_be_read_is_left_out_and_done_when_it_can_be(corpus, tmp_path):
    written(corpus, tmp_path / "whole")
    (corpus / "b.txt").chmod(0o600)
    times, moved = (corpus / "b.txt").stat(), tmp_path / "b.txt"
    found = [*sources([str(corpus)])]
    todo = [part for one in found for part in parts(one, size=9000)]
    shutil.move(corpus / "b.txt", moved)  # it vanishes after it was listed
    job = make_job(Plan(SETTINGS, ("gpt2",)), str(tmp_path / "out"), "npy", "none", 9000)
    with ThreadPoolExecutor(1) as pool:
        manifest = tokenize(job, found, todo, pool)
    assert manifest["documents"] == len(TEXTS) + 1
    assert manifest["unread"]["failed"] == [f"{corpus}/b.txt cannot be read: No such file or directory."]
    shutil.move(moved, corpus / "b.txt")
    os.utime(corpus / "b.txt", ns=(times.st_atime_ns, times.st_mtime_ns))
    written(corpus, tmp_path / "out")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_a_shard_on_which_the_faster_engine_differs_is_done_by_the_reference(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("a lie\nand more\n")
    monkeypatch.setattr(
        plan_module, "fast_encoder", lambda path, reference: Lying(ReferenceEncoder(REGISTRY.get("gpt2")))
    )
    plan_module.get_encoders.cache_clear()
    manifest = written(tmp_path / "a.txt", tmp_path / "out", fast=(("gpt2", tmp_path / "x"),))
    plan_module.get_encoders.cache_clear()
    assert manifest["notes"] == ["The faster engine gave other tokens for 'a lie'; the reference did the shard."]
    assert [*from_npy(tmp_path / "out")] == [
        REGISTRY.get("gpt2").encode(text).ids.tolist() for text in ("a lie", "and more")
    ]


@pytest.mark.parametrize(
    ("tokenizer", "end", "message"),
    [
        ("bytes", "eos", "bytes has no token that ends a text"),
        ("gpt2", "50257", "gpt2 has no token with the id 50257"),
        ("gpt2", "last", "--end is none, eos, or the id of a token, not 'last'"),
        ("words", "none", "words has no fixed vocabulary"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, tokenizer, end, message):
    with pytest.raises(Invalid, match=message):
        make_job(Plan(SETTINGS, (tokenizer,)), str(tmp_path), "npy", end)


def test_the_end_is_that_of_a_text_and_not_of_a_turn():
    ends = {id: make_document_end(REGISTRY, id, "eos").token for id in ("qwen3", "o200k_harmony", "mistral-v3")}
    assert ends == {"qwen3": "<|endoftext|>", "o200k_harmony": "<|endoftext|>", "mistral-v3": "</s>"}


def test_a_folder_of_something_else_is_not_touched(corpus, tmp_path):
    written(corpus, tmp_path / "out")
    before = contents(tmp_path / "out")
    for options, name in (
        ({"end": "eos"}, "end"),
        ({"format": "megatron"}, "format"),
        ({"invalid": "skip"}, "options"),
    ):
        with pytest.raises(Invalid, match=f"differ in: .*{name}"):
            written(corpus, tmp_path / "out", **options)
    (corpus / "b.txt").write_text("changed\n")
    with pytest.raises(Invalid, match="differ in: sources"):
        written(corpus, tmp_path / "out")
    with pytest.raises(Invalid, match="has other files"):
        written(corpus, corpus)
    assert contents(tmp_path / "out") == before


@pytest.mark.parametrize("format", FORMATS)
def test_damage_is_found(corpus, tmp_path, format):
    written(corpus, tmp_path / "good", format, end="eos")

    def problems(change):
        shutil.rmtree(tmp_path / "out", ignore_errors=True)
        shutil.copytree(tmp_path / "good", tmp_path / "out")
        change(tmp_path / "out")
        return verify(open(str(tmp_path / "out")), REGISTRY).problems

    def changed(path, edit):
        manifest = json.loads((path / "manifest.json").read_text())
        edit(manifest)
        (path / "manifest.json").write_text(json.dumps(manifest))

    name = min(path.name for path in (tmp_path / "good/shards").iterdir())

    def flip(out):
        data = bytearray((out / "shards" / name).read_bytes())
        data[len(data) // 2] ^= 1
        (out / "shards" / name).write_bytes(data)

    def wrong_count(manifest):
        manifest["shards"][1]["files"][0]["documents"] += 1

    assert problems(lambda out: None) == []
    assert problems(flip)[0] == f"{name} is damaged: its hash differs from that in the manifest."
    missing = problems(lambda out: (out / "shards" / name).unlink())[0]
    assert missing.startswith(f"{name} cannot be read: ")
    assert any("the manifest says" in one for one in problems(lambda out: changed(out, wrong_count)))
    unknown = problems(lambda out: changed(out, lambda m: m["tokenizer"].update(id="nowhere")))
    assert unknown[0].startswith("The tokenizer nowhere is not known here: ")
    other = problems(lambda out: changed(out, lambda m: m["tokenizer"].update(sha256="0")))
    assert other == ["The tokenizer gpt2 of this machine has another hash than in the manifest."]


def test_other_ids_than_those_of_the_source_are_found(corpus, tmp_path):
    """The hashes are right, but the shard was written from another text."""
    written(corpus, tmp_path / "out", "megatron", end="eos")
    text = (corpus / "b.txt").read_text()
    times = (corpus / "b.txt").stat()
    (corpus / "b.txt").write_text(text.replace("line 1", "LINE 1"))
    os.utime(corpus / "b.txt", ns=(times.st_atime_ns, times.st_mtime_ns))
    report = verify(open(str(tmp_path / "out")), REGISTRY)
    assert report.problems[0].endswith("has other tokens than its text in the source.")
    (corpus / "b.txt").unlink()
    report = verify(open(str(tmp_path / "out")), REGISTRY)
    assert report.problems == []
    assert report.decoded > report.compared
    assert "b.txt" in report.notes[0]


def test_a_document_of_a_parquet_file_is_read_without_the_others(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(shards_module, "ROWS", 100)
    written(corpus, tmp_path / "out", "parquet", size=10**9)
    path = next((tmp_path / "out/shards").iterdir())
    assert pq.ParquetFile(path).metadata.num_row_groups > 30
    texts, tokenizer = documents(corpus), REGISTRY.get("gpt2")
    shards = open(str(tmp_path / "out"))
    assert [tokenizer.decode(shards[number].tolist()).decode() for number in (150, 2999)] == [texts[150], texts[2999]]


@pytest.mark.parametrize("format", FORMATS)
def test_shards_are_written_to_and_read_from_an_address(corpus, tmp_path, format):
    fsspec.filesystem("memory").store.clear()
    manifest = written(corpus, "memory://bucket/out/", format, end="eos")
    written(corpus, tmp_path / "out", format, end="eos")
    names = [*sinks.list_files("memory://bucket/out")]
    assert {name.rpartition("out/")[2]: sinks.read(name) for name in names} == contents(tmp_path / "out")
    shards, here = open("memory://bucket/out"), open(str(tmp_path / "out"))
    assert shards.manifest == manifest == here.manifest
    assert shards[1000].tolist() == here[1000].tolist()
    assert verify(shards, REGISTRY).problems == []
    assert written(corpus, "memory://bucket/out/", format, end="eos") == manifest
    sinks.remove(names[-1])
    assert verify(shards, REGISTRY).problems[0].startswith(f"{names[-1].rpartition('/')[2]} cannot be read: ")


def test_a_full_disk_is_said_and_the_run_goes_on_when_there_is_room(corpus, tmp_path):
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, hard))
    try:
        with pytest.raises(NoSpace, match=r"00000\d-000\.npy cannot be written: File too large"):
            written(corpus, tmp_path / "out")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not [*(tmp_path / "out/shards").glob("000000*")]
    written(corpus, tmp_path / "out")
    written(corpus, tmp_path / "whole")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


def test_what_is_no_folder_of_shards_is_refused(tmp_path):
    with pytest.raises(BadFile, match=r"has no manifest\.json; name a folder that corpus tokenize has written"):
        open(str(tmp_path))
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(BadFile, match="is no manifest of shards"):
        open(str(tmp_path))


ROWS = [{"text": "a", "id": 7, "url": "x"}, {"text": None, "id": 8, "url": None}, {"text": "", "id": 9, "url": "y"}]
ROWS += [{"text": "b c", "id": 10, "url": None}, {"text": "d", "id": None, "url": "ž"}]


def write_rows(folder):
    folder.mkdir()
    (folder / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in [*ROWS, {**ROWS[0], "text": 5}, ROWS[0]]))
    pq.write_table(pa.Table.from_pylist(ROWS), folder / "b.parquet")
    with (folder / "c.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, ["text", "id", "url"])
        table.writeheader()
        table.writerows(ROWS)


def test_rows_keep_their_number_and_chosen_columns(tmp_path):
    write_rows(tmp_path / "rows")
    manifest = written(tmp_path / "rows", tmp_path / "out", "parquet", keep=("id", "url"))
    assert (manifest["rows"], manifest["documents"], manifest["unread"]["documents"]) == (17, 10, 1)
    table = [row for path in sorted((tmp_path / "out" / "shards").iterdir()) for row in pq.read_table(path).to_pylist()]
    found = [(row["source"].rpartition("/")[2], row["row"], row["id"], row["url"]) for row in table]
    kept = [(0, "7", "x"), (3, "10", None), (4, None, "ž")]
    assert found == [
        *(("a.jsonl", *row) for row in [*kept, (6, "7", "x")]),
        *(("b.parquet", *row) for row in kept),
        *(("c.csv", *row) for row in [(0, "7", "x"), (3, "10", ""), (4, "", "ž")]),
    ]


def test_lines_keep_their_number_beside_empty_long_and_damaged_ones(tmp_path, monkeypatch):
    monkeypatch.setattr(documents_module, "MAX_DOCUMENT", 100)
    monkeypatch.setattr(documents_module, "BATCH", 20)
    (tmp_path / "a.txt").write_bytes(b"zero\n\ntwo\n" + b"x" * 500 + b"\nfour\n\xff\n\nseven" + b"\n" * 40 + b"end")
    manifest = written(tmp_path / "a.txt", tmp_path / "out", "parquet")
    (path,) = (tmp_path / "out" / "shards").iterdir()
    assert pq.read_table(path)["row"].to_pylist() == [0, 2, 4, 7, 47]
    assert (manifest["rows"], manifest["documents"], manifest["unread"]["documents"]) == (48, 5, 2)


def test_columns_that_cannot_be_kept_are_refused(corpus, tmp_path):
    for format, keep, message in (("npy", ("id",), "in Parquet alone"), ("parquet", ("row",), "of their own")):
        with pytest.raises(Invalid, match=message):
            written(corpus, tmp_path / "out", format, keep=keep)
    manifest = written(corpus, tmp_path / "out", "parquet", keep=("id",))
    rows, lines = manifest["unread"]["failed"]
    assert rows.endswith("a.jsonl has no column 'id'; it has text.")
    assert lines.endswith("b.txt is text and has no columns to keep.")
