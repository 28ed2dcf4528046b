"""What is trained from scratch is what tokenizers trains: the same merges in the same order, the same vocabulary."""

import json
from collections import Counter
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenarium.errors import Invalid
from tokenarium.lab.languages.declarations import declarations
from tokenarium.scratch import learn_bpe
from tokenarium.scratch.compat.pipeline.pre_tokenizers import byte_alphabet
from tokenarium.scratch.fast.bpe.train import MergeProgress, train_bpe, train_wordpiece
from tokenarium.scratch.fast.word_counts import count_text_words, with_digits
from tokenarium.scratch.pretokenize import GPT2
from tokenarium.settings import ROOT, Settings
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from benchmarks.text import english, mixed
from tests.conftest import TIER
from tests.support.strings import TEXTS

COUNTS = st.dictionaries(st.text("abcdé", min_size=1, max_size=20), st.integers(1, 5), min_size=1, max_size=30)
REPEATED = st.dictionaries(st.text("abé", min_size=1, max_size=9), st.integers(1, 5), min_size=1, max_size=9)
"""Words of few letters, whose merges spell many of the special tokens."""
SPECIAL = st.lists(
    st.sampled_from(["<s>", "[PAD]", "a", "é", "ab", "ba", "aa", "bé", "aba", "##a", "##ab"]), unique=True
)
LONGEST = {"commit": 100_000, "nightly": 1_000_000}[TIER]
"""Bytes of the longest corpus."""
LANGUAGES = ["eng", "rus", "ell_monotonic", "arb", "heb", "hin", "tha", "kor", "jpn", "cmn_hans", "amh", "vie", "tam"]


def source():
    """The project's own code, before a commit some of it."""
    code = "".join(path.read_text() for path in sorted((ROOT / "app").rglob("*.py")))
    return code if TIER == "nightly" else code[:LONGEST]


def declaration(code):
    return "\n".join(declarations(Settings().store)[code].articles.values())


def everything():
    """The declaration of human rights in all languages, as far as the longest corpus."""
    text = "\n".join(text for one in declarations(Settings().store).values() for text in one.articles.values())
    return text.encode()[:LONGEST].decode(errors="ignore")


def reference(texts, trainer, pre_tokenizer, model=None):
    library = Tokenizer(model or models.BPE())
    library.pre_tokenizer = pre_tokenizer
    library.train_from_iterator(texts, trainer)
    return json.loads(library.to_str())["model"]


def byte_level(texts, size, pattern=None, **options):
    """The merges that tokenizers learns over bytes, and its vocabulary."""
    by_bytes = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not pattern)
    cut = [pre_tokenizers.Split(Regex(pattern), "isolated")] if pattern else []
    alphabet = by_bytes.alphabet()
    options = {"min_frequency": 2, "show_progress": False, "initial_alphabet": alphabet, **options}
    trainer = trainers.BpeTrainer(vocab_size=size, **options)
    model = reference(texts, trainer, pre_tokenizers.Sequence([*cut, by_bytes]))
    return [tuple(merge) for merge in model["merges"]], set(model["vocab"])


def learned(steps):
    *grown, vocabulary = steps
    assert all(isinstance(step, MergeProgress) for step in grown)
    return vocabulary


def spelled(vocabulary):
    return [(vocabulary.pieces[first], vocabulary.pieces[second]) for first, second in vocabulary.merges]


