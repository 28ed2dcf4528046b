"""SentencePiece: no words to begin with; a space is a character like the others, written ▁ (Kudo and Richardson 2018).

What BPE and unigram models have in common here: the text before them and the tokens after them.
"""

import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, dropwhile, islice
from typing import Any, AnyStr

import regex

from app.scratch.charsmap import CharsMap

MARK = "▁"

Pieces = Iterator[tuple[int, int]]
"""Ids, and how many characters of the normalized text each covers."""
Normalized = tuple[str, Sequence[int]]
"""A normalized text; where in the UTF-8 of the input what each character came from begins; and where the last ends."""


def longest_first(texts: Iterable[AnyStr]) -> "regex.Pattern[AnyStr] | None":
    """A pattern for the longest of some texts that begins at a place.

    >>> longest_first(["a", "ab"]).findall("abba")
    ['ab', 'a']
    """
    ordered = sorted(texts, key=len, reverse=True)
    if not ordered:
        return None
    either: Any = "|" if isinstance(ordered[0], str) else b"|"
    return regex.compile(either.join(map(regex.escape, ordered)))


def words(pieces: Iterable[str]) -> Callable[[str], Iterable[str]]:
    """How to cut a text so that no piece of the vocabulary reaches across a cut: the parts can be encoded each alone.

    >>> words(["▁the", "re"])("▁the▁▁there!")
    ['▁the', '▁▁there', '!']
    >>> words(["the▁", "re"])("the▁there▁")
    ['the▁', 'there▁']
    >>> words(["in▁the", "▁a"])("in▁the▁a")
    ['in▁the▁a']
    """
    long = [piece for piece in pieces if len(piece) > 1]
    inside = "".join({*"".join(long)} - {MARK}) or MARK
    met = f"[{re.escape(inside)}]+"
    alone = f"[^{re.escape(inside)}{MARK}]+"  # characters that no piece joins to another
    if not any(regex.search(f"[^{MARK}]{MARK}", piece) for piece in long):
        return re.compile(f"{MARK}*{met}|{MARK}+|{alone}").findall
    if not any(regex.search(f"{MARK}[^{MARK}]", piece) for piece in long):
        return re.compile(f"{met}{MARK}*|{MARK}+|{alone}").findall
    return lambda text: [text]


def marks_begin(pieces: Iterable[str]) -> bool:
    """Whether no piece has a ▁ behind another character, so that a text may be cut before each such ▁.

    >>> marks_begin(["▁▁the", "re"]), marks_begin(["the▁"])
    (True, False)
    """
    return not any(MARK in piece.lstrip(MARK) for piece in pieces)


class Normalizer:
    """The replacements of a character map, the treatment of spaces, and the ▁ put in front (or behind).

    >>> Normalizer()(" a")
    ('▁▁a', [0, 0, 1, 2])
    >>> Normalizer(collapse=True)(" a  b ")
    ('▁a▁b', [1, 1, 2, 4, 5])
    """

    def __init__(
        self,
        *,
        charsmap: CharsMap | None = None,
        verbatim: Iterable[str] = (),
        dummy: bool = True,
        collapse: bool = False,
        escape: bool = True,
        suffix: bool = False,
    ) -> None:
        self.charsmap = charsmap
        self.verbatim = longest_first(symbol.encode() for symbol in verbatim)
        self.dummy = dummy
        self.collapse = collapse
        self.space = MARK if escape else " "
        self.suffix = suffix

    def __call__(self, text: str) -> Normalized:
        """Normalize; user-defined symbols (`verbatim`) are left as they are."""
        if not text:
            return "", [0]
        if self.collapse:
            return self._collapsed(text)
        chars, at = self._replaced(text)
        if not self.dummy:
            return chars, at
        return (chars + self.space, [*at, at[-1]]) if self.suffix else (self.space + chars, [at[0], *at])

    def marked(self, text: str) -> str | None:
        """The normalized text alone, where all there is to do is to mark spaces.

        >>> Normalizer().marked("a b"), Normalizer(collapse=True).marked("a b")
        ('▁a▁b', None)
        """
        if not text or self.charsmap or self.collapse or self.suffix or self.space != MARK or MARK in text:
            return None
        return MARK * self.dummy + text.replace(" ", MARK)

    def _replaced(self, text: str) -> Normalized:
        if self.charsmap is None:
            at = list(range(len(text) + 1) if text.isascii() else accumulate(map(_size, text), initial=0))
            return text.replace(" ", self.space), at
        chars, places = [], []
        for new, start, end in self._rules(text):  # noqa: B007
            chars.append(new.replace(" ", self.space))
            places += [start] * len(new)
        return "".join(chars), [*places, end]

    def _collapsed(self, text: str) -> Normalized:
        """Without spaces at the ends, and with one where there are several; what is made of a space is one, too."""
        rules = [*dropwhile(lambda rule: rule[0] == " ", self._rules(text))]
        if not rules:
            return "", [0]
        chars, at = ([self.space], [rules[0][1]]) if self.dummy and not self.suffix else ([], [])
        spaced, end = True, 0
        for new, start, end in rules:  # noqa: B007
            kept = new.lstrip(" ") if spaced else new
            if kept:
                chars += kept.replace(" ", self.space)
                at += [start] * len(kept)
                spaced = kept.endswith(" ")
        while chars and chars[-1] == self.space:
            chars.pop()
            end = at.pop()
        if self.dummy and self.suffix:
            chars.append(self.space)
            at.append(end)
        return "".join(chars), [*at, end]

    def _rules(self, text: str) -> Iterator[tuple[str, int, int]]:
        """Each stretch that one rule replaces, with the bytes it takes up; by default a character stands for itself."""
        data, here = text.encode(), 0
        while here < len(data):
            size, new = 0, ""
            if self.verbatim and (found := self.verbatim.match(data, here)):
                size, new = len(found.group()), found.group().decode()
            elif self.charsmap:
                size, new = self.charsmap.longest(data, here)
            if not size:
                size = 1 + (data[here] >= 0xC0) + (data[here] >= 0xE0) + (data[here] >= 0xF0)
                new = data[here : here + size].decode()
            yield new, here, here + size
            here += size


