"""Pictures to take along: the tokens of a text, the premiums of languages by script, and the curve of a training.

Each is a `Drawing` of plain shapes, as those of the steps are, which a template renders as SVG.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import islice

from ..errors import plural
from ..types import Token
from .charts import draw_path
from .compare.comparison import Comparison
from .languages.premiums import AXIS, TICKS, Distribution
from .palette import COLOURS
from .steps.drawing import (
    GAP,
    HEIGHT,
    LETTER,
    MIN_WIDTH,
    PAD,
    SMALL_LETTER,
    Box,
    Drawing,
    Label,
    Stroke,
    distinct,
    measure_text,
    tile_tone,
)
from .steps.step import Tile
from .steps.tiles import spell, visible
from .tokenize import Tokenization
from .train.charts import BOTTOM, LEFT, RIGHT, TrainingChart
from .train.charts import HEIGHT as HEIGHT_OF_CHART
from .train.charts import WIDTH as WIDTH_OF_CHART
from .typefaces import measure

WIDTH = 1160
"""The width at which lines of tokens break."""
MAX_TOKENS = 400
"""Tokens of a text that a picture shows; the others are counted."""
MAX_TEXT = 40
"""Characters of a token that its box shows."""
LINE = HEIGHT + 34
"""Distance between two lines: a box, and the id below it."""
DIGIT = 8
"""Width of a digit of an id."""
STRIP = 30
AXIS_LEFT = 300
AXIS_WIDTH = 800
"""Height of the strip of a script, and the place of its axis."""
BAR = 28
BAR_WIDTH = 400
BAR_LETTER = 14
CELL = 44
"""Distance between bars, width of the longest, size of the letters beside it, and side of a cell of a pair."""
ZOOM = 2.5
"""Size of a chart here, by that on the page."""


def tokens_picture(tokenizations: Sequence[Tokenization]) -> Drawing:
    """Return the tokens of a text, each with its id below it, one tokenizer under the other."""
    boxes: list[Box] = []
    labels: list[Label] = []
    y = 8.0
    for tokenization in tokenizations:
        count = len(tokenization.encoding)
        heading = f"{tokenization.tokenizer.info.title}: {plural(count, 'token')}"
        labels.append(Label(PAD, y + 26, heading, bold=True, middle=False))
        lines = [*_lines(tokenization.data, islice(tokenization.tokens(), MAX_TOKENS))]
        boxes += [replace(box, y=y + 44 + LINE * row) for row, line in enumerate(lines) for box, _ in line]
        labels += [
            Label(box.x + box.width / 2, y + 44 + LINE * row + HEIGHT + 17, str(id))
            for row, line in enumerate(lines)
            for box, id in line
        ]
        y += 52 + LINE * len(lines)
        if count > MAX_TOKENS:
            labels.append(Label(PAD, y + 14, f"… and {count - MAX_TOKENS:,} more", middle=False))
            y += 30
    says = "; ".join(label.text for label in labels if label.bold)
    width = max([MIN_WIDTH, *(box.x + box.width for box in boxes)])
    return Drawing(width=width + PAD, height=y + PAD, boxes=tuple(boxes), labels=tuple(labels), says=says)


def _lines(data: bytes, tokens: Iterable[Token]) -> Iterable[list[tuple[Box, int]]]:
    """Yield the lines of boxes with the ids of their tokens. A line ends at the width, and after a line break."""
    tiles = distinct(Tile(_text(data, token), token.entry.id) for token in tokens)
    line: list[tuple[Box, int]] = []
    x = float(PAD)
    for tile in tiles:
        width = max(measure_text(tile.text) + 2 * PAD, DIGIT * len(str(tile.key)) + 4)
        if line and x + width > WIDTH:
            yield line
            line = []
            x = float(PAD)
        line.append((Box(x, 0, width, tile.text, tile_tone(tile)), tile.key))
        x += width + GAP
        if tile.text.endswith("↵"):
            yield line
            line = []
            x = float(PAD)
    if line:
        yield line


def _text(data: bytes, token: Token) -> str:
    """Return what the box of a token shows: the input it covers, in hex if it ends inside a character."""
    covered = data[token.byte_start : token.byte_end]
    if not covered:
        return visible(token.entry.piece)
    try:
        text = visible(covered.decode())
    except UnicodeDecodeError:
        text = spell(covered)
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def premiums_picture(title: str, groups: Sequence[Distribution]) -> Drawing:
    """Return a strip for each script, the dearest first: a dot for each language, a line at the median."""
    labels = [Label(PAD, 30, title, bold=True, middle=False)]
    top = 84.0
    strokes = list[Stroke]()
    bottom = top + STRIP * len(groups)
    for tick in TICKS:
        x = _along(AXIS.place(tick))
        strokes.append(Stroke(f"M{x:g} {top - 10:g}V{bottom:g}"))
        labels.append(Label(x, top - 18, f"{tick:g}×"))
    for row, group in enumerate(groups):
        y = top + STRIP * (row + 0.5)
        labels.append(Label(PAD, y + 6, group.label, middle=False))
        strokes += [Stroke(f"M{_along(dot.x):g} {y:g}h0", "dot") for dot in group.dots]
        strokes.append(Stroke(f"M{_along(AXIS.place(group.median)):g} {y - 11:g}v22", "best"))
    says = f"{title}: " + ", ".join(f"{group.label} {group.median:.2f}" for group in groups)
    return Drawing(
        width=AXIS_LEFT + AXIS_WIDTH + 40,
        height=bottom + PAD,
        strokes=tuple(strokes),
        labels=tuple(labels),
        says=says,
    )


def training_picture(title: str, chart: TrainingChart, longest: Sequence[str]) -> Drawing:
    """Return the curve of a trained vocabulary, tokens per character by its size, over its longest tokens."""
    top = 70.0
    labels = [Label(PAD, 30, title, bold=True, middle=False), Label(PAD, top, "tokens per character", middle=False)]
    left, right, bottom = (ZOOM * length for length in (LEFT, WIDTH_OF_CHART - RIGHT, HEIGHT_OF_CHART - BOTTOM))
    strokes = [Stroke(f"M{left:g} {top + ZOOM * mark.at:g}H{right:g}") for mark in chart.down]
    labels += [Label(left / 2, top + ZOOM * mark.at + 5, mark.text) for mark in chart.down]
    labels += [Label(ZOOM * mark.at, top + bottom + 26, mark.text) for mark in chart.across]
    points = [(ZOOM * x, top + ZOOM * y) for x, y, _ in chart.dots]
    strokes.append(Stroke(draw_path(points), "best"))
    strokes += [Stroke(f"M{x:g} {y:g}h0", "dot") for x, y in points]
    if chart.rule:
        strokes.append(Stroke(f"M{left:g} {top + ZOOM * chart.rule.at:g}H{right:g}", "best"))
        labels.append(Label(right - 60, top + ZOOM * chart.rule.at - 8, chart.rule.text))
    y = top + bottom + 50
    boxes = list[Box]()
    x = float(PAD)
    for number, text in enumerate(map(visible, longest)):
        width = measure_text(text) + 2 * PAD
        if boxes and x + width > right:
            x = float(PAD)
            y = y + HEIGHT + GAP
        boxes.append(Box(x, y, width, text, number % COLOURS))
        x += width + GAP
    return Drawing(
        width=right + 30,
        height=y + HEIGHT + PAD,
        boxes=tuple(boxes),
        strokes=tuple(strokes),
        labels=tuple(labels),
        says=f"{title}. {chart.says}",
    )


def summary_picture(comparison: Comparison, label: Callable[[str], str]) -> Drawing:
    """Return a bar for each tokenizer: its tokens of the text, the fewest first."""
    title = f"Tokens of one text of {plural(len(comparison.index.data), 'byte')}, by tokenizer"
    measured = [(label(one.id), one.measures.tokens) for one in comparison.by_count]
    most = max([1, *(tokens for _, tokens in measured)])
    labels = [Label(PAD, 30, title, bold=True, middle=False)]
    left = 2 * PAD + max([0.0, *(measure(name, "sans", BAR_LETTER) for name, _ in measured)])
    boxes = []
    for row, (name, tokens) in enumerate(measured):
        y = 52.0 + BAR * row
        boxes.append(Box(left, y, max(1, BAR_WIDTH * tokens / most), "", 1, height=BAR - 8, size=8))
        labels.append(Label(left - PAD, y + 15, name, middle=False, end=True, face="sans", size=BAR_LETTER))
        end = left + BAR_WIDTH * tokens / most + PAD
        labels.append(Label(end, y + 15, f"{tokens:,}", middle=False, face="sans", size=BAR_LETTER))
    wide = max(left + BAR_WIDTH + 80, measure(title, "serif", LETTER, bold=True) + 2 * PAD)
    return Drawing(wide, 60 + BAR * len(measured) + PAD, tuple(boxes), labels=tuple(labels), says=title)


def agreement_picture(comparison: Comparison, label: Callable[[str], str]) -> Drawing:
    """Return a cell for each pair of tokenizers: how many of their boundaries they share."""
    title = "Boundary agreement, Jaccard index × 100"
    names = [label(one.id) for one in comparison.tokenizations]
    labels = [Label(PAD, 30, title, bold=True, middle=False)]
    widths = [measure(name, "sans", SMALL_LETTER) for name in names]
    column = max([60.0, *widths]) + 2 * PAD
    left = max([0.0, *widths]) + 2 * PAD
    boxes = []
    for row, name in enumerate(names):
        y = 74.0 + CELL * row
        labels.append(Label(left + column * (row + 0.5), 62, name, face="sans"))
        labels.append(Label(left - PAD, y + CELL / 2 + 4, name, middle=False, end=True, face="sans", size=SMALL_LETTER))
        for at in range(len(names)):
            value = float(comparison.agreement[row, at])
            boxes.append(
                Box(left + column * at, y, column - 2, f"{100 * value:.0f}", 5, height=CELL - 2, size=15, share=value)
            )
    wide = max(left + column * len(names), measure(title, "serif", LETTER, bold=True)) + 2 * PAD
    return Drawing(wide, 74 + CELL * len(names) + PAD, tuple(boxes), labels=tuple(labels), says=title)


def _along(percent: float) -> float:
    return AXIS_LEFT + AXIS_WIDTH * percent / 100
