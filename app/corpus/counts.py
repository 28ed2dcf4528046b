"""The counts of documents, which add up: of two parts, the tally of both is their sum; and documents that stand out."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

SMALL = 256
"""Lengths up to this are counted exactly; longer ones with an error of at most 1 / 128."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
MOST = 10
"""Documents that are kept."""
MIN_BYTES = 64
"""Bytes of the smallest document whose tokens per byte, or in two tokenizers, are compared."""
HEAD = 600
"""Bytes of a document that are kept, about."""


class Outlier(NamedTuple):
    """A document: its score, the beginning of its text, the file, and its sizes."""

    score: float
    text: str
    path: str
    bytes: int
    tokens: int


@dataclass(slots=True)
class Outliers:
    """The `MOST` documents with the highest scores, each text once; of equal scores, those first in the alphabet."""

    documents: list[Outlier] = field(default_factory=list)

    def add(self, scores: NDArray[np.float64], document: Callable[[int], Outlier]) -> None:
        """Take in documents by their scores, 0 for those that are no candidates; `document` gives one of them.

        >>> one = Outliers()
        >>> one.add(np.array([1.0, 0.0, 3.0]), lambda row: Outlier([1.0, 0.0, 3.0][row], "abc"[row], "x", 1, 1))
        >>> [extreme.text for extreme in one.documents]
        ['c', 'a']
        """
        least = self.documents[-1].score if len(self.documents) == MOST else 0.0
        rows = np.flatnonzero(scores >= least if least else scores > 0)
        rows = rows[np.argsort(-scores[rows], kind="stable")]
        for row in rows.tolist():
            if len(self.documents) == MOST and scores[row] < self.documents[-1].score:
                return
            self._take(document(row))

    def _take(self, one: Outlier) -> None:
        for place, other in enumerate(self.documents):
            if other.text == one.text:
                self.documents[place] = min(one, other, key=_order)
                break
        else:
            self.documents.append(one)
        self.documents.sort(key=_order)
        del self.documents[MOST:]

    def __iadd__(self, other: "Outliers") -> "Outliers":
        for one in other.documents:
            self._take(one)
        return self


def bucket(tokens: int) -> int:
    """Return the length as which a document of this many tokens is counted in the histogram.

    >>> bucket(200), bucket(1000), bucket(100_001)
    (200, 1000, 99840)
    """
    shift = max(0, tokens.bit_length() - 8)
    return tokens >> shift << shift


