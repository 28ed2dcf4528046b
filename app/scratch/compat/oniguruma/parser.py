"""Read a pattern in Oniguruma's dialect to a tree, or refuse what is not known to mean the same elsewhere."""

from dataclasses import dataclass, replace
from typing import Literal

import regex

from ....errors import BadFile
from .charsets import WORD, WORD_OUTSIDE
from .set_parser import SAME, SetParser
from .syntax import (
    AssertionNode,
    CharNode,
    CharSet,
    ChoiceNode,
    ClusterNode,
    DotNode,
    GroupNode,
    LineBreakNode,
    NamedClass,
    Node,
    ReferenceNode,
    RepeatNode,
    SequenceNode,
)

INTERVAL = regex.compile(r"\{(\d{0,6})(,?)(\d{0,6})\}")
COMMENT = regex.compile(r"\(\?#(?:\\.|[^\\)])*+\)", regex.DOTALL)
OPENING = regex.compile(r"\(\?(?:[:=!>]|<[=!])")
NAME = regex.compile(r"\(\?(?:<([^\W\d]\w*)>|'([^\W\d]\w*)')")
REFERENCE = regex.compile(r"\\(?:k(?:<(-?\w+)>|'(-?\w+)')|([1-9]\d*))")
OPTIONS = regex.compile(r"\(\?([imx]*)(?:-([imx]+))?([:)])")
BLANK = " \t\n\v\f\r"


@dataclass(frozen=True, slots=True)
class PatternFlags:
    """The options `i`, `m` and `x` at a place of a pattern."""

    fold: bool = False
    dotall: bool = False
    extended: bool = False


