"""Every boundary of an encoding has a reason, in words and with the step that decided it."""

import pytest
from tokenarium.lab.steps.encoding import encode
from tokenarium.lab.steps.patterns import (
    CONTRACTION_SUFFIX,
    KNOWN,
    POSSESSIVE,
    alternatives,
    describe,
    find_alternative,
)
from tokenarium.scratch.fast.pretokenize import split
from tokenarium.settings import Settings
from tokenarium.store import read_store

from tests.conftest import IDS
from tests.support.strings import GREETING, NASTY

PYTHON = "def add(a, b):\n    return a + b  # I'll\n"
EXAMPLES = (GREETING, "strawberry", "9.11 and 9.9", PYTHON)
PATTERNS = [record.pattern for record in read_store(Settings().store) if record.pattern]


def words(reason):
    return "".join(part if isinstance(part, str) else f"`{part.text}`" for part in reason)


def whys(registry, id, text, **options):
    run = encode(registry, text, tokenizer=id, **options)
    return [
        (why.left and why.left.text, why.right and why.right.text, words(why.reason), why.step)
        for why in run.boundaries(run.total - 1)
    ]


@pytest.mark.parametrize("text", EXAMPLES)
@pytest.mark.parametrize("id", IDS)
def test_every_boundary_has_a_reason(registry, id, text):
    run = encode(registry, text, tokenizer=id)
    boundaries = run.boundaries(run.total - 1)
    (last,) = run.steps(run.total - 1, run.total)
    tokens = [tile.text for tile in last.rows[0].tiles]
    assert [why.right.text for why in boundaries] == tokens
    assert [why.left and why.left.text for why in boundaries] == [None, *tokens[:-1]]
    assert all(words(why.reason).endswith(".") for why in boundaries)


def test_the_pattern_is_described_in_words(registry):
    boundaries = whys(registry, "cl100k_base", "in 12345!")
    assert [reason.partition(". ")[2] for _, _, reason, _ in boundaries[1:]] == [
        "`in`: letters, with an optional preceding space or symbol; ` `: one white space character.",
        "` `: one white space character; `123`: up to three digits.",
        "`123` and `45`: both are up to three digits.",
        "`45`: up to three digits; `!`: symbols, with an optional preceding space and following line breaks.",
    ]


def test_a_merge_that_was_outranked_is_named_with_both_ranks_and_its_step(registry):
    assert whys(registry, "o200k_base", "strawberry") == [
        (None, "st", "The text begins here.", None),
        ("st", "raw", "`st` and `ra` could have merged (rank 14,867), but `ra` and `w` merged first (rank 1,618).", 8),
        ("raw", "berry", "`w` and `b` could have merged (rank 31,846), but `b` and `er` merged first (rank 718).", 6),
    ]


def test_two_halves_without_a_merge_say_so(registry):
    assert whys(registry, "o200k_base", GREETING)[3] == (
        "20·f0·9f·8c", "8d", "The vocabulary has no merge of `20·f0·9f·8c` and `8d`.", None
    )  # fmt: skip


def test_scores_are_named_where_characters_merge(registry):
    (_, second) = whys(registry, "mistral-v1", "strawberry")
    assert second[2] == "`w` and `b` could have merged (score −25,819), but `b` and `er` merged first (score −278)."


def test_wordpiece_ends_at_the_longest_match(registry):
    assert whys(registry, "toy-wordpiece", "playing pay") == [
        (None, "play", "The text begins here.", None),
        ("play", "##ing", "`play` is the longest token of the vocabulary that matches at its position.", 5),
        ("##ing", "[UNK]", "White space separates the two words and is dropped.", None),
    ]


def test_rwkv_ends_at_the_longest_match_and_says_where_no_token_reaches(registry):
    assert whys(registry, "rwkv-world", "8 cabins")[1:] == [
        ("8", " cabin", "No token of the vocabulary spans this position.", None),
        (" cabin", "s", "` cabin` is the longest token of the vocabulary that matches at its position.", 3),
    ]


@pytest.mark.parametrize(("text", "why"), [("don't", "punctuation"), ("好你", "Chinese"), ("a b", "White space")])
def test_bert_splits_before_wordpiece(registry, text, why):
    assert why in whys(registry, "bert-base-uncased", text)[1][2]


def test_unigram_says_how_much_lower_the_best_sum_across_a_position_is(registry):
    boundaries = whys(registry, "udhr-unigram-16k", "Hello")
    assert boundaries[1] == ("▁He", "l", "With `el` across this position, the best sum is −23.273, 1.408 lower.", 9)
    assert "No token of the vocabulary spans" in whys(registry, "udhr-unigram-16k", "9,9")[1][2]


def test_the_bytes_of_a_character_outside_the_vocabulary_merge_with_nothing(registry):
    boundaries = whys(registry, "udhr-unigram-16k", "🌍")
    assert boundaries[-1][:3] == (
        "8c", "8d", "`🌍` is not in the vocabulary; the tokens of its bytes merge with nothing."
    )  # fmt: skip


def test_a_special_token_merges_with_nothing(registry):
    boundaries = whys(registry, "cl100k_base", "a<|endoftext|>b", special="parse")
    reason = "`<|endoftext|>` is a special token: it is matched first and nothing merges with it."
    assert [row[2] for row in boundaries[1:]] == [reason, reason]


def test_a_word_on_stage_explains_its_own_boundaries_beginning_with_its_start(registry):
    run = encode(registry, "the strawberry", tokenizer="o200k_base")
    step = run.total - 2
    (first, *inner) = run.boundaries(step)
    assert (first.left.text, first.right.text) == ("the", " strawberry")
    assert inner == []
    assert run.boundaries(0) == ()


def test_patterns_are_split_at_bars_outside_classes_and_groups():
    assert alternatives(r"a\|b|(?:c|d)+|[|\]x]|[]|]|(?P<n>e|(f|g))h|") == (
        r"a\|b", "(?:c|d)+", r"[|\]x]", "[]|]", "(?P<n>e|(f|g))h", ""
    )  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_word_is_split_off_by_an_alternative_that_is_described_in_words(pattern):
    for alternative in alternatives(pattern):
        assert not describe(alternative).startswith("a match of"), alternative
    for text in NASTY.values():
        for start, word in split(pattern, text):
            assert find_alternative(pattern, text, start, start + len(word)) is not None, (text, word)


def test_no_description_is_out_of_use():
    plain = {
        POSSESSIVE.sub(r"\1", alternative).removeprefix("(?s)").removesuffix(CONTRACTION_SUFFIX)
        for pattern in PATTERNS
        for alternative in alternatives(pattern)
    }
    assert set(KNOWN) <= plain
