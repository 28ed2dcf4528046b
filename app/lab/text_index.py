"""An index of a text for measuring: where its words, whitespace and characters lie in its UTF-8 bytes.

A `TextIndex` is built once for a text, however many tokenizers it is compared on. Everything is found over whole numpy
arrays: matching `metrics.WORD` word by word takes longer than tokenizing the text.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import regex
from numpy.typing import NDArray

from ..files.spans import byte_offsets

Codes = NDArray[np.uint8] | NDArray[np.uint32]


def codes(text: str) -> Codes:
    """Return the code points of a text as an array.

    >>> codes("aé").tolist()
    [97, 233]
    """
    if text.isascii():  # a quarter of the memory, and faster
        return np.frombuffer(text.encode(), np.uint8)
    return np.frombuffer(text.encode("utf-32-le"), np.uint32)


class CharacterClass:
    r"""A set of characters, defined by a regular expression, that tests whole arrays.

    >>> CharacterClass(r"\p{Nd}")(codes("a1"))
    array([False,  True])
    """

    def __init__(self, pattern: str) -> None:
        self._pattern = regex.compile(pattern)
        # Tables over all code points; the operating system allocates only those pages that are written.
        self._known = np.zeros(0x110000, np.bool_)
        self._member = np.zeros(0x110000, np.bool_)

    def __call__(self, chars: Codes) -> NDArray[np.bool_]:
        """Return, by character, whether it is in the set."""
        present = np.zeros(int(chars.max(initial=0)) + 1, np.bool_)
        present[chars] = True
        for code in np.flatnonzero(present & ~self._known[: len(present)]).tolist():
            self._member[code] = self._pattern.match(chr(code)) is not None
            self._known[code] = True
        return self._member[chars]


# The two classes of `metrics.WORD`: what words consist of, and what may join two parts of one.
WORD_PART = CharacterClass(r"[\p{L}\p{M}\p{N}]")
WORD_JOINER = CharacterClass(r"['’\-]")


def words(text: str, data: bytes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the byte positions at which words begin and end; the words are those of `metrics.WORD`.

    >>> starts, ends = words("don't, né", "don't, né".encode())
    >>> starts.tolist(), ends.tolist()
    ([0, 7], [5, 10])
    """
    chars = codes(text)
    # One element before and one after the text, so that words at its ends have edges too.
    inside = np.zeros(len(chars) + 2, np.bool_)
    inside[1:-1] = WORD_PART(chars)
    inside[1:-1] |= WORD_JOINER(chars) & inside[:-2] & inside[2:]
    edges = np.flatnonzero(inside[1:] != inside[:-1]).astype(np.int32)
    if not text.isascii():
        edges = byte_offsets(data)[edges]
    return edges[::2], edges[1::2]


Places = NDArray[np.bool_]
"""A set of byte positions in a text: a boolean for each position from 0 to its length."""

ATTACHES_LEFT = CharacterClass(r"[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}\p{GCB=V}\p{GCB=T}]")
ATTACHES_RIGHT = CharacterClass(r"[\p{GCB=ZWJ}\p{GCB=Prepend}]")
REGIONAL = CharacterClass(r"\p{RI}")
ASCII_SPACE = np.isin(np.arange(256), list(b" \t\n\v\f\r"))


@dataclass(frozen=True)
class TextIndex:
    """A text with the positions of its words, whitespace and characters, each computed when first used.

    >>> index = TextIndex("né, à")
    >>> index.word_starts.tolist(), index.word_ends.tolist()
    ([0, 5], [3, 7])
    """

    text: str

    @cached_property
    def data(self) -> bytes:
        """The text in UTF-8."""
        return self.text.encode()

    @cached_property
    def word_starts(self) -> NDArray[np.int32]:
        """The byte position of each word."""
        return self._words[0]

    @cached_property
    def word_ends(self) -> NDArray[np.int32]:
        """The byte position after each word."""
        return self._words[1]

    @cached_property
    def _words(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return words(self.text, self.data)

    @cached_property
    def blank(self) -> Places:
        """By byte: True if it is ASCII whitespace."""
        return ASCII_SPACE[np.frombuffer(self.data, np.uint8)]

    @cached_property
    def edges(self) -> Places:
        """Where words begin and end, without the ends of the text."""
        return span_edges(len(self.data), self.word_starts, self.word_ends)

    @cached_property
    def before_blank(self) -> NDArray[np.int32]:
        """By byte position: the position itself, or the start of the whitespace that it lies in or after."""
        places = np.arange(len(self.data) + 1, dtype=np.int32)
        fixed = np.append(True, ~self.blank)  # positions that no whitespace precedes
        return np.asarray(np.maximum.accumulate(np.where(fixed, places, 0)))

    @cached_property
    def after_blank(self) -> NDArray[np.int32]:
        """By byte position: the position itself, or the end of the whitespace that it lies in or before."""
        places = np.arange(len(self.data) + 1, dtype=np.int32)
        fixed = np.append(~self.blank, True)  # positions that no whitespace follows
        return np.asarray(np.minimum.accumulate(np.where(fixed, places, len(self.data))[::-1])[::-1])

    @cached_property
    def divisible(self) -> Places:
        """Return where the text can be divided without splitting a visible character, such as a letter with an accent.

        These are the edges of grapheme clusters (UAX #29) that can be recognized by the two characters beside them.

        >>> np.flatnonzero(TextIndex("e\u0301🇺🇳!").divisible).tolist()
        [0, 3, 11, 12]
        """
        if self.text.isascii():
            return np.ones(len(self.data) + 1, np.bool_)
        chars = codes(self.text)
        edges = np.ones(len(chars) + 1, np.bool_)
        flags = REGIONAL(chars)
        edges[1:-1] = ~(ATTACHES_LEFT(chars[1:]) | ATTACHES_RIGHT(chars[:-1]) | (flags[1:] & flags[:-1]))
        places = np.zeros(len(self.data) + 1, np.bool_)
        places[byte_offsets(self.data)[edges]] = True
        return places

    @cached_property
    def folded_edges(self) -> Places:
        """`edges`, folded."""
        return self.fold_whitespace(self.edges)

    def fold_whitespace(self, places: Places) -> Places:
        """Return places with those inside or after whitespace moved to its start."""
        folded = np.zeros_like(places)
        folded[self.before_blank[np.flatnonzero(places)]] = True
        folded[0] = False  # the start of the text is no boundary
        return folded


def span_edges(
    size: int, starts: NDArray[np.int_] | NDArray[np.int32], ends: NDArray[np.int_] | NDArray[np.int32]
) -> Places:
    """Return where spans begin and end in a text of `size` bytes, without the ends of the text.

    >>> np.flatnonzero(span_edges(5, np.array([0, 2]), np.array([2, 5]))).tolist()
    [2]
    """
    places = np.zeros(size + 1, np.bool_)
    places[starts] = places[ends] = True
    places[0] = places[size] = False
    return places