class Parser(SetParser):
    """A parser of one pattern. `alike` is whether `regex` reads all that was read so far in the same way."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.options = PatternFlags()
        self.named = bool(NAME.search(source))  # then groups without a name do not capture
        self.numbers: dict[str, int] = {}
        self.groups = 0
        self.closed: set[int] = set()

    def parse(self) -> Node:
        """Return the tree of the pattern. Raises `BadFile` for syntax that is not supported, with its place."""
        node = self.choice()
        if self.at < len(self.source):
            self.refuse(")")
        return node

    def choice(self) -> Node:
        """Read alternatives up to the end of a group; options that change inside hold up to there."""
        options = self.options
        branches = [self.sequence()]
        while self.take("|"):
            branches.append(self.sequence())
        self.options = options
        return branches[0] if len(branches) == 1 else ChoiceNode(tuple(branches))

    def sequence(self) -> Node:
        parts: list[Node] = []
        while True:
            self.skip()
            if self.at == len(self.source) or self.source[self.at] in "|)":
                return parts[0] if len(parts) == 1 else SequenceNode(tuple(parts))
            parts.append(self.parse_repeats(self.atom()))

    def skip(self) -> None:
        """Skip comments, and white space with the option `x`."""
        while True:
            before = self.at
            if self.source.startswith("(?#", self.at):
                comment = COMMENT.match(self.source, self.at)
                self.at = comment.end() if comment else self.refuse("(?#")
            while self.options.extended and self.at < len(self.source) and self.source[self.at] in BLANK + "#":
                end = self.source.find("\n", self.at) if self.source[self.at] == "#" else self.at
                self.at = len(self.source) if end < 0 else end + 1
            if before == self.at:
                return
            self.alike = False

    def parse_repeats(self, node: Node) -> Node:
        """Read the repeats after a part."""
        while True:
            self.skip()
            start = self.at
            bounds, interval = self.bounds()
            if bounds is None:
                return node
            lazy = isinstance(node, RepeatNode) and "?" in node.mode + self.source[self.at : self.at + 1]
            if lazy or isinstance(node, AssertionNode):
                self.refuse(self.source[start : self.at], start)
            self.alike &= not isinstance(node, RepeatNode)
            node = RepeatNode(node, *bounds, self.mode(bounds, interval=interval))

    def bounds(self) -> tuple[tuple[int, int | None] | None, bool]:
        """Return the bounds of the repeat that begins here, if one does, and whether it is an interval."""
        for sign, low, high in (("*", 0, None), ("+", 1, None), ("?", 0, 1)):
            if self.take(sign):
                return (low, high), False
        match = INTERVAL.match(self.source, self.at)
        if not match or not (match[1] or match[3]):
            return None, False
        first, comma, last = match.groups()
        low = int(first or 0)
        high = int(last) if last else None if comma else int(first)
        if high is not None and low > high:
            self.refuse(match[0])
        self.alike &= bool(first)
        self.at = match.end()
        return (low, high), True

    def mode(self, bounds: tuple[int, int | None], *, interval: bool) -> Literal["", "?", "+"]:
        r"""Read whether a repeat is lazy or possessive; after an interval, `+` is a second repeat, and so is `{2}?`."""
        if interval and (self.source.startswith("+", self.at) or bounds[0] == bounds[1]):
            self.alike &= not self.source.startswith(("+", "?"), self.at)
            return ""
        return "?" if self.take("?") else "+" if self.take("+") else ""

    def atom(self) -> Node:
        char = self.source[self.at]
        if char == "(":
            return self.group()
        if char == "[":
            return self.charset(fold=self.options.fold)
        if char == "\\":
            return self.escape()
        if char in "*+?" or (char == "{" and self.bounds()[0]):
            self.refuse(char)
        self.at += 1
        if char == ".":
            self.alike &= not self.options.dotall
            return DotNode(self.options.dotall)
        if char in "^$":
            self.alike &= char == "$"
            return AssertionNode(char)
        self.alike &= char not in "{}]"
        return CharNode(ord(char), self.options.fold)

    def group(self) -> Node:
        """Read a group, or options up to the end of the group around them."""
        start = self.at
        if options := OPTIONS.match(self.source, self.at):
            return self.optional(options)
        name = NAME.match(self.source, self.at)
        opening = OPENING.match(self.source, self.at)
        number = 0
        if opening:
            kind = opening[0]
            self.at = opening.end()
        elif name or not self.source.startswith(("(?", "(*"), self.at):
            kind = "("
            number = self.number_group(name)
            self.at = name.end() if name else self.at + 1
        else:
            self.refuse(self.source[start : start + 3])
        body = self.inside(start)
        self.closed.add(number)
        return GroupNode(kind, body, number)

    def optional(self, match: "regex.Match[str]") -> Node:
        start = self.at
        before = self.options
        on = match[1]
        off = match[2] or ""
        end = match[3]
        if not on and not off and end == ")":
            self.refuse(match[0])
        self.at = match.end()
        for letter, field in (("i", "fold"), ("m", "dotall"), ("x", "extended")):
            if letter in on + off:
                self.options = replace(self.options, **{field: letter not in off})
        self.alike &= match[0] in ("(?i:", "(?:")
        if end == ")":  # as if a group began here, up to the end of the group around it
            body = self.choice()
            self.options = before
            return GroupNode("(?:", body)
        body = self.inside(start)
        self.options = before
        return GroupNode("(?:", body)

    def number_group(self, name: "regex.Match[str] | None") -> int:
        if self.named and not name:
            self.alike = False
            return 0
        self.groups += 1
        if name:
            self.alike = False
            if (key := name[1] or name[2]) in self.numbers:
                self.refuse(name[0])
            self.numbers[key] = self.groups
        return self.groups

    def inside(self, start: int) -> Node:
        """Read the alternatives of a group up to its closing bracket."""
        self.deepen(start)
        body = self.choice()
        if not self.take(")"):
            raise BadFile(f"The group at character {start + 1} of the pattern is never closed.")
        self.depth -= 1
        return body

    def escape(self) -> Node:
        r"""Read what begins with a backslash, outside a set."""
        start = self.at
        letter = self.source[self.at + 1 : self.at + 2]
        self.alike &= bool(SAME.match(self.source, self.at)) or letter == "A"
        if reference := REFERENCE.match(self.source, self.at):
            return self.reference(reference)
        if letter in ("A", "z", "Z", "b", "B"):
            self.at += 2
            return AssertionNode("\\" + letter)
        if letter in ("R", "X", "N", "O"):
            self.at += 2
            return LineBreakNode() if letter == "R" else ClusterNode() if letter == "X" else DotNode(letter == "O")
        item = self.parse_escape(start)
        if isinstance(item, NamedClass):
            source = WORD_OUTSIDE if item.source == WORD else item.source
            self.alike &= not self.options.fold  # `regex` folds classes of letters of one case
            return CharSet(((NamedClass(source),),), negated=item.negated)
        return CharNode(item, self.options.fold)

    def reference(self, match: "regex.Match[str]") -> Node:
        self.alike = False
        key = match[1] or match[2] or match[3]
        number = self.numbers.get(key, 0)
        if key.removeprefix("-").isdigit():
            number = 0 if self.named or len(key) > 3 else int(key) if int(key) > 0 else self.groups + 1 + int(key)
        if number not in self.closed or not number or self.options.fold:
            self.refuse(match[0])  # not defined, of a group that is still open, or to be compared in any case
        self.at = match.end()
        return ReferenceNode(number)
