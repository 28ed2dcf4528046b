"""BPE by a list of pairs to merge, fast: equal to `scratch.bpe.encode_by_pairs` (Sennrich et al. 2016).

In `bpe` a rank belongs to the new token, here to the pair. The two differ if more than one pair merges to the same
token. Hugging Face's tokenizer.json, subword-nmt and minbpe list pairs. The loops are those of `bpe`: only the two
pairs beside a merge change, and the leftmost of equal ranks is merged first.
"""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from math import inf
from typing import Any, TypeVar

from ....errors import NoUnknownToken
from ....types import Merge
from ..pretokenize import split
from .encode import SHORT, merge_many

Symbol = TypeVar("Symbol", bound=Hashable)
END = "</w>"
Piece = tuple[int, int, int]
"""An id, and the characters of the word that it covers, start and end."""


def merge_pairs(
    symbols: Sequence[Symbol], merges: Mapping[tuple[Symbol, Symbol], tuple[int, Symbol]]
) -> list[tuple[Symbol, int]]:
    """Return the tokens after all merges, each with the number of symbols that it was merged from.

    `merges` maps each pair to its rank and the new token. Of equal ranks the leftmost is merged first.

    >>> merge_pairs("lower", {("l", "o"): (0, "lo"), ("lo", "w"): (1, "low"), ("e", "r"): (2, "er")})
    [('low', 3), ('er', 2)]
    """
    return _merge_short(symbols, merges) if len(symbols) < SHORT else _merge_long(symbols, merges)


def _merge_short(
    symbols: Sequence[Symbol], merges: Mapping[tuple[Symbol, Symbol], tuple[int, Symbol]]
) -> list[tuple[Symbol, int]]:
    """Merge by scanning a list with the rank of each pair; a merge changes only the two entries beside it."""
    tokens = [*symbols]
    sizes = [1] * len(symbols)
    ranks = [merges[pair][0] if pair in merges else inf for pair in pairwise(tokens)]
    while ranks and (rank := min(ranks)) < inf:
        i = ranks.index(rank)  # index() returns the leftmost
        tokens[i] = merges[tokens[i], tokens[i + 1]][1]
        sizes[i] += sizes[i + 1]
        del tokens[i + 1], sizes[i + 1], ranks[i]
        for left in (i - 1, i):
            if 0 <= left < len(ranks):
                entry = merges.get((tokens[left], tokens[left + 1]))
                ranks[left] = inf if entry is None else entry[0]
    return [*zip(tokens, sizes, strict=True)]


def _merge_long(
    symbols: Sequence[Symbol],
    merges: Mapping[tuple[Symbol, Symbol], tuple[int, Symbol]],
    on_token: Callable[[Symbol], object] | None = None,
) -> list[tuple[Symbol, int]]:
    """Merge with a heap, by the loop of `bpe` for long words. `on_token` is called with what each merge makes."""
    tokens = [*symbols]  # valid at the starts of tokens; entries within a token are stale

    def get_rank(start: int, middle: int, _: int) -> float | None:
        entry = merges.get((tokens[start], tokens[middle]))
        return None if entry is None else entry[0]

    def on_merge(merge: Merge) -> None:
        _, start, middle, _ = merge
        tokens[start] = merges[tokens[start], tokens[middle]][1]
        if on_token is not None:
            on_token(tokens[start])

    ends = merge_many(len(tokens), get_rank, on_merge)
    return [(tokens[start], end - start) for start, end in enumerate(ends) if end]


def rank_pairs(pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[int, str]]:
    """Return merges, which are listed in the order in which they were learned, as a mapping for `merge_pairs`.

    >>> rank_pairs([("l", "o")])
    {('l', 'o'): (0, 'lo')}
    """
    return {(a, b): (rank, a + b) for rank, (a, b) in enumerate(pairs)}


def sennrich(word: str, pairs: Mapping[tuple[str, str], tuple[int, str]]) -> list[str]:
    """Return the tokens of a word, with the end-of-word mark on its last character, as in subword-nmt.

    >>> sennrich("lowest", rank_pairs([("l", "o"), ("lo", "w"), ("e", "s"), ("es", "t</w>")]))
    ['low', 'est</w>']
    """
    return [part for part, _ in merge_pairs([*word[:-1], word[-1:] + END], pairs)] if word else []


class PairMergedBytes:
    """BPE over the bytes of a text by pairs of ids, as in minbpe. The pattern, if any, splits the text first.

    The pattern is untrusted, since it comes from a file: `encode` raises `RegexTimeout` if the search takes too long.

    >>> list(PairMergedBytes({(104, 105): (0, 256)}).encode("hi!"))
    [(256, 0, 2), (33, 2, 3)]
    """

    def __init__(self, merges: Mapping[tuple[int, int], tuple[int, int]], pattern: str = "") -> None:
        self.merges = merges
        self.pattern = pattern

    def encode(self, text: str) -> Iterator[Piece]:
        """Yield (id, byte start, byte end) for each token; bytes that the pattern does not match are in no span."""
        chars = start = 0
        for position, word in split(self.pattern, text, trusted=False) if self.pattern else [(0, text)]:
            start += len(text[chars:position].encode())
            for id, size in merge_pairs(word.encode(), self.merges):
                yield id, start, start + size
                start += size
            chars = position + len(word)


