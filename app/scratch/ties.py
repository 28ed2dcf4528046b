"""Ties: the order of pairs that are equally good, by which learners of merges that agree on counts still differ."""

from collections.abc import Iterable
from typing import Any, Literal

from app.scratch.corpus import Corpus

TieRule = Literal["first-seen", "smallest", "lexicographic"]
"""Which of equally good pairs wins: the one that stands first in the corpus as it is now · that of the smallest ids,
as Hugging Face's trainer has it · the first by spelling."""
Place = Any
"""A place in the order of ties: two numbers, the pair itself or two spellings. The lowest wins."""


def place_of(corpus: Corpus, pair: str, *, ties: TieRule) -> Place:
    """The place of a pair in the order of ties.

    >>> from app.scratch.corpus import characters
    >>> corpus = characters({"aab": 1})
    >>> place_of(corpus, "\\0\\1", ties="first-seen"), place_of(corpus, "\\0\\1", ties="lexicographic")
    ((0, -2), ('a', 'b'))
    """
    if ties == "first-seen":
        return first_seen(corpus, pair)
    if ties == "smallest":
        return pair
    return corpus.spellings[ord(pair[0])], corpus.spellings[ord(pair[1])]


def place_now(corpus: Corpus, pair: str, before: Place, *, ties: TieRule) -> Place:
    """The place of a pair that had another one before: only where it is first seen can change, and only to be later."""
    return first_seen(corpus, pair, before) if ties == "first-seen" else before


def all_places(corpus: Corpus, pairs: Iterable[str], *, ties: TieRule) -> Iterable[Place]:
    """The places of many pairs.

    >>> from app.scratch.corpus import characters
    >>> [*all_places(characters({"aab": 1}), ["\\0\\0", "\\0\\1"], ties="first-seen")]
    [(0, -3), (0, -2)]
    """
    if ties == "first-seen":
        return map(all_first_seen(corpus).__getitem__, pairs)
    return (place_of(corpus, pair, ties=ties) for pair in pairs)


def first_seen(corpus: Corpus, pair: str, since: tuple[int, int] = (-1, 0)) -> tuple[int, int]:
    """Where a pair of a corpus stands first: the word, and the place in it, if not before where it was `since`.

    The place is counted from the end of the word, and below zero, so that it can only grow as symbols are merged.

    >>> from app.scratch.corpus import characters
    >>> first_seen(characters({"aa": 1, "aab": 1}), "\\0\\1")
    (1, -2)
    """
    places, words = corpus.places[pair], corpus.words
    gone, here = 0, -1
    while here < 0:
        index = places[gone]
        word = words[index]
        here = word.find(pair, max(0, len(word) + since[1]) if index == since[0] else 0)
        gone += 1
    del places[: gone - 1]
    return index, here - len(word)


def all_first_seen(corpus: Corpus) -> dict[str, tuple[int, int]]:
    """Where each pair of a corpus stands first, in one pass.

    >>> from app.scratch.corpus import characters
    >>> all_first_seen(characters({"aab": 1}))
    {'\\x00\\x00': (0, -3), '\\x00\\x01': (0, -2)}
    """
    found: dict[str, tuple[int, int]] = {}
    for index, word in enumerate(corpus.words):
        for here, pair in enumerate(map(str.__add__, word, word[1:]), -len(word)):
            if pair not in found:
                found[pair] = index, here
    return found
