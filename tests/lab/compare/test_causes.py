"""Causes of extra tokens: they add up to the difference, and each is that of the characters that the tokens cover."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.lab.compare.causes import explain, list_examples
from tokenarium.lab.text_index import TextIndex
from tokenarium.lab.tokenize import tokenize

from tests.support.strings import NASTY, TEXTS

TOKENIZERS = [
    *("o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased", "t5", "tekken", "xlm-roberta", "rwkv-world"),
    *("udhr-unigram-16k", "characters", "bytes", "words"),
]


def encode(registry, text, tokenizer, *, added=False):
    return tokenize(registry, text, tokenizer=tokenizer, special="parse", add_special_tokens=added).encoding


def check(registry, text, baseline, other, **options):
    """Return the explanation of a difference, which adds up."""
    one, two = encode(registry, text, baseline), encode(registry, text, other, **options)
    result = explain(one, two, TextIndex(text), first=10**9)
    assert result.extra == len(two) - len(one) == sum(group.extra for group in result.groups)
    for group in result.groups:
        assert group.places == len(group.first)
        if group.kind != "special":
            assert group.extra == sum(place.tokens - place.baseline_tokens for place in group.first)
        for place in group.first:
            assert place.tokens != place.baseline_tokens
            segment = text.encode()[place.byte_start : place.byte_end].decode()
            assert text[place.char_start : place.char_end] == segment
    return result


@given(text=TEXTS, baseline=st.sampled_from(TOKENIZERS), other=st.sampled_from(TOKENIZERS), added=st.booleans())
def test_the_causes_add_up_to_the_difference(registry, text, baseline, other, added):
    check(registry, text, baseline, other, added=added)


@pytest.mark.parametrize("text", NASTY.values(), ids=NASTY)
def test_the_causes_add_up_on_every_nasty_text(registry, text):
    for other in TOKENIZERS:
        check(registry, text, "o200k_base", other)
        check(registry, text, other, "characters")


@given(text=TEXTS, baseline=st.sampled_from(TOKENIZERS), other=st.sampled_from(TOKENIZERS))
def test_the_other_way_round_every_cause_has_the_opposite_sign(registry, text, baseline, other):
    there, back = check(registry, text, baseline, other), check(registry, text, other, baseline)
    extras = {(group.kind, group.script): group.extra for group in there.groups}
    assert extras == {(group.kind, group.script): -group.extra for group in back.groups}


@pytest.mark.parametrize(
    ("text", "baseline", "other", "expected"),
    [
        ("in 1234567", "o200k_base", "mistral-v1", [("digits", "", 4, 2)]),
        ("مكتبة", "o200k_base", "cl100k_base", [("script", "Arabic", 2, 2)]),
        ("so 😟 it is", "o200k_base", "bytes", [("words", "", 5, 3), ("emoji", "", 3, 1)]),
        ("if x:\n            x", "o200k_base", "gpt2", [("whitespace", "", 11, 2)]),
        ("Oak. At Oak", "words", "characters", [("words", "", 3, 2), ("names", "", 2, 1)]),
        ("x=True", "words", "characters", [("words", "", 3, 1)]),
        ("NASA at SEA", "words", "characters", [("words", "", 6, 3)]),
    ],
)
def test_a_cause_is_named_after_what_its_tokens_cover(registry, text, baseline, other, expected):
    groups = check(registry, text, baseline, other).groups
    assert [(group.kind, group.script, group.extra, group.places) for group in groups] == expected


def test_tokens_added_around_the_text_are_a_cause_of_their_own(registry):
    (group,) = check(registry, "the", "o200k_base", "bert-base-uncased", added=True).groups
    assert (group.kind, group.extra, group.places) == ("special", 2, 0)


def test_the_places_with_the_most_extra_tokens_come_first_and_all_are_counted(registry):
    encodings = (encode(registry, "12 1234 123 " * 9, one) for one in ("words", "characters"))
    group = next(
        one for one in explain(*encodings, TextIndex("12 1234 123 " * 9), first=2).groups if one.kind == "digits"
    )
    assert [(place.char_start, place.tokens) for place in group.first] == [(3, 4), (15, 4)]
    assert (group.extra, group.places) == (9 * 6, 27)


def test_examples_are_distinct_and_say_how_often(registry):
    """12 numbers of three digits are one example, and so are all indented lines."""
    text = "".join(f"{number} apples\n    if x:\n" for number in range(100, 112))
    result = check(registry, text, "o200k_base", "characters")
    found = [(group.kind, one) for group in result.groups for one in list_examples(group, text)]
    shown = {(kind, one.label): (len(one.places), one.extra) for kind, one in found}
    assert shown["digits", "three digits"] == (12, 24)
    assert shown["words", "apples"] == (12, 72)
    for group in result.groups:
        examples = list_examples(group, text)
        assert sum(one.extra for one in examples) == group.extra
        assert sum(len(one.places) for one in examples) == group.places
