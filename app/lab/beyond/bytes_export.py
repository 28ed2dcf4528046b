"""The entropies of a text to take along: as a table, and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...csv_text import csv_text
from ...errors import plural
from ..charts import Scale
from ..steps.drawing import HEIGHT, LETTER, PAD, SMALL_LETTER, TONES, Box, Drawing, Label, Stroke, StrokeKind
from ..steps.tiles import visible
from ..typefaces import is_rtl, measure
from .bytes import HIGHEST, PatchStudy
from .bytes_view import CharacterCell, character_cells

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
            boxes.append(Box(left, top, width - 1, text, cell.patch % TONES))
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