def _size(char: str) -> int:
    return len(char.encode())


def runs(ids: list[int], id: int) -> Iterator[tuple[int, int]]:
    """Where runs of one id begin and end.

    >>> list(runs([0, 7, 0, 0], 0))
    [(0, 1), (2, 4)]
    """
    last, left = 0, ids.count(id)
    while left:
        first = last = ids.index(id, last)
        while last < len(ids) and ids[last] == id:
            last += 1
        left -= last - first
        yield first, last


class SentencePiece:
    """A normalizer, a model that cuts the normalized text, and what becomes of pieces the vocabulary lacks.

    >>> cut = lambda text: iter([(7, 3), (0, 1)])
    >>> list(SentencePiece(cut, Normalizer(), unknown=0).encode("hi!"))
    [(7, 0, 2), (0, 2, 3)]
    """

    def __init__(
        self,
        pieces: Callable[[str], Pieces],
        normalizer: Normalizer,
        *,
        unknown: int,
        byte_ids: Sequence[int] = (),
    ) -> None:
        self.pieces = pieces
        self.normalizer = normalizer
        self.unknown = unknown
        self.byte_ids = byte_ids

    def encode(self, text: str) -> Iterator[tuple[int, int, int]]:
        """Yield (id, byte start, byte end) for each token.

        As in the library, an input character that became several tokens belongs to the last of them, and the
        others have an empty span where it begins. With byte fallback an unknown character becomes its bytes;
        without it a run of unknown characters becomes one token.
        """
        normal, at = self.normalizer(text)
        return self._rows(normal, list(self.pieces(normal)), at)

    def spelled(self, word: str, pieces: Iterable[tuple[int, int]]) -> bytes:
        """The ids alone of a stretch that is cut so, as the bytes of an array.

        >>> array("I", SentencePiece(lambda text: iter([]), Normalizer(), unknown=0).spelled("hi!", [(7, 2), (0, 1)]))
        array('I', [7, 0])
        """
        pieces = list(pieces)
        ids = [id for id, _ in pieces]
        if self.unknown in ids:
            ids = [id for id, _, _ in self._rows(word, pieces, range(len(word) + 1))]
        return array("I", ids).tobytes()

    def _rows(self, normal: str, pieces: list[tuple[int, int]], at: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        ids = [id for id, _ in pieces]
        places = list(accumulate([size for _, size in pieces], initial=0))
        edges = [at[place] for place in places]
        rows = zip(ids, edges, edges[1:], strict=False)
        here = 0
        for first, last in runs(ids, self.unknown):
            yield from islice(rows, first - here)
            yield from self._unknown(normal, places[first], places[last], at)
            here = last
            next(islice(rows, last - first - 1, None))
        yield from rows

    def _unknown(self, normal: str, start: int, end: int, at: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        if not self.byte_ids:
            yield self.unknown, at[start], at[end]
            return
        for i in range(start, end):
            *first, last = normal[i].encode()
            for byte in first:
                yield self.byte_ids[byte], at[i], at[i]
            yield self.byte_ids[last], at[i], at[i + 1]