CORPORA = {code: lambda code=code: declaration(code) for code in LANGUAGES} | {
    "English prose": lambda: english(LONGEST),
    "mixed scripts": lambda: mixed(LONGEST * 3 // 10),
    "source code": source,
    "all languages": everything,
}


@pytest.mark.parametrize("name", CORPORA)
def test_over_bytes_the_merges_are_those_of_tokenizers_in_their_order(name):
    lines = CORPORA[name]().splitlines(keepends=True)
    merges, pieces = byte_level(lines, 32_000)
    vocabulary = learned(train_bpe(count_text_words(lines, pattern=GPT2, trusted=True), size=32_000))
    assert len(merges) > 200
    assert spelled(vocabulary) == merges
    assert set(vocabulary.pieces) == pieces


@given(st.lists(TEXTS, min_size=1, max_size=4), st.integers(1, 3), st.integers(256, 300))
def test_over_bytes_of_any_text_the_merges_are_those_of_tokenizers(texts, min_frequency, size):
    merges, pieces = byte_level(texts, size, min_frequency=min_frequency)
    vocabulary = learned(train_bpe(count_text_words(texts, pattern=GPT2), size=size, min_frequency=min_frequency))
    assert spelled(vocabulary) == merges
    assert set(vocabulary.pieces) == pieces


@pytest.mark.parametrize("longest", [2, *(pytest.param(size, marks=pytest.mark.nightly) for size in (3, 4)), 7])
def test_a_limit_on_the_length_of_pieces_is_that_of_tokenizers_and_one_less(longest):
    lines = mixed(LONGEST // 4).splitlines(keepends=True)
    merges, _ = byte_level(lines, 5_000, max_token_length=longest + 1)
    vocabulary = learned(train_bpe(count_text_words(lines, pattern=GPT2, trusted=True), size=5_000, longest=longest))
    assert spelled(vocabulary) == merges
    assert max(len(first + second) for first, second in merges) == longest


@given(COUNTS, st.integers(2, 5))
def test_a_limit_on_the_length_of_any_pieces_is_that_of_tokenizers(counts, longest):
    texts = [word for word, count in counts.items() for _ in range(count)]
    merges, _ = byte_level(texts, 5_000, max_token_length=longest + 1)
    assert spelled(learned(train_bpe(count_text_words(texts, pattern=GPT2), size=5_000, longest=longest))) == merges


@pytest.mark.parametrize("digits", ["pattern", "single", "three"])
def test_with_a_pattern_of_ones_own_and_a_policy_of_digits_the_merges_are_those_of_tokenizers(digits):
    pattern = with_digits(r"\p{L}+| ?\p{N}+|[^\p{L}\p{N}]", digits)
    lines = english(100_000).splitlines(keepends=True) + ["1234567 2024 1999 123456"] * 9
    merges, _ = byte_level(lines, 2_000, pattern)
    assert spelled(learned(train_bpe(count_text_words(lines, pattern=pattern), size=2_000))) == merges


@given(COUNTS | REPEATED, st.integers(0, 60), SPECIAL)
def test_over_characters_vocabulary_and_ids_are_those_of_tokenizers(counts, size, special):
    texts = [word for word, count in counts.items() for _ in range(count)]
    options = {"min_frequency": 2, "show_progress": False, "special_tokens": special, "initial_alphabet": ["z"]}
    trainer = trainers.BpeTrainer(vocab_size=size, **options)
    model = reference(texts, trainer, pre_tokenizers.WhitespaceSplit())
    vocabulary = learned(
        train_bpe(counts, size=size, unit="characters", special_tokens=special, alphabet="z", longest=None)
    )
    assert dict(zip(vocabulary.pieces, range(len(vocabulary.pieces)), strict=True)) == model["vocab"]
    assert spelled(vocabulary) == [tuple(merge) for merge in model["merges"]]
    assert vocabulary.special_tokens == {token: model["vocab"][token] for token in special}


@given(COUNTS | REPEATED, st.integers(0, 60), SPECIAL)
def test_wordpiece_by_count_has_the_vocabulary_of_tokenizers_where_its_numbers_are_fixed(counts, size, special):
    texts = [word for word, count in counts.items() for _ in range(count)]
    vocabulary = learned(train_wordpiece(counts, size=size, special_tokens=special, unknown=None))
    assert vocabulary.pieces == wordpiece(texts, counts, size, special)


def wordpiece(texts, counts, size, special=()):
    """The pieces of tokenizers by id, where it may not number the continuing characters anew in each run."""
    continued = sorted({"##" + char for word in counts for char in word[1:]})
    fixed = [*dict.fromkeys([*special, *sorted(set().union(*counts)), *continued])]
    options = {"min_frequency": 2, "show_progress": False, "special_tokens": fixed}
    trainer = trainers.WordPieceTrainer(vocab_size=size, **options)
    words = pre_tokenizers.WhitespaceSplit()
    vocabulary = reference(texts, trainer, words, models.WordPiece(unk_token="[UNK]"))["vocab"]
    return tuple(sorted(vocabulary, key=vocabulary.get))


@pytest.mark.parametrize("name", ["English prose", "all languages", "kor", "cmn_hans"])
def test_wordpiece_by_count_of_a_corpus_has_the_vocabulary_of_tokenizers(name):
    lines = CORPORA[name]().replace("#", "")[: LONGEST * 3 // 10].splitlines()
    counts = Counter(" ".join(lines).split())
    assert learned(train_wordpiece(counts, size=8_000, unknown=None)).pieces == wordpiece(lines, counts, 8_000)


def test_a_word_can_carry_the_mark_of_its_end_as_in_tokenizers():
    counts = Counter(english(100_000).split())
    marked = sorted({word[-1] + "</w>" for word in counts})
    fixed = [*sorted(set().union(*counts)), *marked]
    options = {"min_frequency": 2, "show_progress": False, "special_tokens": fixed, "end_of_word_suffix": "</w>"}
    trainer = trainers.BpeTrainer(vocab_size=3_000, **options)
    model = reference([english(100_000)], trainer, pre_tokenizers.WhitespaceSplit())
    vocabulary = learned(train_bpe(counts, size=3_000, unit="marked"))
    assert spelled(vocabulary) == [tuple(merge) for merge in model["merges"]]
    assert vocabulary.pieces == tuple(sorted(model["vocab"], key=model["vocab"].get))


def test_an_alphabet_with_a_limit_has_the_characters_that_come_most_often():
    counts = {"aabbc": 3, "cab": 1, "dd": 1}
    options = {"min_frequency": 1, "show_progress": False, "limit_alphabet": 2}
    texts = [word for word, count in counts.items() for _ in range(count)]
    model = reference(texts, trainers.BpeTrainer(vocab_size=99, **options), pre_tokenizers.WhitespaceSplit())
    vocabulary = learned(train_bpe(counts, size=99, unit="characters", alphabet_limit=2, min_frequency=1))
    assert vocabulary.pieces == tuple(sorted(model["vocab"], key=model["vocab"].get)) == ("a", "b", "ab", "aab", "aabb")


def test_over_bytes_the_ids_are_the_values_of_bytes_then_merges_then_special_tokens():
    vocabulary = learned(train_bpe({"hug": 2, " hug": 2}, size=260, special_tokens=["<|end|>"], pattern=GPT2))
    assert vocabulary.pieces[:256] == tuple(byte_alphabet())
    assert vocabulary.pieces[256:] == ("hu", "hug", "Ġhug", "<|end|>")
    assert vocabulary.merges == ((104, 117), (256, 103), (32, 257))
    assert (vocabulary.special_tokens, vocabulary.pattern) == ({"<|end|>": 259}, GPT2)


def test_each_step_tells_the_piece_its_count_the_size_and_the_length_of_the_corpus():
    *grown, _ = train_bpe({"aaaa": 3, "ab": 1}, size=300, min_frequency=1)
    assert grown == [MergeProgress("aa", 9, 257, 8), MergeProgress("aaaa", 3, 258, 5), MergeProgress("ab", 1, 259, 4)]


def test_the_published_score_can_weigh_wordpiece():
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    *grown, vocabulary = train_wordpiece(counts, size=15, weighing="score", special_tokens=["[PAD]"])
    assert [step.piece for step in grown] == ["##gs", "bu"]
    assert vocabulary.pieces == (
        "[UNK]", "[PAD]", "b", "g", "h", "n", "p", "s", "u", "##g", "##n", "##s", "##u", "##gs", "bu",
    )  # fmt: skip
    assert (vocabulary.unknown, vocabulary.merges) == ("[UNK]", ())


@pytest.mark.parametrize("weighing", ["count", "score"])
def test_no_piece_is_made_that_is_there_or_too_long(weighing):
    counts = {"###": 9, "##a": 9, "#a": 9, "abcd": 5}
    vocabulary = learned(train_wordpiece(counts, size=99, weighing=weighing, special_tokens=["abc"], longest=3))
    assert len(set(vocabulary.pieces)) == len(vocabulary.pieces)
    assert not [piece for piece in vocabulary.pieces if len(piece.removeprefix("##")) > 3 and piece != "[UNK]"]


def test_a_corpus_without_words_leaves_the_alphabet_and_the_special_tokens():
    assert learned(train_bpe({}, size=1000, special_tokens=["<s>"])).pieces == (*byte_alphabet(), "<s>")
    assert learned(train_bpe({}, size=1000, unit="characters", alphabet="ab")).pieces == ("a", "b")
    assert learned(train_wordpiece({}, size=1000)).pieces == ("[UNK]",)


@pytest.mark.parametrize("size", [-1, 0, 1, 255, 256])
def test_a_size_below_the_alphabet_leaves_the_alphabet(size):
    assert learned(train_bpe({"abab": 5}, size=size)).pieces == tuple(byte_alphabet())


def test_a_size_that_cannot_be_filled_ends_early():
    assert len(learned(train_bpe({"abab": 5}, size=2**62)).pieces) == 258


@pytest.mark.parametrize("token", ["", "a", "Ġ"])
def test_a_special_token_that_is_empty_or_a_byte_is_refused(token):
    with pytest.raises(Invalid):
        learned(train_bpe({"ab": 2}, size=300, special_tokens=[token]))


@given(REPEATED, st.integers(256, 300), st.lists(st.sampled_from(["Ġa", "Ġab", "ab", "aa", "Ã©", " a"]), unique=True))
def test_over_bytes_a_merge_that_spells_a_special_token_makes_it_as_in_tokenizers(counts, size, special):
    counts = {" " + word: count for word, count in counts.items()}
    merges, pieces = byte_level([word for word in counts for _ in range(counts[word])], size, special_tokens=special)
    vocabulary = learned(train_bpe(counts, size=size, special_tokens=special))
    assert spelled(vocabulary) == merges
    assert set(vocabulary.pieces) == pieces
    assert vocabulary.special_tokens == {token: vocabulary.pieces.index(token) for token in special}


@pytest.mark.parametrize("ties", get_args(learn_bpe.TieRule))
def test_a_merge_that_makes_a_special_token_adds_none_to_the_vocabulary(ties):
    *grown, vocabulary = train_bpe({" a": 9, " ab": 2}, size=300, special_tokens=[" a", "Ġa"], ties=ties)
    assert vocabulary.pieces[256:] == ("Ġab", " a", "Ġa")
    assert vocabulary.merges == ((32, 97), (258, 98))
    assert grown == [MergeProgress("Ġa", 11, 258, 13), MergeProgress("Ġab", 2, 259, 11)]


def by_teaching_file(counts, **options):
    """The merges of the teaching file before one that spells a token again, which no vocabulary has twice."""
    made = set()
    for step in learn_bpe.iter_learning_steps(counts, **options):
        if isinstance(step, learn_bpe.Merged):
            if "".join(step.pair) in made:
                return
            made.add("".join(step.pair))
            yield step.pair


@pytest.mark.parametrize("ties", get_args(learn_bpe.TieRule))
@given(counts=COUNTS)
def test_the_merges_are_those_of_the_teaching_file_for_every_rule_of_ties(ties, counts):
    merges = [*by_teaching_file(counts, ties=ties)]
    found = spelled(learned(train_bpe(counts, size=9_999, unit="characters", ties=ties)))
    assert found[: len(merges)] == merges
    in_bytes = {word.encode().decode("latin-1"): count for word, count in counts.items()}
    letters = byte_alphabet()
    order = sorted(range(256), key=letters.__getitem__) if ties == "smallest" else range(256)
    merges = [*by_teaching_file(in_bytes, ties=ties, alphabet=[*map(chr, order)])]
    merges = [tuple("".join(letters[ord(byte)] for byte in part) for part in pair) for pair in merges]
    assert spelled(learned(train_bpe(counts, size=9_999, ties=ties)))[: len(merges)] == merges


def test_pairs_are_first_seen_in_the_order_of_the_words_not_of_their_counts():
    counts = count_text_words(["ab ab xyp xyq"], pattern=r"\S+")
    assert learned(train_bpe(counts, size=258, ties="first-seen")).pieces[256:] == ("ab", "xy")


def test_equally_good_pairs_of_bytes_are_in_the_order_of_the_bytes_where_ties_are_lexicographic():
    words = {"!a": 3, " b": 3}
    by_bytes = learned(train_bpe(words, size=258, ties="lexicographic"))
    by_spelling = learned(train_bpe(words, size=258))
    assert (by_bytes.pieces[256:], by_spelling.pieces[256:]) == (("Ġb", "!a"), ("!a", "Ġb"))
