"""The substrings worth being tokens are those of the teaching file, or of sentencepiece."""

from collections import Counter, defaultdict

from hypothesis import given
from hypothesis import strategies as st
from tokenarium.scratch.fast.unigram.seeds import BEFORE_NOTHING, BEFORE_SPACE, Seeds
from tokenarium.scratch.learn_unigram import seeds

WORDS = st.dictionaries(st.text("abбв\0", min_size=1, max_size=9), st.integers(1, 3), min_size=1, max_size=8)
LONGEST = st.integers(1, 12)


def by_definition(words, longest, follows):
    """Count of each character, and of what comes twice and is followed by different things."""
    counts, after = Counter(), defaultdict(set)
    for number, (word, count) in enumerate(words.items()):
        for start in range(len(word)):
            for end in range(start + 1, min(start + longest, len(word)) + 1):
                counts[word[start:end]] += count
                after[word[start:end]] |= follows(number, word, end)
    return {piece: n for piece, n in counts.items() if len(piece) == 1 or (n > 1 and len(after[piece]) > 1)}


def found(fast):
    return {fast.spell(id): count for id, count in enumerate(fast.counts.tolist())}


@given(WORDS, LONGEST)
def test_the_end_of_a_word_is_each_time_something_else(words, longest):
    assert found(Seeds(words, most=10_000, longest=longest)) == seeds(words, longest=longest)


@given(WORDS, LONGEST, st.lists(st.integers(1, 3), min_size=8, max_size=8))
def test_sentencepiece_goes_by_the_first_byte_of_what_follows(words, longest, kinds):
    ends = dict(zip(words, kinds, strict=False))
    nothing, space = {BEFORE_NOTHING: 0, BEFORE_SPACE: "▁".encode()[0]}.values()

    def follows(_, word, end):
        if end < len(word):
            return {word[end].encode()[0]}
        return {byte for kind, byte in ((BEFORE_NOTHING, nothing), (BEFORE_SPACE, space)) if ends[word] & kind}

    assert found(Seeds(words, most=10_000, longest=longest, ends=ends)) == by_definition(words, longest, follows)


def test_of_many_those_with_the_most_characters_in_the_corpus_are_taken():
    words = {"abcd": 3, "abce": 3, "bx": 50, "by": 50}
    assert [*found(Seeds(words, most=8, longest=16))] == ["b", "x", "y", "a", "c", "d", "e", "bx"]
    assert [*found(Seeds(words, most=0, longest=16))] == ["b", "x", "y", "a", "c", "d", "e"]
