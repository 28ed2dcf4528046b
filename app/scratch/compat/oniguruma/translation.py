r"""Spell the tree of a pattern so that `regex` finds what Oniguruma finds.

Case is folded here: a character becomes the set of its cases, and two or three that may be one ligature or `ß` become
a choice. Where a set of the pattern tells characters apart that are newer than Unicode 16.0, every class is spelled
out; otherwise the text is searched as of 16.0 and classes keep their names, which `regex` matches faster.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from ....errors import BadFile
from .charsets import (
    WORD_OUTSIDE,
    Mask,
    agrees_as_of_16,
    build_mask,
    classes,
    fold,
    is_stable,
    list_case_variants,
    ranges,
    spell_ranges,
)
from .clusters import CLUSTER
from .parser import Parser
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
    can_be_empty,
)


@dataclass(frozen=True, slots=True)
class Translation:
    """A pattern for `regex` with V0 and MULTILINE. `exact`: the text is searched as it is, not as of Unicode 16.0."""

    source: str
    exact: bool
    can_be_empty: bool


class _Newer(Exception):
    """A set tells characters apart that `as_of_16` would make equal."""


@lru_cache(maxsize=64)
def translate(pattern: str) -> Translation:
    r"""Return a pattern for `regex`, unchanged where both dialects agree.

    >>> translate(r"[^\r\n\p{L}]?\p{L}+|\p{N}{1,3}").source, translate(r"[a-z&&[^aeiou]]\h").source
    ('[^\\r\\n\\p{L}]?\\p{L}+|\\p{N}{1,3}', '[b-df-hj-np-tv-z][0-9A-Fa-f]')

    Raises `BadFile` for syntax that is not supported, naming it and its place.
    """
    parser = Parser(pattern)
    tree = parser.parse()
    used = frozenset(_references(tree))
    try:
        writer = _PatternWriter(used, exact=bool(used))  # newer characters are not equal to one another
        source = writer.node(tree)
    except _Newer:
        writer = _PatternWriter(used, exact=True)
        source = writer.node(tree)
    unchanged = parser.alike and not writer.exact and not writer.changed
    return Translation(pattern if unchanged else source, writer.exact, can_be_empty(tree))


def _references(node: Node) -> Iterator[int]:
    """Yield the groups that a tree refers back to."""
    match node:
        case ReferenceNode(number):
            yield number
        case GroupNode(body=body) | RepeatNode(body=body):
            yield from _references(body)
        case SequenceNode(nodes) | ChoiceNode(nodes):
            for part in nodes:
                yield from _references(part)
        case _:
            return


class _PatternWriter:
    """A writer of trees; only groups in `used` capture. `changed` is whether `regex` reads a part differently."""

    def __init__(self, used: frozenset[int], *, exact: bool) -> None:
        self.used = used
        self.exact = exact
        self.changed = False
        self.behind = False  # inside a look-behind

    def node(self, node: Node) -> str:
        match node:
            case GroupNode(opening, body, number):
                return self.group(opening, body, number)
            case RepeatNode(body, low, high, mode):
                return f"{self.unit(body)}{_times(low, high)}{mode}"
            case SequenceNode(parts):
                return "".join(self.sequence(parts))
            case ChoiceNode(branches):
                return "|".join(map(self.node, branches))
            case _:
                return self.leaf(node)

    def leaf(
        self, node: CharNode | CharSet | DotNode | AssertionNode | LineBreakNode | ClusterNode | ReferenceNode
    ) -> str:
        match node:
            case CharNode(code, folded):
                return "".join(self.chars([node])) if folded else self.codes([code])
            case CharSet():
                return self.charset(node)
            case DotNode(newline):
                return "(?s:.)" if newline else "."
            case AssertionNode(source):
                return self.assertion(source)
            case LineBreakNode():
                return r"(?>\r\n|[\n\v\f\r\x85\u2028\u2029])"
            case ClusterNode():
                return self.cluster()
            case ReferenceNode(number):
                return f"(?P=g{number})"

    def cluster(self) -> str:
        if self.behind:
            raise BadFile(r"\X inside a look-behind is not supported.")
        if not self.exact:  # among unassigned code points of 16.0 are pictographs
            raise _Newer
        return CLUSTER

    def unit(self, node: Node) -> str:
        """Return a node such that a repeat applies to all of it."""
        source = self.node(node)
        return f"(?:{source})" if isinstance(node, AssertionNode | RepeatNode | SequenceNode | ChoiceNode) else source

    def group(self, opening: str, body: Node, number: int) -> str:
        if opening == "(":
            opening = f"(?P<g{number}>" if number in self.used else "(?:"
        behind = self.behind
        self.behind |= opening in ("(?<=", "(?<!")
        if behind and opening == "(?<!" and can_be_empty(body):  # Oniguruma: (?<!(?<!a*)) matches nowhere
            raise BadFile("A negative look-behind of what can be empty, inside a look-behind, is not supported.")
        source = f"{opening}{self.node(body)})"
        self.behind = behind
        return source

    def assertion(self, source: str) -> str:
        if source == "^":  # not behind a newline at the very end
            return r"(?:\A|(?<=\n)(?!\Z))"
        if source in (r"\z", r"\Z"):
            return r"\Z" if source == r"\z" else r"(?=\n?\Z)"
        if source not in (r"\b", r"\B"):
            return source
        word = self.charset(CharSet(((NamedClass(WORD_OUTSIDE),),)))
        if source == r"\b":
            return f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))"
        return f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))"

    def sequence(self, parts: tuple[Node, ...]) -> Iterator[str]:
        """Yield the parts; characters in any case that follow one another may be one ligature."""
        run: list[CharNode] = []
        for part in parts:
            if isinstance(part, CharNode) and part.fold:
                run.append(part)
                continue
            yield from self.chars(run)
            run = []
            yield f"(?:{self.node(part)})" if isinstance(part, ChoiceNode) else self.node(part)
        yield from self.chars(run)
        _check_borders(parts)

    def chars(self, run: list[CharNode]) -> Iterator[str]:
        """Yield characters in any case; the longest run that folds like a ligature is taken as one."""
        at = 0
        while at < len(run):
            size = next((size for size in (3, 2) if _is_ligature(run[at : at + size], size)), 1)
            forms = [fold(char.code) for char in run[at : at + size]]
            at += size
            folded = "".join(forms)
            if len(folded) == 1:
                self.changed |= folded in ("i", "ı")  # one letter to `regex`, as İ is
                yield self.codes(list_case_variants(run[at - 1].code))
                continue
            if self.behind:
                raise BadFile(f"{folded} in any case inside a look-behind is not supported.")
            self.changed = True
            yield f"(?:{self.codes(classes()[folded])}|{self.letters(folded)})"

    def letters(self, folded: str) -> str:
        """Return the characters of a folded form one by one, each in any case."""
        return "".join(self.codes(list_case_variants(ord(char))) for char in folded)

    def charset(self, charset: CharSet) -> str:
        plain = None if self.exact or charset.fold else _plain(charset)
        mask = None if plain else build_mask(charset)
        self.changed |= mask is not None
        source = plain if mask is None else self.members(mask)
        assert source is not None
        if not charset.fold or charset.negated or mask is None:
            return source
        several = sorted((folded for folded, codes in classes().items() if len(folded) > 1 and mask[[*codes]].any()))
        if not several:
            return source
        if self.behind:
            raise BadFile("A set in any case that has ligatures, inside a look-behind, is not supported.")
        self.changed = True
        several.sort(key=len)
        return f"(?:{'|'.join([source, *map(self.letters, several)])})"

    def codes(self, codes: Iterable[int]) -> str:
        """Return the set of a few characters."""
        spans = [(code, code + 1) for code in sorted(codes)]
        if not self.exact and not all(agrees_as_of_16(first, first) for first, _ in spans):
            raise _Newer
        char = chr(spans[0][0])
        return char if len(spans) == 1 and char.isalnum() else f"[{spell_ranges(spans)}]"

    def members(self, mask: Mask) -> str:
        """Return the set of the characters of a mask. Raises `_Newer` if it must be searched in the text as it is."""
        if not self.exact and not is_stable(mask):
            raise _Newer
        if mask.all():
            return "(?s:.)"
        spans = ranges(mask)
        source = spell_ranges(spans)
        others = spell_ranges(ranges(~mask))
        if not spans:
            return "(?!)"
        return f"[{source}]" if len(source) <= 2 * len(others) else f"[^{others}]"


def _plain(charset: CharSet) -> str | None:
    r"""Return a set of ranges and classes with the names of its classes, or None if it cannot be written so."""
    classes = {item for item in charset.unions[0] if isinstance(item, NamedClass)}
    if len(classes) > 1 and any(item.negated for item in classes):  # `regex` takes [^\s\S] for any character
        return None
    parts = []
    for item in charset.unions[0]:
        if isinstance(item, tuple) and agrees_as_of_16(*item):
            parts.append(spell_ranges([(item[0], item[1] + 1)]))
        elif isinstance(item, NamedClass) and not item.negated:
            parts.append(item.source)
        elif isinstance(item, NamedClass) and item.source.startswith("\\") and item.source.count("\\") == 1:
            parts.append(item.source[0] + item.source[1].upper() + item.source[2:])
        else:
            return None
    return f"[{'^' if charset.negated else ''}{''.join(parts)}]" if len(charset.unions) == 1 else None


def _is_ligature(run: list[CharNode], size: int) -> bool:
    forms = [fold(char.code) for char in run]
    return len(run) == size and all(len(form) == 1 for form in forms) and "".join(forms) in classes()


def _check_borders(parts: tuple[Node, ...]) -> None:
    """Raise `BadFile` for characters that may be one ligature although a group separates them."""
    runs = [_collect_characters(part) for part in parts]
    for i, before in enumerate(runs[:-1]):
        after = runs[i + 1]
        if not before or not after or (isinstance(parts[i], CharNode) and isinstance(parts[i + 1], CharNode)):
            continue
        for size in (2, 3):
            for split in range(1, size):
                if _is_ligature([*before[-split:], *after[: size - split]], size):
                    raise BadFile("A ligature in any case across the border of a group is not supported.")


def _collect_characters(node: Node) -> list[CharNode]:
    """Return the characters in any case that a node is."""
    if isinstance(node, GroupNode) and node.opening in ("(?:", "("):
        return _collect_characters(node.body)
    if isinstance(node, SequenceNode):
        return [char for part in node.parts for char in _collect_characters(part)]
    return [node] if isinstance(node, CharNode) and node.fold else []


def _times(low: int, high: int | None) -> str:
    match low, high:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _:
            return f"{{{low}}}" if low == high else f"{{{low},{'' if high is None else high}}}"
