"""Two vocabularies: what they share, ids that moved, merges in their order, and what the difference costs."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import Invalid, TooLarge
from tokenarium.lab.languages.declarations import declaration
from tokenarium.lab.two_vocabularies.comparison import compare_columns
from tokenarium.lab.two_vocabularies.merges import compare_merges, count_longest_rising
from tokenarium.lab.two_vocabularies.view import MAX_TEXT, compare_vocabularies, count_language_costs, count_text_costs
from tokenarium.lab.vocabulary.columns import SCRIPTS, load_columns
from tokenarium.lab.vocabulary.search import RecentVocabularies
from tokenarium.settings import Settings

STORE = Settings().store


@pytest.fixture(scope="module")
def columns(registry):
    made = {}

    def columns(id):
        return made.get(id) or made.setdefault(id, load_columns(registry.get(id)))

    return columns


@pytest.fixture(scope="module")
def merges(registry, columns):
    def merges(a, b):
        return compare_merges((registry.record(a), registry.record(b)), (columns(a), columns(b)))

    return merges


COUNTS = {  # shared, only in the first, only in the second, moved
    ("gpt2", "r50k_base"): (50_256, 0, 0, 0),
    ("r50k_base", "p50k_base"): (50_256, 0, 24, 0),
    ("whisper", "whisper-v3"): (50_256, 0, 0, 0),
    ("gpt2", "whisper"): (29_380, 20_876, 20_876, 29_110),
    ("mistral-v1", "mistral-v2"): (31_873, 0, 0, 31_872),
    ("mistral-v1", "mistral-v3"): (31_873, 0, 20, 31_872),
    ("gpt-neox", "modernbert"): (50_252, 0, 86, 0),
    ("cl100k_base", "qwen3"): (99_156, 1_100, 52_499, 98_746),
}


ALIKE = {("whisper", "whisper-v3"), ("gpt2", "whisper"), ("mistral-v1", "mistral-v2")}
"""Pairs of vocabularies that are as different as others."""


@pytest.mark.parametrize(
    "pair", [pytest.param(pair, marks=pytest.mark.nightly) if pair in ALIKE else pair for pair in COUNTS]
)
def test_tokens_are_shared_by_their_bytes(columns, pair):
    a, b = map(columns, pair)
    both = compare_columns(a, b)
    assert (len(both.rows_a), len(both.only_a), len(both.only_b), both.moved) == COUNTS[pair]
    assert [a.raws[row] for row in both.rows_a] == [b.raws[row] for row in both.rows_b]
    raws = {raw for raw, kind in zip(a.raws, a.kinds, strict=True) if kind != 1}
    others = {raw for raw, kind in zip(b.raws, b.kinds, strict=True) if kind != 1}
    assert len(both.rows_a) == len(raws & others)
    assert {a.raws[row] for row in both.only_a} == raws - others
    assert {b.raws[row] for row in both.only_b} == others - raws
    back = compare_columns(b, a)
    assert (len(back.only_a), len(back.only_b), back.moved) == (len(both.only_b), len(both.only_a), both.moved)


def test_every_token_is_counted_once_by_script_and_by_length(columns):
    both = compare_columns(columns("cl100k_base"), columns("qwen3"))
    for rows in (both.scripts, both.lengths):
        assert sum(row.a for row in rows) == len(both.rows_a) + len(both.only_a)
        assert sum(row.b for row in rows) == len(both.rows_a) + len(both.only_b)
        assert sum(row.shared for row in rows) == len(both.rows_a)
    by_name = {row.name: row for row in both.scripts}
    assert (by_name["digits"].a, by_name["digits"].b) == (1_131, 31)
    assert (by_name["Han"].a, by_name["Han"].b) == (839, 25_829)
    (one,) = (row for row in both.lengths if row.name == "1")
    assert (one.a, one.b, one.shared) == (256, 256, 256)


def test_mistrals_ids_moved_by_the_768_control_tokens_of_v3(columns):
    both = compare_columns(columns("mistral-v1"), columns("mistral-v3"))
    (run,) = both.runs
    assert (run.first, run.last, run.shift, run.count) == (3, 31_999, 768, 31_872)


def test_qwen_took_gpt_4s_tokens_without_its_numbers(columns, merges):
    both = compare_columns(columns("cl100k_base"), columns("qwen3"))
    assert (len(both.runs), both.runs[0].shift, both.runs[0].count) == (1_051, -1_100, 71_871)
    digits = SCRIPTS.index("digits")
    assert int(np.count_nonzero(both.a.scripts[both.only_a] == digits)) == 1_100
    assert not np.any(both.b.scripts[both.only_b] == digits)
    order = merges("cl100k_base", "qwen3")
    assert (order.counts, order.shared, order.prefix, order.in_order) == ((100_000, 151_387), 98_900, 154, 98_900)
    assert [merge.made for merge in order.only_a[:3]] == [b"00", b"20", b"10"]
    assert [merge.parts for merge in order.only_a[:2]] == [(b"0", b"0"), (b"2", b"0")]


# Gemma 3, whose merges are those of Gemma 4, is not bundled, so other vocabularies with the same merges stand here.
@pytest.mark.parametrize(
    ("a", "b", "count", "sources"),
    [
        ("gpt2", "r50k_base", 50_000, ("ranks", "ranks")),
        pytest.param("whisper", "whisper-v3", 50_000, ("ranks", "ranks"), marks=pytest.mark.nightly),
        pytest.param("mistral-v1", "mistral-v2", 28_446, ("scores", "scores"), marks=pytest.mark.nightly),
        ("mistral-v1", "mistral-v3", 28_446, ("scores", "scores")),
        ("gpt-neox", "modernbert", 50_009, ("listed", "listed")),
    ],
)
def test_vocabularies_that_were_made_from_one_another_have_the_same_merges(merges, a, b, count, sources):
    order = merges(a, b)
    assert (order.equal, order.counts, order.prefix, order.in_order) == (True, (count, count), count, count)
    assert (order.sources, order.listed) == (sources, sources == ("listed", "listed"))
    assert order.only_a == order.only_b == ()


def test_codex_has_gpt_3s_merges_and_then_24_of_spaces(merges):
    order = merges("r50k_base", "p50k_base")
    assert (order.equal, order.counts, order.prefix) == (False, (50_000, 50_024), 50_000)
    assert [merge.made for merge in order.only_b] == [b" " * count for count in range(2, 26)]
    assert [merge.parts for merge in order.only_b[:3]] == [(b" ", b" "), (b"  ", b" "), (b"  ", b"  ")]


def test_listed_merges_are_compared_by_what_they_make_with_ranks(merges):
    order = merges("gpt2", "clip")
    assert (order.sources, order.listed, order.counts) == (("ranks", "listed"), False, (50_000, 40_730))
    assert order.shared == 7_012


def test_there_are_no_merges_to_compare_without_any(merges):
    assert merges("bert-base-uncased", "gpt2") is None


def test_special_tokens_stand_side_by_side(columns):
    both = compare_columns(columns("r50k_base"), columns("cl100k_base"))
    pairs = {pair.token: (pair.a, pair.b) for pair in both.specials}
    assert pairs["<|endoftext|>"] == (50_256, 100_257)
    assert pairs["<|fim_prefix|>"] == (None, 100_258)


def test_samples_are_filtered_by_script(columns):
    both = compare_columns(columns("gpt2"), columns("whisper"))
    thai = both.select_rows("b", "Thai")
    assert {SCRIPTS[code] for code in both.b.scripts[thai]} == {"Thai"}
    assert len(both.select_rows("a", "")) == 20_876
    with pytest.raises(Invalid, match="script is one of Latin, Cyrillic, digits"):
        both.select_rows("a", "Klingon")


def test_the_difference_costs_what_both_encode(registry):
    assert count_text_costs(registry, "12345", "cl100k_base", "qwen3") == (2, 5)
    with pytest.raises(TooLarge):
        count_text_costs(registry, "a" * (MAX_TEXT + 1), "gpt2", "r50k_base")
    costs = {cost.code: cost for cost in count_language_costs(registry, STORE, "gpt2", "cl100k_base")}
    stored = {column["id"]: column for column in json.loads((STORE / "languages.json").read_text())["columns"]}
    assert sum(cost.a for cost in costs.values()) == sum(stored["gpt2"]["tokens"])
    assert sum(cost.b for cost in costs.values()) == sum(stored["cl100k_base"]["tokens"])
    english = declaration(STORE, "eng").text
    assert (
        (costs["eng"].a, costs["eng"].b) == count_text_costs(registry, english, "gpt2", "cl100k_base") == (1_689, 1_645)
    )


def test_a_vocabulary_beside_itself_is_the_same(registry):
    view = compare_vocabularies(registry, RecentVocabularies(), STORE, "gpt2", "gpt2", text="a b")
    assert (view.both.share, view.both.moved, view.merges.equal, view.costs) == (1.0, 0, True, (2, 2))
    assert (view.samples("a"), view.runs, view.cheaper, view.dearer) == ([], [], [], [])


def test_a_vocabulary_that_grows_cannot_be_compared(registry):
    with pytest.raises(Invalid, match="builds its vocabulary anew"):
        compare_vocabularies(registry, RecentVocabularies(), STORE, "gpt2", "words")


def test_a_tokenizer_without_merges_can_be_compared_too(registry):
    view = compare_vocabularies(registry, RecentVocabularies(), STORE, "bytes", "gpt2")
    assert (len(view.both.rows_a), view.merges) == (256, None)


@given(st.lists(st.integers(0, 30), unique=True, max_size=12))
def test_the_longest_rising_subsequence_is_as_long_as_by_trying_all(numbers):
    best = [1] * len(numbers)
    for i in range(len(numbers)):
        best[i] = 1 + max((best[j] for j in range(i) if numbers[j] < numbers[i]), default=0)
    assert count_longest_rising(numbers) == max(best, default=0)
