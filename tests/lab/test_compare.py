"""Comparisons: differing tokens and places by their definitions, lanes and their windows, rows and costs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.compare.comparison import Failure, MeasuredTokenization, compare
from tokenarium.lab.compare.lanes import WINDOW_SIZE, Lanes
from tokenarium.lab.compare.view import ComparisonView, price_comparison
from tokenarium.lab.models import model_list
from tokenarium.web.pages.compare import CompareParams

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


def segments(comparison, window=0):
    """The segments of a window, and what each shows of the text."""
    found = [segment for line in Lanes(comparison).lines(window) for word in line.words for segment in word.segments]
    return [(joined(segment.runs), segment) for segment in found]


def lanes(comparison):
    """By tokenizer the text over each of its tokens, as the segments show it; gaps in brackets."""
    shown = {cut.id: [] for cut in comparison.tokenizations}
    for text, segment in segments(comparison):
        for row, tokens in zip(shown.values(), segment.lanes, strict=True):
            if not tokens:
                row.append(f"[{text}]")
            for token in tokens:
                row.append(text) if token.begins else row.append(row.pop() + text)
    return shown


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
        inside = [(column.starts >= first) & (column.starts < last) for column in parts.columns]
        assert any(column.differing[each].any() for column, each in zip(parts.columns, inside, strict=True))


@pytest.mark.parametrize("text", [*NASTY.values(), "नमस्ते 🌍 " * 400], ids=[*NASTY, "long"])
def test_the_windows_of_lanes_say_the_text_and_hold_every_token_once(registry, text):
    comparison = compared(registry, text, [*FOUR, "bytes"])
    windows = [segments(comparison, window) for window in range(len(Lanes(comparison).bounds) - 1)]
    assert "".join(one for window in windows for one, _ in window) == text
    for at, cut in enumerate(comparison.tokenizations):
        parts = [token for window in windows for _, segment in window for token in segment.lanes[at]]
        left_out = sum(segment.left_out[at] for window in windows for _, segment in window)
        assert left_out or {one.part.index for one in parts} == {*range(len(cut.tokenization.encoding))}


@given(text=TEXTS, tokenizers=SETS)
def test_a_token_begins_and_ends_once_and_has_no_gap(registry, text, tokenizers):
    comparison = compared(registry, text, tokenizers)
    for at, _ in enumerate(comparison.tokenizations):
        places = {}
        for number, (_, segment) in enumerate(segments(comparison)):
            for token in segment.lanes[at]:
                places.setdefault(token.part.index, []).append((number, token))
        for parts in places.values():
            numbers = [number for number, _ in parts]
            assert numbers == [*range(numbers[0], numbers[0] + len(numbers))]
            assert [token.begins for _, token in parts] == [True, *[False] * (len(parts) - 1)]
            assert [token.ends for _, token in parts] == [*[False] * (len(parts) - 1), True]
            assert [token.piece is not None for _, token in parts] == [True, *[False] * (len(parts) - 1)]


def test_the_digits_part_in_threes_in_pairs_and_one_by_one(registry):
    assert lanes(compared(registry, "1234567+7654321")) == {
        "o200k_base": ["123", "456", "7", "+", "765", "432", "1"],
        "cl100k_base": ["123", "456", "7", "+", "765", "432", "1"],
        "mistral-v1": [*"11234567+7654321"],  # the token ▁, which stands for no character, and 1
        "bert-base-uncased": ["123", "45", "6", "7", "+", "76", "54", "32", "1"],
    }


def test_bytes_of_a_character_share_its_segment_and_what_is_dropped_is_a_gap(registry):
    shown = segments(compared(registry, " 🌍", ["o200k_base", "cl100k_base", "mistral-v1"]))
    assert [(text, [len(lane) for lane in segment.lanes]) for text, segment in shown] == [
        (" ", [1, 1, 1]),
        ("🌍", [2, 3, 1]),
    ]
    assert lanes(compared(registry, "the cat", ["o200k_base", "bert-base-uncased"]))["bert-base-uncased"] == [
        "the", "[ ]", "cat",
    ]  # fmt: skip


def test_letters_of_the_other_direction_keep_their_order(registry):
    """Segments are drawn apart: a word, a number and the space between them say their direction themselves."""
    (line,) = Lanes(compared(registry, "שלום 12 ab", ["bytes", "o200k_base"])).lines(0)
    words = [("".join(joined(one.runs) for one in word.segments), word.direction) for word in line.words]
    assert line.direction == "rtl"
    assert words == [("שלום", "rtl"), (" ", "rtl"), ("12", "ltr"), (" ", "rtl"), ("ab", "ltr")]
    (line,) = Lanes(compared(registry, "a שלום", ["bytes", "o200k_base"])).lines(0)
    assert (line.direction, line.words[-1].direction) == ("ltr", "rtl")


def test_a_line_ends_with_its_line_end_and_empty_lines_stand_with_it(registry):
    found = [*Lanes(compared(registry, "ab\n\n\ncd\n", ["o200k_base", "bytes"])).lines(0)]
    texts = ["".join(joined(one.runs) for word in line.words for one in word.segments) for line in found]
    assert texts == ["ab\n\n\n", "cd\n"]


def test_a_window_ends_with_a_line_and_is_found_by_its_bytes(registry):
    comparison = compared(registry, "one two three\n" * 2000)
    found = Lanes(comparison)
    ends = found.bounds[1:-1]
    assert len(ends) > 5
    assert all(comparison.index.text[end - 1] == "\n" for end in ends)
    assert [found.find_window(place) for place in (0, ends[0] - 1, ends[0], len(comparison.index.text))] == [
        0, 0, 1, len(ends),
    ]  # fmt: skip
    shown = [lane for _, segment in segments(comparison, 1) for lane in segment.lanes]
    assert 0.7 * WINDOW_SIZE < sum(token.begins for lane in shown for token in lane) <= WINDOW_SIZE


def test_whitespace_counts_only_if_requested(registry):
    pair = ["o200k_base", "bert-base-uncased"]
    assert len(compared(registry, "the cat", pair).differences) == 0
    assert len(compared(registry, "the cat", pair, spaces=True).differences) == 1


def test_places_keep_together_what_is_seen_as_one(registry):
    """A conjunct's consonant and sign, and the parts of a family, are never places of their own."""
    comparison = compared(registry, "का👩‍👩‍👧🇺🇳", ["o200k_base", "bytes"])
    assert [text for text, _ in segments(comparison)] == [
        "का",
        "👩‍👩‍👧",
        "🇺🇳",
    ]


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


