"""Word spans: what `counts.WORD` matches, found for a whole text at once: a match a word takes longer than a cut."""

import numpy as np
from numpy.typing import NDArray

from app.adapters.spans import byte_offsets
from app.lab.code_points import CharacterClass, codes

PART = CharacterClass(r"[\p{L}\p{M}\p{N}]")
JOINER = CharacterClass(r"['’\-]")


def words(text: str, data: bytes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Where words begin and end in the UTF-8 bytes of a text.

    >>> starts, ends = words("don't, né", "don't, né".encode())
    >>> starts.tolist(), ends.tolist()
    ([0, 7], [5, 10])
    """
    chars = codes(text)
    inside = np.zeros(len(chars) + 2, np.bool_)
    inside[1:-1] = PART(chars)
    inside[1:-1] |= JOINER(chars) & inside[:-2] & inside[2:]
    edges = np.flatnonzero(inside[1:] != inside[:-1]).astype(np.int32)
    if not text.isascii():
        edges = byte_offsets(data)[edges]
    return edges[::2], edges[1::2]
