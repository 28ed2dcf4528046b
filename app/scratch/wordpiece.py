"""WordPiece: take the longest token that matches the beginning of a word, then the longest that matches the rest.

A token that continues a word is marked `##`. If at some place no token matches, the whole word becomes the unknown
token (Devlin et al. 2019, BERT; after Schuster and Nakajima 2012).
"""

from collections.abc import Collection, Iterator
from typing import NamedTuple


class LookUp(NamedTuple):
    """A token that was looked up, where it would end in the word, and whether it is in the vocabulary."""

    token: str
    end: int
    match: bool


class WordTokens(NamedTuple):
    """The tokens of the word."""

    tokens: list[str]


def iter_look_ups(word: str, vocabulary: Collection[str], *, unknown: str = "[UNK]") -> Iterator[LookUp | WordTokens]:
    """Yield each look-up, the longest token first, and then the result.

    >>> [step.token for step in iter_look_ups("plays", {"play", "##s"}) if isinstance(step, LookUp)]
    ['plays', 'play', '##s']
    """
    tokens: list[str] = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):  # the longest first
            token = word[start:end] if start == 0 else "##" + word[start:end]
            yield LookUp(token, end, token in vocabulary)
            if token in vocabulary:
                break
        else:  # no token matches here: the word cannot be finished
            yield WordTokens([unknown])
            return
        tokens.append(token)
        start = end
    yield WordTokens(tokens)


def encode(word: str, vocabulary: Collection[str], *, unknown: str = "[UNK]") -> list[str]:
    """Return the tokens of a word.

    >>> encode("playing", {"play", "##ing", "##i"})
    ['play', '##ing']
    >>> encode("pay", {"play", "##ing", "p", "##a"})
    ['[UNK]']
    """
    *_, result = iter_look_ups(word, vocabulary, unknown=unknown)
    return result.tokens if isinstance(result, WordTokens) else []
