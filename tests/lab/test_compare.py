"""Comparisons: rings and places against their plain definitions, alignment, what is shown of long texts, and costs."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.lab.compare.aligned import PAGE, WIDEST, places
from app.lab.compare.columns import stretch
from app.lab.compare.comparison import Cut, Failure, compare
from app.lab.faces import joined
from tests.strings import NASTY, TEXTS

FOUR = ["o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased"]
SETS = st.lists(st.sampled_from([*FOUR, "udhr-unigram-16k", "characters", "bytes", "words"]), min_size=1, unique=True)


def compared(registry, text, tokenizers=FOUR, **options):
    return compare(registry, text, tokenizers, limit=10**9, **options)


def spans(cut):
    encoding = cut.done.encoding
    return [*zip(encoding.byte_starts.tolist(), encoding.byte_ends.tolist(), strict=True)]


def shown(place):
    """By tokenizer what its row says, a gap in brackets."""
    return {
        cut.id: [joined(piece.runs) or piece.label if piece.part else f"[{joined(piece.runs)}]" for piece in row]
        for cut, row in place.rows
    }


@settings(max_examples=250)
@given(text=TEXTS, tokenizers=SETS)
def test_a_token_is_alone_if_its_span_is_no_token_of_some_other_column(registry, text, tokenizers):
    found = compared(registry, text, tokenizers, spaces=True)
    every = [set(spans(cut)) for cut in found.cuts]
    for cut, column in zip(found.cuts, found.differences.columns, strict=True):
        expected = [start < end and not all((start, end) in one for one in every) for start, end in spans(cut)]
        assert column.alone.tolist() == expected


@settings(max_examples=250)
@given(text=TEXTS, tokenizers=SETS, spaces=st.booleans())
def test_places_hold_all_tokens_that_are_alone_and_split_none(registry, text, tokenizers, spaces):
    found = compared(registry, text, tokenizers, spaces=spaces)
    parts = found.differences
    held = [*zip(parts.starts.tolist(), parts.ends.tolist(), strict=True)]
    assert all(before[1] <= after[0] for before, after in pairwise(held))
    for column in parts.columns:
        for start, end, alone in zip(column.starts.tolist(), column.ends.tolist(), column.alone.tolist(), strict=True):
            around = [place for place in held if place[0] < end and start < place[1]]
            assert all(first <= start and end <= last for first, last in around)
            assert around or not alone
    for first, last in held:
        text.encode()[first:last].decode()
        assert any(column.alone[column.between(first, last)].any() for column in parts.columns)


@settings(max_examples=250)
@given(text=TEXTS, tokenizers=SETS, spaces=st.booleans())
def test_rows_of_a_place_are_equally_wide_and_say_its_text(registry, text, tokenizers, spaces):
    found = compared(registry, text, tokenizers, spaces=spaces)
    for place in places(found):
        widths = {sum(piece.width for piece in row) for _, row in place.rows}
        assert len(widths) == 1
        assert 1 <= min(widths) <= WIDEST
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


def test_white_space_counts_only_where_it_is_asked_for(registry):
    pair = ["o200k_base", "bert-base-uncased"]
    assert len(compared(registry, "the cat", pair).differences) == 0
    assert len(compared(registry, "the cat", pair, spaces=True).differences) == 1


def test_places_come_in_pages(registry):
    found = compared(registry, "123 " * 100, ["o200k_base", "characters"])
    assert len(found.differences) == 100
    assert [place.number for place in places(found)] == [*range(PAGE)]
    assert [place.number for place in places(found, 80)] == [*range(80, 100)]
    assert places(found, 0)[1].char_start == 4


def test_a_place_too_wide_says_what_it_leaves_out(registry):
    (place,) = places(compared(registry, "a" * 1000, ["words", "characters"]))
    assert [sum(piece.width for piece in row) for _, row in place.rows] == [WIDEST, WIDEST]
    assert place.left_out == 1000 - WIDEST


@pytest.mark.parametrize("text", [*NASTY.values(), "नमस्ते 🌍 " * 400], ids=[*NASTY, "long"])
def test_all_columns_show_the_same_stretch_and_split_nothing(registry, text):
    found = compared(registry, text, [*FOUR, "bytes"])
    part = stretch(found, tokens=1000)
    beginning = text.encode()[: part.bytes].decode()
    assert part.characters == len(beginning)
    assert part.whole == (beginning == text)
    for _, column in part:
        assert "".join(joined(face.runs) for face in column.faces) == beginning
        assert len(column.alone) == len(column.starts) <= 200 or part.whole


def test_places_keep_together_what_is_seen_as_one(registry):
    """A conjunct's consonant and sign, and the parts of a family, are never places of their own."""
    found = compared(registry, "का👩‍👩‍👧🇺🇳", ["o200k_base", "bytes"])
    assert [found.passage.text[place.char_start : place.char_end] for place in places(found)] == ["का", "👩‍👩‍👧", "🇺🇳"]


def test_a_place_that_reads_leftward_says_so(registry):
    first, second = places(compared(registry, "السلام 1234", ["o200k_base", "characters"]))
    assert (first.leftward, second.leftward) == (True, False)


def test_columns_come_in_the_order_asked_and_a_failure_keeps_its_place(registry):
    found = compared(registry, "abc", ["words", "nonesuch", "bytes"])
    assert [type(column) for column in found.columns] == [Cut, Failure, Cut]
    assert [cut.id for cut in found.by_count] == ["words", "bytes"]
    assert found.spread == 3.0
    assert found.base is found.columns[0]
    assert compared(registry, "abc", ["nonesuch"]).base is None


@pytest.mark.parametrize("at_once", [True, False])
def test_long_texts_are_cut_alike_at_once_and_in_turn(registry, at_once):
    text = "नमस्ते, the cat! " * 1000
    found = compared(registry, text, at_once=at_once)
    assert [cut.id for cut in found.cuts] == FOUR
    for cut in found.cuts:
        assert np.array_equal(cut.done.encoding.ids, registry.get(cut.id).encode(text).ids)
