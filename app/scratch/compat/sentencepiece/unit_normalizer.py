"""The normalization of many parts of a text at once, each of which follows white space.

ASCII that no rule changes, most of the words of many languages, is normalized as one array.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...fast.hash_index import ranges
from ...fast.unigram.encode_batch import code_points
from .encode import MARK, SPACE, Normalizer

Ints = NDArray[np.integer]
UNCHANGED, CHANGED = PARTS = b"\xff", b"\xfe"
"""The byte, in no UTF-8, in front of a part of a divided unit but its first: one that stays as it is, or changes."""
Origins = Sequence[int] | None
"""Of each character of a normalized text the byte where its origin begins, then the end; None if unchanged."""


class NormalizedUnits(NamedTuple):
    """Normalized units: the characters of all, how many each has, and the byte where the origin of each begins.

    `origins` has one more for each unit, its end. `trimmed` is True for a unit of which white space at its end has been
    removed.
    """

    chars: NDArray[np.uint32]
    sizes: Ints
    origins: Ints
    trimmed: NDArray[np.bool_]


class UnitNormalizer:
    """Normalizes the parts of a text between white space.

    >>> units = UnitNormalizer(Normalizer(collapse=True)).later([b"ab", b"\\xc3\\xa9"])
    >>> "".join(map(chr, units.chars)), units.sizes.tolist(), units.origins.tolist()
    ('▁ab▁é', [3, 2], [0, 0, 1, 2, 0, 0, 2])
    """

    def __init__(self, normalizer: Normalizer) -> None:
        self.normalizer = normalizer
        self.collapse = normalizer.collapse
        self._later = normalizer.after_white_space()
        self._inside = normalizer.after_white_space(dummy=False)
        self._plain = np.zeros(256, bool)
        self._plain[[*normalizer.unchanged_bytes()]] = True

    def first(self, unit: bytes) -> NormalizedUnits:
        """Normalize a unit at the beginning of a text."""
        none = np.zeros(1, bool)
        return self._join([unit], none, [self.normalizer(unit.decode())])

    def later(self, units: Sequence[bytes]) -> NormalizedUnits:
        """Normalize units that are not the first, none of them empty."""
        sizes = np.fromiter(map(len, units), np.int64, len(units))
        data = np.frombuffer(b"".join(units), np.uint8)
        firsts = np.cumsum(sizes) - sizes
        plain = np.logical_and.reduceat(self._plain[data], firsts) | (data[firsts] == UNCHANGED[0])
        others = [self.normalize(units[index]) for index in np.flatnonzero(~plain).tolist()]
        return self._join(units, plain, others)

    def normalize(self, unit: bytes) -> tuple[str, Origins]:
        """Return a unit that is not the first normalized, and the origins of its characters; None if unchanged."""
        if unit.startswith(PARTS):
            text = unit[1:].decode()
            return (text, None) if unit.startswith(UNCHANGED) else self._inside(text)
        text = unit.decode()
        if self._later.leaves_unchanged(text):
            return (MARK + text if self.collapse else text.replace(" ", MARK)), None
        return self._later(text)

    def _join(
        self, units: Sequence[bytes], plain: NDArray[np.bool_], others: Sequence[tuple[str, Origins]]
    ) -> NormalizedUnits:
        """Return all units, of which the plain ones stay as they are and the others are given."""
        kept = [unit for unit, stays in zip(units, plain.tolist(), strict=True) if stays]
        data = np.frombuffer(b"".join(kept), np.uint8)
        firsts = np.cumsum([0, *map(len, kept)])[:-1]
        inside = data[firsts] == UNCHANGED[0]
        same = code_points(data[data != UNCHANGED[0]].tobytes().decode())
        sizes = np.zeros(len(units), np.int64)
        lengths = np.add.reduceat((data & 0xC0) != 0x80, firsts, dtype=np.int64) - inside  # whose mark is no character
        marked = self.collapse & ~inside
        sizes[plain] = lengths + marked
        sizes[~plain] = np.fromiter((len(text) for text, _ in others), np.int64, len(others))
        ends = np.cumsum(sizes)
        begins = ends - sizes
        chars = np.full(int(ends[-1]), ord(MARK), np.uint32)
        chars[ranges(begins[plain] + marked, lengths)] = np.where(same == SPACE, ord(MARK), same)
        chars[ranges(begins[~plain], sizes[~plain])] = code_points("".join([text for text, _ in others]))
        origins = self._origins(chars, sizes, begins)
        trimmed = np.zeros(len(units), bool)
        for index, (_, at) in zip(np.flatnonzero(~plain).tolist(), others, strict=True):
            if at is not None:
                origins[begins[index] + index : ends[index] + index + 1] = at
                trimmed[index] = self.collapse and at[-1] < len(units[index].removeprefix(CHANGED))
        return NormalizedUnits(chars, sizes, origins, trimmed)

    def _origins(self, chars: NDArray[np.uint32], sizes: Ints, begins: Ints) -> Ints:
        """Return the origins of the characters of unchanged units, and the end of each."""
        widths = utf8_sizes(chars)
        widths[chars == ord(MARK)] = not self.collapse  # a space; or put in front, in place of the white space
        after = np.cumsum(widths)
        before = np.append(0, after)[begins]
        origins = np.zeros(len(chars) + len(sizes), np.int64)
        number = np.repeat(np.arange(1, len(sizes) + 1), sizes)
        origins[np.arange(len(chars)) + number] = after - np.repeat(before, sizes)
        return origins


def utf8_sizes(points: NDArray[np.uint32]) -> Ints:
    """Return the number of bytes of each code point.

    >>> utf8_sizes(code_points("aé你🌍")).tolist()
    [1, 2, 3, 4]
    """
    return 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
