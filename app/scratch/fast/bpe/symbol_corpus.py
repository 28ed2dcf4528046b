"""The corpus of the fast learners of merges: each distinct word with its count, as a string of symbols.

Each character of such a string is one symbol: its code point is the symbol's id. So a pair is a string of two, and
`str.split` and `join` merge it everywhere in a word, leftmost first, in C. `scratch.learn_bpe` holds the same ids in
lists and counts all pairs again after each merge; here pairs are counted once, and a merge updates only the counts of
the pairs beside it, which are the only ones that it can change.
"""

from codecs import charmap_decode
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from operator import add, itemgetter
from typing import Literal, NamedTuple

from ...compat.pipeline.pre_tokenizers import byte_alphabet
from .encode_pairs import END

Numbering = Literal["value", "gpt2"]
"""The id of a byte: its value · its index in GPT-2's alphabet of the bytes, in which `!` is 0 and a space 220."""
CONTINUED = "##"
"""WordPiece's mark of a symbol that is not at the beginning of its word."""

BLOCK = 128
"""Maximum number of symbols of the words that are joined in one string."""


class SymbolCorpus:
    """Words as strings of symbols, the counts of all pairs, and the words that each pair occurs in.

    `spellings` are those of the symbols by id, and `made_of` has the pair of each merged one, in the order of merges.
    The first `special` symbols are special tokens; those that no word contains are `unmade` until a merge spells one.
    `prefix` marks the spelling of a symbol within a word; a merge with the symbol before it removes the mark. `size` is
    the length of the corpus in symbols.

    `words` and `counts` are parallel lists. `pairs` are the counts of the pairs in the corpus, and `places` the indices
    of the words that a pair may occur in, in ascending order. Words of equal counts may be joined in one string,
    separated by a symbol that is in no pair, the `edge`: see `blocks`.

    >>> corpus = characters({"low": 5, "lower": 2})
    >>> corpus.spell_word(0), corpus.size, corpus.pairs["\\1\\2"]
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
        special: int = 0,
        min_frequency: int = 1,
    ) -> None:
        """Pairs that occur less often than `min_frequency` are not kept, since the count of a pair can only fall."""
        self.spellings = [*spellings]
        self.prefix = prefix
        self.made_of: dict[str, str] = {}
        self.special = special
        self.edge = edge
        self.min_frequency = min_frequency
        self.read(words, counts)
        unused = {*map(chr, range(special))}.difference(*(self.words if special else ()))
        self.unmade = {self.spellings[ord(symbol)]: symbol for symbol in unused}

    def read(self, words: Iterable[str], counts: Iterable[int]) -> None:
        """Count the pairs of words, which replace those before them; the symbols remain.

        >>> corpus = characters({"ab": 1})
        >>> corpus.merge("\\0\\1", "ab"), corpus.read(["\\2\\2"], [3]), corpus.pairs, corpus.size
        ({}, None, {'\\x02\\x02': 3}, 6)
        """
        self.words = [*words]
        self.counts = [*counts]
        self.size = 0
        edge, min_frequency = self.edge, self.min_frequency
        pairs = defaultdict[str, int](int)
        places = defaultdict[str, list[int]](list)
        for index, (word, count) in enumerate(zip(self.words, self.counts, strict=True)):
            self.size += count * (len(word) - word.count(edge) if edge else len(word))
            for pair, times in Counter(map(add, word, word[1:])).items():
                pairs[pair] += count * times
                places[pair].append(index)
        for pair in [pair for pair, count in pairs.items() if count < min_frequency or (edge and edge in pair)]:
            del pairs[pair]
        self.pairs = dict(pairs)
        self.places = {pair: places[pair] for pair in self.pairs}

    def spell_pair(self, pair: str) -> str:
        """Return the spelling of the symbol that a pair is merged to.

        >>> build_continued_corpus({"hug": 1}).spell_pair("\\2\\1")
        'hu'
        """
        return self.spellings[ord(pair[0])] + self.spellings[ord(pair[1])].removeprefix(self.prefix)

    def choose_symbol(self, spelling: str) -> str:
        """Return the symbol that the next merge makes: a special token's, if it is spelled as one, or a new one."""
        return self.unmade.get(spelling) or chr(len(self.spellings))

    def spell_word(self, index: int) -> list[str]:
        """Return a word as the spellings of its symbols."""
        return [self.spellings[ord(symbol)] for symbol in self.words[index]]

    def occurrences(self) -> dict[str, int]:
        """Return how often each symbol occurs in the corpus."""
        totals = defaultdict[str, int](int)
        for word, count in zip(self.words, self.counts, strict=True):
            for symbol, times in Counter(word).items():
                totals[symbol] += count * times
        totals.pop(self.edge, None)
        return dict(totals)

    def merge(self, pair: str, spelling: str) -> dict[str, int]:
        """Merge all occurrences of a pair to one symbol. Return the changes of the counts of all other pairs.

        >>> corpus = characters({"aaab": 1})
        >>> corpus.merge("\\0\\0", "aa"), corpus.words
        ({'\\x02\\x00': 1}, ['\\x02\\x00\\x01'])
        """
        first = pair[0]
        second = pair[1]
        new = self.choose_symbol(spelling)
        if not self.unmade.pop(spelling, ""):
            self.spellings.append(spelling)
        self.made_of[new] = pair
        before, behind = self._replace(pair, new)
        times = self.pairs.pop(pair)
        # The count of a pair of equal symbols includes overlaps: aaa has two pairs aa, but only one of them is merged.
        self.size -= times if first != second else sum(map(self._weight, before.values()))
        for border in ("", self.edge):  # at the border of a word there is no pair
            before.pop(border, None), behind.pop(border, None)
        # If the left neighbour is also a new symbol, the pair that vanished began with the second half of it.
        beside = [(indices, left.replace(new, second) + first, left + new) for left, indices in before.items()]
        beside += [(indices, second + right, new + right) for right, indices in behind.items()]
        changes: dict[str, int] = {}
        for indices, old_pair, new_pair in beside:
            times = self._weight(indices)
            if times >= self.min_frequency:
                changes[new_pair] = self.pairs[new_pair] = times
                self.places[new_pair] = indices
            if old_pair in self.pairs:
                changes[old_pair] = changes.get(old_pair, 0) - times
                self._lessen(old_pair, times)
        return changes

    def _replace(self, pair: str, new: str) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        """Replace a pair in all words. Return the new symbol's left and right neighbours, each with indices of words.

        An index is repeated for each occurrence. A new symbol beside itself is listed once, as a left neighbour.
        """
        before = defaultdict[str, list[int]](list)
        behind = defaultdict[str, list[int]](list)
        words = self.words
        for index in dict.fromkeys(self.places.pop(pair)):  # each word once, in order
            parts = words[index].split(pair)
            if len(parts) > 1:
                words[index] = new.join(parts)
                before[parts[0][-1:]].append(index)
                behind[parts[-1][:1]].append(index)
                for part in parts[1:-1] if len(parts) > 2 else ():
                    before[part[-1:] or new].append(index)
                    behind[part[:1]].append(index)
        return before, behind

    def _lessen(self, pair: str, times: int) -> None:
        """Lower the count of a pair; forget it below the minimum frequency, where it can never be merged."""
        count = self.pairs[pair] - times
        if count >= self.min_frequency:
            self.pairs[pair] = count
        else:
            del self.pairs[pair], self.places[pair]

    def forget_words(self) -> None:
        """Free the memory of the words and pairs when all merges are made; the spellings and `made_of` remain."""
        self.words = []
        self.counts = []
        self.pairs = {}
        self.places = {}

    def _weight(self, indices: list[int]) -> int:
        """Return the sum of the counts of the words with these indices."""
        return sum(map(self.counts.__getitem__, indices))