class PairBPE:
    """BPE over the characters of a word, with the options of the model in a tokenizer.json.

    `fuse_unk` joins a run of unknown characters into one token. `ignore_merges` does not merge a word that is in
    the vocabulary. With `byte_fallback`, an unknown character becomes the tokens of its bytes. `made`
    are the ids that the pairs merge to, if known.

    >>> vocabulary = {"a": 0, "b": 1, "ab": 2, "?": 3}
    >>> PairBPE(vocabulary, [("a", "b")], unknown="?", fuse_unk=True).pieces("abéèa")
    [(2, 0, 2), (3, 2, 4), (0, 4, 5)]
    """

    def __init__(
        self,
        vocabulary: Mapping[str, int],
        pairs: Iterable[tuple[str, str]],
        *,
        made: Sequence[int] = (),
        unknown: str | None = None,
        fuse_unk: bool = False,
        ignore_merges: bool = False,
        byte_fallback: bool = False,
        prefix: str = "",
        suffix: str = "",
    ) -> None:
        self.vocabulary = vocabulary
        self.unknown = None if unknown is None else vocabulary.get(unknown)
        self.missing = unknown if self.unknown is None else None
        self.fuse_unk = fuse_unk
        self.ignore_merges = ignore_merges
        self.bytes = [vocabulary.get(f"<0x{byte:02X}>") for byte in range(256)] if byte_fallback else [None] * 256
        self.prefix = prefix
        self.suffix = suffix
        self.passes_end = byte_fallback and bool(prefix or suffix)
        pairs = [*pairs]
        id_of = vocabulary.__getitem__
        if not made:
            made = [*map(id_of, [a + b.removeprefix(prefix) for a, b in pairs])]
        ids = zip(map(id_of, [a for a, _ in pairs]), map(id_of, [b for _, b in pairs]), strict=True)
        self.merges = dict(zip(ids, enumerate(made), strict=True))

    def pieces(self, word: str) -> list[Piece]:
        """Return the tokens of a word. Unknown characters are left out if there is no unknown token.

        With byte fallback and a prefix or suffix, tokens may pass the end of the word. These have positions in bytes
        plus the length of the word.
        Raises `NoUnknownToken` if the unknown token is needed and not in the vocabulary.
        """
        if self.ignore_merges and word in self.vocabulary:
            return [(self.vocabulary[word], 0, len(word))]
        symbols = self._symbols(word)
        ends = [*accumulate(size for _, size in symbols)]  # in bytes, since byte fallback can divide a character
        owner = [i for i, char in enumerate(word) for _ in char.encode()]  # by byte, the index of its character
        size = len(owner)
        pieces = list[Piece]()
        last = 0
        start = 0
        for id, count in merge_pairs([id for id, _ in symbols], self.merges):
            last += count
            end = ends[last - 1]
            if end <= size:
                pieces.append((id, owner[start], owner[end - 1] + 1))
            else:  # a prefix and a suffix fall back to bytes too, so that positions go past the end of the word
                pieces.append((id, len(word) + start, len(word) + end))
            start = end
        return pieces

    def with_options(
        self, *, unknown: str | None, fuse_unk: bool, ignore_merges: bool, byte_fallback: bool, suffix: str
    ) -> "PairBPE":
        """Return a model with other options over the same vocabulary and merges.

        >>> model = PairBPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")])
        >>> options = {"unknown": None, "fuse_unk": False, "byte_fallback": False, "suffix": ""}
        >>> model.with_options(ignore_merges=True, **options).pieces("ab")
        [(2, 0, 2)]
        """
        options: dict[str, Any] = {"fuse_unk": fuse_unk, "ignore_merges": ignore_merges, "byte_fallback": byte_fallback}
        other = PairBPE(self.vocabulary, (), unknown=unknown, prefix=self.prefix, suffix=suffix, **options)
        other.merges = self.merges
        return other

    @cached_property
    def parts(self) -> Callable[[str], Iterable[str]]:
        """A function that splits a word before each ▁ that no token crosses, so that no merge does."""
        if self.prefix or self.suffix or self.ignore_merges:  # each depends on all of a word
            return lambda word: [word]
        inside = re.compile("[^▁](?=▁)")
        crossed = {char for token in self.vocabulary if "▁" in token[1:] for char in inside.findall(token)}
        return re.compile(f"(?<=[^▁{re.escape(''.join(sorted(crossed)))}])(?=▁)").split

    def ids(self, symbols: Sequence[int]) -> list[int]:
        """Return the ids after all merges of a word whose initial ids are known.

        >>> PairBPE({"a": 0, "b": 1, "ab": 2}, [("a", "b")]).ids([0, 1, 0])
        [2, 0]
        """
        return [id for id, _ in merge_pairs(symbols, self.merges)]

    def initial(self, word: str) -> list[int]:
        """Return the ids of a word before any merge. Raises `NoUnknownToken` as `pieces` does."""
        return [id for id, _ in self._symbols(word)]

    def merge_and_record(self, symbols: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return the ids after all merges of a word whose initial ids are known, and what each merge made, in order.

        >>> PairBPE({"a": 0, "b": 1, "ab": 2, "abab": 3}, [("a", "b"), ("ab", "ab")]).merge_and_record([0, 1, 0, 1])
        ([3], [2, 2, 3])
        """
        record = list[int]()
        return [id for id, _ in _merge_long(symbols, self.merges, record.append)], record

    def _symbols(self, word: str) -> list[tuple[int, int]]:
        """Return the initial ids of a word, each with the number of bytes of the word that it covers."""
        symbols: list[tuple[int, int]] = []
        unknown = 0  # bytes that the next unknown token covers
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
                symbols += [(self.unknown, unknown)] * (unknown > 0 and not self.fuse_unk)
                unknown = size + unknown * self.fuse_unk
            elif self.missing is not None:
                raise NoUnknownToken(self.missing)
        return symbols + [(self.unknown or 0, unknown)] * bool(unknown)
