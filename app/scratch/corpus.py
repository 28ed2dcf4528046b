"""A corpus as the learners of merges hold it: each word once, with its count, in symbols that merges make fewer.

A word is a string in which every character is one symbol: its code point is the symbol's id. So a pair is a string of
two, and merging it wherever it stands in a word is one `str.replace`, leftmost first. Pairs are counted once; after
that, only the neighbours of what was merged change.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import add, itemgetter
from typing import Literal

from app.scratch.merges import END
from app.scratch.words import byte_alphabet

Numbering = Literal["value", "gpt2"]
"""The id of a byte: its value · its place in GPT-2's spelling of the bytes, where `!` is 0 and a space 220."""
CONTINUED = "##"
"""WordPiece's mark of a symbol that is not at the beginning of its word."""

BLOCK = 128
"""Symbols of words that are held together, at most."""


class Corpus:
    """Words in symbols, the pairs in them, and where each pair stands.

    `words` and `counts` run in parallel; `spellings` says by id what a symbol stands for; `made_of` gives the two
    symbols that a new one was made of. `pairs` has how often each pair stands in the corpus, `places` the words it may
    stand in, in order, and `size` is the number of symbols, each word as often as it comes. Words that come equally
    often may be held in one string, with a symbol between them that is in no pair, the `edge`: see `blocks`.

    >>> corpus = characters({"low": 5, "lower": 2})
    >>> corpus.spelled(0), corpus.size, corpus.pairs[corpus.symbol("l") + corpus.symbol("o")]
    (['l', 'o', 'w'], 25, 7)
    """

    def __init__(
        self,
        words: Iterable[str],
        counts: Iterable[int],
        spellings: Iterable[str],
        *,
        prefix: str = "",
        edge: str = "",
        at_least: int = 1,
    ) -> None:
        """`prefix` marks the spelling of a symbol within a word, and goes where that is merged with what is before.

        Pairs that come less often than `at_least` are forgotten.
        """
        self.words = [*words]
        self.counts = [*counts]
        self.spellings = [*spellings]
        self.prefix = prefix
        self.edge = edge
        self.at_least = at_least
        self.made_of: dict[str, str] = {}
        self.size = 0
        pairs, places = defaultdict[str, int](int), defaultdict[str, list[int]](list)
        for index, (word, count) in enumerate(zip(self.words, self.counts, strict=True)):
            self.size += count * (len(word) - word.count(edge) if edge else len(word))
            for pair, times in Counter(map(add, word, word[1:])).items():
                pairs[pair] += count * times
                places[pair].append(index)
        for pair in [pair for pair, count in pairs.items() if count < at_least or (edge and edge in pair)]:
            del pairs[pair]
        self.pairs = dict(pairs)
        self.places = {pair: places[pair] for pair in self.pairs}

    def symbol(self, spelling: str) -> str:
        """The first symbol with this spelling, as it stands in words."""
        return chr(self.spellings.index(spelling))

    def spelled(self, index: int) -> list[str]:
        """A word as the spellings of its symbols."""
        return [self.spellings[ord(symbol)] for symbol in self.words[index]]

    def joined(self, pair: str) -> str:
        """The spelling of what a pair becomes.

        >>> continued_characters({"hug": 1}).joined("\\2\\1")
        'hu'
        """
        return self.spellings[ord(pair[0])] + self.spellings[ord(pair[1])].removeprefix(self.prefix)

    def occurrences(self) -> dict[str, int]:
        """How often each symbol stands in the corpus."""
        found = defaultdict[str, int](int)
        for word, count in zip(self.words, self.counts, strict=True):
            for symbol, times in Counter(word).items():
                found[symbol] += count * times
        found.pop(self.edge, None)
        return dict(found)

    def merge(self, pair: str, spelling: str) -> dict[str, int]:
        """Make one new symbol of a pair wherever it stands. Returns by how much each other pair's count changed.

        >>> corpus = characters({"aaab": 1})
        >>> corpus.merge("\\0\\0", "aa"), corpus.words
        ({'\\x02\\x00': 1}, ['\\x02\\x00\\x01'])
        """
        first, second, made = pair[0], pair[1], chr(len(self.spellings))
        self.spellings.append(spelling)
        self.made_of[made] = pair
        before, behind = self._replace(pair, made)
        times = self.pairs.pop(pair)
        self.size -= times if first != second else sum(map(self._weight, before.values()))
        for nothing in ("", self.edge):
            before.pop(nothing, None), behind.pop(nothing, None)
        beside = [(found, left.replace(made, second) + first, left + made) for left, found in before.items()]
        beside += [(found, second + right, made + right) for right, found in behind.items()]
        changes: dict[str, int] = {}
        for found, old, new in beside:
            times = self._weight(found)
            if times >= self.at_least:
                changes[new] = self.pairs[new] = times
                self.places[new] = found
            if old in self.pairs:
                changes[old] = changes.get(old, 0) - times
                self._lessen(old, times)
        return changes

    def _replace(self, pair: str, made: str) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """Write a new symbol into the words. Returns what it stands behind and before, if anything, and in which words.

        Where it stands behind itself, that is told once, as what is before.
        """
        before, behind = defaultdict[str, list[int]](list), defaultdict[str, list[int]](list)
        words = self.words
        for index in dict.fromkeys(self.places.pop(pair)):
            parts = words[index].split(pair)
            if len(parts) > 1:
                words[index] = made.join(parts)
                before[parts[0][-1:]].append(index)
                behind[parts[-1][:1]].append(index)
                for part in parts[1:-1]:
                    before[part[-1:] or made].append(index)
                    behind[part[:1]].append(index)
        return before, behind

    def _lessen(self, pair: str, times: int) -> None:
        """Count a pair that many times less."""
        left = self.pairs[pair] - times
        if left >= self.at_least:
            self.pairs[pair] = left
        else:
            del self.pairs[pair], self.places[pair]

    def _weight(self, indices: list[int]) -> int:
        """How often words come, taken together."""
        return sum(map(self.counts.__getitem__, indices))


