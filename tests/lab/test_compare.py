"""Comparisons: differing tokens and places by their definitions, alignment, excerpts of long texts, and costs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.compare.alignment import MAX_WIDTH, PAGE_SIZE, places
from tokenarium.lab.compare.comparison import Failure, MeasuredTokenization, compare
from tokenarium.lab.compare.view import InputCost, costs, estimate, excerpt
from tokenarium.lab.prices import PricedModel

from tests.support.strings import NASTY, TEXTS

FOUR = ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased"]
SETS = st.lists(st.sampled_from([*FOUR, "udhr-unigram-16k", "characters", "bytes", "words"]), min_size=1, unique=True)


def joined(runs):
    """The text that display runs show."""
    return "".join(run.text for run in runs)


def compared(registry, text, tokenizers=FOUR, **options):
    return compare(registry, text, tokenizers, limit=10**9, **options)


def spans(cut):
    encoding = cut.tokenization.encoding
    return [*zip(encoding.byte_starts.tolist(), encoding.byte_ends.tolist(), strict=True)]


def shown(place):
    """By tokenizer what its row says, a gap in brackets."""
    return {
        cut.id: [joined(piece.runs) or piece.label if piece.part else f"[{joined(piece.runs)}]" for piece in row]
        for cut, row in place.rows
    }


@given(text=TEXTS, tokenizers=SETS)
def test_a_token_is_alone_if_its_span_is_no_token_of_some_other_column(registry, text, tokenizers):
    comparison = compared(registry, text, tokenizers, spaces=True)
    every = [set(spans(cut)) for cut in comparison.tokenizations]
    for cut, column in zip(comparison.tokenizations, comparison.differences.columns, strict=True):
        expected = [start < end and not all((start, end) in one for one in every) for start, end in spans(cut)]
        assert column.differing.tolist() == expected


@given(text=TEXTS, tokenizers=SETS, spaces=st.booleans())
def test_places_hold_all_tokens_that_are_alone_and_split_none(registry, text, tokenizers, spaces):
    comparison = compared(registry, text, tokenizers, spaces=spaces)
    parts = comparison.differences
    held = [*zip(parts.starts.tolist(), parts.ends.tolist(), strict=True)]
    assert all(before[1] <= after[0] for before, after in pairwise(held))
    for column in parts.columns:
        for start, end, differs in zip(
            column.starts.tolist(), column.ends.tolist(), column.differing.tolist(), strict=True
        ):
            around = [place for place in held if place[0] < end and start < place[1]]
            assert all(first <= start and end <= last for first, last in around)
            assert around or not differs
    for first, last in held:
        text.encode()[first:last].decode()
        assert any(column.differing[column.between(first, last)].any() for column in parts.columns)


@given(text=TEXTS, tokenizers=SETS, spaces=st.booleans())
def test_rows_of_a_place_are_equally_wide_and_say_its_text(registry, text, tokenizers, spaces):
    comparison = compared(registry, text, tokenizers, spaces=spaces)
    for place in places(comparison):
        widths = {sum(piece.width for piece in row) for _, row in place.rows}
        assert len(widths) == 1
        assert 1 <= min(widths) <= MAX_WIDTH
        for _, row in place.rows:
            if all(piece.runs for piece in row) and not place.left_out:
                assert "".join(joined(piece.runs) for piece in row) == text[place.char_start : place.char_end]


def test_the_digits_part_in_threes_in_pairs_and_one_by_one(registry):
    first, second, third = places(compared(registry, "1234567+7654321"))
    assert shown(first) == {
        "o200k_base": ["123"],
        "cl100k_base": ["123"],
        "mistral-v1": ["1", "2", "3"],
        "bert-base-uncased": ["123"],
    }
    assert shown(second)["bert-base-uncased"] == ["45", "6"]
    assert shown(third)["bert-base-uncased"] == ["76", "54", "32"]
    assert [(cut.id, [piece.width for piece in row]) for cut, row in third.rows][:3] == [
        ("o200k_base", [3, 3]),
        ("cl100k_base", [3, 3]),
        ("mistral-v1", [1] * 6),
    ]


def test_bytes_of_a_character_stand_under_it_by_name_and_what_is_dropped_is_a_gap(registry):
    globe = places(compared(registry, " 🌍", ["o200k_base", "cl100k_base", "mistral-v1"]))[-1]
    assert shown(globe) == {
        "o200k_base": ["F0 9F 8C", "8D"],
        "cl100k_base": ["F0 9F", "8C", "8D"],
        "mistral-v1": ["🌍"],
    }
    (cluster,) = places(compared(registry, "न्", ["words", "cl100k_base", "bert-base-uncased"]))
    assert shown(cluster)["bert-base-uncased"] == ["न", "[्]"]


def test_whitespace_counts_only_if_requested(registry):
    pair = ["o200k_base", "bert-base-uncased"]
    assert len(compared(registry, "the cat", pair).differences) == 0
    assert len(compared(registry, "the cat", pair, spaces=True).differences) == 1


def test_places_come_in_pages(registry):
    comparison = compared(registry, "123 " * 100, ["o200k_base", "characters"])
    assert len(comparison.differences) == 100
    assert [place.number for place in places(comparison)] == [*range(PAGE_SIZE)]
    assert [place.number for place in places(comparison, 80)] == [*range(80, 100)]
    assert places(comparison, 0)[1].char_start == 4


def test_a_place_too_wide_says_what_it_leaves_out(registry):
    (place,) = places(compared(registry, "a" * 1000, ["words", "characters"]))
    assert [sum(piece.width for piece in row) for _, row in place.rows] == [MAX_WIDTH, MAX_WIDTH]
    assert place.left_out == 1000 - MAX_WIDTH


@pytest.mark.parametrize("text", [*NASTY.values(), "नमस्ते 🌍 " * 400], ids=[*NASTY, "long"])
def test_all_columns_show_the_same_stretch_and_split_nothing(registry, text):
    comparison = compared(registry, text, [*FOUR, "bytes"])
    part = excerpt(comparison, tokens=1000)
    beginning = text.encode()[: part.bytes].decode()
    assert part.characters == len(beginning)
    assert part.whole == (beginning == text)
    for _, column in part:
        assert "".join(joined(face.runs) for face in column.cell_views) == beginning
        assert len(column.differing) == len(column.starts) <= 200 or part.whole


def test_places_keep_together_what_is_seen_as_one(registry):
    """A conjunct's consonant and sign, and the parts of a family, are never places of their own."""
    comparison = compared(registry, "का👩‍👩‍👧🇺🇳", ["o200k_base", "bytes"])
    assert [comparison.index.text[place.char_start : place.char_end] for place in places(comparison)] == [
        "का",
        "👩‍👩‍👧",
        "🇺🇳",
    ]


