"""Word spans: what `counts.WORD` matches, found for a whole text at once: a match a word takes longer than a cut."""

import numpy as np
import regex
from numpy.typing import NDArray

from app.adapters.spans import byte_offsets

JOINERS = np.array([ord("'"), ord("’"), ord("-")], np.uint32)


PART = regex.compile(r"[\p{L}\p{M}\p{N}]")
_known = np.zeros(0x110000, np.bool_)
_inside = np.zeros(0x110000, np.bool_)
"""By code point: whether it has been met, and whether it is then a letter, a mark or a digit."""


def _part_of_words(chars: NDArray[np.uint8] | NDArray[np.uint32]) -> NDArray[np.bool_]:
    """By character: whether it is a letter, a mark or a digit. Only characters not met before are looked at."""
    met = np.zeros(int(chars.max(initial=0)) + 1, np.bool_)
    met[chars] = True
    for code in np.flatnonzero(met & ~_known[: len(met)]).tolist():
        _inside[code] = PART.match(chr(code)) is not None
        _known[code] = True
    return _inside[chars]


def words(text: str, data: bytes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where words begin and end in the UTF-8 bytes of a text.

    >>> starts, ends = words("don't, né", "don't, né".encode())
    >>> starts.tolist(), ends.tolist()
    ([0, 7], [5, 10])
    """
    chars = np.frombuffer(data, np.uint8) if text.isascii() else np.frombuffer(text.encode("utf-32-le"), np.uint32)
    inside = np.zeros(len(chars) + 2, np.bool_)
    inside[1:-1] = _part_of_words(chars)
    inside[1:-1] |= np.isin(chars, JOINERS) & inside[:-2] & inside[2:]
    edges = np.flatnonzero(inside[1:] != inside[:-1]).astype(np.int32)
    if not text.isascii():
        edges = byte_offsets(data)[edges]
    return edges[::2], edges[1::2]
