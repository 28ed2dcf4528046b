"""The exercise: `most_frequent_pair` and `merge`, and calls that check them, beside the teaching file.

The browser of the learner runs the program, in the worker static/js/learn/python.js; here it is only read.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from ...errors import Invalid
from ...scratch.learn_bpe import learn
from .code import read_source

STARTER = '''\
from collections import Counter
from itertools import pairwise


def most_frequent_pair(words):
    """Return the pair of neighbours that occurs most often; of equals, the first.

    words: a dict from each word, a tuple of tokens, to how often it occurs.
    """
    counts = Counter()
    for tokens, times in words.items():
        for pair in pairwise(tokens):
            ...  # count the pair as often as its word occurs
    return max(counts, key=counts.get)


def merge(tokens, pair):
    """Return the tokens with each occurrence of the pair as one token, from the left."""
    merged = []
    ...  # go through the tokens
    return merged
'''
TRAINING = '''\
def train(words, merges):
    """Return the pairs that are merged, in order."""
    corpus = {tuple(word): times for word, times in words.items()}
    pairs = []
    for _ in range(merges):
        pair = most_frequent_pair(corpus)
        pairs.append(pair)
        corpus = {tuple(merge([*tokens], pair)): times for tokens, times in corpus.items()}
    return pairs
'''
"""The loop around the two functions, which is run after the program."""
MAX_PROGRAM = 4000
"""Characters of the longest program that is compared."""
WORDS = (
    {"low": 5, "lower": 2, "new": 6, "newer": 3},
    {"low": 5, "lowest": 2, "new": 6, "widest": 3},
    {"cddcdycdyc": 1},
)
"""Corpora on which the program is trained beside the engine: those of the engine's own examples."""
MERGES = 6
TEACHING = {
    "most_frequent_pair": ("learn_bpe.count_pairs", "learn_bpe.best_pair"),
    "merge": ("learn_bpe.replace",),
}
"""The functions of the teaching file that together do what a function of the learner does."""
TEACHING_FILE = "app/scratch/learn_bpe.py"
ALIKE = 0.5
"""How alike two lines are at least, from 0 to 1, if one is shown as the other, changed."""
Difference = Literal["same", "changed", "added", "missing"]
Line = tuple[str, tuple[str, ...]]
"""A line of code, and its tokens without the names that the function itself gives."""


class ProgramCheck(NamedTuple):
    """A call as Python spells it, and how it spells what the call should return."""

    call: str
    wanted: str


@dataclass(frozen=True, slots=True)
class LinePair:
    """A line of the learner, the one of the teaching file that stands for it, and how they differ; either may lack."""

    difference: Difference
    own: str = ""
    teaching: str = ""


@dataclass(frozen=True, slots=True)
class FunctionComparison:
    """A function of the learner, the teaching file's that do the same, and their lines side by side."""

    name: str
    teaching: tuple[str, ...]
    lines: tuple[LinePair, ...]

    def count(self, difference: Difference) -> int:
        return sum(line.difference == difference for line in self.lines)


def list_checks() -> tuple[ProgramCheck, ...]:
    """Return the checks of a program, in order; what the training should return comes from the teaching file.

    >>> list_checks()[3]
    ProgramCheck(call="merge(['a', 'b'], ('b', 'a'))", wanted="['a', 'b']")
    >>> list_checks()[-1].wanted
    "[('c', 'd'), ('cd', 'y')]"
    """
    checks: list[tuple[str, tuple[object, ...], object]] = [
        ("most_frequent_pair", ({("l", "o", "w"): 5, ("n", "e", "w"): 6},), ("n", "e")),
        ("most_frequent_pair", ({("a", "b"): 1, ("b", "c"): 1, ("x", "b", "c"): 1},), ("b", "c")),
        ("merge", (["l", "o", "w", "l", "o"], ("l", "o")), ["lo", "w", "lo"]),
        ("merge", (["a", "b"], ("b", "a")), ["a", "b"]),
        ("merge", (["a", "a", "a"], ("a", "a")), ["aa", "a"]),
    ]
    for words in WORDS:
        merges = [(first, second) for first, second, _ in learn(words, MERGES)]
        checks.append(("train", (words, len(merges)), merges))
    return tuple(
        ProgramCheck(f"{name}({', '.join(map(repr, values))})", repr(wanted)) for name, values, wanted in checks
    )


