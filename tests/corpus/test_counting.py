"""Counts are those of the tokenizers, in one process or several, resumed or not, and a faster engine is checked."""

import json
import random
import sqlite3
import statistics
import threading
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from tokenarium.corpus import encoders, running
from tokenarium.corpus import plan as plan_module
from tokenarium.corpus.counting import CorpusCounts, count, count_part, count_parts_together, totals
from tokenarium.corpus.counts import DocumentCounts, bucket
from tokenarium.corpus.encoders import (
    CheckedEncoder,
    EncodingMismatch,
    ReferenceEncoder,
    fast_encoder,
    fast_vocabulary,
    get_proven_encoder,
)
from tokenarium.corpus.lines import LineDocuments
from tokenarium.corpus.plan import Plan, with_fast_engines
from tokenarium.corpus.results import ResultCache
from tokenarium.corpus.sources import Unread, parts, source, sources
from tokenarium.errors import Unavailable
from tokenarium.files.targets import build_tokenizer_json
from tokenarium.files.tiktoken.gigatoken import remove_specials
from tokenarium.lab.languages.declarations import declarations
from tokenarium.settings import Settings
from tokenizers import Tokenizer as Library

from tests.conftest import REGISTRY, TIER
from tests.support.lying_encoder import Lying
from tests.support.strings import NASTY

SETTINGS = Settings(max_loaded=10**12)
END_TEXTS = b"a<|endoftext|>b\n\nb\n<|endoftext|>\na\n"
TEXTS = [text for text in NASTY.values() if len(text) < 5000]
LINES = [line for text in TEXTS for line in text.replace("\r\n", "\n").split("\n") if line]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A folder with the lines of nasty texts, and with the declaration in four languages."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "nasty.jsonl").write_text("\n".join(json.dumps({"text": text}) for text in TEXTS))
    texts = declarations(SETTINGS.store)
    for code in ("eng", "rus", "hin", "cmn_hans"):
        (folder / f"{code}.txt").write_text(texts[code].text)
    return folder


def plan(*tokenizers, **options):
    return Plan(SETTINGS, tokenizers, **options)


def counted(plan, folder, *, size=1 << 24, results=None, executor=None):
    todo = [part for one in sources([str(folder)]) for part in parts(one, size=size)]
    with executor or ThreadPoolExecutor(1) as pool:
        return count(plan, todo, pool, results=results)


def test_counts_are_those_of_the_tokenizers(corpus):
    lines = [*TEXTS]
    for path in corpus.glob("*.txt"):
        lines += [line for line in path.read_text().split("\n") if line]
    documents = [line for line in lines if line]
    for id in ("o200k_base", "mistral-v3", "bert-base-uncased"):
        tally = totals(counted(plan(id), corpus))[id]
        lengths = [len(REGISTRY.get(id).encode(text)) for text in documents]
        assert (tally.documents, tally.tokens, tally.longest) == (len(documents), sum(lengths), max(lengths))
        assert (tally.characters, tally.bytes) == (
            sum(map(len, documents)),
            sum(len(one.encode()) for one in documents),
        )
        assert tally.lengths == Counter(map(bucket, lengths))


def test_counts_are_those_of_datatrove(corpus):
    from datatrove.data import Document
    from datatrove.pipeline.tokens import TokensCounter

    counter = TokensCounter("unused", batch_size=100)
    # It takes names of the hub; its tokenizer itself is one of `tokenizers`, which would parse special tokens.
    vars(counter)["tokenizer"] = Library.from_str(
        remove_specials(build_tokenizer_json(REGISTRY.record("gpt2"))).decode()
    )
    lines = [line for path in corpus.glob("*.txt") for line in path.read_text().split("\n") if line]
    documents = (Document(text, str(number)) for number, text in enumerate([*TEXTS, *lines]) if text)
    expected = [document.metadata["token_count"] for document in counter.run(documents)]
    tally = totals(counted(plan("gpt2"), corpus))["gpt2"]
    assert (tally.documents, tally.tokens) == (len(expected), sum(expected))
    assert tally.lengths == Counter(map(bucket, expected))


