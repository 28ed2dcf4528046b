"""The precompiled character map of a SentencePiece model: replacement rules in a double-array trie, read and checked.

A model file brings its own normalization rules, of any length, already compiled. The two libraries apply them in
different ways: sentencepiece takes the longest rule that matches at each position; Hugging Face's `tokenizers` looks at
one grapheme cluster at a time and takes the shortest rule that matches its beginning, and the rest of the cluster is
lost.
"""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import field
from sys import byteorder

import numpy as np
import regex

from ....errors import BadFile
from ..aligned import AlignedText, Change
from ..pipeline.component import NormalizerComponent, initial
from ..pipeline.normalizers import keep_boundary


def offset(unit: int) -> int:
    """Return the offset of a unit of the trie: its index XOR this is the base index of its children.

    >>> offset(0b101 << 10)
    5
    """
    return (unit >> 10) << ((unit & 1 << 9) >> 6)


class CharsMap:
    """A double-array trie of replacement rules (Aoe 1989; the layout is that of Darts-clone).

    Each unit of 32 bits holds the byte that leads to it, a bit for the end of a rule, and the offset of its children;
    the child for a byte is at index ^ offset ^ byte. At the end of a rule, the child for byte 0 holds the index in
    `values` of its replacement, which ends with NUL.

    >>> units = [1 << 10, 0, 0, 0, 1 << 31 | 2] + [0] * 91 + [1 << 8 | 100 << 10 | ord("a")]
    >>> CharsMap(units, b"x\\0yz\\0").match_longest(b"ab", 0)
    (1, 'yz')
    """

    def __init__(self, units: Sequence[int], values: bytes) -> None:
        self.units = units
        self.values = values

    def match_longest(self, data: bytes, start: int) -> tuple[int, str]:
        """Return the length in bytes of the longest rule that matches at a position, and its replacement; or 0."""
        matches = [*self._matches(data, start)]
        if not matches:
            return 0, ""
        end, value = matches[-1]
        return end - start, self._value(value)

    def match_shortest(self, data: bytes) -> str | None:
        """Return the replacement of the shortest rule that matches at the beginning, or None."""
        _, value = next(self._matches(data, 0), (0, None))
        return None if value is None else self._value(value)

    def has_prefix(self, data: bytes) -> bool:
        """True if a rule begins with these bytes, or is them.

        >>> units = [1 << 10, 0, 0, 0, 1 << 31 | 2] + [0] * 91 + [1 << 8 | 100 << 10 | ord("a")]
        >>> rules = CharsMap(units, b"x\\0yz\\0")
        >>> rules.has_prefix(b"a"), rules.has_prefix(b"ab")
        (True, False)
        """
        units = self.units
        index = offset(units[0])
        for byte in data:
            index ^= byte
            if index >= len(units) or units[index] & 0x800000FF != byte:
                return False
            index ^= offset(units[index])
        return True

    def plain_ascii(self) -> bytes:
        """Return the visible ASCII characters that no rule changes, unless a character beyond ASCII follows."""
        units = np.asarray(self.units, np.uint32)
        after = np.arange(128)
        plain = bytearray()
        for byte in range(0x21, 0x7F):
            children = self._children(byte) ^ after
            children = np.where(children < len(units), children, 0)
            longer = self.has_prefix(bytes([byte])) and bool((units[children] & 0x800000FF == after)[1:].any())
            if not longer and not self.match_longest(bytes([byte]), 0)[0]:
                plain.append(byte)
        return bytes(plain)

    def _children(self, byte: int) -> int:
        """Return the base index of the children of the child of the root for a byte that a rule begins with, else 0."""
        index = offset(self.units[0]) ^ byte
        return index ^ offset(self.units[index]) if index < len(self.units) else 0

    def _value(self, start: int) -> str:
        return self.values[start : self.values.index(0, start)].decode()

    def _matches(self, data: bytes, start: int) -> Iterator[tuple[int, int]]:
        """Yield the end of each matching rule and the index of its replacement, the shortest rule first."""
        units = self.units
        index = offset(units[0])
        for at in range(start, len(data)):
            index ^= data[at]
            if index >= len(units) or units[index] & 0x800000FF != data[at]:
                return  # the top bit marks a value, which is no child
            unit = units[index]
            index ^= offset(unit)
            if unit >> 8 & 1:
                yield at + 1, units[index] & 0x7FFFFFFF


