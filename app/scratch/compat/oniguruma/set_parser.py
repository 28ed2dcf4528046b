"""Read the sets of a pattern, `[a-z&&[^aeiou]]`, and the escapes that stand for characters or classes."""

from dataclasses import replace
from typing import NoReturn

import regex

from ....errors import BadFile
from .charsets import POSIX, WORD, property_class
from .syntax import CharSet, NamedClass

MAX_DEPTH = 50
"""The maximum nesting of groups and sets."""
PROPERTY = regex.compile(r"\\[pP]\{(\^?[\w -]{1,60})\}")
POSIX_CLASS = regex.compile(r"\[:(\^?)(\w{1,10}):\]")
NUMBER = regex.compile(
    r"\\(?:x\{([0-9A-Fa-f]{1,8})\}|x([0-7][0-9A-Fa-f])|u([0-9A-Fa-f]{4})|(0[0-7]{0,2})|(?:c|C-)([@-\[\]-_a-z?]))"
)
CONTROLS = {"n": 10, "t": 9, "r": 13, "v": 11, "f": 12, "a": 7, "e": 27}
CLASSES = {"d": r"\d", "s": r"\s", "w": WORD, "h": "0-9A-Fa-f"}
SAME = regex.compile(r"\\(?:[pP]\{[A-Z][a-z]?\}|[sSdDrnt]|[!-/:-@\[-`{-~])")
"""Escapes that `regex` reads alike."""
Item = tuple[int, int] | NamedClass | CharSet


class SetParser:
    """A position in a pattern. `alike` is whether `regex` reads all that was read so far in the same way."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.depth = 0
        self.alike = True

    def take(self, part: str) -> bool:
        """Move behind a part if it is next."""
        if self.source.startswith(part, self.at):
            self.at += len(part)
            return True
        return False

    def refuse(self, part: str, at: int | None = None) -> NoReturn:
        """Raise `BadFile` naming a part and its place."""
        place = (self.at if at is None else at) + 1
        raise BadFile(f"{part[:20]} at character {place} of the pattern is not supported.")

    def deepen(self, start: int) -> None:
        """Count a group or set that begins. Raises `BadFile` for too many inside one another."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            detail = f"The groups at character {start + 1} of the pattern are nested deeper than {MAX_DEPTH}."
            raise BadFile(detail, limit=MAX_DEPTH)

    def charset(self, *, fold: bool) -> CharSet:
        """Read a set from its opening bracket on."""
        start = self.at
        self.deepen(start)
        self.at += 1
        negated = self.take("^")
        unions: list[tuple[Item, ...]] = []
        items = self.items(start, first=True)
        while self.take("&&"):
            unions.append(self.require_items(items, start))
            items = self.items(start, first=False)
        unions.append(self.require_items(items, start))
        self.at += 1  # the closing bracket
        self.depth -= 1
        self.alike &= len(unions) == 1 and not fold
        return CharSet(tuple(unions), negated, fold)

    def require_items(self, items: list[Item], start: int) -> tuple[Item, ...]:
        if not items:
            self.refuse("An empty set", start)
        return tuple(items)

    def items(self, start: int, *, first: bool) -> list[Item]:
        """Read the members of a set up to `&&` or its closing bracket."""
        items: list[Item] = []
        behind_range = behind_dash = False  # of `a-c-e`, the second dash is a character, and `e` begins no range
        while True:
            if self.at >= len(self.source):
                raise BadFile(f"A set that is never closed begins at character {start + 1} of the pattern.")
            if self.source.startswith("&&", self.at):
                return items
            if self.source[self.at] == "]" and (items or not first):
                return items
            item = self.member()
            dash = item == (0x2D, 0x2D)
            ranges = self.source[self.at : self.at + 1] == "-" and self.source[self.at + 1 : self.at + 2] != "]"
            if ranges:
                if dash or behind_dash or not isinstance(item, tuple):
                    self.refuse("-")
                self.at += 1
                item = self.range_from(item[0])
            self.alike &= not (dash and behind_range)
            behind_range, behind_dash = ranges, dash and behind_range
            items.append(item)

    def range_from(self, first: int) -> tuple[int, int]:
        """Read the end of a range."""
        start = self.at
        if self.source.startswith(("[", "&&"), self.at) or self.at >= len(self.source):
            self.refuse("-", start - 1)
        last = self.member()
        if not isinstance(last, tuple) or last[0] < first:
            self.refuse(self.source[start - 2 : self.at], start - 2)
        return first, last[0]

    def member(self) -> Item:
        """Read one member of a set: a character as a range of one, a class, or a nested set."""
        start = self.at
        char = self.source[self.at]
        if char == "[":
            self.alike = False
            if posix := POSIX_CLASS.match(self.source, self.at):
                if not (known := POSIX.get(posix[2])):
                    self.refuse(posix[0])
                self.at = posix.end()
                return replace(known, negated=known.negated != bool(posix[1]))
            if self.source.startswith("[:", self.at):
                self.refuse("[:")
            return self.charset(fold=False)
        if char != "\\":
            self.at += 1
            self.alike &= char != "]"
            return ord(char), ord(char)
        self.alike &= bool(SAME.match(self.source, self.at))
        if self.take("\\b"):
            return 8, 8
        item = self.parse_escape(start)
        return item if isinstance(item, NamedClass) else (item, item)

    def parse_escape(self, start: int) -> int | NamedClass:
        """Read an escape that stands for a character or a class."""
        letter = self.source[start + 1 : start + 2]
        if match := PROPERTY.match(self.source, start):
            item = property_class(match[1])
            if item is None:
                self.refuse(match[0])
            self.at = match.end()
            return replace(item, negated=item.negated != (letter == "P"))
        if match := NUMBER.match(self.source, start):
            self.at = match.end()
            return self.code(match, start)
        if letter.lower() in CLASSES and letter:
            self.at += 2
            return NamedClass(CLASSES[letter.lower()], letter.isupper())
        if letter in CONTROLS:
            self.at += 2
            return CONTROLS[letter]
        if not letter or (letter.isascii() and letter.isalnum()):
            self.refuse("\\" + letter)
        self.at += 2
        return ord(letter)

    def code(self, match: "regex.Match[str]", start: int) -> int:
        braced, short, four, octal, control = match.groups()
        if control:
            return 0x7F if control == "?" else ord(control) & 0x1F
        code = int(octal, 8) if octal else int(braced or short or four, 16)
        if code >= 0x110000 or 0xD800 <= code < 0xE000:
            self.refuse(match[0], start)
        return code
