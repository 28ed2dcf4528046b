"""A text as bytes, as the page shows it: characters over bars, a patch to predict, and the curve of sizes."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..cells import clusters
from ..charts import Point, Scale, draw_polyline
from .bytes import ByteEntropy, PatchStudy


def readable(data: bytes) -> list[tuple[str, bool]]:
    r"""Return the parts of a unit: its whole characters, and each other byte in hex, for which the second is true.

    >>> readable("\u00e9a".encode()[1:]), readable(b"to")
    ([('a9', True), ('a', False)], [('to', False)])
    """
    parts = list[tuple[str, bool]]()
    rest = data
    while rest:
        try:
            return [*parts, (rest.decode(), False)]
        except UnicodeDecodeError as error:
            if error.start:
                parts.append((rest[: error.start].decode(), False))
            parts += [(f"{byte:02x}", True) for byte in rest[error.start : error.end]]
            rest = rest[error.end :]
    return parts


@dataclass(frozen=True, slots=True)
class CharacterCell:
    """A character as a reader sees it, with its bytes; of the first, its place and the number of its patch."""

    text: str
    start: int
    bytes: tuple[ByteEntropy, ...]
    patch: int


def character_cells(study: PatchStudy, most: int) -> list[CharacterCell]:
    """Return the characters of a text, up to so many bytes."""
    cells = list[CharacterCell]()
    start = 0
    patch = -1
    for text in clusters(study.question.text):
        row = study.row[start : start + len(text.encode())]
        if start + len(row) > most:
            break
        patch += sum(byte.begins for byte in row[:1])
        cells.append(CharacterCell(text, start, row, patch))
        patch += sum(byte.begins for byte in row[1:])
        start += len(row)
    return cells


SHOWN = -1
"""In place of a guess: none was made, and the answer is shown."""
CHOICES = 10
"""Characters that are offered as the beginning of the next patch, or as many as there are up to it."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A text up to the first character of a patch, and the characters after it, one of which begins the next patch.

    `answer` and `guess` are places among `offered`; `guess` is None before one was made, and `SHOWN` if the answer is
    shown without one, as for a place beyond those that are offered.
    """

    known: tuple[CharacterCell, ...]
    offered: tuple[CharacterCell, ...]
    answer: int
    guess: int | None
    after: int

    @property
    def right(self) -> bool:
        return self.guess == self.answer


def prediction(study: PatchStudy, cells: Sequence[CharacterCell], after: int, guess: int | None) -> Prediction | None:
    """Return the question where the patch ends that follows `after` others; None if none begins after it."""
    begins = [at for at, cell in enumerate(cells) if any(byte.begins for byte in cell.bytes)]
    if after + 1 >= len(begins):
        return None
    first = begins[after] + 1
    following = begins[after + 1]
    offered = cells[first : max(first + CHOICES, following + 1)]
    chosen = SHOWN if guess is not None and guess >= len(offered) else guess
    return Prediction(tuple(cells[:first]), tuple(offered), following - first, chosen, after)


WIDTH = 320
HEIGHT = 120
TALLEST = 16
"""Size of the curve, and the bytes per patch at its top."""
STEPS = 80


@dataclass(frozen=True, slots=True)
class ThresholdCurve:
    """Bytes per patch of a text by the level that entropies must exceed: a line of points, and where the text is now.

    `name` is the parameter, which goes from 0 to `most` nats.
    """

    name: str
    most: float
    points: str
    here: tuple[float, float]
    says: str


def curve(study: PatchStudy) -> ThresholdCurve | None:
    """Return the curve of the parameter that the rule has; None for a target size, which has none, or without text."""
    question = study.question
    row = study.row
    if question.rule == "size" or not row:
        return None
    name, most = ("rise", 3.0) if question.rule == "monotonic" else ("threshold", 5.5)
    levels = [after.entropy - before.entropy for before, after in pairwise(row)]
    if question.rule != "monotonic":
        rises = levels
        needed = question.rise if question.rule == "combined" else float("-inf")
        levels = [byte.entropy for byte, rise in zip(row[1:], rises, strict=True) if rise > needed]
    levels.sort()

    def size(level: float) -> float:
        return len(row) / (1 + len(levels) - bisect_right(levels, level))

    across = Scale(0, most, 0, WIDTH)
    up = Scale(0, TALLEST, HEIGHT, 0)

    def place(level: float) -> Point:
        return across.place(level), up.place(size(level))

    points = draw_polyline(place(most * step / STEPS) for step in range(STEPS + 1))
    said = "; ".join(f"{level:g} nats, {size(level):.2f} bytes" for level in (0, most / 6, most / 3, most / 2))
    return ThresholdCurve(
        name, most, points, place(min(getattr(question, name), most)), f"Bytes per patch by {name}: {said}"
    )
