"""The entropies of a text to take along: as a table, and as a picture."""

from __future__ import annotations

from ...csv_text import csv_text
from ..charts import Scale
from ..steps.drawing import GAP, PAD, TONES, Box, Drawing, Label, Stroke, measure_text
from ..steps.tiles import visible
from .bytes import HIGHEST, PatchStudy
from .bytes_view import CharacterCell, character_cells

MAX_BYTES = 240
"""Bytes of a text that a picture shows."""
CHART = 110
WIDTH = 1100
"""Height of the chart of a line, and width at which lines break."""
BAR = 10


def table(study: PatchStudy) -> str:
    r"""Return a line for each byte: its place, value, entropy and limit in nats, and whether a patch begins with it."""
    rows: list[list[object]] = [["byte", "value", "hex", "byt5_id", "entropy_nats", "limit_nats", "begins_patch"]]
    for at, byte in enumerate(study.row):
        values = [at, byte.value, f"{byte.value:02x}", byte.value + 3, f"{byte.entropy:.6f}", f"{byte.limit:.6f}"]
        rows.append([*values, int(byte.begins)])
    return csv_text(rows, line_end="\n")


def draw_entropies(study: PatchStudy) -> Drawing:
    """Return the characters of a text as boxes in the colours of their patches, with a bar for each byte below them."""
    boxes = list[Box]()
    strokes = list[Stroke]()
    labels = list[Label]()
    x = float(PAD)
    y = 44.0
    for cell in character_cells(study, MAX_BYTES):
        width = max(measure_text(visible(cell.text)) + 8, BAR * len(cell.bytes))
        if x + width > WIDTH:
            x = float(PAD)
            y = y + CHART + 60
        boxes.append(Box(x, y, width - 1, visible(cell.text), cell.patch % TONES))
        strokes += _bars(cell, x, y + 44, width / len(cell.bytes))
        x += width
    title = f"{len(study.patches.spans):,} patches of {len(study.data):,} bytes; entropies in nats, and their limits"
    labels.append(Label(PAD, 28, title, bold=True, middle=False))
    height = y + CHART + 60
    return Drawing(
        width=WIDTH + GAP, height=height, boxes=tuple(boxes), strokes=tuple(strokes), labels=tuple(labels), says=title
    )


def _bars(cell: CharacterCell, x: float, y: float, step: float) -> list[Stroke]:
    strokes = []
    scale = Scale(0, HIGHEST, y + CHART, y)
    for at, byte in enumerate(cell.bytes):
        left = x + at * step
        top, limit = map(scale.place, (byte.entropy, byte.limit))
        middle = left + step / 2
        strokes.append(Stroke(f"M{middle:.1f} {y + CHART:.1f}V{top:.1f}", "best" if byte.begins else ""))
        strokes.append(Stroke(f"M{left:.1f} {limit:.1f}h{step:.1f}", "new"))
    return strokes
