"""The charts of a training: coordinates of lines, bars and labels, in SVG units; a template draws them."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from .measuring import MAX_LENGTH

WIDTH = 360
HEIGHT = 200
LEFT = 46
RIGHT = 14
TOP = 12
BOTTOM = 26
ACROSS = WIDTH - LEFT - RIGHT
DOWN = HEIGHT - TOP - BOTTOM


@dataclass(frozen=True, slots=True)
class Mark:
    """A label of an axis, at an x coordinate below the chart or a y coordinate beside it."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class ChartBar:
    """A bar, with its tooltip."""

    x: float
    y: float
    width: float
    height: float
    text: str


@dataclass(frozen=True, slots=True)
class TrainingChart:
    """A line or bars over two axes.

    `rule` is a horizontal line, `turn` a vertical one, `dots` are points (x, y) with their tooltips. `says` describes
    the chart to those who cannot see it.
    """

    says: str
    line: str = ""
    across: tuple[Mark, ...] = ()
    down: tuple[Mark, ...] = ()
    bars: tuple[ChartBar, ...] = ()
    dots: tuple[tuple[float, float, str], ...] = ()
    rule: Mark | None = None
    turn: Mark | None = None
    width: int = WIDTH
    height: int = HEIGHT


def short(number: float) -> str:
    """A number in few characters, for an axis.

    >>> short(950), short(32_000), short(1_250_000), short(10_000_000)
    ('950', '32k', '1.25M', '10M')
    """
    if number >= 1_000_000:
        return f"{number / 1_000_000:.3g}M"
    return f"{number / 1000:.3g}k" if number >= 1000 else f"{number:.3g}"


def round_up(most: float) -> float:
    """The next round number, the end of an axis.

    >>> round_up(830), round_up(2100), round_up(0.37)
    (1000.0, 2500.0, 0.4)
    """
    if most <= 0:
        return 1.0
    size = 10.0 ** int(f"{most:e}".partition("e")[2])
    return next(float(f"{step * size:.4g}") for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10) if step * size >= most)


def _y(value: float, most: float) -> float:
    return round(TOP + DOWN * (1 - value / most), 1)


def _y_marks(most: float) -> tuple[Mark, ...]:
    return tuple(Mark(_y(most * part / 2, most), short(most * part / 2)) for part in range(3))


def growth(points: Sequence[tuple[int, int]], of: int) -> TrainingChart:
    """The length of the corpus in tokens, from (vocabulary size, tokens), while the vocabulary grows to size `of`.

    >>> growth([(256, 1000), (500, 400)], 1000).line
    '122.8,12.0 196.0,109.2'
    """
    most = round_up(max(tokens for _, tokens in points))
    last = max(of, points[-1][0])
    line = " ".join(f"{_x(pieces, last)},{_y(tokens, most)}" for pieces, tokens in points)
    marks = tuple(Mark(_x(last * part / 4, last), short(last * part / 4)) for part in range(5))
    pieces, tokens = points[-1]
    says = f"With {pieces:,} tokens in the vocabulary, the corpus is {tokens:,} tokens long; "
    says += f"it began with {points[0][1]:,}."
    return TrainingChart(says, line, marks, _y_marks(most))


def _x(value: float, most: float) -> float:
    return round(LEFT + ACROSS * value / most, 1)


def bars(lengths: Sequence[int]) -> TrainingChart:
    """The number of tokens of each length, from the counts of lengths 1, 2, ….

    >>> bars([2, 1]).bars[0].text
    '2 tokens of length 1'
    """
    most = round_up(max(lengths))
    wide = ACROSS / len(lengths)
    drawn = []
    marks = []
    for index, count in enumerate(lengths):
        name = f"{index + 1}" if index + 1 < MAX_LENGTH else f"{MAX_LENGTH} and more"
        x = round(LEFT + index * wide + 1, 1)
        y = _y(count, most)
        text = f"{count:,} {'token' if count == 1 else 'tokens'} of length {name}"
        drawn.append(ChartBar(x, y, round(wide - 2, 1), round(TOP + DOWN - y, 1), text))
        if (index % 2 == 0 and index + 2 < len(lengths)) or index + 1 == len(lengths):
            marks.append(
                Mark(round(x + wide / 2 - 1, 1), f"{index + 1}" if index + 1 < MAX_LENGTH else f"{MAX_LENGTH}+")
            )
    common = max(range(len(lengths)), key=lengths.__getitem__) + 1
    return TrainingChart(
        f"Length {common} is the most common.", across=tuple(marks), down=_y_marks(most), bars=tuple(drawn)
    )


def saving(
    curve: Sequence[Sequence[int]], *, characters: int, baseline: tuple[str, int] | None = None, knee: int | None = None
) -> TrainingChart:
    """Tokens per character against the vocabulary size on a logarithmic axis, with the `knee` of the curve marked.

    >>> saving([(500, 60), (1000, 40)], characters=100).dots
    ((46.0, 12.0, '500 tokens: 0.60 tokens per character'), (346.0, 66.0, '1,000 tokens: 0.40 tokens per character'))
    """
    first = log2(curve[0][0])
    last = log2(curve[-1][0])
    spread = last - first or 1.0
    values = [tokens / characters for _, tokens in curve] + ([baseline[1] / characters] if baseline else [])
    most = round_up(max(values))
    dots = []
    marks = []
    for size, tokens in curve:
        x = round(LEFT + ACROSS * (log2(size) - first) / spread, 1)
        y = _y(tokens / characters, most)
        dots.append((x, y, f"{size:,} tokens: {tokens / characters:.2f} tokens per character"))
        marks.append(Mark(x, short(size)))
    line = " ".join(f"{x},{y}" for x, y, _ in dots)
    rule = Mark(_y(baseline[1] / characters, most), baseline[0]) if baseline else None
    turn = next((Mark(dots[i][0], short(size)) for i, (size, _) in enumerate(curve) if size == knee), None)
    says = f"From {curve[0][1] / characters:.2f} tokens per character with {curve[0][0]:,} tokens in the vocabulary to "
    says += f"{curve[-1][1] / characters:.2f} with {curve[-1][0]:,}."
    return TrainingChart(says, line, _space_labels(marks), _y_marks(most), dots=tuple(dots), rule=rule, turn=turn)


def _space_labels(marks: Sequence[Mark], *, distance: float = 34) -> tuple[Mark, ...]:
    """Labels that do not overlap; the last one is always among them."""
    kept: list[Mark] = []
    for mark in marks:
        if kept and mark.at - kept[-1].at < distance:
            if mark is marks[-1]:
                kept[-1] = mark
            continue
        kept.append(mark)
    return tuple(kept)