def view(registry, text, tokenizers, **options):
    comparison = compared(registry, text, tokenizers, baseline=options.pop("baseline", ""))
    costs = price_comparison(registry, comparison, CompareParams(**options), limit=10**9)
    return ComparisonView(comparison, model_list(registry.infos()), costs)


def test_a_row_has_the_cost_of_the_model_that_stands_for_its_tokenizer(registry):
    """8 tokens of GPT-5 at $1.25 a million are $0.00001, 1,000 requests $0.01; of 272,000 tokens 0.003 %."""
    (row,) = view(registry, "1234567 + 7654321", ["o200k_base"]).rows
    assert (row.label, row.tokens.low, row.cost.model.name) == ("GPT-5 · o200k_base", 8, "GPT-5")
    assert (row.cost.many.low, row.cost.share.low) == (pytest.approx(0.01), pytest.approx(8 / 272_000))
    (row,) = view(registry, "1234567 + 7654321", ["o200k_base"], calls=1, prices={"GPT-5": 5.0}).rows
    assert row.cost.many.low == pytest.approx(40e-6)


def test_claude_is_a_range_and_llama_a_row_with_what_to_do(registry):
    page = view(registry, "1234567 + 7654321", ["o200k_base", "claude-sonnet-5", "llama-4", "nonesuch"])
    _, claude, llama, unknown = page.rows
    assert (claude.label, claude.tokens.low, claude.tokens.high, claude.lane) == ("Claude Sonnet 5", 9, 15, 0)
    assert (claude.change.low, claude.change.high) == (0.125, 0.875)
    assert (llama.label, llama.tokens, llama.cost.model.tokenizer) == ("Llama 4", None, "llama-4")
    assert (unknown.label, unknown.tokens, unknown.cost) == ("nonesuch", None, None)
    assert page.length(claude.tokens.high) == 100


def test_all_models_with_a_price_are_counted_on_request(registry):
    page = view(registry, "abc", ["bytes"], every=True)
    assert {"GPT-5", "GPT-4", "Claude Opus 5", "Kimi K2"} <= {one.model.name for one in page.costs}
    assert view(registry, "abc", ["bytes"]).costs == []


def test_a_model_of_ones_own_is_counted_by_the_baseline(registry):
    page = view(registry, "1234567 + 7654321", FOUR, baseline="mistral-v1", price=1.0, window=34)
    own = page.costs[-1]
    assert (own.model.name, own.tokens.low, own.share.low) == ("Your model", 17, 0.5)
    assert {row.cost.model.name for row in page.rows if row.cost} == {"GPT-5", "GPT-4 Turbo"}