@dataclass(slots=True)
class DocumentCounts:
    """The counts of some documents in one tokenizer; bytes and characters are of the text.

    `unknown` and `fallback` count tokens: unknown ones, and those of one byte of a character that is not in the
    vocabulary. `lengths` is the number of documents by their tokens, as `bucket` rounds them. `longest` is the largest
    number of tokens of a document. `words` are what white space separates, counted for reports only.
    """

    documents: int = 0
    bytes: int = 0
    characters: int = 0
    tokens: int = 0
    unknown: int = 0
    fallback: int = 0
    longest: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    words: int = 0

    def __iadd__(self, other: "DocumentCounts") -> "DocumentCounts":
        self.documents += other.documents
        self.bytes += other.bytes
        self.characters += other.characters
        self.tokens += other.tokens
        self.unknown += other.unknown
        self.fallback += other.fallback
        self.longest = max(self.longest, other.longest)
        self.lengths.update(other.lengths)
        self.words += other.words
        return self

    @property
    def bytes_per_token(self) -> float:
        return self.bytes / self.tokens if self.tokens else 0.0

    @property
    def unknown_share(self) -> float:
        return self.unknown / self.tokens if self.tokens else 0.0

    @property
    def tokens_per_word(self) -> float:
        return self.tokens / self.words if self.words else 0.0

    @property
    def tokens_per_character(self) -> float:
        return self.tokens / self.characters if self.characters else 0.0

    def quantile(self, share: float) -> int:
        """Return the tokens that at least a share of the documents do not exceed, as the histogram has them.

        Of a single document these are its tokens.

        >>> DocumentCounts(documents=4, lengths=Counter({1: 1, 2: 2, 9: 1})).quantile(0.5)
        2
        >>> DocumentCounts(documents=1, longest=1001, lengths=Counter({1000: 1})).quantile(0.5)
        1001
        """
        if self.documents == 1:
            return self.longest
        left = share * self.documents
        for length in sorted(self.lengths):
            left -= self.lengths[length]
            if left <= 0:
                return length
        return 0

    def histogram(self) -> Iterator[tuple[int, int]]:
        """Yield the number of documents with up to 1, 2, 4, 8 … tokens, and more than half of that."""
        limits: Counter[int] = Counter()
        for length, count in self.lengths.items():
            limits[1 << max(0, length - 1).bit_length()] += count
        yield from sorted(limits.items())

    def dump(self) -> dict[str, Any]:
        """Return it as plain data, from which `load` makes it again."""
        names = ("documents", "bytes", "characters", "tokens", "unknown", "fallback", "longest", "words")
        return {name: getattr(self, name) for name in names} | {"lengths": sorted(self.lengths.items())}

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> "DocumentCounts":
        """Return the tally that `dump` wrote.

        >>> DocumentCounts.load(DocumentCounts(documents=2, lengths=Counter({3: 2})).dump()).quantile(1.0)
        3
        """
        return cls(**{**data, "lengths": Counter(dict(data["lengths"]))})


def _order(one: Outlier) -> tuple[Any, ...]:
    return (-one.score, *one[1:])


def head(document: bytes) -> str:
    """Return the beginning of a document, whole characters.

    >>> head("né".encode() * 300) == "né" * 200
    True
    """
    return document[:HEAD].decode(errors="ignore")


def scores(
    ids: NDArray[np.uint32], offsets: NDArray[np.int64], sizes: NDArray[np.int64], marks: NDArray[np.uint8]
) -> Mapping[str, NDArray[np.float64]]:
    """Return by kind the scores of documents, from their tokens, sizes in bytes, and the marks of a vocabulary.

    `dense` is tokens per byte of documents of at least 64 bytes; `unknown` the number of unknown tokens and of single
    bytes; `run` the most times that a token is repeated at once, from 8.

    >>> ids, offsets = np.array([5] * 9 + [1, 2], np.uint32), np.array([0, 9, 11])
    >>> found = scores(ids, offsets, np.array([90, 10]), np.zeros(9, np.uint8))
    >>> [found[kind].tolist() for kind in ("dense", "run", "unknown")]
    [[0.1, 0.0], [9.0, 0.0], [0.0, 0.0]]
    """
    lengths = np.diff(offsets)
    dense = np.where(sizes >= MIN_BYTES, lengths / np.maximum(sizes, 1), 0.0)
    unknown = np.zeros(len(lengths))
    if marks.any() and len(ids):
        sums = np.concatenate([np.zeros(1, np.int64), np.cumsum(marks[ids] > 0)])
        unknown = (sums[offsets[1:]] - sums[offsets[:-1]]).astype(np.float64)
    return {"dense": dense, "unknown": unknown, "run": _runs(ids, offsets)}


def _runs(ids: NDArray[np.uint32], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the length of the longest run of one token in each document, 0 below 8."""
    longest = np.zeros(len(offsets) - 1)
    if not len(ids):
        return longest
    first = np.append(True, ids[1:] != ids[:-1])
    first[offsets[:-1][np.diff(offsets) > 0]] = True
    starts = np.flatnonzero(first)
    lengths = np.diff(np.append(starts, len(ids)))
    long = lengths >= 8
    rows = np.searchsorted(offsets, starts[long], side="right") - 1
    np.maximum.at(longest, rows, lengths[long])
    return longest
