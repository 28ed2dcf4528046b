"""Ids are compared with those of the tokenizer, their text's segmentations are all that decode to it."""

import cProfile
import pstats

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenarium.errors import Invalid, UnknownId
from tokenarium.lab.canonical import (
    LOST,
    MAX_STEPS,
    NO_TEXT,
    IdDifference,
    IdsOptions,
    examine_ids,
    find_difference,
    is_canonical,
)
from tokenarium.lab.option_schema import from_mapping
from tokenarium.lab.segmentations import MAX_SPELLED
from tokenarium.lab.tokenize import tokenize
from tokenarium.lab.vocabulary.search import RecentVocabularies

from tests.support.strings import NASTY

VOCABULARIES = RecentVocabularies()
TOKENIZERS = ("gpt2", "mistral-v3", "bert-base-uncased", "udhr-unigram-16k", "yi", "rwkv-world")


def examine(registry, tokenizer, ids, seed=0):
    return examine_ids(
        registry, VOCABULARIES, from_mapping(IdsOptions, {"tokenizer": tokenizer, "ids": ids, "seed": seed})
    )


def encode(registry, tokenizer, text, **how):
    return tokenize(registry, text, tokenizer=tokenizer, **how).encoding.ids.tolist()


def spell_by_brute_force(registry, tokenizer, ids):
    """How many lists of ids decode to what these decode to, each token of which adds to the text."""
    loaded = registry.get(tokenizer)
    goal = loaded.decode(ids)
    columns = VOCABULARIES.columns(registry, tokenizer)
    tokens = [entry.id for entry in map(columns.entry, range(len(columns))) if entry.kind in ("normal", "byte")]
    tokens = [id for id in tokens if loaded.entry(id).raw.removeprefix(b" ") in goal]
    found = 0
    some = [[]]
    while some:
        longer = [[*one, id] for one in some for id in tokens]
        decoded = [(one, loaded.decode(one)) for one in longer]
        found += sum(text == goal for _, text in decoded)
        some = [one for one, text in decoded if goal.startswith(text) and len(one) < len(goal) + 1 and text != goal]
    return found


@pytest.mark.parametrize(
    ("tokenizer", "text"),
    [("gpt2", "ab c"), ("rwkv-world", "né"), ("yi", "a b"), ("bytes", "ab"), ("cl100k_base", "Hey")],
)
def test_the_segmentations_are_all_lists_of_ids_that_decode_to_the_text(registry, tokenizer, text):
    ids = encode(registry, tokenizer, text)
    assert examine(registry, tokenizer, ids).segmentations.count == spell_by_brute_force(registry, tokenizer, ids)


@pytest.mark.parametrize("tokenizer", [*TOKENIZERS, "clip", "deepseek-coder"])
@given(text=st.text("ab c.é\n你", max_size=20) | st.sampled_from([*NASTY.values()]), around=st.booleans())
@settings(max_examples=15)
def test_what_a_tokenizer_gives_for_decoded_text_is_canonical(registry, tokenizer, text, around):
    once = encode(registry, tokenizer, text)
    if any(registry.get(tokenizer).entry(id).kind == "unknown" for id in once):
        assert examine(registry, tokenizer, once).notes[0] == LOST
        return
    text = registry.get(tokenizer).decode(once).decode(errors="replace").replace("</w>", " ")
    ids = encode(registry, tokenizer, text, add_special_tokens=around)
    assert is_canonical(registry, ids, tokenizer=tokenizer)


@pytest.mark.parametrize("tokenizer", TOKENIZERS)
def test_the_fewest_and_the_drawn_tokens_spell_the_text(registry, tokenizer):
    ids = encode(registry, tokenizer, "Hello world, tokens and sub-words")
    found = examine(registry, tokenizer, ids, seed=3)
    assert found.canonical
    assert len(found.segmentations.fewest) <= len(ids) < len(found.segmentations.sampled)
    for spelled in (found.segmentations.fewest, found.segmentations.sampled):
        assert registry.get(tokenizer).decode(spelled) == found.decoded.raw


def test_the_first_difference_has_its_index_and_both_tokens(registry):
    found = examine(registry, "gpt2", [64, 11, 258, 18798])  # "a", ",", "he", "llo"
    assert (found.canonical, found.canonical_ids, found.decoded.text) == (False, [64, 11, 31373], "a,hello")
    difference = found.difference
    assert (difference.index, difference.given.piece, difference.canonical.piece) == (2, "he", "hello")