def test_unknown_tokens_and_fallbacks_are_counted(tmp_path):
    (tmp_path / "a.txt").write_text("hello 🌍\n𒀀𒀁\n")
    tallies = totals(counted(plan("bert-base-uncased", "mistral-v3", "gpt2"), tmp_path))
    assert {id: (tally.unknown, tally.fallback) for id, tally in tallies.items()} == {
        "bert-base-uncased": (2, 0),
        "mistral-v3": (0, 8),
        "gpt2": (0, 0),
    }


def test_groups_by_file_script_and_column_add_up(corpus):
    whole = totals(counted(plan("gpt2"), corpus))["gpt2"]
    by_file = counted(plan("gpt2", by="file"), corpus)
    assert {path.rpartition("/")[2] for path in by_file.groups} == {
        "nasty.jsonl",
        *(f"{code}.txt" for code in ("eng", "rus", "hin", "cmn_hans")),
    }
    by_script = counted(plan("gpt2", by="script"), corpus)
    assert {"Latin", "Cyrillic", "Devanagari", "Han"} <= by_script.groups.keys()
    for counts in (by_file, by_script):
        assert totals(counts)["gpt2"].dump() == whole.dump()


@pytest.mark.parametrize("size", [1000, 20_000])
def test_parts_and_processes_do_not_change_the_counts(corpus, size):
    both = plan("gpt2", "bert-base-uncased", details=True)
    expected = counted(both, corpus).dump()
    pool = ProcessPoolExecutor(2, mp_context=get_context("spawn")) if size == 20_000 else None
    got = counted(both, corpus, size=size, executor=pool).dump()
    assert got == expected


def read_keys(kept):
    db = sqlite3.connect(kept.path)
    keys = [key for (key,) in db.execute("SELECT key FROM parts")]
    db.close()
    return keys


