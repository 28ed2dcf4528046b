"""A text as bytes, as the page shows it: characters over bars, a patch to predict, the curve; and to take along."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...csv_text import csv_text
from ...errors import plural
from ..cells import clusters
from ..charts import Point, Scale, draw_polyline
from ..palette import COLOURS
from ..steps.drawing import HEIGHT, LETTER, PAD, SMALL_LETTER, Box, Drawing, Label, Stroke, StrokeKind
from ..steps.tiles import visible
from ..typefaces import is_rtl, measure
from .bytes import HIGHEST, ByteEntropy, PatchStudy

MAX_BYTES = 480
"""Bytes of a text that a picture shows, as the page does."""
CHART = 110
WIDTH = 1100
"""Height of the chart of a line, and width at which lines break."""
LINE = CHART + 70
"""Distance between lines: the characters, and the chart below them."""
LEFT = 48
"""Room for the labels of an axis."""
BAR = 12
TICKS = (0, 2, 4)
LEGEND: Sequence[tuple[StrokeKind, str]] = (
    ("bar", "entropy of a byte, given the bytes before it"),
    ("rule", "what it must exceed"),
    ("first", "a patch begins"),
)


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


ANSWER_SHOWN = -1
"""In place of a guess: none was made, and the answer is shown."""
CHOICES = 10
"""Characters that are offered as the beginning of the next patch, or as many as there are up to it."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """A text up to the first character of a patch, and the characters after it, one of which begins the next patch.

    `answer` and `guess` are places among `offered`; `guess` is None before one was made, and `ANSWER_SHOWN` if the
    answer is shown without one, as for a place beyond those that are offered.
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
    chosen = ANSWER_SHOWN if guess is not None and guess >= len(offered) else guess
    return Prediction(tuple(cells[:first]), tuple(offered), following - first, chosen, after)


CURVE_WIDTH = 320
CURVE_HEIGHT = 120
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

    across = Scale(0, most, 0, CURVE_WIDTH)
    up = Scale(0, TALLEST, CURVE_HEIGHT, 0)

    def place(level: float) -> Point:
        return across.place(level), up.place(size(level))

    points = draw_polyline(place(most * step / STEPS) for step in range(STEPS + 1))
    said = "; ".join(f"{level:g} nats, {size(level):.2f} bytes" for level in (0, most / 6, most / 3, most / 2))
    return ThresholdCurve(
        name, most, points, place(min(getattr(question, name), most)), f"Bytes per patch by {name}: {said}"
    )


def table(study: PatchStudy) -> str:
    r"""Return a line for each byte: its place, value, entropy and limit in nats, and whether a patch begins with it."""
    rows: list[list[object]] = [["byte", "value", "hex", "byt5_id", "entropy_nats", "limit_nats", "begins_patch"]]
    for at, byte in enumerate(study.row):
        values = [at, byte.value, f"{byte.value:02x}", byte.value + 3, f"{byte.entropy:.6f}", f"{byte.limit:.6f}"]
        rows.append([*values, int(byte.begins)])
    return csv_text(rows, line_end="\n")


def draw_entropies(study: PatchStudy) -> Drawing:
    """Return the characters of a text, coloured by patch, over a bar for each byte, with axes and a legend."""
    cells = character_cells(study, MAX_BYTES)
    lines = _break_lines(cells)
    rtl = is_rtl([study.question.text])
    boxes, strokes, labels = list[Box](), list[Stroke](), list[Label]()
    count = len(study.patches.spans)
    title = (
        f"{plural(count, 'patch', 'patches')} of {plural(len(study.data), 'byte')}; entropies in nats, and their limits"
    )
    labels.append(Label(PAD, 28, title, bold=True, middle=False))
    for number, line in enumerate(lines):
        top = 48.0 + LINE * number
        _draw_axis(strokes, labels, top + HEIGHT + 6)
        for cell, x, width in line:
            left = LEFT + (WIDTH - LEFT - x - width if rtl else x)
            text = visible(cell.text)
            boxes.append(Box(left, top, width - 1, text, cell.patch % COLOURS))
            strokes += _draw_bars(cell, left, top + HEIGHT + 6, width / len(cell.bytes), rtl)
    y = 48.0 + LINE * len(lines)
    shown = sum(len(cell.bytes) for cell in cells)
    if shown < len(study.data):
        note = f"The first {shown:,} bytes; {len(study.data) - shown:,} that follow are left out."
        labels.append(Label(LEFT, y, note, middle=False, face="sans", size=SMALL_LETTER, soft=True))
    _draw_legend(strokes, labels, y + 20)
    shapes = tuple(boxes), tuple(strokes), tuple(labels)
    return Drawing(WIDTH + PAD, y + 40, *shapes, says=title)


def _break_lines(cells: Sequence[CharacterCell]) -> list[list[tuple[CharacterCell, float, float]]]:
    """Return characters in lines, each with its place on the line and its width."""
    lines: list[list[tuple[CharacterCell, float, float]]] = [[]]
    x = 0.0
    for cell in cells:
        width = max(measure(visible(cell.text), "mono", LETTER) + 8, BAR * len(cell.bytes))
        if lines[-1] and x + width > WIDTH - LEFT:
            lines.append([])
            x = 0.0
        lines[-1].append((cell, x, width))
        x += width
    return lines


def _draw_axis(strokes: list[Stroke], labels: list[Label], top: float) -> None:
    """Add the axis of a line: round entropies, the highest that there is, and the unit."""
    scale = Scale(0, HIGHEST, top + CHART, top)
    for tick in (*TICKS, HIGHEST):
        y = scale.place(tick)
        strokes.append(Stroke(f"M{LEFT - 4} {y:.1f}H{LEFT if tick else WIDTH}"))
        labels.append(Label(LEFT - 8, y + 4, f"{tick:.3g}", middle=False, end=True, face="sans", size=11, soft=True))
    strokes.append(Stroke(f"M{LEFT} {top:.1f}V{top + CHART:.1f}"))
    labels.append(Label(PAD, top - 12, "nats", middle=False, face="sans", size=11, soft=True))


def _draw_bars(cell: CharacterCell, x: float, y: float, step: float, rtl: bool) -> Iterator[Stroke]:
    scale = Scale(0, HIGHEST, y + CHART, y)
    for at, byte in enumerate(cell.bytes):
        left = x + (len(cell.bytes) - 1 - at if rtl else at) * step
        top, limit = map(scale.place, (byte.entropy, byte.limit))
        yield Stroke(f"M{left + step / 2:.1f} {y + CHART:.1f}V{top:.1f}", "first" if byte.begins else "bar")
        yield Stroke(f"M{left:.1f} {limit:.1f}h{step:.1f}", "rule")


def _draw_legend(strokes: list[Stroke], labels: list[Label], y: float) -> None:
    x = float(LEFT)
    for kind, text in LEGEND:
        strokes.append(Stroke(f"M{x:g} {y - 4:g}h14" if kind == "rule" else f"M{x + 7:g} {y + 2:g}v-12", kind))
        labels.append(Label(x + 22, y, text, middle=False, face="sans", size=SMALL_LETTER, soft=True))
        x += 22 + measure(text, "sans", SMALL_LETTER) + 28