class NumberedWords(NamedTuple):
    """Words as strings of symbols with their counts, the spellings of the symbols by id, and their prefix, if any.

    The first `special` spellings are those of special tokens.
    """

    words: Iterable[str]
    counts: Collection[int]
    spellings: list[str]
    prefix: str = ""
    special: int = 0

    def corpus(self, *, min_frequency: int, in_order: bool) -> SymbolCorpus:
        """Return them as a corpus in `blocks`, without the pairs that occur less often than `min_frequency`.

        `in_order`, a pair is first seen where it is in the words.
        """
        edge = chr(len(self.spellings))
        words, counts = blocks(zip(self.words, self.counts, strict=True), edge, in_order=in_order)
        spellings = [*self.spellings, ""]
        return SymbolCorpus(
            words, counts, spellings, prefix=self.prefix, edge=edge, special=self.special, min_frequency=min_frequency
        )


def blocks(counted: Iterable[tuple[str, int]], edge: str, *, in_order: bool) -> tuple[list[str], list[int]]:
    """Return adjacent words of equal counts joined in blocks, with an edge between them, and the counts of the blocks.

    A merge then changes fewer strings. No pair contains the edge, so the counts of all pairs are the same. Unless they
    stay `in_order`, the words are sorted by count, which makes fewer blocks.

    >>> blocks([("ab", 2), ("c", 1), ("d", 1), ("e", 2)], "|", in_order=True)
    (['ab', 'c|d', 'e'], [2, 1, 2])
    """
    if not in_order:
        counted = sorted(counted, key=itemgetter(1))
    joined = list[str]()
    times = list[int]()
    for count, alike in groupby(counted, key=itemgetter(1)):
        part = list[str]()
        size = 0
        for word, _ in alike:
            if part and size + len(word) > BLOCK:
                joined.append(edge.join(part))
                times.append(count)
                part = []
                size = 0
            part.append(word)
            size += len(word) + 1
        joined.append(edge.join(part))
        times.append(count)
    return joined, times


