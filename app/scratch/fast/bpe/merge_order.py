"""The order of equally good pairs and the filter of allowed merges, for both learners of merges.

The tie rules are equal to those of `scratch.learn_bpe`, which compares all pairs after each merge. For a heap, each
pair has a place in the order of ties that is constant or only grows: a stale entry leaves the heap too early, at worst,
and is then reinserted.
"""

from collections.abc import Callable, Iterable
from typing import Any

from ...learn_bpe import TieRule
from .symbol_corpus import SymbolCorpus

Place = Any
"""A place in the order of ties: two numbers, the pair itself, two spellings or their reverse order. The lowest is
merged."""


def find_place(corpus: SymbolCorpus, pair: str, *, ties: TieRule) -> Place:
    """Return the place of a pair in the order of ties.

    >>> from tokenarium.scratch.fast.bpe.symbol_corpus import characters
    >>> corpus = characters({"aab": 1})
    >>> find_place(corpus, "\\0\\1", ties="first-seen"), find_place(corpus, "\\0\\1", ties="lexicographic")
    ((0, -2), ('a', 'b'))
    """
    if ties == "first-seen":
        return find_first_seen(corpus, pair)
    if ties == "smallest":
        return pair
    first, second = corpus.spellings[ord(pair[0])], corpus.spellings[ord(pair[1])]
    return (first, second) if ties == "lexicographic" else (_reverse_order(first), _reverse_order(second))


def _reverse_order(spelling: str) -> list[int]:
    """Return numbers that are the lower, the later a spelling is in lexicographic order.

    >>> sorted(["", "ab", "b", "a"], key=_reverse_order)
    ['b', 'ab', 'a', '']
    """
    return [*(-ord(char) for char in spelling), 1]


def update_place(corpus: SymbolCorpus, pair: str, before: Place, *, ties: TieRule) -> Place:
    """Return the current place of a pair from an earlier one: only its first occurrence can change, to a later one."""
    return find_first_seen(corpus, pair, before) if ties == "first-seen" else before


def find_all_places(corpus: SymbolCorpus, pairs: Iterable[str], *, ties: TieRule) -> Iterable[Place]:
    """Return the places of many pairs, for first occurrences with a single pass over the corpus.

    >>> from tokenarium.scratch.fast.bpe.symbol_corpus import characters
    >>> [*find_all_places(characters({"aab": 1}), ["\\0\\0", "\\0\\1"], ties="first-seen")]
    [(0, -3), (0, -2)]
    """
    if ties == "first-seen":
        return map(find_all_first_seen(corpus).__getitem__, pairs)
    return (find_place(corpus, pair, ties=ties) for pair in pairs)


def find_first_seen(corpus: SymbolCorpus, pair: str, since: tuple[int, int] = (-1, 0)) -> tuple[int, int]:
    """Return the first occurrence of a pair, not before `since`: the index of the word, and the position in it.

    The position is counted from the end of the word, as a negative number. Merges within the word shorten it, so the
    position can only grow.

    >>> from tokenarium.scratch.fast.bpe.symbol_corpus import characters
    >>> find_first_seen(characters({"aa": 1, "aab": 1}), "\\0\\1")
    (1, -2)
    """
    places = corpus.places[pair]
    words = corpus.words
    tried = 0
    start = -1
    while start < 0:
        index = places[tried]
        word = words[index]
        start = word.find(pair, max(0, len(word) + since[1]) if index == since[0] else 0)
        tried += 1
    del places[: tried - 1]  # the pair is no longer in these words, and never will be again
    return index, start - len(word)


def find_all_first_seen(corpus: SymbolCorpus) -> dict[str, tuple[int, int]]:
    """Return the first occurrence of each pair of a corpus, in one pass.

    >>> from tokenarium.scratch.fast.bpe.symbol_corpus import characters
    >>> find_all_first_seen(characters({"aab": 1}))
    {'\\x00\\x00': (0, -3), '\\x00\\x01': (0, -2)}
    """
    first: dict[str, tuple[int, int]] = {}
    for index, word in enumerate(corpus.words):
        for place, pair in enumerate(map(str.__add__, word, word[1:]), -len(word)):
            if pair not in first:
                first[pair] = index, place
    return first


class MergeFilter:
    """A predicate: True for a pair whose merge would add a new token to the vocabulary, within the maximum length.

    The new token must not exist yet, unless as a special token of the corpus, nor be among the `reserved`, and must not
    be longer than `longest`, counted in the initial symbols of the corpus, and its spelling must be `accepted`.

    >>> from tokenarium.scratch.fast.bpe.symbol_corpus import characters
    >>> corpus = characters({"abc": 2})
    >>> allowed = MergeFilter(corpus, reserved=["bc"], longest=2)
    >>> allowed("\\0\\1"), allowed("\\1\\2")
    (True, False)
    """

    def __init__(
        self,
        corpus: SymbolCorpus,
        *,
        reserved: Iterable[str] = (),
        longest: int | None = None,
        accepted: Callable[[str], bool] | None = None,
    ) -> None:
        self._corpus = corpus
        self._tokens = {*corpus.spellings, *reserved}
        self._longest = longest
        self._accepted = accepted
        self._seen = len(corpus.spellings)
        self._sizes: dict[str, int] = {}

    def __call__(self, pair: str) -> bool:
        """True if this pair may be merged. Takes account of all merges of the corpus since the last call."""
        corpus = self._corpus
        self._tokens.update(corpus.spellings[self._seen :])
        self._seen = len(corpus.spellings)
        if self._longest is not None and self._size(pair[0]) + self._size(pair[1]) > self._longest:
            return False
        spelling = corpus.spell_pair(pair)
        if self._accepted and not self._accepted(spelling):
            return False
        return spelling in corpus.unmade or spelling not in self._tokens

    def _size(self, symbol: str) -> int:
        """Return the number of initial symbols that a symbol was merged from."""
        if symbol not in self._sizes:
            self._sizes[symbol] = sum(map(self._size, self._corpus.made_of.get(symbol, ""))) or 1
        return self._sizes[symbol]