def test_a_place_that_reads_leftward_says_so(registry):
    first, second = places(compared(registry, "السلام 1234", ["o200k_base", "characters"]))
    assert (first.right_to_left, second.right_to_left) == (True, False)


def test_columns_are_in_the_order_of_the_request_and_a_failure_keeps_its_place(registry):
    comparison = compared(registry, "abc", ["words", "nonesuch", "bytes"])
    assert [type(column) for column in comparison.columns] == [MeasuredTokenization, Failure, MeasuredTokenization]
    assert [cut.id for cut in comparison.by_count] == ["words", "bytes"]
    assert comparison.spread == 3.0
    assert comparison.base is comparison.columns[0]
    assert compared(registry, "abc", ["nonesuch"]).base is None


@pytest.mark.parametrize("parallel", [True, False])
def test_long_texts_are_cut_alike_parallel_and_in_turn(registry, parallel):
    text = "नमस्ते, the cat! " * 1000
    comparison = compared(registry, text, parallel=parallel)
    assert [cut.id for cut in comparison.tokenizations] == FOUR
    for cut in comparison.tokenizations:
        assert np.array_equal(cut.tokenization.encoding.ids, registry.get(cut.id).encode(text).ids)


def test_what_a_text_costs_by_hand(registry):
    """8 tokens at 2 dollars a million: 0.000016, a thousand times 0.016; of a window of 32 a quarter."""
    comparison = compared(registry, "1234567 + 7654321", ["o200k_base"])
    known = [PricedModel("A", "o200k_base", 2.0, 32), PricedModel("B", "gpt2", 1.0, 32), PricedModel("C", "o200k_base")]
    a, c = costs(comparison, known, calls=1000)
    assert (a.model.name, a.tokens, a.per_call, a.total, a.window_share, a.exact, a.custom_price) == (
        "A", 8, pytest.approx(16e-6), pytest.approx(0.016), 0.25, True, False,
    )  # fmt: skip
    assert (c.per_call, c.total, c.window_share) == (None, None, None)
    mine = costs(comparison, known, prices={"A": 4.0})[0]
    assert (mine.per_call, mine.custom_price) == (pytest.approx(32e-6), True)


def test_a_model_of_ones_own_is_an_estimate_in_the_baselines_tokens(registry):
    comparison = compared(registry, "1234567 + 7654321", baseline="mistral-v1")
    guess = estimate(comparison, price=1.0, window=34)
    assert isinstance(guess, InputCost)
    assert (guess.tokens, guess.window_share, guess.exact) == (17, 0.5, False)
    assert estimate(comparison, price=None, window=None) is None
