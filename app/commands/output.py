"""Standard output of the commands: bytes, headings, columns, and JSON as in the API's answers."""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import TokenariumError
from ..serialize.json import dumps
from ..serialize.problem import Problem
from ..serialize.terminal import printable
from .inputs import CommandInput, CommandInputs


def write(data: bytes) -> None:
    """Print bytes, on a terminal at once."""
    unwritten = memoryview(data)
    while unwritten:  # where Python runs unbuffered, a write may take only a part
        unwritten = unwritten[sys.stdout.buffer.write(unwritten) :]
    if sys.stdout.isatty():
        sys.stdout.buffer.flush()


def write_value(value: Any) -> None:
    """Print a value as JSON on a line; control characters that JSON may hold as they are become escapes."""
    write(printable(dumps(value).decode()).encode() + b"\n")


def write_made(
    files: Iterable[object], *, tokenizer: str | None = None, notes: Sequence[str] = (), **more: Any
) -> None:
    """Print as JSON what a command has made: files, the id of a tokenizer that is kept, notes, and figures."""
    write_value({"tokenizer": tokenizer, "files": [*map(str, files)], "notes": [*notes], **more})


def print_notes(notes: Iterable[str]) -> None:
    """Print sentences that every reader of a result must see on standard error."""
    for note in notes:
        print(f"Note: {note}", file=sys.stderr)


def write_heading(inputs: CommandInputs, index: int, tokenizer: str = "") -> None:
    """Print the name of the input that follows, if there are several, and that of its tokenizer, if it is given."""
    names = [*([printable(inputs.names[index])] if len(inputs.names) > 1 else []), *filter(None, [tokenizer])]
    if names:
        write(b"\n" * (index > 0) + os.fsencode(f"==> {', '.join(names)} <==\n"))


def write_json(inputs: CommandInputs, one: CommandInput, answer: Mapping[str, Any]) -> None:
    """Print an answer on a line, with the file and the line that it answers if there are several."""
    where: dict[str, Any] = {"file": one.name} if len(inputs.names) > 1 else {}
    if one.line is not None:
        where["line"] = one.line
    write_value({**where, **answer})


def write_problem(inputs: CommandInputs, one: CommandInput, error: TokenariumError) -> None:
    """Print an error as the answer to a line."""
    write_json(inputs, one, Problem.of(error).members())


def write_columns(rows: Sequence[Sequence[object]]) -> None:
    """Print rows of cells aligned to the right, except for the last cell of each row."""
    cells = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)][:-1]
    for *numbers, last in cells:
        padded = [cell.rjust(width) for cell, width in zip(numbers, widths, strict=True)]
        write(os.fsencode(printable("  ".join([*padded, last])) + "\n"))
