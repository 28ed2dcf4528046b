"""Estimates contain the count as often as they say, and every window together has every token."""

import gzip
import json
import random
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.corpus import row_windows, streams
from tokenarium.corpus.addresses import extra
from tokenarium.corpus.counting import CorpusCounts, count, totals
from tokenarium.corpus.encoders import fast_vocabulary
from tokenarium.corpus.estimating import Sampler, estimate
from tokenarium.corpus.plan import Plan
from tokenarium.corpus.sources import parts, sources
from tokenarium.corpus.strata import Strata
from tokenarium.lab.languages.declarations import declarations
from tokenarium.settings import Settings

from tests.conftest import REGISTRY, TIER
from tests.support.strings import NASTY

ZSTANDARD = extra("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
SETTINGS = Settings(max_loaded=10**12)
TEXTS = declarations(SETTINGS.store)
ENGLISH = TEXTS["eng"].text
TRIES = 200 if TIER == "nightly" else 20
"""Estimates of a count, of which one in twenty may miss it."""

LINES = [line for one in [*TEXTS.values()][:60] for line in one.text.split("\n") if line]
random.Random(1).shuffle(LINES)


@pytest.fixture(scope="module")
def fast(tmp_path_factory):
    """A plan with the faster engine."""
    return plan("gpt2", fast=(("gpt2", fast_vocabulary(REGISTRY, "gpt2", tmp_path_factory.mktemp("fast"))),))


def plan(*tokenizers, **options):
    return Plan(SETTINGS, tokenizers, **options)


def counted(plan, folder):
    todo = [part for one in sources([str(folder)]) for part in parts(one)]
    with ThreadPoolExecutor(1) as pool:
        return count(plan, todo, pool)


def everything(plan, folder):
    """Return the bytes, the documents and the tokens of all windows, and those that were counted."""
    sampler = Sampler(plan, [*sources([str(folder)])], CorpusCounts(), np.random.default_rng(0))
    (tally,) = totals(counted(plan, folder)).values()
    size = sum(reader.size for _, reader in sampler.readers)
    return sampler.measure(np.arange(sampler.windows)).sum(axis=0), (size, tally.documents, tally.tokens)


def halves(lines):
    """A file whose language changes in the middle."""
    return "\n".join([*lines[: len(lines) // 2], *[TEXTS["hin"].text.replace("\n", " ")] * 9])


ODD = {
    "the language changes in the middle": halves,
    "one line": " ".join,
    "sorted by length": lambda lines: "\n".join(sorted(lines, key=len)),
}


@pytest.mark.parametrize("odd", ODD.values(), ids=[*ODD])
def test_an_estimate_contains_the_count_nearly_as_often_as_it_says(fast, tmp_path, odd):
    (tmp_path / "a.txt").write_text(odd(LINES))
    found = [*sources([str(tmp_path / "a.txt")])]
    (tally,) = totals(counted(fast, tmp_path / "a.txt")).values()
    estimates = [estimate(fast, found, within=0.02, seed=seed)[0][0] for seed in range(TRIES)]
    assert max(one.relative for one in estimates) <= 0.02
    assert sum(abs(one.tokens - tally.tokens) <= one.margin for one in estimates) >= 19 / 20 * TRIES
    assert sum(abs(one.documents - tally.documents) <= max(1, one.documents_margin) for one in estimates) >= 0.9 * TRIES
    assert max(one.read for one in estimates) < found[0].bytes


@pytest.mark.parametrize(("id", "end"), [("gpt2", "\r\n"), ("gpt2", "\n\n"), ("mistral-v1", "\n")])
def test_all_windows_together_have_all_tokens(tmp_path, id, end):
    texts = [*ENGLISH.split("\n"), TEXTS["cmn_hans"].text.replace("\n", ""), "x y " * 900, *NASTY.values()]
    (tmp_path / "a.txt").write_text(end.join(text for text in texts if len(text) < 6000), newline="")
    assert np.allclose(*everything(plan(id), tmp_path), rtol=0.001)


@pytest.mark.parametrize(
    ("id", "column", "is_ascii"),
    [
        *(("gpt2", "text", True), ("gpt2", "text", False), ("mistral-v1", "text", False), ("gpt2", "of.text", True)),
        pytest.param("mistral-v1", "text", True, marks=pytest.mark.nightly),
        pytest.param("gpt2", "of.text", False, marks=pytest.mark.nightly),
    ],
)
def test_all_windows_of_rows_have_all_tokens(tmp_path, monkeypatch, id, column, is_ascii):
    monkeypatch.setattr(row_windows, "SURE", sys.maxsize)
    texts = [ENGLISH, "", *ENGLISH.split("\n")[:9], "é" * 50, TEXTS["cmn_hans"].text, TEXTS["rus"].text, None]
    texts += ["한" * 9000, 'a "b" \\ c: {"text": "d e"}\n    f g\n' * 99]
    rows = [
        {"of": {"text": f"{n} {text}"[:90]}, "text": text, "and": ENGLISH[: n * 99]} for n, text in enumerate(texts)
    ]
    lines = [json.dumps(row, ensure_ascii=is_ascii) for row in rows]
    (tmp_path / "a.jsonl").write_text("\n".join([*lines, ""]) + "\n\n" + lines[0])
    assert np.allclose(*everything(plan(id, column=column), tmp_path), rtol=0.002)


def test_strings_beside_the_text_of_rows_are_not_counted(fast, tmp_path):
    rows = [{"note": " ".join(LINES[n : n + n % 3]), "text": " ".join(LINES[n : n + 9])} for n in range(0, 1200, 6)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = [*sources([str(tmp_path)])]
    (tally,) = totals(counted(fast, tmp_path)).values()
    estimates = [estimate(fast, found, within=0.08, seed=seed)[0][0] for seed in range(TRIES)]
    assert sum(abs(one.tokens - tally.tokens) <= one.margin for one in estimates) >= 19 / 20 * TRIES
    assert all(0 < one.sampled < tally.bytes / 2 for one in estimates)


def test_a_text_without_spaces_is_cut_where_characters_end(tmp_path):
    (tmp_path / "a.txt").write_text("한" * 30_000)
    measured, expected = everything(plan("bytes"), tmp_path)
    assert measured.tolist() == [*expected]


@pytest.mark.parametrize("name", ["a.txt.gz", pytest.param("a.txt.zst", marks=pytest.mark.nightly), "a.parquet"])
def test_what_is_read_whole_is_tokenized_in_part(fast, tmp_path, monkeypatch, name):
    monkeypatch.setattr(streams, "MOST", 900)
    monkeypatch.setattr(streams, "PACKED", 1)
    lines = LINES * 3
    if name.endswith(".parquet"):
        pyarrow.parquet.write_table(pyarrow.table({"text": lines}), tmp_path / name, row_group_size=1000)
    else:
        compress = gzip.compress if name.endswith(".gz") else ZSTANDARD.compress
        (tmp_path / name).write_bytes(compress("\n".join(lines).encode()))
    (tally,) = totals(counted(fast, tmp_path)).values()
    found = [*sources([str(tmp_path)])]
    estimates = [estimate(fast, found, within=0.08, seed=seed)[0][0] for seed in range(10)]
    assert sum(abs(one.tokens - tally.tokens) <= one.margin for one in estimates) >= 9
    assert sum(abs(one.documents - tally.documents) <= one.documents_margin for one in estimates) >= 9
    assert all(one.read == one.bytes and 0 < one.sampled < tally.bytes / 2 for one in estimates)


def test_of_very_many_row_groups_a_few_are_read(fast, tmp_path):
    lines = ["", *sorted(LINES, key=len)] * 2
    rows = {"of": [{"note": "x", "text": line} for line in lines], "id": [*range(len(lines))]}
    pyarrow.parquet.write_table(pyarrow.table(rows), tmp_path / "a.parquet", row_group_size=30)
    of_text = Plan(SETTINGS, ("gpt2",), fast=fast.fast, column="of.text")
    (tally,) = totals(counted(of_text, tmp_path)).values()
    found = [*sources([str(tmp_path)])]
    estimates = [estimate(of_text, found, within=0.05, seed=seed)[0][0] for seed in range(TRIES)]
    assert sum(abs(one.tokens - tally.tokens) <= one.margin for one in estimates) >= 19 / 20 * TRIES
    assert sum(abs(one.documents - tally.documents) <= one.documents_margin for one in estimates) >= 0.9 * TRIES
    assert max(one.relative for one in estimates) <= 0.05
    assert max(one.read / one.bytes for one in estimates) < 0.25


def test_all_row_groups_together_have_all_tokens(fast, tmp_path):
    pyarrow.parquet.write_table(
        pyarrow.table({"text": [*LINES[:2000], None]}), tmp_path / "a.parquet", row_group_size=9
    )
    draws = np.random.default_rng(0)
    sampler = Sampler(fast, [*sources([str(tmp_path)])], CorpusCounts(), draws, by_groups=True)
    (tally,) = totals(counted(fast, tmp_path)).values()
    _, documents, tokens = sampler.measure(np.arange(sampler.windows)).sum(axis=0)
    assert (sampler.windows, documents, tokens) == (223, 2000, tally.tokens)


def test_groups_too_few_or_beside_other_files_are_read_as_before(fast, tmp_path):
    pyarrow.parquet.write_table(pyarrow.table({"text": LINES}), tmp_path / "a.parquet", row_group_size=len(LINES) // 99)
    found = [*sources([str(tmp_path)])]
    draws = np.random.default_rng(0)
    assert Sampler(fast, found, CorpusCounts(), draws, by_groups=True).windows == 0
    pyarrow.parquet.write_table(pyarrow.table({"text": LINES}), tmp_path / "a.parquet", row_group_size=9)
    (tmp_path / "b.txt").write_text(ENGLISH)
    found = [*sources([str(tmp_path)])]
    assert Sampler(fast, found, CorpusCounts(), draws, by_groups=True).windows == 0
    (one,), _ = estimate(fast, found, within=0.1)
    assert one.margin / one.tokens <= 0.1


def test_an_estimate_of_everything_is_the_count(tmp_path):
    (tmp_path / "a.txt").write_text(TEXTS["rus"].text)
    found = [*sources([str(tmp_path / "a.txt")])]
    exact = counted(plan("gpt2"), tmp_path)
    tally = totals(exact)["gpt2"]
    for count_all in (None, lambda: exact):
        (one,), counts = estimate(plan("gpt2"), found, within=1e-9, count_all=count_all)
        assert (one.tokens, one.margin, one.documents) == (tally.tokens, 0.0, tally.documents)
        assert totals(counts)["gpt2"].tokens == tally.tokens
    assert counts is exact


@given(st.integers(1, 300), st.integers(1, 40), st.lists(st.integers(1, 40), max_size=4), st.integers(0, 9))
def test_strata_cover_all_windows_and_have_two_of_each(windows, number, halved, seed):
    draws = np.random.default_rng(seed)
    measured = list[int]()

    def measure(drawn):
        measured.extend(drawn.tolist())
        return np.stack([np.ones(len(drawn)), drawn], axis=1)

    strata = Strata.draw(windows, min(number, windows), measure, draws)
    for some in halved:
        strata = strata.halve(some, measure, draws)
    order = strata.starts.argsort()
    assert strata.starts[order].tolist() == [0, *strata.ends[order][:-1].tolist()]
    assert strata.ends.max() == windows
    assert (strata.drawn >= strata.starts[:, None]).all()
    assert (strata.drawn < strata.ends[:, None]).all()
    assert ((strata.drawn[:, 0] != strata.drawn[:, 1]) == (strata.ends - strata.starts > 1)).all()
    assert (strata.values[:, :, 1] == strata.drawn).all()
    assert len({*measured}) == len(measured)
