"""SentencePiece (0.2): the whole text is one word, and a space is a character like any other, written ▁.

What BPE and unigram models have in common: normalization before the model, unknown characters after it
(Kudo and Richardson 2018).
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate, dropwhile
from typing import Any, AnyStr

import numpy as np
import regex
from numpy.typing import NDArray

from ....errors import EngineFailed
from .charsmap import CharsMap

MARK = "▁"
SPACE = ord(" ")
MANY = 200_000
"""So many characters, and pairs of them, are cached as changed or unchanged."""
APART = "\ud800"
"""Between pieces that are searched as one text: a surrogate, which no piece contains."""

Pieces = Iterator[tuple[int, int]]
"""(id, number of characters of the normalized text) for each token."""
PIECE = np.dtype([("id", np.uint32), ("size", np.int32)])
Columns = tuple[NDArray[np.uint32], NDArray[np.int32], NDArray[np.int32]]
Normalized = tuple[str, Sequence[int]]
"""A normalized text, and for each of its characters the byte of the input where its origin begins, then the end."""


def compile_alternatives(texts: Iterable[AnyStr]) -> "regex.Pattern[AnyStr] | None":
    """Return a pattern that matches the longest of some texts; None if there are none.

    >>> compile_alternatives(["a", "ab"]).findall("abba")
    ['ab', 'a']
    """
    ordered = sorted(texts, key=len, reverse=True)
    if not ordered:
        return None
    separator: Any = "|" if isinstance(ordered[0], str) else b"|"
    return regex.compile(separator.join(map(regex.escape, ordered)))


def words(pieces: Iterable[str]) -> Callable[[str], Iterable[str]]:
    """Return a function that splits a text where no piece of the vocabulary can cross, so that each part can be cached.

    >>> words(["▁the", "re"])("▁the▁▁there!")
    ['▁the', '▁▁there', '!']
    >>> words(["the▁", "re"])("the▁there▁")
    ['the▁', 'there▁']
    >>> words(["in▁the", "▁a"])("in▁the▁a")
    ['in▁the▁a']
    """
    long = [piece for piece in pieces if len(piece) > 1]
    spelled = APART.join(long)
    joinable = "".join({*"".join(long)} - {MARK}) or MARK
    joined = f"[{re.escape(joinable)}]+"
    alone = f"[^{re.escape(joinable)}{MARK}]+"  # characters that are in no piece with others
    if not re.search(f"[^{MARK}{APART}]{MARK}", spelled):  # no piece has a ▁ after another character
        return re.compile(f"{MARK}*{joined}|{MARK}+|{alone}").findall
    if not re.search(f"{MARK}[^{MARK}{APART}]", spelled):  # or before one
        return re.compile(f"{joined}{MARK}*|{MARK}+|{alone}").findall
    return lambda text: [text] if text else []


class Normalizer:
    """The normalization of a model: its character map, its treatment of spaces, and the dummy prefix (or suffix) ▁.

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
        symbols = [symbol.encode() for symbol in verbatim]
        self.verbatim = compile_alternatives(symbols)
        self._starts = {symbol[0] for symbol in symbols if symbol}
        self._stays = _Stays(charsmap, self._starts)
        self.dummy = dummy
        self.collapse = collapse
        self.space = MARK if escape else " "
        self.suffix = suffix

    def __call__(self, text: str) -> Normalized:
        """Normalize a text, except user-defined symbols (`verbatim`)."""
        if not text:
            return "", [0]
        if self.collapse:
            return self._collapse_spaces(text)
        chars, at = self._replace(text)
        if not self.dummy:
            return chars, at
        return (chars + self.space, [*at, at[-1]]) if self.suffix else (self.space + chars, [0, *at])

    @cached_property
    def _plain_bytes(self) -> bytes:
        """Visible ASCII characters that stay as they are, unless a character beyond ASCII follows."""
        ascii = self.charsmap.plain_ascii() if self.charsmap else bytes(range(0x21, 0x7F))
        return bytes(byte for byte in ascii if byte not in self._starts)

    @cached_property
    def _plain(self) -> "re.Pattern[bytes]":
        """A run of visible ASCII characters with single spaces between them, which all stay as they are."""
        plain = self._plain_bytes
        if not plain:
            return re.compile(rb"(?!)")
        word = b"[" + re.escape(plain) + b"]+"
        spaced = SPACE not in self._starts and not (self.charsmap and self.charsmap.has_prefix(b" "))
        # A mark beyond ASCII may compose with the last character.
        return re.compile(word + (b"(?: " + word + b")*" if spaced else b"") + rb"(?![\x80-\xff])")

    def _replace(self, text: str) -> Normalized:
        """Apply the character map and replace spaces."""
        if self.charsmap is None and not self._has_symbol(text):
            at = list(range(len(text) + 1) if text.isascii() else accumulate(map(_size, text), initial=0))
            return text.replace(" ", self.space), at
        chars = list[str]()
        places = list[int]()
        end = 0
        for rule in self._rules(text):
            new, _, end, at_each = rule
            chars.append(new.replace(" ", self.space))
            places += at_each
        return "".join(chars), [*places, end]

    def _has_symbol(self, text: str) -> bool:
        """True if a text has a user-defined symbol, all characters of which come from its beginning."""
        return self.verbatim is not None and self.verbatim.search(text.encode()) is not None

    def _collapse_spaces(self, text: str) -> Normalized:
        """Also remove spaces at the ends and merge adjacent ones; those that the character map makes count, too."""
        rules = [*dropwhile(lambda rule: rule[0] == " ", self._rules(text))]
        if not rules:
            return "", [0]
        chars, at = ([self.space], [rules[0][1]]) if self.dummy and not self.suffix else ([], [])
        spaced = True
        end = 0
        for rule in rules:
            new, _, end, places = rule
            kept = new.lstrip(" ") if spaced else new
            if kept:
                chars += kept.replace(" ", self.space)
                at += places[len(new) - len(kept) :]
                spaced = kept.endswith(" ")
        while chars and chars[-1] == self.space:
            chars.pop()
            end = at.pop()
        if self.dummy and self.suffix:
            chars.append(self.space)
            at.append(end)
        return "".join(chars), [*at, end]

    def _rules(self, text: str) -> Iterator[tuple[str, int, int, Sequence[int]]]:
        """Yield (replacement, start, end, the start of each new character), in bytes, for each match of a rule, each
        run of characters that stay as they are, and each other character.
        """
        data = text.encode()
        position = 0
        index = 0  # of the character at that position
        plain = self._plain.match
        stays = self._stays
        while position < len(data):
            begin = position
            if run := plain(data, position):
                new, position = run.group().decode(), run.end()
                yield new, begin, position, range(begin, position)
                index += len(new)
                continue
            after = index
            while after < len(text) and (stays[text[after]] or stays[text[after : after + 2]]):
                after += 1
            if after > index:
                new, index = text[index:after], after
                *places, position = _byte_places(new, begin)
                yield new, begin, position, places
                continue
            size, new = self._replacement(data, position)
            position += size
            index += len(data[begin:position].decode())
            yield new, begin, position, [begin] * len(new)

    def _replacement(self, data: bytes, position: int) -> tuple[int, str]:
        """Return the size of the symbol, match of a rule or character at a position, and what it becomes."""
        if self.verbatim and (symbol := self.verbatim.match(data, position)):
            return len(symbol.group()), symbol.group().decode()
        size, new = self.charsmap.match_longest(data, position) if self.charsmap else (0, "")
        if size:
            return size, new
        lead = data[position]
        char = data[position : position + 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)]
        return len(char), char.decode()