CLUSTER = regex.compile(r"\X")


class Precompiled(NormalizerComponent):
    """The normalizer of `tokenizers` with a character map: a rule for each short cluster, else one for each character.

    >>> units = [1 << 10, 0, 0, 0, 1 << 31 | 2] + [0] * 91 + [1 << 8 | 100 << 10 | ord("a")]
    >>> Precompiled(CharsMap(units, b"x\\0yz\\0")).normalize(AlignedText.of("ba"))
    AlignedText(text='byz', starts=[0, 1, 1], ends=[1, 2, 2], at=0)
    """

    precompiled_charsmap: CharsMap = field(metadata=initial("own"))
    pass_boundary = keep_boundary
    makes_spaces = False  # the rules of sentencepiece make spaces of white space alone

    def normalize(self, text: AlignedText) -> AlignedText:
        charsmap = self.precompiled_charsmap
        changes: list[Change] = []
        modified = False
        for cluster in CLUSTER.findall(text.text):
            new = charsmap.match_shortest(cluster.encode()) if len(cluster.encode()) < 6 else None  # as the library
            for part in [cluster] if new is not None else cluster:
                if (new := charsmap.match_shortest(part.encode())) is None:
                    changes.append((part, 0))
                    continue
                modified = True
                _replace(changes, len(part), new)
        return text.apply_changes(changes) if modified else text


def _replace(changes: list[Change], size: int, new: str) -> None:
    """Replace `size` characters by new ones; if these are fewer, the last one replaces the rest."""
    changes += [(char, int(i >= size)) for i, char in enumerate(new)]
    if len(new) < size and changes:
        char, change = changes[-1]
        changes[-1] = (char, change + len(new) - size)


def load_charsmap(blob: bytes, what: str) -> CharsMap:
    """Read a map: four bytes with the size of the trie, the trie in units of four bytes, and the values.

    Raises `BadFile`, naming the map as `what`, for an impossible size, for values that are not UTF-8 or lack a final
    NUL, and for a unit of the trie that points to no value.
    """
    size = int.from_bytes(blob[:4], "little")
    if len(blob) < 8 or not size or size % 4 or 4 + size > len(blob):
        raise BadFile(f"{what} has {len(blob)} bytes, but declares a trie of {size} bytes.")
    units = array("I", blob[4 : 4 + size])
    values = blob[4 + size :]
    if byteorder == "big":
        units.byteswap()
    try:
        values.decode()
    except UnicodeDecodeError as error:
        raise BadFile(f"{what} is not UTF-8 at byte {error.start} of its values.") from None
    for index, unit in enumerate(units):
        if unit >> 8 & 1 and not unit >> 31:  # a rule ends here: the child for byte 0 holds its value
            leaf = index ^ offset(unit)
            value = units[leaf] & 0x7FFFFFFF if leaf < len(units) else len(values)
            if value >= len(values) or (value and values[value - 1]) or not units[leaf] >> 31:
                raise BadFile(f"Unit {index} of {what[0].lower() + what[1:]} points to no value.")
    if not values.endswith(b"\0"):
        raise BadFile(f"The last value of {what[0].lower() + what[1:]} does not end.")
    return CharsMap(units, values)


def dump_charsmap(charsmap: CharsMap) -> bytes:
    """Write a map in the form that `load_charsmap` reads."""
    units = array("I", charsmap.units)
    if byteorder == "big":
        units.byteswap()
    return (4 * len(units)).to_bytes(4, "little") + units.tobytes() + charsmap.values
