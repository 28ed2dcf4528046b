"""BPE as Sennrich et al. 2016 have it: over the characters of a word, by a list of pairs to merge.

Where `bpe` asks for the rank of what a merge makes, here the pair has the rank. The two differ where one piece can be
made in more than one way.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import accumulate
from typing import TypeVar

from app.scratch.pretokenize import split

Symbol = TypeVar("Symbol", bound=Hashable)
END = "</w>"
Piece = tuple[int, int, int]
"""An id, and the characters of the word that it covers, start and end."""


def merge_pairs(
    symbols: Sequence[Symbol], merges: Mapping[tuple[Symbol, Symbol], tuple[int, Symbol]]
) -> list[tuple[Symbol, int]]:
    """Merge the pair of lowest rank, the leftmost among equals, until none is listed.

    `merges` gives each pair's rank and what it becomes. Returns each symbol with the number of those it was made of.

    >>> merge_pairs("lower", {("l", "o"): (0, "lo"), ("lo", "w"): (1, "low"), ("e", "r"): (2, "er")})
    [('low', 3), ('er', 2)]
    """
    now: list[Symbol] = [*symbols]
    size = len(now)
    after, before = [*range(1, size + 1)], [*range(-1, size)]
    gone = [False] * size
    listed = ((i, merges.get((now[i], now[i + 1]))) for i in range(size - 1))
    waiting = [(found[0], i, found[1]) for i, found in listed if found]
    heapify(waiting)
    while waiting:
        _, here, made = heappop(waiting)
        right = after[here]
        if gone[here] or right >= size or merges.get((now[here], now[right]), (0, None))[1] != made:
            continue  # one of its parts has been merged away
        now[here], gone[right], after[here] = made, True, after[right]
        if after[here] < size:
            before[after[here]] = here
        for left, end in ((before[here], here), (here, after[here])):
            if left >= 0 and end < size and (found := merges.get((now[left], now[end]))):
                heappush(waiting, (found[0], left, found[1]))
    return [(now[i], after[i] - i) for i in range(size) if not gone[i]]


def ranked(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[int, str]]:
    """A list of pairs, the first to merge first, as `merge_pairs` takes it.

    >>> ranked([("l", "o")])
    {('l', 'o'): (0, 'lo')}
    """
    return {(a, b): (rank, a + b) for rank, (a, b) in enumerate(pairs)}


def sennrich(word: str, pairs: Mapping[tuple[str, str], tuple[int, str]]) -> list[str]:
    """Cut a word whose last character carries the mark of the end of a word.

    >>> sennrich("lowest", ranked([("l", "o"), ("lo", "w"), ("e", "s"), ("es", "t</w>")]))
    ['low', 'est</w>']
    """
    return [part for part, _ in merge_pairs([*word[:-1], word[-1:] + END], pairs)] if word else []


class PairMergedBytes:
    """BPE over the bytes of a text by pairs of ids, as minbpe has it; a pattern may cut words first.

    >>> list(PairMergedBytes({(104, 105): (0, 256)}).encode("hi!"))
    [(256, 0, 2), (33, 2, 3)]
    """

    def __init__(self, merges: Mapping[tuple[int, int], tuple[int, int]], pattern: str = "") -> None:
        self.merges = merges
        self.pattern = pattern

    def encode(self, text: str) -> Iterator[Piece]:
        """Yield (id, byte start, byte end) for each token; bytes that the pattern skips are in no span."""
        chars = here = 0
        for at, word in split(self.pattern, text) if self.pattern else [(0, text)]:
            here += len(text[chars:at].encode())
            for id, size in merge_pairs(word.encode(), self.merges):
                yield id, here, here + size
                here += size
            chars = at + len(word)


class PairBPE:
    """BPE over the characters of a word with all that tokenizer.json can ask of it.

    `fuse` makes one token of unknown characters that follow one another; `whole` takes a word that is in the
    vocabulary as it is, without merging; a character that is unknown becomes its bytes under `byte_fallback`.

    >>> vocabulary = {"a": 0, "b": 1, "ab": 2, "?": 3}
    >>> PairBPE(vocabulary, [("a", "b")], unknown="?", fuse=True).pieces("abéèa")
    [(2, 0, 2), (3, 2, 4), (0, 4, 5)]
    """

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        pairs: Iterable[tuple[str, str]],
        *,
        unknown: str | None = None,
        fuse: bool = False,
        whole: bool = False,
        byte_fallback: bool = False,
        prefix: str = "",
        suffix: str = "",
    ) -> None:
        self.vocabulary = vocabulary
        self.unknown = None if unknown is None else vocabulary[unknown]
        self.fuse = fuse
        self.whole = whole
        self.bytes = [vocabulary.get(f"<0x{byte:02X}>") for byte in range(256)] if byte_fallback else [None] * 256
        self.prefix = prefix
        self.suffix = suffix
        self.merges = {
            (vocabulary[a], vocabulary[b]): (rank, vocabulary[a + b.removeprefix(prefix)])
            for rank, (a, b) in enumerate(pairs)
        }

    def pieces(self, word: str) -> list[Piece]:
        """Cut a word; an unknown character without anything that could stand for it is left out."""
        if self.whole and word in self.vocabulary:
            return [(self.vocabulary[word], 0, len(word))]
        symbols = self._symbols(word)
        ends = [*accumulate(size for _, size in symbols)]  # in bytes, as a character can be cut
        owner = [i for i, char in enumerate(word) for _ in char.encode()]
        done, here, start = [], 0, 0
        for id, count in merge_pairs([id for id, _ in symbols], self.merges):
            here += count
            done.append((id, owner[start], owner[ends[here - 1] - 1] + 1))
            start = ends[here - 1]
        return done

    def _symbols(self, word: str) -> list[tuple[int, int]]:
        """The ids of the characters with the bytes of the word that each stands for."""
        symbols: list[tuple[int, int]] = []
        unknown = 0  # bytes that wait for an unknown token
        for i, char in enumerate(word):
            size = len(char.encode())
            spelled = (self.prefix if i else "") + char + (self.suffix if i == len(word) - 1 else "")
            if (id := self.vocabulary.get(spelled)) is not None:
                symbols += [(self.unknown or 0, unknown)] * bool(unknown) + [(id, size)]
                unknown = 0
                continue
            ids = [self.bytes[byte] for byte in spelled.encode()]
            if None not in ids:
                symbols += [(id, 1) for id in ids if id is not None]
            elif self.unknown is not None:
                symbols += [(self.unknown, unknown)] * (unknown > 0 and not self.fuse)
                unknown = size + unknown * self.fuse
        return symbols + [(self.unknown or 0, unknown)] * bool(unknown)