class _Stays(dict[str, bool]):
    """By character beyond ASCII, whether no rule and no symbol begins with it; by two characters, whether none begins
    with the first where the second follows."""

    def __init__(self, charsmap: CharsMap | None, symbol_starts: Collection[int]) -> None:
        super().__init__(dict.fromkeys(map(chr, range(128)), False))
        self._charsmap = charsmap
        self._symbol_starts = symbol_starts

    def __missing__(self, chars: str) -> bool:
        stays = self._find(chars)
        if len(self) < MANY:
            self[chars] = stays
        return stays

    def _find(self, chars: str) -> bool:
        data = chars.encode()
        if data[0] < 0x80 or data[0] in self._symbol_starts:
            return False
        if not self._charsmap:
            return True
        alone = len(chars) > 1 and self._charsmap.match_longest(chars[0].encode(), 0)[0] > 0
        return not alone and not self._charsmap.has_prefix(data)


def _byte_places(text: str, start: int) -> Sequence[int]:
    """Return where the characters of a part of a text begin, in bytes, then its end, given where it begins.

    >>> _byte_places("né", 5), [*_byte_places("你好", 5)]
    ([5, 6, 8], [5, 8, 11])
    """
    if min(text) >= "\u0800" and max(text) < "\U00010000":
        return range(start, start + 3 * len(text) + 1, 3)
    return [*accumulate(map(_size, text), initial=start)]


def _size(char: str) -> int:
    return len(char.encode())


class SentencePiece:
    """A SentencePiece model: normalizer, BPE or unigram `pieces`, and the treatment of unknown characters.

    >>> pieces = lambda text: iter([(7, 3), (0, 1)])
    >>> [column.tolist() for column in SentencePiece(pieces, Normalizer(), unknown=0).encode("hi!")]
    [[7, 0], [0, 2], [2, 3]]
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

    def encode(self, text: str) -> Columns:
        """Return the ids, byte starts and byte ends of the tokens. Raises `EngineFailed` if text is lost.

        As in the library, an input character that became several tokens belongs to the last of them, and the
        others have an empty span where it begins. With byte fallback an unknown character becomes byte tokens;
        without it a run of unknown characters becomes one unknown token.
        """
        normal, at = self.normalizer(text)
        pieces = np.fromiter(self.pieces(normal), PIECE)
        positions = np.append(0, pieces["size"].cumsum())
        if positions[-1] != len(normal):
            raise EngineFailed("The from-scratch engine lost a part of the normalized text.")
        edges = np.fromiter(at, np.int32, len(at)).take(positions)
        ids = np.ascontiguousarray(pieces["id"])
        unknown = ids == self.unknown
        if not unknown.any():
            return ids, edges[:-1].copy(), edges[1:].copy()  # which are no views of one array
        if self.byte_ids:
            return self._fall_back(ids, edges, [normal[positions[i] : positions[i + 1]] for i in unknown.nonzero()[0]])
        first = np.append(True, ~(unknown[1:] & unknown[:-1]))
        starts = edges[:-1][first]
        return ids[first], starts, np.append(starts[1:], edges[-1])

    def _fall_back(self, ids: NDArray[np.uint32], edges: NDArray[np.int32], spelled: Sequence[str]) -> Columns:
        """Return the columns with a token for each byte of the unknown pieces, which are `spelled` in order."""
        data = [text.encode() for text in spelled]
        sizes = np.ones(len(ids), np.intp)
        sizes[ids == self.unknown] = [*map(len, data)]
        pieces = np.arange(len(ids)).repeat(sizes)  # of each token
        ids = ids.take(pieces)
        ids[ids == self.unknown] = np.array(self.byte_ids).take(np.frombuffer(b"".join(data), np.uint8))
        starts = edges.take(pieces)
        last = np.append(pieces[1:] > pieces[:-1], True)
        return ids, starts, np.where(last, edges.take(pieces + 1), starts)
