"""A profile has the occurrences of every token, and the share of duplicates, exact or about."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from tokenarium.corpus import profiling as module
from tokenarium.corpus.plan import Plan
from tokenarium.corpus.profiling import Duplicates, Profile, hashes, make_profile_file, mix_bits, profile, token_rows
from tokenarium.corpus.results import ResultCache
from tokenarium.corpus.sources import parts, source
from tokenarium.settings import Settings

from tests.conftest import REGISTRY

SETTINGS = Settings(max_loaded=10**12)
LINES = ["one two 34", "one", "one two 34", "déjà vu\t!", "=" * 1000, "one"]


def profiled(tmp_path, lines, *, size=1 << 24, results=None):
    path = tmp_path / "a.txt"
    path.write_text("\n".join(lines))
    plan = Plan(SETTINGS, ("gpt2",))
    with ThreadPoolExecutor(1) as pool:
        return plan, profile(plan, parts(source(str(path)), size=size), pool, results=results)


def test_frequencies_are_those_of_the_tokenizer(tmp_path):
    plan, one = profiled(tmp_path, LINES)
    tokenizer = REGISTRY.get("gpt2")
    expected = Counter(id for line in LINES for id in tokenizer.encode(line).ids.tolist())
    assert {int(id): int(one.frequencies[id]) for id in np.flatnonzero(one.frequencies)} == expected
    assert (one.documents, one.tokens, one.used) == (6, expected.total(), len(expected))
    assert (one.bytes, one.digits, one.spaces) == (len("".join(LINES).encode()), 4, 6)
    assert one.characters == len("".join(LINES))
    assert (one.duplicates.share, one.duplicates.most, one.duplicates.exact) == (2 / 6, 2, True)
    assert [extreme.text[:3] for extreme in one.runs.documents] == ["==="]
    rows = token_rows(plan, one)
    assert len(rows) == 50257
    assert rows[0][2] == max(expected.values())
    assert make_profile_file(plan, one)["frequencies"] == {str(id): times for id, times in expected.items()}


def test_parts_and_kept_results_do_not_change_a_profile(tmp_path):
    _, whole = profiled(tmp_path, LINES)
    for _ in range(2):
        _, parted = profiled(tmp_path, LINES, size=20, results=ResultCache(tmp_path / "kept"))
        assert parted.dump() == whole.dump()
    assert Profile.load(json.loads(json.dumps(whole.dump()))).dump() == whole.dump()


def test_duplicates_are_estimated_from_a_bounded_number_of_hashes(monkeypatch):
    monkeypatch.setattr(module, "HELD", 2000)
    every = mix_bits(np.repeat(np.arange(40_000, dtype=np.uint64), 2))
    whole, parted = Duplicates(), Duplicates()
    whole.add(every)
    for part in np.array_split(every, 9):
        other = Duplicates()
        other.add(part)
        parted += other
    assert not whole.exact
    assert len(whole.counts) <= 2000
    assert whole.share == 0.5  # both of a pair are counted, or none
    assert (parted.level, parted.counts) == (whole.level, whole.counts)


def test_equal_documents_have_equal_hashes_wherever_they_are():
    draw = np.random.default_rng(0)
    documents = [draw.integers(0, 9, draw.integers(1, 5)) for _ in range(5000)]
    ids = np.concatenate(documents).astype(np.uint32)
    offsets = np.concatenate([[0], np.cumsum([*map(len, documents)])])
    found = hashes(ids, offsets).tolist()
    by_text = {tuple(document.tolist()): value for document, value in zip(documents, found, strict=True)}
    assert [by_text[tuple(document.tolist())] for document in documents] == found
    assert len({*found}) == len(by_text)
