"""What a pattern says, part by part, in plain words: read by the parser of Oniguruma's dialect."""

from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import BadFile
from ...scratch.compat.oniguruma.charsets import WORD, WORD_OUTSIDE
from ...scratch.compat.oniguruma.parser import Parser
from ...scratch.compat.oniguruma.syntax import (
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

MAX_PARTS = 400
"""Parts that are explained."""
MAX_MEMBERS = 12
"""Members of a set that are named."""
CLASSES = {
    r"\s": "white space",
    r"\d": "a decimal digit of any script",
    WORD: "a letter, mark, decimal digit or underscore",
    WORD_OUTSIDE: "a letter, mark, decimal digit or underscore",
    "0-9A-Fa-f": "a hexadecimal digit",
    r"\p{L}": "a letter of any script",
    r"\p{LU}": "an uppercase letter",
    r"\p{LL}": "a lowercase letter",
    r"\p{LT}": "a titlecase letter, such as ǅ",
    r"\p{LM}": "a modifier letter, such as ʰ",
    r"\p{LO}": "a letter without case, such as 漢 or ع",
    r"\p{M}": "a combining mark",
    r"\p{N}": "a number of any script",
    r"\p{ND}": "a decimal digit of any script",
    r"\p{P}": "punctuation",
    r"\p{S}": "a symbol",
    r"\p{Z}": "a separator",
}
"""Named classes in words, by their spelling in the tree."""
CHARACTERS = {
    "\n": "a line feed",
    "\r": "a carriage return",
    "\t": "a tab",
    " ": "a space",
    "\x0b": "a vertical tab",
    "\x0c": "a form feed",
    "'": "an apostrophe",
}
ASSERTIONS = {
    "^": "the beginning of a line (in tiktoken: of the text)",
    "$": "the end of a line (in tiktoken: of the text)",
    r"\A": "the beginning of the text",
    r"\z": "the end of the text",
    r"\Z": "the end of the text, or before a line break that ends it",
    r"\b": "an edge of a word",
    r"\B": "no edge of a word",
}
GROUPS = {
    "(?=": "followed by, without taking it:",
    "(?!": "not followed by:",
    "(?<=": "preceded by:",
    "(?<!": "not preceded by:",
    "(?>": "as a whole, never giving back what it took:",
    "(?:": "a group:",
    "(": "a capturing group:",
}


@dataclass(frozen=True, slots=True)
class PatternPart:
    """A part of a pattern as it is written, what it matches in words, and the parts inside."""

    source: str
    words: str
    parts: "tuple[PatternPart, ...]" = ()


class _PlacedParser(Parser):
    """A parser that notes where each node of the tree stands in the pattern."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.places: dict[int, tuple[int, int]] = {}
        self.kept: list[Node] = []  # a node that is freed could pass its identity on to another

    def place(self, node: Node, start: int) -> Node:
        self.places[id(node)] = (start, self.at)
        self.kept.append(node)
        return node

    def choice(self) -> Node:
        start = self.at
        return self.place(super().choice(), start)

    def sequence(self) -> Node:
        start = self.at
        return self.place(super().sequence(), start)

    def atom(self) -> Node:
        start = self.at
        return self.place(super().atom(), start)

    def parse_repeats(self, node: Node) -> Node:
        start = self.places[id(node)][0]
        whole = super().parse_repeats(node)
        return node if whole is node else self.place(whole, start)

    def get_source(self, node: Node) -> str:
        return self.source[slice(*self.places.get(id(node), (0, 0)))]


def explain(pattern: str) -> tuple[PatternPart, ...]:
    r"""Return the top-level alternatives of a pattern, each with its parts in words.

    >>> for part in explain(r"\p{N}{1,3}|\s+(?!\S)"):
    ...     print(part.source, [one.words for one in part.parts] or part.words)
    \p{N}{1,3} 1 to 3 times: a number of any script
    \s+(?!\S) ['one or more times: white space', 'not followed by: anything but white space']

    Raises `BadFile` for syntax that the parser does not support, naming its place.
    """
    parser = _PlacedParser(pattern)
    tree = parser.parse()
    branches = tree.branches if isinstance(tree, ChoiceNode) else (tree,)
    return tuple(_Explainer(parser).part(branch) for branch in branches)


class _Explainer:
    """Says nodes of one pattern in words, up to `MAX_PARTS`."""

    def __init__(self, parser: _PlacedParser) -> None:
        self.parser = parser
        self.count = 0

    def part(self, node: Node) -> PatternPart:
        self.count += 1
        if self.count > MAX_PARTS:
            raise BadFile(f"Only {MAX_PARTS} parts of a pattern are explained.", limit=MAX_PARTS)
        source = self.parser.get_source(node)
        inner = _inner(node)
        if isinstance(node, SequenceNode) and len(inner) > 1 and all(isinstance(one, CharNode) for one in inner):
            return self.text(list(inner))
        if isinstance(node, RepeatNode) and isinstance(node.body, RepeatNode):
            elsewhere = "as few as possible" if node.high == 1 else "never giving back"
            words = f"{describe(node).removesuffix(':')} (in tiktoken: {elsewhere}), {self.part(node.body).words}"
            return PatternPart(source, words)
        simple = len(inner) == 1 and not _inner(inner[0])
        words = f"{describe(node)} {describe(inner[0])}" if simple else describe(node)
        return PatternPart(source, words, () if simple else tuple(self.parts(inner, apart=_is_choice(node))))

    def parts(self, nodes: tuple[Node, ...], *, apart: bool) -> Iterator[PatternPart]:
        """Yield the parts of a node; characters that follow one another are one text, unless they are alternatives."""
        run: list[Node] = []
        for node in nodes:
            if isinstance(node, CharNode) and not apart:
                run.append(node)
                continue
            yield from self.flush(run)
            run = []
            yield self.part(node)
        yield from self.flush(run)

    def flush(self, run: list[Node]) -> Iterator[PatternPart]:
        if run:
            yield self.text(run) if len(run) > 1 else self.part(run[0])

    def text(self, run: list[Node]) -> PatternPart:
        """Return the part that is a text of several characters."""
        self.count += 1
        text = "".join(chr(one.code) for one in run if isinstance(one, CharNode))
        fold = ", in any case" if any(isinstance(one, CharNode) and one.fold for one in run) else ""
        return PatternPart("".join(map(self.parser.get_source, run)), f"the text {text}{fold}")


def _inner(node: Node) -> tuple[Node, ...]:
    """Return the parts of a node; a group of one sequence has those of the sequence."""
    match node:
        case GroupNode(body=body) | RepeatNode(body=body):
            plain = isinstance(node, RepeatNode) and isinstance(body, GroupNode) and body.opening in ("(?:", "(")
            inner = body.body if plain and isinstance(body, GroupNode) else body
            return (
                inner.parts
                if isinstance(inner, SequenceNode)
                else inner.branches
                if isinstance(inner, ChoiceNode)
                else (inner,)
            )
        case SequenceNode(parts):
            return parts
        case ChoiceNode(branches):
            return branches
        case _:
            return ()


def describe(node: Node) -> str:
    r"""Return what a node matches, without what is inside a group or a repeat.

    >>> describe(RepeatNode(DotNode(False), 0, None, "+"))
    'any number of times, never giving back:'
    """
    match node:
        case CharNode(code, fold):
            return _character(code) + (", in any case" if fold else "")
        case CharSet():
            return _describe_set(node)
        case RepeatNode():
            return f"{_times(node)}{' one of' if _is_choice(node) else ''}:"
        case GroupNode(opening, body):
            words = GROUPS.get(opening, "a group:")
            return f"{words.removesuffix(':')}{' one of' if isinstance(body, ChoiceNode) else ''}:"
        case ChoiceNode():
            return "one of:"
        case SequenceNode(parts):
            return "one after the other:" if parts else "nothing"
        case _:
            return _describe_leaf(node)


def _describe_leaf(node: DotNode | LineBreakNode | ClusterNode | AssertionNode | ReferenceNode) -> str:
    match node:
        case DotNode(newline):
            return "any character" if newline else "any character but a line feed"
        case LineBreakNode():
            return "a line break"
        case ClusterNode():
            return "a grapheme cluster: a character with its marks, or joined emoji; Indic conjuncts are divided"
        case AssertionNode(source):
            return ASSERTIONS.get(source, source)
        case ReferenceNode(number):
            return f"what group {number} matched, again"


def _is_choice(node: Node) -> bool:
    """True for a choice, a group of one, or a repeat of such a group."""
    inner = node.body if isinstance(node, RepeatNode) else node
    return isinstance(inner.body if isinstance(inner, GroupNode) else inner, ChoiceNode)


def _times(node: RepeatNode) -> str:
    match node.low, node.high:
        case 0, None:
            words = "any number of times"
        case 1, None:
            words = "one or more times"
        case 0, 1:
            words = "once or not at all"
        case low, None:
            words = f"{low} times or more"
        case low, high:
            words = f"{low} times" if low == high else f"{low} to {high} times"
    return words + {"": "", "?": ", as few as possible", "+": ", never giving back"}[node.mode]


def _character(code: int) -> str:
    char = chr(code)
    if char in CHARACTERS:
        return CHARACTERS[char]
    return char if char.isprintable() and not char.isspace() else f"U+{code:04X}"


def _describe_class(item: NamedClass) -> str:
    known = CLASSES.get(item.source)
    if known is None:
        name = item.source.removeprefix(r"\p{").removesuffix("}").removeprefix("Script=").title()
        known = f"a character of the class {name}"
    return f"anything but {known}" if item.negated else known


def _describe_set(charset: CharSet) -> str:
    unions = []
    for union in charset.unions:
        names = []
        for item in union[:MAX_MEMBERS]:
            if isinstance(item, tuple):
                first, last = item
                names.append(_character(first) if first == last else f"{_character(first)} to {_character(last)}")
            else:
                names.append(_describe_class(item) if isinstance(item, NamedClass) else f"({_describe_set(item)})")
        more = len(union) - len(names)
        unions.append("; ".join(names) + (f" and {more} more" if more else ""))
    words = " that is also ".join(unions)
    several = len(charset.unions) > 1 or len(charset.unions[0]) > 1
    prefix = "any character but: " if charset.negated else "one of: " if several else ""
    if charset.negated and not several:
        prefix = "anything but "
    return prefix + words + (", in any case" if charset.fold else "")