def blocks(words: Iterable[str], counts: Iterable[int], edge: str) -> tuple[list[str], list[int]]:
    """Words that come equally often put together, with an edge between them, and how often those of each block come.

    A merge then looks at fewer and nearer strings; nothing else changes but the order of the words.

    >>> blocks(["ab", "c", "d"], [2, 1, 2], "|")
    (['c', 'ab|d'], [1, 2])
    """
    found, times = list[str](), list[int]()
    for count, alike in groupby(sorted(zip(counts, words, strict=True), key=itemgetter(0)), key=itemgetter(0)):
        part, size = list[str](), 0
        for _, word in alike:
            if part and size + len(word) > BLOCK:
                found.append(edge.join(part))
                times.append(count)
                part, size = [], 0
            part.append(word)
            size += len(word) + 1
        found.append(edge.join(part))
        times.append(count)
    return found, times


def characters(counts: Mapping[str, int]) -> Corpus:
    """Words in characters, numbered in their order.

    >>> characters({"ba": 1}).words
    ['\\x01\\x00']
    """
    alphabet = sorted(set().union(*counts))
    ids = {char: chr(id) for id, char in enumerate(alphabet)}
    return Corpus(("".join(map(ids.__getitem__, word)) for word in counts), counts.values(), alphabet)


def marked_characters(counts: Mapping[str, int]) -> Corpus:
    """Words in characters and a last symbol, the mark of the end of a word (Sennrich et al. 2016).

    >>> marked_characters({"ab": 1}).spelled(0)
    ['a', 'b', '</w>']
    """
    return spelled_corpus([[*word, END] for word in counts], counts.values())


def continued_characters(counts: Mapping[str, int]) -> Corpus:
    """Words in characters, all but the first marked as continuing (Schuster and Nakajima 2012).

    >>> continued_characters({"hug": 1}).spelled(0)
    ['h', '##u', '##g']
    """
    words = [[word[:1], *(CONTINUED + char for char in word[1:])] if word else [] for word in counts]
    return spelled_corpus(words, counts.values(), prefix=CONTINUED)


def spelled_corpus(words: list[list[str]], counts: Iterable[int], *, prefix: str = "") -> Corpus:
    """Words in symbols of any spelling, numbered in the order of these.

    >>> spelled_corpus([["b", "an", "an", "a"]], [1]).words
    ['\\x02\\x01\\x01\\x00']
    """
    alphabet = sorted({spelling for word in words for spelling in word})
    ids = {spelling: chr(id) for id, spelling in enumerate(alphabet)}
    return Corpus(("".join(map(ids.__getitem__, word)) for word in words), counts, alphabet, prefix=prefix)


def bytes_of(
    counts: Mapping[str, int], *, numbering: Numbering = "value", together: bool = False, at_least: int = 1
) -> Corpus:
    """Words in the bytes of their UTF-8 form. All 256 are in the vocabulary, each spelled U+0000 to U+00FF.

    >>> bytes_of({"é": 1}).words, bytes_of({"! ": 1}, numbering="gpt2").words
    (['Ã©'], ['\\x00Ü'])

    With `together`, words are held in blocks, and pairs that come less often than `at_least` are forgotten.
    """
    order = [*range(256)] if numbering == "value" else sorted(range(256), key=byte_alphabet().__getitem__)
    ids = bytes(map(order.index, range(256)))
    words = (word.encode().translate(ids).decode("latin-1") for word in counts)
    if not together:
        return Corpus(words, counts.values(), map(chr, order))
    edge = chr(256)
    return Corpus(*blocks(words, counts.values(), edge), [*map(chr, order), ""], edge=edge, at_least=at_least)
