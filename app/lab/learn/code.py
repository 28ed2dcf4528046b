"""The source of a teaching file as it is shown beside a scene: in colours, with the line that acted highlighted."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from math import ceil
from typing import TypeVar

Step = TypeVar("Step")

STYLES = (
    *(("Comment", "c"), ("Literal.String", "s"), ("Literal.Number", "n"), ("Keyword", "k")),
    *(("Name.Builtin", "b"), ("Name.Function", "f"), ("Operator.Word", "k")),
)
"""Classes of the style sheet by the kind of token that Pygments finds; the first that matches."""

SLIDE_LINES, SLIDE_CHARACTERS = 12, 52
"""Lines of code beside a picture, and the characters of a line that does not wrap there."""


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
    """A function of a teaching file, without its docstring, which the scene replaces, and without types."""

    name: str
    file: str
    lines: tuple[CodeLine, ...]

    def window(self, acted: int) -> range:
        """Return which lines a slide shows around one, all by their index.

        They are at most 12 with those that wrap, and with a mark where lines before or after them are left out.

        >>> read_listing("learn_bpe.iter_learning_steps").window(12), read_listing("bpe.encode").window(0)
        (range(7, 14), range(0, 2))
        """
        for size in range(min(SLIDE_LINES, len(self.lines)), 0, -1):
            first = max(0, min(acted - size // 2, len(self.lines) - size))
            shown = self.lines[first : first + size]
            marks = (first > 0) + (first + size < len(self.lines))
            if size == 1 or sum(ceil(len(line.text) / SLIDE_CHARACTERS) for line in shown) + marks <= SLIDE_LINES:
                return range(first, first + size)
        return range(0)


@cache
def read_listing(name: str) -> Listing:
    """Return the code of a function, named as `module.function`.

    >>> [line.number for line in read_listing("characters.characters").lines][-1] > 15
    True
    >>> read_listing("bpe.encode").lines[0].text
    'def encode(word, ranks):'
    """
    source, first = read_source(name)
    function = _parse(source)
    plain = strip_annotations(source)
    highlighted = _highlight("\n".join(plain))
    body = function.body[ast.get_docstring(function) is not None].lineno - 1
    shown = (0, *range(body, len(plain)))
    file = f"app/scratch/{name.rpartition('.')[0]}.py"
    return Listing(name, file, tuple(CodeLine(first + at, highlighted[at]) for at in shown))


def read_source(name: str) -> tuple[str, int]:
    """Return the source of a function, named as `module.function`, and the number of its first line in the file."""
    module, _, function = name.rpartition(".")
    lines, first = inspect.getsourcelines(getattr(import_module(f"...scratch.{module}", __package__), function))
    return "".join(lines), first


def strip_annotations(source: str) -> list[str]:
    """Return the lines of a function without types, and its header in the first one; as many lines as there were.

    >>> strip_annotations("def f(\\n    x: int, y: str = ''\\n) -> int:\\n    z: list[int] = list[int]()")
    ["def f(x, y=''):", '', '', '    z = list()']
    """
    lines = source.splitlines()
    header = _parse(source).body[0].lineno - 1
    joined = " ".join(line.strip() for line in lines[:header]).replace("( ", "(").replace(", )", ")").replace(" )", ")")
    lines[:header] = [joined, *[""] * (header - 1)]
    plain = [line.encode() for line in lines]  # columns count bytes
    for line, start, end in sorted(_find_annotations(_parse("\n".join(lines))), reverse=True):
        rest = plain[line - 1][end:]
        if line == 1 and rest.startswith(b" = "):
            rest = b"=" + rest.removeprefix(b" = ")  # of a default
        plain[line - 1] = plain[line - 1][:start] + rest
    return [line.decode() for line in plain]


def _parse(source: str) -> ast.FunctionDef:
    function = ast.parse(source).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def _find_annotations(function: ast.FunctionDef) -> Iterator[tuple[int, int | None, int | None]]:
    """Yield the line of each type, and the columns where it begins, with the sign before it, and ends."""
    for node in ast.walk(function):
        if isinstance(node, ast.arg) and node.annotation:
            yield node.lineno, node.col_offset + len(node.arg.encode()), node.annotation.end_col_offset
        elif isinstance(node, ast.FunctionDef) and node.returns:
            yield node.lineno, node.returns.col_offset - len(" -> "), node.returns.end_col_offset
        elif isinstance(node, ast.AnnAssign) and node.value:
            yield node.lineno, node.target.end_col_offset, node.annotation.end_col_offset
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
            yield node.lineno, node.func.value.end_col_offset, node.func.end_col_offset


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