def characters(counts: Mapping[str, int]) -> SymbolCorpus:
    """Return a corpus of characters, numbered in the order of their code points.

    >>> characters({"ba": 1}).words
    ['\\x01\\x00']
    """
    alphabet = sorted(set().union(*counts))
    ids = {char: chr(id) for id, char in enumerate(alphabet)}
    return SymbolCorpus(("".join(map(ids.__getitem__, word)) for word in counts), counts.values(), alphabet)


def build_marked_corpus(counts: Mapping[str, int]) -> SymbolCorpus:
    """Return a corpus of characters; each word ends with the end-of-word mark as a symbol (Sennrich et al. 2016).

    >>> build_marked_corpus({"ab": 1}).spell_word(0)
    ['a', 'b', '</w>']
    """
    return build_spelled_corpus([[*word, END] for word in counts], counts.values())


def build_continued_corpus(counts: Mapping[str, int]) -> SymbolCorpus:
    """Return a corpus of characters; all but a word's first have the prefix `##` (Schuster and Nakajima 2012).

    >>> build_continued_corpus({"hug": 1}).spell_word(0)
    ['h', '##u', '##g']
    """
    words = [[word[:1], *(CONTINUED + char for char in word[1:])] if word else [] for word in counts]
    return build_spelled_corpus(words, counts.values(), prefix=CONTINUED)


def build_spelled_corpus(words: list[list[str]], counts: Iterable[int], *, prefix: str = "") -> SymbolCorpus:
    """Return a corpus of words that consist of symbols of any spelling, numbered in sorted order.

    >>> build_spelled_corpus([["b", "an", "an", "a"]], [1]).words
    ['\\x02\\x01\\x01\\x00']
    """
    alphabet = sorted({spelling for word in words for spelling in word})
    ids = {spelling: chr(id) for id, spelling in enumerate(alphabet)}
    return SymbolCorpus(("".join(map(ids.__getitem__, word)) for word in words), counts, alphabet, prefix=prefix)


def build_byte_corpus(counts: Mapping[str, int], *, numbering: Numbering = "value") -> SymbolCorpus:
    """Return a corpus of UTF-8 bytes. All 256 are in the vocabulary, spelled U+0000 to U+00FF.

    >>> build_byte_corpus({"é": 1}).words, build_byte_corpus({"! ": 1}, numbering="gpt2").words
    (['Ã©'], ['\\x00Ü'])
    """
    numbered = number_bytes(counts, numbering=numbering)
    return SymbolCorpus(numbered.words, numbered.counts, numbered.spellings)


def number_bytes(counts: Mapping[str, int], *, numbering: Numbering, special: Sequence[str] = ()) -> NumberedWords:
    """Return the words of a corpus as strings of UTF-8 bytes, which are numbered after the special tokens."""
    order = [*range(256)] if numbering == "value" else sorted(range(256), key=byte_alphabet().__getitem__)
    symbols = "".join(chr(len(special) + order.index(byte)) for byte in range(256))
    words = (charmap_decode(word.encode(), "strict", symbols)[0] for word in counts)
    return NumberedWords(words, counts.values(), [*special, *map(chr, order)], special=len(special))
