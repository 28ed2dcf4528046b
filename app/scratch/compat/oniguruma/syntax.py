"""The syntax tree of a pattern in Oniguruma's dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf


@dataclass(frozen=True, slots=True)
class Named:
    r"""A class with a name, such as `\w` or `\p{Greek}`; `source` is its spelling inside a set of `regex`."""

    source: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class CharSet:
    """A character of a set: the intersection of unions. A range is (first, last); `fold` ignores case."""

    unions: tuple[tuple[tuple[int, int] | Named | CharSet, ...], ...]
    negated: bool = False
    fold: bool = False


@dataclass(frozen=True, slots=True)
class Char:
    """One character as it is, or in any case with `fold`."""

    code: int
    fold: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """Any character, or any but a newline."""

    newline: bool


@dataclass(frozen=True, slots=True)
class Assertion:
    r"""`^`, `$`, `\A`, `\z`, `\Z`, `\b` or `\B`."""

    source: str


@dataclass(frozen=True, slots=True)
class LineBreak:
    r"""`\R`: a line break, of which `\r\n` is one."""


@dataclass(frozen=True, slots=True)
class Group:
    """A group; `number` is that of a capturing one."""

    opening: str
    body: Node
    number: int = 0


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference to what a capturing group matched."""

    number: int


@dataclass(frozen=True, slots=True)
class Repeat:
    """A repeat; `high` of None is unbounded."""

    body: Node
    low: int
    high: int | None
    mode: OneOf["", "?", "+"]
    """Greedy, lazy or possessive."""


@dataclass(frozen=True, slots=True)
class Sequence:
    """Parts that follow one another; none match the empty string."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Alternatives, of which the first that leads to a match counts."""

    branches: tuple[Node, ...]


Node = CharSet | Char | Dot | Assertion | LineBreak | Group | Reference | Repeat | Sequence | Choice


def can_be_empty(node: Node) -> bool:
    """Return whether a node may match the empty string; True where that is not known.

    >>> can_be_empty(Repeat(Char(97), 0, 1, "")), can_be_empty(Sequence((Char(97), Repeat(Char(98), 0, 1, ""))))
    (True, False)
    """
    match node:
        case Char() | CharSet() | Dot() | LineBreak():
            return False
        case Sequence(parts):
            return all(map(can_be_empty, parts))
        case Choice(branches):
            return any(map(can_be_empty, branches))
        case Repeat(body, low):
            return low == 0 or can_be_empty(body)
        case Group(opening, body):
            return opening.startswith(("(?=", "(?!", "(?<=", "(?<!")) or can_be_empty(body)
        case _:
            return True
