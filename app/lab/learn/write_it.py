"""A learner's program beside the teaching file, line by line: it is only read here, and never run."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from ...errors import Invalid
from .code import read_source
from .exercises import ProgramExercise

MAX_PROGRAM = 6000
"""Characters of the longest program that is compared."""
ALIKE = 0.5
"""How alike two lines are at least, from 0 to 1, if one is shown as the other, changed."""
Difference = Literal["same", "changed", "added", "missing"]
Line = tuple[str, tuple[str, ...]]
"""A line of code, and its tokens without the names that the function itself gives."""


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


def compare_functions(source: str, exercise: ProgramExercise) -> tuple[FunctionComparison, ...]:
    r"""Compare a program with the teaching file; each line of a function that it lacks is missing.

    >>> from .exercises import find_exercise
    >>> merge = compare_functions("def merge(a, pair):\n    ids = [*a]\n    return a\n", find_exercise("bpe"))[1]
    >>> [(line.own.strip(), line.teaching.strip()) for line in merge.lines if line.difference == "same"]
    [('ids = [*a]', 'ids = [*word]'), ('return a', 'return ids')]

    Raises `Invalid` for what is too long, or no Python.
    """
    own = {node.name: node for node in ast.walk(_parse(source)) if isinstance(node, ast.FunctionDef)}
    return tuple(
        FunctionComparison(
            name,
            tuple(names),
            (*_compare([*_read_function(source, own[name])] if name in own else [], [*_read_teaching(names)]),),
        )
        for name, names in exercise.teaching.items()
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
