"""Where a text can be divided because no piece of a vocabulary in it crosses.

Pieces with a ▁ after another character (`▁of▁the`) leave no place at which every text can be divided. In a given text,
few positions are crossed by a piece that is there. One step of numpy extends the matches at all positions by a
character, as a walk through the trie of the pieces would.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from ..hash_index import MULTIPLIER, Hashes
from .encode_batch import code_points

ROOM = 2
"""Places of the table for each character of all pieces, as a power of two."""
LEAST_BITS, MOST_BITS = 16, 25
"""The table has at least and at most so many bytes, as powers of two."""
PREFIX, PIECE = 1, 3


class PieceReach:
    """The prefixes of all pieces by their hash, without the characters.

    Two with one hash only make a match seem longer than it is, and a text is then divided at fewer positions.

    >>> PieceReach(["a", "b", "ab", "b▁a", "▁"]).divide("ab▁aa▁▁b")
    ['ab▁a', 'a', '▁', '▁', 'b']
    """

    def __init__(self, pieces: Collection[str]) -> None:
        chars = code_points("".join(pieces))
        sizes = np.fromiter(map(len, pieces), np.int64, len(pieces))
        firsts = np.cumsum(sizes) - sizes
        bits = max(LEAST_BITS, min(MOST_BITS, len(chars).bit_length() + ROOM))
        self._shift = np.uint64(64 - bits)
        self._kinds = np.zeros(2**bits, np.uint8)
        hashes = np.zeros(len(sizes), np.uint64)
        size = 0
        while len(firsts):
            hashes = _extend(hashes, chars[firsts + size])
            size += 1
            self._kinds[hashes >> self._shift] |= PREFIX
            self._kinds[hashes[sizes == size] >> self._shift] = PIECE
            longer = sizes > size
            firsts = firsts[longer]
            sizes = sizes[longer]
            hashes = hashes[longer]

    def divide(self, text: str) -> list[str]:
        """Return the parts of a text between all positions that no piece crosses."""
        starts = np.arange(len(text))
        farthest = np.maximum.accumulate(starts + self.sizes(code_points(text)))
        cuts = (1 + np.flatnonzero(farthest[:-1] <= starts[1:])).tolist()
        return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    def sizes(self, chars: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Return the length of the longest piece that may begin at each character; 1 if none does."""
        longest = np.ones(len(chars), np.int32)
        starts = np.arange(len(chars), dtype=np.int32)
        hashes = np.zeros(len(chars), np.uint64)
        size = 0
        while len(starts := starts[: np.searchsorted(starts, len(chars) - size)]):
            hashes = _extend(hashes[: len(starts)], chars[starts + size])
            size += 1
            kinds = self._kinds[hashes >> self._shift]
            longest[starts[kinds == PIECE]] = size
            matching = np.flatnonzero(kinds)
            starts = starts[matching]
            hashes = hashes[matching]
        return longest


def _extend(hashes: Hashes, chars: NDArray[np.uint32]) -> Hashes:
    """Return the hashes of texts that are longer by a character."""
    return (hashes + (chars + np.uint32(1))) * np.uint64(MULTIPLIER)
