"""A passage: a text to be measured, and where its words lie, found once however many tokenizers cut it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.adapters.spans import byte_offsets
from app.lab.code_points import CharacterClass, codes
from app.lab.wordspans import words

Places = NDArray[np.bool_]
"""By byte position of a text, from 0 to its length: whether it is one of these places."""

CLINGS = CharacterClass(r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\p{GCB=V}\p{GCB=T}]")
BINDS = CharacterClass(r"[\p{GCB=ZWJ}\p{GCB=Prepend}]")
REGIONAL = CharacterClass(r"\p{RI}")
BLANK = np.isin(np.arange(256), list(b" \t\n\v\f\r"))


@dataclass(frozen=True)
class Passage:
    """A text, and where its words lie in its UTF-8 bytes.

    >>> passage = Passage("né, à")
    >>> passage.word_starts.tolist(), passage.word_ends.tolist()
    ([0, 5], [3, 7])
    """

    text: str

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode()

    @cached_property
    def word_starts(self) -> NDArray[np.int32]:
        return self._words[0]

    @cached_property
    def word_ends(self) -> NDArray[np.int32]:
        return self._words[1]

    @cached_property
    def _words(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return words(self.text, self.data)

    @cached_property
    def blank(self) -> Places:
        """By byte: whether it is ASCII white space."""
        return BLANK[np.frombuffer(self.data, np.uint8)]

    @cached_property
    def edges(self) -> Places:
        """Where words begin and end."""
        return inner(len(self.data), self.word_starts, self.word_ends)

    @cached_property
    def before_blank(self) -> NDArray[np.int32]:
        """By byte position: itself, or, within or behind white space, where that begins."""
        places = np.arange(len(self.data) + 1, dtype=np.int32)
        held = np.append(True, ~self.blank)  # no white space ends here
        return np.asarray(np.maximum.accumulate(np.where(held, places, 0)))

    @cached_property
    def behind_blank(self) -> NDArray[np.int32]:
        """By byte position: itself, or, within or before white space, where that ends."""
        places = np.arange(len(self.data) + 1, dtype=np.int32)
        held = np.append(~self.blank, True)  # no white space begins here
        return np.asarray(np.minimum.accumulate(np.where(held, places, len(self.data))[::-1])[::-1])

    @cached_property
    def whole(self) -> Places:
        """Where characters begin, and the end."""
        return np.asarray((np.frombuffer(self.data + b" ", np.uint8) & 0xC0) != 0x80)

    @cached_property
    def apart(self) -> Places:
        """Where the text can be cut without tearing what is seen as one: a letter from its marks, an emoji in parts.

        These are most edges of grapheme clusters (UAX #29), judged by the two characters beside them alone.

        >>> np.flatnonzero(Passage("e\u0301🇺🇳!").apart).tolist()
        [0, 3, 11, 12]
        """
        if self.text.isascii():
            return np.ones(len(self.data) + 1, np.bool_)
        chars = codes(self.text)
        whole = np.ones(len(chars) + 1, np.bool_)
        flags = REGIONAL(chars)
        whole[1:-1] = ~(CLINGS(chars[1:]) | BINDS(chars[:-1]) | (flags[1:] & flags[:-1]))
        places = np.zeros(len(self.data) + 1, np.bool_)
        places[byte_offsets(self.data)[whole]] = True
        return places

    @cached_property
    def folded_edges(self) -> Places:
        return self.folded(self.edges)

    def folded(self, places: Places) -> Places:
        """Places within or behind white space moved to where that begins."""
        found = np.zeros_like(places)
        found[self.before_blank[np.flatnonzero(places)]] = True
        found[0] = False
        return found


def inner(
    size: int, starts: NDArray[np.int_] | NDArray[np.int32], ends: NDArray[np.int_] | NDArray[np.int32]
) -> Places:
    """Where spans begin and end, without the ends of the text itself.

    >>> np.flatnonzero(inner(5, np.array([0, 2]), np.array([2, 5]))).tolist()
    [2]
    """
    places = np.zeros(size + 1, np.bool_)
    places[starts] = places[ends] = True
    places[0] = places[size] = False
    return places
