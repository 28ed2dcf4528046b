"""SentencePiece's precompiled character map: rules of replacement in a double-array trie, the longest match first.

`normalize` knows what Unicode prescribes; here a model file brings its own rules, of any length, already compiled.
"""

from collections.abc import Iterator, Sequence


def offset(unit: int) -> int:
    """How far from a unit of the trie its children are, by exclusive or with its own place.

    >>> offset(0b101 << 10)
    5
    """
    return (unit >> 10) << ((unit & 1 << 9) >> 6)


class CharsMap:
    """Replacements by the longest rule that matches.

    A unit of the trie holds the byte it is reached by, whether a rule ends there, and where its children are
    (Aoe 1989; the layout is that of Darts-clone). The child by a byte is at (place ^ offset ^ byte). Where a rule
    ends, the child by no byte at all says where in `values` its replacement begins, and a NUL where that ends.

    >>> units = [1 << 10, 0, 0, 0, 1 << 31 | 2] + [0] * 91 + [1 << 8 | 100 << 10 | ord("a")]
    >>> CharsMap(units, b"x\\0yz\\0").longest(b"ab", 0)
    (1, 'yz')
    """

    def __init__(self, units: Sequence[int], values: bytes) -> None:
        self.units = units
        self.values = values

    def longest(self, data: bytes, start: int) -> tuple[int, str]:
        """The length in bytes of the longest rule that matches at a place, and its replacement; 0 for none."""
        ends = [*self._matches(data, start)]
        if not ends:
            return 0, ""
        end, value = ends[-1]
        return end - start, self._value(value)

    def shortest(self, data: bytes) -> str | None:
        """The replacement of the shortest rule that matches at the beginning, None without one."""
        _, value = next(self._matches(data, 0), (0, None))
        return None if value is None else self._value(value)

    def _value(self, start: int) -> str:
        return self.values[start : self.values.index(0, start)].decode()

    def _matches(self, data: bytes, start: int) -> Iterator[tuple[int, int]]:
        """Where each rule that matches at a place ends, and where its replacement begins, the shortest first."""
        units = self.units
        here = offset(units[0])
        for at in range(start, len(data)):
            here ^= data[at]
            if here >= len(units) or units[here] & 0x800000FF != data[at]:
                return
            unit = units[here]
            here ^= offset(unit)
            if unit >> 8 & 1:
                yield at + 1, units[here] & 0x7FFFFFFF
