"""The syntax tree of a pattern in Oniguruma's dialect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal as OneOf


@dataclass(frozen=True, slots=True)
class NamedClass:
    r"""A class with a name, such as `\w` or `\p{Greek}`; `source` is its spelling inside a set of `regex`."""

    source: str
    negated: bool = False


@dataclass(frozen=True, slots=True)
class CharSet:
    """A character of a set: the intersection of unions. A range is (first, last); `fold` ignores case."""

    unions: tuple[tuple[tuple[int, int] | NamedClass | CharSet, ...], ...]
    negated: bool = False
    fold: bool = False


@dataclass(frozen=True, slots=True)
class CharNode:
    """One character as it is, or in any case with `fold`."""

    code: int
    fold: bool = False


@dataclass(frozen=True, slots=True)
class DotNode:
    """Any character, or any but a newline."""

    newline: bool


@dataclass(frozen=True, slots=True)
class AssertionNode:
    r"""`^`, `$`, `\A`, `\z`, `\Z`, `\b` or `\B`."""

    source: str


@dataclass(frozen=True, slots=True)
class LineBreakNode:
    r"""`\R`: a line break, of which `\r\n` is one."""


@dataclass(frozen=True, slots=True)
class ClusterNode:
    r"""`\X`: an extended grapheme cluster, or what is left of one."""


@dataclass(frozen=True, slots=True)
class GroupNode:
    """A group; `number` is that of a capturing one."""

    opening: str
    body: Node
    number: int = 0


@dataclass(frozen=True, slots=True)
class ReferenceNode:
    """A reference to what a capturing group matched."""

    number: int


@dataclass(frozen=True, slots=True)
class RepeatNode:
    """A repeat; `high` of None is unbounded."""

    body: Node
    low: int
    high: int | None
    mode: OneOf["", "?", "+"]
    """Greedy, lazy or possessive."""


@dataclass(frozen=True, slots=True)
class SequenceNode:
    """Parts that follow one another; none match the empty string."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class ChoiceNode:
    """Alternatives, of which the first that leads to a match counts."""

    branches: tuple[Node, ...]


Node = (
    CharSet
    | CharNode
    | DotNode
    | AssertionNode
    | LineBreakNode
    | ClusterNode
    | GroupNode
    | ReferenceNode
    | RepeatNode
    | SequenceNode
    | ChoiceNode
)


def can_be_empty(node: Node) -> bool:
    """Return whether a node may match the empty string; True where that is not known.

    >>> optional = RepeatNode(CharNode(97), 0, 1, "")
    >>> can_be_empty(optional), can_be_empty(SequenceNode((CharNode(98), optional)))
    (True, False)
    """
    match node:
        case CharNode() | CharSet() | DotNode() | LineBreakNode() | ClusterNode():
            return False
        case SequenceNode(parts):
            return all(map(can_be_empty, parts))
        case ChoiceNode(branches):
            return any(map(can_be_empty, branches))
        case RepeatNode(body, low):
            return low == 0 or can_be_empty(body)
        case GroupNode(opening, body):
            return opening.startswith(("(?=", "(?!", "(?<=", "(?<!")) or can_be_empty(body)
        case _:
            return True
