"""The source of a teaching file as it is shown beside a scene: in colours, with the line that acted highlighted."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any, TypeVar

Step = TypeVar("Step")

STYLES = (
    *(("Comment", "c"), ("Literal.String", "s"), ("Literal.Number", "n"), ("Keyword", "k")),
    *(("Name.Builtin", "b"), ("Name.Function", "f"), ("Operator.Word", "k")),
)
"""Classes of the style sheet by the kind of token that Pygments finds; the first that matches."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of code: its number in the file and its parts, as (class, text)."""

    number: int
    parts: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        return "".join(text for _, text in self.parts)


@dataclass(frozen=True, slots=True)
class Listing:
    """A function of a teaching file, without its docstring: the scene says what that says."""

    name: str
    file: str
    lines: tuple[CodeLine, ...]


@cache
def read_listing(name: str) -> Listing:
    """Return the code of a function, named as `module.function`.

    >>> [line.number for line in read_listing("characters.characters").lines][-1] > 15
    True
    >>> "".join(text for _, text in read_listing("bpe.encode").lines[0].parts)
    'def encode(word: bytes, ranks: Mapping[bytes, int]) -> list[bytes]:'
    """
    module, _, function = name.rpartition(".")
    lines, first = inspect.getsourcelines(getattr(_import_teaching(module), function))
    shown = [*_skip_docstring("".join(lines))]
    highlighted = _highlight("".join(lines))
    parts = tuple(CodeLine(first + number, highlighted[number]) for number in shown)
    return Listing(name, f"app/scratch/{module}.py", parts)


def _import_teaching(module: str) -> Any:
    return import_module(f"...scratch.{module}", __package__)


def _skip_docstring(code: str) -> Iterator[int]:
    """Yield the numbers of the lines of a function that are no part of its docstring, from 0."""
    function = ast.parse(code).body[0]
    assert isinstance(function, ast.FunctionDef)
    left_out = range(0)
    if ast.get_docstring(function) is not None:
        left_out = range(function.body[0].lineno - 1, function.body[0].end_lineno or 0)
    yield from (number for number in range(len(code.splitlines())) if number not in left_out)


def _highlight(code: str) -> list[tuple[tuple[str, str], ...]]:
    """Return the lines of a code, each as (class, text) of its parts."""
    from pygments.lexers.python import PythonLexer  # type: ignore[import-untyped]  # on first use: it takes time

    lines: list[list[tuple[str, str]]] = [[]]
    for kind, value in PythonLexer(stripnl=False).get_tokens(code):
        style = next((style for name, style in STYLES if f".{name}." in f"{kind}."), "")
        for number, text in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if text:
                lines[-1].append((style, text))
    return [tuple(line) for line in lines]


def trace_lines(steps: Iterator[Step]) -> Iterator[tuple[tuple[str, int], Step]]:
    """Yield the steps of a teaching generator, each with its function and the line on which it has paused.

    >>> from ...scratch.characters import characters
    >>> [(function, step) for (function, _), step in trace_lines(characters("é"))]
    [('characters.characters', (233, 0, 2))]
    """
    frame = getattr(steps, "gi_frame")  # noqa: B009, that of the generator, which tells where it has paused
    module = frame.f_globals["__name__"].rpartition("scratch.")[2]
    name = f"{module}.{frame.f_code.co_name}"
    for step in steps:
        yield (name, frame.f_lineno), step
