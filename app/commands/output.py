"""What the commands print: bytes, headings, columns, and JSON as the API answers it."""

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from app.commands.inputs import Input, Inputs
from app.errors import TokenariumError


def write(data: bytes) -> None:
    """Print bytes, all of them also where Python runs unbuffered; a person sees them at once."""
    left = memoryview(data)
    while left:
        left = left[sys.stdout.buffer.write(left) :]
    if sys.stdout.isatty():
        sys.stdout.buffer.flush()


def write_heading(inputs: Inputs, index: int) -> None:
    """Print which of several inputs follows."""
    if len(inputs.names) > 1:
        write(b"\n" * (index > 0) + os.fsencode(f"==> {inputs.names[index]} <==\n"))


def write_json(inputs: Inputs, one: Input, answer: Mapping[str, Any]) -> None:
    """Print an answer on a line, and what it is the answer to where there are several."""
    from app.web.answer import JSONResponse

    where: dict[str, Any] = {"file": one.name} if len(inputs.names) > 1 else {}
    if one.line is not None:
        where["line"] = one.line
    write(bytes(JSONResponse({**where, **answer}).body) + b"\n")


def write_problem(inputs: Inputs, one: Input, error: TokenariumError) -> None:
    """Print what is wrong with a line as the answer to it."""
    from app.web.problems import Problem

    write_json(inputs, one, Problem.of(error).members())


def write_columns(rows: Sequence[Sequence[object]]) -> None:
    """Print rows of cells, numbers flush right and the last cell as wide as it is."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)][:-1]
    for *numbers, last in cells:
        padded = [cell.rjust(width) for cell, width in zip(numbers, widths, strict=True)]
        write(os.fsencode("  ".join([*padded, last]) + "\n"))