def compare_functions(source: str) -> tuple[FunctionComparison, ...]:
    r"""Compare a program with the teaching file; each line of a function that it lacks is missing.

    >>> merge = compare_functions("def merge(a, pair):\n    ids = [*a]\n    return a\n")[1]
    >>> [(line.own.strip(), line.teaching.strip()) for line in merge.lines if line.difference == "same"]
    [('ids = [*a]', 'ids = [*word]'), ('return a', 'return ids')]

    Raises `Invalid` for what is too long, or no Python.
    """
    own = {node.name: node for node in _parse(source).body if isinstance(node, ast.FunctionDef)}
    return tuple(
        FunctionComparison(
            name,
            tuple(each.partition(".")[2] for each in names),
            (*_compare([*_read_function(source, own[name])] if name in own else [], [*_read_teaching(names)]),),
        )
        for name, names in TEACHING.items()
    )


def _parse(source: str) -> ast.Module:
    if len(source) > MAX_PROGRAM:
        raise Invalid(f"A program has at most {MAX_PROGRAM:,} characters here.", pointer="/program", limit=MAX_PROGRAM)
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise Invalid(f"Line {error.lineno or 1}: Python cannot read this: {error.msg}.", pointer="/program") from None
    except (ValueError, RecursionError, MemoryError):
        raise Invalid("Python cannot read this.", pointer="/program") from None


def _read_teaching(names: Sequence[str]) -> Iterator[Line]:
    for name in names:
        source, _ = read_source(name)
        (function,) = ast.parse(source).body
        assert isinstance(function, ast.FunctionDef)
        yield from _read_function(source, function)


def _read_function(source: str, function: ast.FunctionDef) -> Iterator[Line]:
    """Yield the lines of a function that have code, without its docstring."""
    docstring = range(0)
    if ast.get_docstring(function) is not None:
        docstring = range(function.body[0].lineno, (function.body[0].end_lineno or 0) + 1)
    tokens: dict[int, list[str]] = {}
    names = {*_iter_names(function)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        number = token.start[0]
        inside = function.lineno <= number <= (function.end_lineno or 0) and number not in docstring
        if inside and token.type != tokenize.COMMENT and token.string.strip():
            tokens.setdefault(number, []).append("" if token.string in names else token.string)
    lines = source.split("\n")
    yield from ((lines[number - 1].rstrip(), (*parts,)) for number, parts in tokens.items())


def _iter_names(function: ast.FunctionDef) -> Iterator[str]:
    """Yield the names that a function gives: its own, those of its arguments and of its variables."""
    yield function.name
    for node in ast.walk(function):
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _compare(own: Sequence[Line], teaching: Sequence[Line]) -> Iterator[LinePair]:
    """Yield the lines of both in their order."""
    matcher = SequenceMatcher(None, [key for _, key in own], [key for _, key in teaching], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            yield from (LinePair("same", x, y) for (x, _), (y, _) in zip(own[a:b], teaching[c:d], strict=True))
        else:
            yield from _pair_changed(own[a:b], teaching[c:d])


def _pair_changed(own: Sequence[Line], teaching: Sequence[Line]) -> Iterator[LinePair]:
    """Yield the lines of a part that differs: each of the learner with the next of the teaching file that is alike."""
    at = 0
    for line, key in own:
        found = next((n for n in range(at, len(teaching)) if _are_alike(key, teaching[n][1])), None)
        if found is None:
            yield LinePair("added", line)
            continue
        yield from (LinePair("missing", "", skipped) for skipped, _ in teaching[at:found])
        yield LinePair("changed", line, teaching[found][0])
        at = found + 1
    yield from (LinePair("missing", "", skipped) for skipped, _ in teaching[at:])


def _are_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    return one[0] == other[0] == "def" or SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE
