"""Where several segmentations of one text differ: which tokens they do not share, and in which spans of the text.

`metrics.boundary_agreement` says how much two segmentations agree. Here a token is identified by its first byte and its
length, so that finding it in every other segmentation is one lookup in an array.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...types import Encoding
from ..text_index import Places, TextIndex

Numbers = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Spans:
    """The byte spans of one segmentation's tokens as they are compared, with or without whitespace at their edges.

    `differing` is True for a token that some other segmentation lacks.
    """

    starts: Numbers
    ends: Numbers
    differing: Places


@dataclass(frozen=True, slots=True)
class Differences:
    """The spans of each segmentation, and the places where they differ.

    A place is a shortest span of the text that contains a difference and splits no token of any segmentation; its byte
    positions are in `starts` and `ends`. The length is the number of places.
    """

    columns: tuple[Spans, ...]
    starts: Numbers
    ends: Numbers

    def __len__(self) -> int:
        return len(self.starts)


def differences(encodings: Sequence[Encoding], index: TextIndex, *, spaces: bool) -> Differences:
    """Return where segmentations of a text differ. `spaces` counts leading and trailing whitespace of a token.

    >>> from tokenarium.files.spans import column, encode_tiles
    >>> def encoding(*lengths):
    ...     ids, flags = np.zeros(len(lengths), np.uint32), np.zeros(len(lengths), np.uint8)
    ...     return encode_tiles(ids, column(lengths), text="the cats", data=b"the cats", flags=flags)
    >>> result = differences([encoding(3, 5), encoding(4, 4)], TextIndex("the cats"), spaces=False)
    >>> [spans.differing.tolist() for spans in result.columns], len(result)
    ([[False, False], [False, False]], 0)
    >>> result = differences([encoding(3, 5), encoding(3, 3, 2)], TextIndex("the cats"), spaces=True)
    >>> [spans.differing.tolist() for spans in result.columns], result.starts.tolist(), result.ends.tolist()
    ([[False, True], [False, True, True]], [3], [8])
    """
    spans = [get_spans(encoding, index, spaces=spaces) for encoding in encodings]
    size = len(index.data)
    lengths = [_length_at(starts, ends, size) for starts, ends in spans]
    # A byte position is equal in all segmentations if the same length begins there, or nothing in any of them.
    same = np.logical_and.reduce([one == lengths[0] for one in lengths]) if lengths else np.ones(size + 1, np.bool_)
    shared = lengths[0] * same if lengths else np.zeros(size + 1, np.int32)  # lengths of tokens that all have
    differing = [(starts < ends) & (shared[starts] != ends - starts) for starts, ends in spans]
    edges = common_edges(spans, index.divisible)
    unequal = np.logical_or.reduceat(~same, edges[:-1]) if size else np.zeros(0, np.bool_)
    places = np.flatnonzero(unequal)
    columns = (Spans(*pair, flags) for pair, flags in zip(spans, differing, strict=True))
    return Differences(tuple(columns), edges[places], edges[places + 1] if len(places) else edges[:0])


def get_spans(encoding: Encoding, index: TextIndex, *, spaces: bool) -> tuple[Numbers, Numbers]:
    """Return byte spans, without whitespace at their edges unless `spaces`; a token of only whitespace keeps it."""
    starts = encoding.byte_starts
    ends = encoding.byte_ends
    if spaces:
        return starts, ends
    inner = index.after_blank[starts]
    outer = index.before_blank[ends]
    solid = inner < outer
    return np.where(solid, inner, starts), np.where(solid, outer, ends)


def _length_at(starts: Numbers, ends: Numbers, size: int) -> Numbers:
    """Return, by byte position, the length of the token that begins there, or 0."""
    lengths = np.zeros(size + 1, np.int32)
    real = starts < ends
    lengths[starts[real]] = (ends - starts)[real]
    return lengths


def common_edges(spans: Sequence[tuple[Numbers, Numbers]], places: Places) -> Numbers:
    """Return those of some byte positions that lie inside of no token of any segmentation."""
    size = len(places) - 1
    real = [(starts[starts < ends], ends[starts < ends]) for starts, ends in spans]
    nothing = np.zeros(0, np.int32)
    # The number of tokens open at each position, without a loop over tokens: +1 after a start, −1 at an end.
    opened = np.bincount(np.concatenate([nothing, *(starts for starts, _ in real)]) + 1, minlength=size + 2)
    closed = np.bincount(np.concatenate([nothing, *(ends for _, ends in real)]), minlength=size + 2)
    free = np.cumsum(opened - closed, dtype=np.int32)[: size + 1] == 0
    return np.flatnonzero(places & free).astype(np.int32)
