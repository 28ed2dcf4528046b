"""Catastrophic backtracking: strings that make a search take many steps, made from the pattern and tried out.

A pattern that can match one text in many ways tries all of them before it gives up: `(?:a+)+b` on aaaa, 2ⁿ ways. Each
unbounded repeat is attacked with what its body matches, repeated, and an end that cannot match. Steps are counted by a
plain backtracking matcher, so that they are the same on every machine; the engines, which leave out some of the work,
then show whether they give up on the string that was found.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import log2

from ...scratch.compat.oniguruma.charsets import Mask, build_mask
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
    Node,
    ReferenceNode,
    RepeatNode,
    SequenceNode,
)

SIZES = (8, 16, 32)
"""Repetitions of an attack for which steps are counted."""
MAX_STEPS = 40_000
"""Steps after which a search counts as too long."""
FIRST_STEPS = 4_000
"""Steps after which a string counts as one of the worst."""
MAX_ATTACKS = 40
"""Strings that are tried; each with `SIZES[0]` repetitions, the worst ones with all."""
EXPONENTIAL = 32.0
"""Growth of the steps by twice the repetitions that no polynomial of a degree below five has."""
PREFERRED = "a0 \n-'!\t"
"""Characters that strings are made of if a set has them."""
GROWTHS = ("linear", "polynomial", "exponential")
FAILS = ("\x01", "", "!", " ", "b")
"""Ends after which a match may fail."""


@dataclass(frozen=True, slots=True)
class Attack:
    """A string: `before`, `pump` again and again, `after`."""

    before: str
    pump: str
    after: str

    def text(self, times: int) -> str:
        """Return the string with so many repetitions."""
        return self.before + self.pump * times + self.after


@dataclass(frozen=True, slots=True)
class Backtracking:
    """The worst attack that was found. `steps` are those for `SIZES`, None for more than `MAX_STEPS`."""

    attack: Attack | None
    steps: tuple[int | None, ...] = ()
    tried: int = 0

    @property
    def growth(self) -> str:
        """How steps grow with the length: "exponential", "polynomial", or "linear" if no attack was found."""
        if self.attack is None:
            return "linear"
        small, middle, large = self.steps
        if middle is None or small is None or middle / small >= EXPONENTIAL:
            return "exponential"
        return "polynomial" if large is None or log2(large / middle) > 1.6 else "linear"

    @property
    def degree(self) -> int:
        """The degree of the polynomial, at least 2 for one; 0 if it is not known."""
        if self.attack is None or self.growth != "polynomial":
            return 0
        small, middle, large = self.steps
        assert small
        assert middle
        return round(log2(large / middle) if large else log2(middle / small))


class _TooLong(Exception):
    """The search took more steps than its limit."""


@dataclass
class _Matcher:
    """A matcher that tries one way after the other. `steps` counts each try of a node."""

    text: str
    limit: int
    steps: int = 0

    def ends(self, node: Node, at: int) -> Iterator[int]:
        """Yield where a match of a node may end that begins at a position, in the order in which they are tried."""
        self.steps += 1
        if self.steps > self.limit:
            raise _TooLong
        match node:
            case CharNode() | CharSet() | DotNode():
                if at < len(self.text) and _has(node, self.text[at]):
                    yield at + 1
            case SequenceNode(parts):
                yield from self.sequence(parts, at)
            case ChoiceNode(branches):
                for branch in branches:
                    yield from self.ends(branch, at)
            case RepeatNode():
                yield from self.repeat(node, at, 0)
            case GroupNode(opening, body):
                yield from self.group(opening, body, at)
            case _:
                yield from self.rest(node, at)

    def rest(self, node: Node, at: int) -> Iterator[int]:
        """Yield the end of an assertion, a line break, a cluster of one, or a reference, taken to match nothing."""
        match node:
            case AssertionNode(source):
                if self.holds(source, at):
                    yield at
            case LineBreakNode():
                if self.text[at : at + 1] in ("\n", "\r"):
                    yield at + 1
            case ClusterNode():
                if at < len(self.text):
                    yield at + 1
            case _:
                yield at

    def sequence(self, parts: tuple[Node, ...], at: int) -> Iterator[int]:
        if not parts:
            yield at
            return
        for end in self.ends(parts[0], at):
            yield from self.sequence(parts[1:], end)

    def repeat(self, node: RepeatNode, at: int, count: int) -> Iterator[int]:
        if node.mode == "+":
            yield from self.first(self.repeat(RepeatNode(node.body, node.low, node.high, ""), at, count))
            return
        if node.mode == "?" and count >= node.low:
            yield at
        if node.high is None or count < node.high:
            for end in self.ends(node.body, at):
                if end > at or count < node.low:
                    yield from self.repeat(node, end, count + 1)
        if node.mode == "" and count >= node.low:
            yield at

    @staticmethod
    def first(ends: Iterator[int]) -> Iterator[int]:
        for end in ends:
            yield end
            return

    def group(self, opening: str, body: Node, at: int) -> Iterator[int]:
        if opening in ("(?=", "(?!"):
            if any(True for _ in self.ends(body, at)) == (opening == "(?="):
                yield at
        elif opening in ("(?<=", "(?<!"):
            behind = any(end == at for start in range(at, -1, -1) for end in self.ends(body, start))
            if behind == (opening == "(?<="):
                yield at
        elif opening == "(?>":
            yield from self.first(self.ends(body, at))
        else:
            yield from self.ends(body, at)

    def holds(self, source: str, at: int) -> bool:
        before = self.text[:at]
        after = self.text[at:]
        if source in (r"\b", r"\B"):
            return (before[-1:].isalnum() != after[:1].isalnum()) == (source == r"\b")
        if source in ("^", r"\A"):
            return not before or (source == "^" and before.endswith("\n"))
        return not after or (source == "$" and after[0] == "\n") or (source == r"\Z" and after == "\n")


def _has(node: CharNode | CharSet | DotNode, char: str) -> bool:
    match node:
        case CharNode(code, fold):
            return char == chr(code) or (fold and char.casefold() == chr(code).casefold())
        case CharSet():
            return bool(_mask(node)[ord(char)])
        case DotNode(newline):
            return newline or char != "\n"


@lru_cache(maxsize=40)
def _mask(node: CharSet) -> Mask:
    return build_mask(node)


def measure_backtracking(pattern: str) -> Backtracking:
    r"""Return the attack on a pattern that takes the most steps.

    >>> worst = measure_backtracking(r"(?:a+)+c")
    >>> worst.growth, worst.attack.text(3)
    ('exponential', 'aaa\x01c')
    >>> measure_backtracking(r"\s+(?!\S)|\s+").growth
    'linear'

    Raises `BadFile` for syntax that the parser of Oniguruma's dialect does not support.
    """
    tree = Parser(pattern).parse()
    attacks = list(dict.fromkeys(_attacks(tree, "", "")))[:MAX_ATTACKS]
    counted = [(count_steps(tree, attack.text(SIZES[0]), FIRST_STEPS) or FIRST_STEPS, attack) for attack in attacks]
    worst = Backtracking(None, tried=len(attacks))
    for _, attack in sorted(counted, key=lambda pair: -pair[0])[:3]:
        steps = tuple(count_steps(tree, attack.text(size)) for size in SIZES)
        found = Backtracking(attack, steps, len(attacks))
        if GROWTHS.index(found.growth) > GROWTHS.index(worst.growth):
            worst = found
        if worst.growth == GROWTHS[-1]:
            break
    return worst


def count_steps(tree: Node, text: str, limit: int = MAX_STEPS) -> int | None:
    """Return the steps of one attempt to match at the beginning of a text, None for more than the limit."""
    matcher = _Matcher(text, limit)
    try:
        next(matcher.ends(tree, 0), None)
    except (_TooLong, RecursionError):
        return None
    return matcher.steps


def _attacks(node: Node, before: str, behind: str) -> Iterator[Attack]:
    """Yield attacks on the unbounded repeats of a node that stands between what matches these strings."""
    match node:
        case SequenceNode(parts):
            for i, part in enumerate(parts):
                yield from _attacks(part, before, "".join(map(sample, parts[i + 1 :])) + behind)
                before += sample(part)
        case ChoiceNode(branches):
            for branch in branches:
                yield from _attacks(branch, before, behind)
        case GroupNode(body=body):
            yield from _attacks(body, before, behind)
        case RepeatNode(body, _, high):
            if high is None:
                # An engine may first look whether the text has what must follow, so it does, behind the failure.
                ends = dict.fromkeys([FAILS[0] + behind, *FAILS])
                for pump in filter(None, dict.fromkeys([sample(body), *_variants(body)])):
                    yield from (Attack(before, pump, after) for after in ends)
            yield from _attacks(body, before, behind)
        case _:
            return


def _variants(node: Node) -> Iterator[str]:
    """Yield other strings that a node matches: of each alternative, and of the first repeat twice."""
    match node:
        case GroupNode(body=body):
            yield from _variants(body)
        case ChoiceNode(branches):
            yield from map(sample, branches)
        case RepeatNode(body):
            yield sample(body)
        case SequenceNode(parts):
            for part in parts:
                yield from _variants(part)
        case _:
            return


def sample(node: Node) -> str:
    r"""Return a short string that a node matches.

    >>> sample(Parser(r"x?\p{L}+\d{2}(?!c)").parse())
    'a00'
    """
    match node:
        case CharNode(code):
            return chr(code)
        case CharSet():
            mask = _mask(node)
            known = next((char for char in PREFERRED if mask[ord(char)]), None)
            return known if known is not None else chr(int(mask.argmax())) if mask.any() else ""
        case DotNode() | ClusterNode():
            return "a"
        case SequenceNode(parts):
            return "".join(map(sample, parts))
        case ChoiceNode(branches):
            return sample(branches[0])
        case RepeatNode(body, low):
            return sample(body) * min(low, 3)
        case GroupNode(opening, body):
            return "" if opening in ("(?=", "(?!", "(?<=", "(?<!") else sample(body)
        case AssertionNode() | ReferenceNode():
            return ""
        case _:
            return "\n"
