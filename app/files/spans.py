"""Spans as columns: from byte spans or lengths to an `Encoding`."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..types import BYTE_FALLBACK, INSERTED, UNKNOWN, Encoding

Column = NDArray[np.int32]


def encode_tiles(
    ids: NDArray[np.uint32], lengths: Column, *, text: str, data: bytes, flags: NDArray[np.uint8]
) -> Encoding:
    """Return an encoding whose tokens tile the text, `lengths` bytes each.

    >>> ids = np.array([7, 8], dtype=np.uint32)
    >>> lengths, flags = np.array([3, 1], dtype=np.int32), np.zeros(2, np.uint8)
    >>> encoding = encode_tiles(ids, lengths, text="🌍", data="🌍".encode(), flags=flags)
    >>> encoding.byte_starts.tolist(), encoding.byte_ends.tolist()
    ([0, 3], [3, 4])
    >>> encoding.char_starts.tolist(), encoding.char_ends.tolist()
    ([0, 0], [1, 1])
    """
    ends = lengths.cumsum(dtype=np.int32)
    return encode_spans(ids, ends - lengths, ends, text=text, data=data, flags=flags)


def encode_marked(
    ids: NDArray[np.uint32], lengths: Column, *, text: str, flags: NDArray[np.uint8], inserted: bool
) -> Encoding | None:
    """Return the encoding of ids whose bytes tile a text behind an `inserted` space; None if they do not.

    >>> ids, flags = np.array([7, 8], np.uint32), np.zeros(2, np.uint8)
    >>> encode_marked(ids, np.array([4, 1], np.int32), text="the.", flags=flags, inserted=True).byte_ends.tolist()
    [3, 4]
    """
    data = text.encode()
    if not data or int(lengths.sum()) != len(data) + inserted or (flags & UNKNOWN).any():  # of unknown length
        return None
    lengths[0] -= inserted
    flags[0] |= INSERTED * (not lengths[0])
    return encode_tiles(ids, lengths, text=text, data=data, flags=flags)


def encode_spans(
    ids: NDArray[np.uint32], starts: Column, ends: Column, *, text: str, data: bytes, flags: NDArray[np.uint8]
) -> Encoding:
    """Return an encoding from byte spans of the input; code point spans are computed and rounded outward."""
    if text.isascii():
        return Encoding(ids=ids, byte_starts=starts, byte_ends=ends, char_starts=starts, char_ends=ends, flags=flags)
    # `take` needs half the time of an index in brackets.
    lead = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80  # all bytes but UTF-8 continuation bytes
    before = np.zeros(len(data) + 1, np.int32)
    np.cumsum(lead, out=before[1:])  # code points that begin before each byte
    inside = np.append(lead, True).take(starts) == 0
    return Encoding(
        ids=ids,
        byte_starts=starts,
        byte_ends=ends,
        char_starts=before.take(starts) - (inside & (starts < ends)),
        char_ends=before.take(ends),
        flags=flags,
    )


def find_gap(encoding: Encoding, size: int) -> int | None:
    """Return the first byte of a text of `size` bytes that no token covers, None if tokens cover all of it.

    >>> at = np.array([0, 1, 3], np.int32)
    >>> encoding = Encoding(at[1:], at[:2], np.array([1, 2], np.int32), at[:2], at[:2], at[:2])
    >>> find_gap(encoding, 2), find_gap(encoding, 3)
    (None, 2)
    """
    starts, ends = encoding.byte_starts, encoding.byte_ends
    if len(ends) and not starts[0] and ends[-1] == size and bool((starts[1:] == ends[:-1]).all()):
        return None  # they tile it
    ends = np.maximum.accumulate(np.append(np.int32(0), ends))
    gaps = np.append(starts, np.int32(size)) > ends
    return int(ends[gaps.argmax()]) if gaps.any() else None


def count_uncovered(encoding: Encoding, text: str) -> dict[str, int]:
    """Return how often each character, besides white space, stands where no token covers it.

    >>> at = np.array([0, 2], np.int32)
    >>> count_uncovered(Encoding(at, at, at + 1, at, at + 1, at), "aéb é")
    {'é': 2}
    """
    edges = np.zeros(len(text) + 1, np.int32)
    np.add.at(edges, encoding.char_starts, 1)
    np.subtract.at(edges, encoding.char_ends, 1)
    codes, counts = np.unique(code_points(text)[edges.cumsum()[:-1] == 0], return_counts=True)
    found = zip(map(chr, codes.tolist()), counts.tolist(), strict=True)
    return {char: count for char, count in found if not char.isspace()}


def byte_offsets(data: bytes) -> Column:
    """Return the byte offset of each code point, and the length at the end; shape `(code points + 1,)`.

    >>> byte_offsets("aé!".encode()).tolist()
    [0, 1, 3, 4]
    """
    view = np.frombuffer(data, np.uint8)
    return np.append(np.flatnonzero((view & 0xC0) != 0x80), len(data)).astype(np.int32)


def column(values: ArrayLike) -> Column:
    """Return a list of numbers as a column."""
    return np.asarray(values, dtype=np.int32)


def concatenate_encodings(
    parts: list[Encoding], shifts: list[tuple[int, int]], grown: tuple[bytes, ...] = ()
) -> Encoding:
    """Concatenate encodings of consecutive segments; each shift is (bytes, code points) before its segment."""
    return Encoding(
        ids=np.concatenate([part.ids for part in parts]),
        byte_starts=np.concatenate([part.byte_starts + shift[0] for part, shift in zip(parts, shifts, strict=True)]),
        byte_ends=np.concatenate([part.byte_ends + shift[0] for part, shift in zip(parts, shifts, strict=True)]),
        char_starts=np.concatenate([part.char_starts + shift[1] for part, shift in zip(parts, shifts, strict=True)]),
        char_ends=np.concatenate([part.char_ends + shift[1] for part, shift in zip(parts, shifts, strict=True)]),
        flags=np.concatenate([part.flags for part in parts]),
        grown=grown,
    )


def round_outward(starts: Column, ends: Column, flags: NDArray[np.uint8]) -> tuple[Column, Column]:
    """Widen the empty spans of sentencepiece: each part of a character gets the whole character.

    sentencepiece gives a character that became several tokens to the last of them, and an empty span to the others. If
    there are as many byte tokens as bytes, each gets its own byte. The first token may be the inserted space, which
    covers no input. Changes the arrays in place.
    """
    if len(starts) and not starts[0] and not ends[0] and not flags[0] & BYTE_FALLBACK:
        flags[0] |= INSERTED
    empty = np.flatnonzero((starts == ends) & (flags & INSERTED == 0))
    for run in reversed(np.split(empty, np.flatnonzero(np.diff(empty) > 1) + 1) if len(empty) else []):
        last = min(int(run[-1]) + 2, len(starts))
        while last > run[0]:
            first = last = last - 1
            while first > run[0] and starts[first - 1] == starts[last]:
                first -= 1
            if first < last:
                bytewise = last + 1 - first == ends[last] - starts[last]
                if bytewise and bool((flags[first : last + 1] & BYTE_FALLBACK).all()):
                    starts[first : last + 1] += np.arange(last + 1 - first, dtype=np.int32)
                    ends[first : last + 1] = starts[first : last + 1] + 1
                else:
                    ends[first:last] = ends[last]
            last = first
    return starts, ends


def locate_spans(
    ids: list[int], offsets: Column, *, raws: Mapping[int, bytes], data: bytes, lost: bytes = b""
) -> tuple[Column, Column]:
    """Return byte spans from code point spans: exact if the raw bytes join to the input, else rounded outward.

    `lost` are the bytes that no token has: those of the library count on as if they were not in the text.
    """
    if b"".join(raws[id] for id in ids) == data.translate(None, lost):
        lengths = column([len(raws[id]) for id in ids])
        ends = np.cumsum(lengths, dtype=np.int32)
        if not lost or not lengths.all():
            return ends - lengths, ends
        kept = np.flatnonzero(~np.isin(np.frombuffer(data, np.uint8), np.frombuffer(lost, np.uint8))).astype(np.int32)
        return kept[ends - lengths], kept[ends - 1] + np.int32(1)
    at = byte_offsets(data)
    return at[offsets[:, 0]], at[offsets[:, 1]]


def code_points(text: str) -> NDArray[np.uint32]:
    """Return the code points of a text, shape `(code points,)`.

    >>> code_points("né").tolist()
    [110, 233]
    """
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