def test_a_list_that_ends_early_differs_where_it_ends(registry):
    tokenizer = registry.get("gpt2")
    assert find_difference(tokenizer, [64], [64, 11]) == IdDifference(1, None, tokenizer.entry(11))
    assert find_difference(tokenizer, [64], [64]) is None


def test_special_tokens_are_recognized_where_the_ids_have_some(registry):
    spelled = encode(registry, "qwen3", "<|im_end|>")
    assert examine(registry, "qwen3", spelled).special == "text"
    found = examine(registry, "qwen3", [151645, *spelled])
    assert (found.special, found.canonical, found.difference.index) == ("parse", False, 1)
    assert found.difference.canonical.piece == "<|im_end|>"


def test_tokens_around_a_text_belong_to_it(registry):
    ids = encode(registry, "bert-base-uncased", "unaffable", add_special_tokens=True)
    found = examine(registry, "bert-base-uncased", ids)
    assert (found.canonical, found.segmentations.fewest[0], found.segmentations.fewest[-1]) == (True, 101, 102)


def test_a_space_in_front_that_decoding_takes_off_is_missed(registry):
    bare = next(id for id in range(32768) if registry.get("mistral-v3").entry(id).piece == "Hello")
    found = examine(registry, "mistral-v3", [bare])
    assert (found.canonical, found.decoded.text, found.difference.canonical.piece) == (False, "Hello", "▁Hello")


def test_bytes_are_held_back_until_their_character_is_whole(registry):
    steps = examine(registry, "gpt2", encode(registry, "gpt2", "a👩b")).steps
    assert [(step.text, step.held.hex()) for step in steps] == [
        ("a", ""),
        ("", "f09f91"),
        ("👩", ""),
        ("b", ""),
    ]


def test_a_decoder_that_reads_words_is_asked_at_each_step(registry):
    steps = examine(registry, "bert-base-uncased", encode(registry, "bert-base-uncased", "unaffable , ok")).steps
    assert "".join(step.text for step in steps) == "unaffable, ok"


def test_ids_inside_a_character_have_no_text(registry):
    found = examine(registry, "gpt2", encode(registry, "gpt2", "👩")[:1])
    assert (found.canonical, found.canonical_ids, found.notes) == (False, None, (NO_TEXT,))
    assert found.segmentations.count == 3


def test_what_is_not_counted_says_why(registry):
    long = encode(registry, "gpt2", "a" * (MAX_SPELLED + 1))
    assert examine(registry, "gpt2", long).notes == (
        "Segmentations are not counted: The tokens spell 4,097 bytes; the limit is 4,096.",
    )
    assert "600,000" in examine(registry, "characters", [97]).notes[0]
    assert "where a word ends" in examine(registry, "clip", encode(registry, "clip", "hello")).notes[-1]


def test_unknown_ids_and_seeds_out_of_bounds_are_refused(registry):
    with pytest.raises(UnknownId) as caught:
        examine(registry, "gpt2", [0, 50257])
    assert caught.value.pointer == "/ids/1"
    with pytest.raises(Invalid):
        examine(registry, "gpt2", [0], seed=-1)


def count_entries(registry, ids):
    """How many entries of the vocabulary are made to examine ids."""
    profile = cProfile.Profile()
    profile.runcall(examine, registry, "gpt2", ids)
    calls = pstats.Stats(profile).stats.items()
    return sum(numbers[1] for (_, _, name), numbers in calls if name == "make_raw_entry")


def test_the_entry_of_an_id_is_not_made_again_for_each_place_at_which_it_stands(registry):
    examine(registry, "gpt2", [31373])
    steps = count_entries(registry, [31373] * MAX_STEPS)
    assert count_entries(registry, [31373] * 10 * MAX_STEPS) == steps > MAX_STEPS


def test_a_unigram_vocabulary_gives_each_segmentation_a_share_of_the_text(registry):
    ids = encode(registry, "t5", "unhappily")
    found = examine(registry, "t5", ids)
    assert found.log_probability(ids) == pytest.approx(-36.3269, abs=1e-4)
    assert found.segmentations.log_probability == pytest.approx(-35.5272, abs=1e-4)
    assert found.share(ids) == pytest.approx(0.4495, abs=1e-4)
    assert examine(registry, "gpt2", encode(registry, "gpt2", "unhappily")).share(ids) is None
