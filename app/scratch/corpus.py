"""A corpus as the learners of merges hold it: each word once, with its count, in symbols that merges make fewer.

A word is a string in which every character is one symbol: its code point is the symbol's id. So a pair is a string of
two, and merging it wherever it stands in a word is one `str.replace`, leftmost first. Pairs are counted once; after
that, only the neighbours of what was merged change.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Literal

from app.scratch.merges import END
from app.scratch.words import byte_alphabet

Numbering = Literal["value", "gpt2"]
"""The id of a byte: its value · its place in GPT-2's spelling of the bytes, where `!` is 0 and a space 220."""
CONTINUED = "##"
"""WordPiece's mark of a symbol that is not at the beginning of its word."""


class Corpus:
    """Words in symbols, the pairs in them, and where each pair stands.

    `words` and `counts` run in parallel; `spellings` says by id what a symbol stands for; `made_of` gives the two
    symbols that a new one was made of. `pairs` has how often each pair stands in the corpus, `places` the words it may
    stand in, in order, and `size` is the number of symbols, each word as often as it comes.

    >>> corpus = characters({"low": 5, "lower": 2})
    >>> corpus.spelled(0), corpus.size, corpus.pairs[corpus.symbol("l") + corpus.symbol("o")]
    (['l', 'o', 'w'], 25, 7)
    """

    def __init__(self, words: Iterable[str], counts: Iterable[int], spellings: Iterable[str]) -> None:
        self.words = [*words]
        self.counts = [*counts]
        self.spellings = [*spellings]
        self.made_of: dict[str, str] = {}
        self.size = sum(len(word) * count for word, count in zip(self.words, self.counts, strict=True))
        self.pairs: dict[str, int] = {}
        self.places: dict[str, list[int]] = {}
        pairs, places = defaultdict[str, int](int), defaultdict[str, list[int]](list)
        for index, (word, count) in enumerate(zip(self.words, self.counts, strict=True)):
            found = [*map(str.__add__, word, word[1:])]
            for pair in found:
                pairs[pair] += count
            for pair in dict.fromkeys(found):
                places[pair].append(index)
        self.pairs, self.places = dict(pairs), dict(places)

    def symbol(self, spelling: str) -> str:
        """The first symbol with this spelling, as it stands in words."""
        return chr(self.spellings.index(spelling))

    def spelled(self, index: int) -> list[str]:
        """A word as the spellings of its symbols."""
        return [self.spellings[ord(symbol)] for symbol in self.words[index]]

    def occurrences(self) -> dict[str, int]:
        """How often each symbol stands in the corpus."""
        found = defaultdict[str, int](int)
        for word, count in zip(self.words, self.counts, strict=True):
            for symbol in word:
                found[symbol] += count
        return dict(found)

    def merge(self, pair: str, spelling: str) -> dict[str, int]:
        """Make one new symbol of a pair wherever it stands. Returns by how much each other pair's count changed.

        >>> corpus = characters({"aaab": 1})
        >>> corpus.merge("\\0\\0", "aa"), corpus.words
        ({'\\x02\\x00': 1}, ['\\x02\\x00\\x01'])
        """
        made = chr(len(self.spellings))
        self.spellings.append(spelling)
        self.made_of[made] = pair
        changes: dict[str, int] = defaultdict(int)
        for index in self.places.pop(pair, ()):
            before = self.words[index]
            after = before.replace(pair, made)
            if after is not before:
                self.words[index] = after
                self.size -= self.counts[index] * (len(before) - len(after))
                self._neighbours(index, pair, made, changes)
        del self.pairs[pair]
        changes.pop(pair, None)
        for other, change in changes.items():
            self.pairs[other] = count = self.pairs.get(other, 0) + change
            if not count:
                del self.pairs[other], self.places[other]
        return {other: change for other, change in changes.items() if change}

    def _neighbours(self, index: int, pair: str, made: str, changes: dict[str, int]) -> None:
        """What the new symbol stands beside in a word, where its parts stood before."""
        first, second = pair[0], pair[1]
        word, count, places = self.words[index], self.counts[index], self.places
        here, last = word.find(made), len(word) - 1
        while here >= 0:
            beside = []
            if here:
                left = word[here - 1]
                changes[(second if left == made else left) + first] -= count
                beside = [left + made]
            if here < last and (right := word[here + 1]) != made:
                changes[second + right] -= count
                beside.append(made + right)
            for new in beside:
                changes[new] += count
                found = places.setdefault(new, [index])
                if found[-1] != index:
                    found.append(index)
            here = word.find(made, here + 1)


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
    return spelled_corpus(words, counts.values())


def spelled_corpus(words: list[list[str]], counts: Iterable[int]) -> Corpus:
    """Words in symbols of any spelling, numbered in the order of these.

    >>> spelled_corpus([["b", "an", "an", "a"]], [1]).words
    ['\\x02\\x01\\x01\\x00']
    """
    alphabet = sorted({spelling for word in words for spelling in word})
    ids = {spelling: chr(id) for id, spelling in enumerate(alphabet)}
    return Corpus(("".join(map(ids.__getitem__, word)) for word in words), counts, alphabet)


def bytes_of(counts: Mapping[str, int], *, numbering: Numbering = "value") -> Corpus:
    """Words in the bytes of their UTF-8 form. All 256 are in the vocabulary, each spelled U+0000 to U+00FF.

    >>> bytes_of({"é": 1}).words, bytes_of({"! ": 1}, numbering="gpt2").words
    (['Ã©'], ['\\x00Ü'])
    """
    words = (word.encode().decode("latin-1") for word in counts)
    if numbering == "value":
        return Corpus(words, counts.values(), map(chr, range(256)))
    alphabet = byte_alphabet()
    order = sorted(range(256), key=alphabet.__getitem__)
    ids = {byte: id for id, byte in enumerate(order)}
    return Corpus((word.translate(ids) for word in words), counts.values(), map(chr, order))