def test_what_was_counted_is_read_and_not_counted_again(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(running, "SMALL", 0)  # small files are counted as one
    ran = []
    kept = ResultCache(tmp_path / "kept")

    class Counting(ThreadPoolExecutor):
        def submit(self, function, part):
            ran.append(part)
            return super().submit(function, part)

    first = counted(plan("gpt2"), corpus, results=kept, executor=Counting(1))
    assert len(ran) == 5
    again = counted(plan("gpt2"), corpus, results=kept, executor=Counting(1))
    assert (len(ran), again.dump()) == (5, first.dump())
    kept.keep_result(read_keys(kept)[0], b"{")  # half a result
    assert counted(plan("gpt2"), corpus, results=kept, executor=Counting(1)).dump() == first.dump()
    assert len(ran) == 6
    counted(plan("gpt2", by="script"), corpus, results=kept, executor=Counting(1))
    assert len(ran) == 11


def test_an_interrupted_count_keeps_what_it_has(corpus, tmp_path):
    class Interrupted(ThreadPoolExecutor):
        left = 3

        def submit(self, function, part):
            Interrupted.left -= 1
            if Interrupted.left < 0:
                raise KeyboardInterrupt
            return super().submit(function, part)

    done = threading.Event()
    cache = ResultCache(tmp_path / "kept")
    todo = [part for one in sources([str(corpus)]) for part in parts(one, size=4000)]
    with pytest.raises(KeyboardInterrupt), Interrupted(1) as pool:
        count(plan("gpt2"), todo, pool, results=cache, workers=0.5, progress=lambda part: done.set())
    assert done.is_set()
    kept = cache.measure().parts
    assert 0 < kept < len(todo)
    assert counted(plan("gpt2"), corpus, size=4000, results=cache).dump() == counted(plan("gpt2"), corpus).dump()


def test_small_files_that_are_counted_together_have_the_counts_of_each(tmp_path):
    texts = {
        "a.txt": b"one\ntwo\n",
        "b.txt": b"caf\xe9\nthree\n",
        "c.txt": "日本\n".encode(),
        "d.gz": b"\x1f\x8b\x08 no",
    }
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    todo = [part for one in sources([str(tmp_path)]) for part in parts(one)]
    for by in ("", "script"):
        chosen = plan("gpt2", "bert-base-uncased", by=by)
        alone = CorpusCounts()
        for part in todo:
            alone += count_part(chosen, part)
        together = count_parts_together(chosen, todo)
        assert together.dump() == alone.dump()
        assert (totals(together)["gpt2"].documents, together.unread.documents, len(together.unread.failed)) == (4, 1, 1)
    assert count_parts_together(plan("gpt2", by="file"), todo) is None


def test_a_file_that_cannot_be_read_is_said_and_the_others_are_counted(corpus, tmp_path):
    (tmp_path / "a.txt").write_text("hello\n")
    (tmp_path / "b.txt.gz").write_bytes(b"\x1f\x8b\x08 not gzip")
    counts = counted(plan("gpt2"), tmp_path)
    assert totals(counts)["gpt2"].tokens == 1
    (failed,) = counts.unread.failed
    assert failed.startswith(f"{tmp_path}/b.txt.gz cannot be read: ")


FAST = ("gpt2", "mistral-v1")
MORE_FAST = ("cl100k_base", "deepseek-v3", "o200k_base", "qwen3", "qwen3.5", "gemma4", "modernbert", "yi", "phi-3")


@pytest.mark.parametrize("id", [*FAST, *(MORE_FAST if TIER == "nightly" else ())])
def test_the_faster_engine_gives_the_tokens_of_the_reference(id, tmp_path):
    reference = ReferenceEncoder(REGISTRY.get(id))
    fast = fast_encoder(fast_vocabulary(REGISTRY, id, tmp_path), reference)
    assert get_proven_encoder(fast, reference, []) is None
    documents = [line.encode() for line in LINES]
    ids, offsets = fast.encode(documents)
    expected = reference.encode(documents)
    assert np.array_equal(offsets, expected[1])
    assert np.array_equal(ids, expected[0])


def test_special_tokens_are_text_for_the_faster_engine_too(tmp_path):
    tokenizer = REGISTRY.get("o200k_base")
    fast = fast_encoder(fast_vocabulary(REGISTRY, "o200k_base", tmp_path), ReferenceEncoder(tokenizer))
    text = "a<|endoftext|>b"
    assert fast.encode([text.encode()])[0].tolist() == tokenizer.encode(text).ids.tolist()


@pytest.mark.parametrize("id", [*FAST, *(MORE_FAST if TIER == "nightly" else ())])
def test_documents_with_special_tokens_are_parsed_by_the_reference_beside_the_faster_engine(id, tmp_path):
    reference = ReferenceEncoder(REGISTRY.get(id), "parse")
    fast = fast_encoder(fast_vocabulary(REGISTRY, id, tmp_path), reference)
    assert get_proven_encoder(fast, reference, []) is None


def test_documents_are_in_order_whichever_engine_tokenizes_each(tmp_path):
    reference = ReferenceEncoder(REGISTRY.get("gpt2"), "parse")
    fast = fast_encoder(fast_vocabulary(REGISTRY, "gpt2", tmp_path), reference)
    for documents in (
        [b"a", b"a<|endoftext|>b", b"<|endoftext|>", b"b"],
        LineDocuments(END_TEXTS),
        LineDocuments(b"a\n"),
    ):
        (ids, offsets), expected = fast.encode(documents), reference.encode([*documents])
        assert (ids.tolist(), offsets.tolist()) == (expected[0].tolist(), expected[1].tolist())
    assert reference.encode([b"a<|endoftext|>b"])[0].tolist() == [64, 50256, 65]


def test_parsing_is_left_to_the_reference_where_text_is_normalized(tmp_path):
    with pytest.raises(Unavailable, match="which normalizing may make of other text"):
        fast_encoder(tmp_path / "x", ReferenceEncoder(REGISTRY.get("clip"), "parse"))


def test_counts_of_parsed_special_tokens_are_kept_apart(tmp_path):
    (tmp_path / "a.txt").write_bytes(END_TEXTS)
    results = ResultCache(tmp_path / "results")
    policies = ("text", "parse", "text", "parse")
    tokens = [
        totals(counted(plan("gpt2", special=one), tmp_path / "a.txt", results=results))["gpt2"].tokens
        for one in policies
    ]
    assert tokens == [18, 6, 18, 6]  # <|endoftext|> is 7 tokens as text


def test_what_was_proven_is_noted_until_the_documents_change(tmp_path):
    class Refusing:
        def encode(self, documents):
            raise AssertionError("proven again")

    reference, vocabulary = ReferenceEncoder(REGISTRY.get("gpt2")), tmp_path / "x.json"
    assert get_proven_encoder(reference, reference, [b"one"], vocabulary=vocabulary) is None
    assert get_proven_encoder(Refusing(), reference, [b"one"], vocabulary=vocabulary) is None
    assert get_proven_encoder(Lying(reference), reference, [b"a lie"], vocabulary=vocabulary) is not None
    assert get_proven_encoder(Lying(reference), reference, [b"a lie"], vocabulary=vocabulary) is not None
    with pytest.raises(AssertionError, match="proven again"):
        get_proven_encoder(Refusing(), reference, [b"two"], vocabulary=vocabulary)


def test_a_faster_engine_that_differs_is_not_used():
    reference = ReferenceEncoder(REGISTRY.get("gpt2"))
    assert get_proven_encoder(Lying(reference), reference, [b"all well"]) is None
    assert get_proven_encoder(Lying(reference), reference, [b"a lie"]) == "It gives other tokens for 'a lie'."
    checked = CheckedEncoder(Lying(reference), reference)
    assert checked.encode([b"fine"] * 999)[1][-1] == 999
    with pytest.raises(EncodingMismatch):
        checked.encode([b"fine", b"a lie"])


def test_a_part_on_which_it_differs_is_counted_by_the_reference(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("a lie\nand more\n")
    monkeypatch.setattr(
        plan_module, "fast_encoder", lambda path, reference: Lying(ReferenceEncoder(REGISTRY.get("gpt2")))
    )
    plan_module.get_encoders.cache_clear()
    (part,) = parts(source(str(tmp_path / "a.txt")))
    counts = count_part(plan("gpt2", fast=(("gpt2", tmp_path / "x"),)), part)
    plan_module.get_encoders.cache_clear()
    assert totals(counts)["gpt2"].tokens == 4
    assert counts.notes == ["The faster engine gave other tokens for 'a lie'; the reference counted."]


def test_why_a_tokenizer_has_no_faster_engine_is_said(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(plan_module, "MIN_FAST", 0)
    chosen, notes = with_fast_engines(plan("gpt2", "t5", "bytes"), [*sources([str(corpus)])], tmp_path)
    assert [id for id, _ in chosen.fast] == ["gpt2"]
    assert [note.partition(" is counted by its reference library. ")[0] for note in notes] == ["t5", "bytes"]
    assert totals(counted(chosen, corpus))["gpt2"].dump() == totals(counted(plan("gpt2"), corpus))["gpt2"].dump()


def test_where_no_file_can_be_written_the_reference_counts(corpus, tmp_path, monkeypatch):
    monkeypatch.setattr(plan_module, "MIN_FAST", 0)
    (tmp_path / "file").write_bytes(b"")
    chosen, notes = with_fast_engines(plan("gpt2"), [*sources([str(corpus)])], tmp_path / "file" / "engines")
    assert chosen.fast == ()
    assert notes[0].startswith("gpt2 is counted by its reference library. The faster engine needs a file in ")


def test_quantiles_and_histograms_are_those_of_the_lengths():
    draw = random.Random(0)
    lengths = [draw.randrange(1, 5000) for _ in range(2000)]
    tally = DocumentCounts(documents=len(lengths), lengths=Counter(map(bucket, lengths)))
    for share, exact in zip((0.25, 0.5, 0.75), statistics.quantiles(lengths, n=4), strict=True):
        assert tally.quantile(share) == pytest.approx(exact, rel=0.02)
    assert sum(count for _, count in tally.histogram()) == 2000
    assert dict(DocumentCounts(lengths=Counter([1, 2, 3, 4, 5, 8, 9])).histogram()) == {1: 1, 2: 1, 4: 2, 8: 2, 16: 1}


def test_sums_of_counts_are_the_same_in_any_order():
    tallies = (DocumentCounts(1, 5, 5, number, 0, 0, number) for number in (3, 7))
    one, two = (CorpusCounts({"x": {"gpt2": tally}}, Unread(1, problems=["p"])) for tally in tallies)
    both = CorpusCounts()
    both += one
    both += two
    other = CorpusCounts.load(two.dump())
    other += CorpusCounts.load(one.dump())
    assert both.dump() == other.dump()
    assert encoders.CHECKED == 1000
