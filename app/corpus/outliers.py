"""The documents of a corpus that stand out by some score: a bounded number, the same whatever the parts were."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
