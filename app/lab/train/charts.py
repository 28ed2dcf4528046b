"""The charts of a training: coordinates of lines, bars and labels, in SVG units; a template draws them."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..charts import ChartBar, Mark, Scale, draw_polyline, round_up, shorten_number
from .measuring import MAX_LENGTH

WIDTH = 360
HEIGHT = 200
LEFT = 46
RIGHT = 14
TOP = 12
BOTTOM = 26
ACROSS = LEFT, WIDTH - RIGHT
DOWN = HEIGHT - BOTTOM, TOP
"""The ends of the axes."""


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


def draw_growth(points: Sequence[tuple[int, int]], of: int) -> TrainingChart:
    """Return the length of the corpus in tokens, from (vocabulary size, tokens), while the vocabulary grows to `of`.

    >>> draw_growth([(256, 1000), (500, 400)], 1000).line
    '122.8,12.0 196.0,109.2'
    """
    down = Scale(0, round_up(max(tokens for _, tokens in points)), *DOWN)
    across = Scale(0, max(of, points[-1][0]), *ACROSS)
    line = draw_polyline((across.place(pieces), down.place(tokens)) for pieces, tokens in points)
    pieces, tokens = points[-1]
    says = f"With {pieces:,} tokens in the vocabulary, the corpus is {tokens:,} tokens long; "
    says += f"it began with {points[0][1]:,}."
    return TrainingChart(says, line, across.divide(4), down.divide(2))


def draw_lengths(lengths: Sequence[int]) -> TrainingChart:
    """Return the number of tokens of each length, from the counts of lengths 1, 2, ….

    >>> draw_lengths([2, 1]).bars[0].text
    '2 tokens of length 1'
    """
    down = Scale(0, round_up(max(lengths)), *DOWN)
    wide = (WIDTH - LEFT - RIGHT) / len(lengths)
    drawn = []
    marks = []
    for index, count in enumerate(lengths):
        name = f"{index + 1}" if index + 1 < MAX_LENGTH else f"{MAX_LENGTH} and more"
        x = round(LEFT + index * wide + 1, 1)
        y = down.place(count)
        text = f"{count:,} {'token' if count == 1 else 'tokens'} of length {name}"
        drawn.append(ChartBar(x, y, round(wide - 2, 1), round(HEIGHT - BOTTOM - y, 1), text))
        if (index % 2 == 0 and index + 2 < len(lengths)) or index + 1 == len(lengths):
            marks.append(
                Mark(round(x + wide / 2 - 1, 1), f"{index + 1}" if index + 1 < MAX_LENGTH else f"{MAX_LENGTH}+")
            )
    common = max(range(len(lengths)), key=lengths.__getitem__) + 1
    return TrainingChart(
        f"Length {common} is the most common.", across=tuple(marks), down=down.divide(2), bars=tuple(drawn)
    )


def draw_curve(
    curve: Sequence[Sequence[int]], *, characters: int, baseline: tuple[str, int] | None = None, knee: int | None = None
) -> TrainingChart:
    """Return tokens per character against the vocabulary size on a logarithmic axis, with the `knee` marked.

    >>> draw_curve([(500, 60), (1000, 40)], characters=100).dots
    ((46.0, 12.0, '500 tokens: 0.60 tokens per character'), (346.0, 66.0, '1,000 tokens: 0.40 tokens per character'))
    """
    across = Scale(curve[0][0], curve[-1][0], *ACROSS, logarithmic=True)
    values = [tokens / characters for _, tokens in curve] + ([baseline[1] / characters] if baseline else [])
    down = Scale(0, round_up(max(values)), *DOWN)
    dots = []
    marks = []
    for size, tokens in curve:
        x = across.place(size)
        y = down.place(tokens / characters)
        dots.append((x, y, f"{size:,} tokens: {tokens / characters:.2f} tokens per character"))
        marks.append(Mark(x, shorten_number(size)))
    line = draw_polyline((x, y) for x, y, _ in dots)
    rule = Mark(down.place(baseline[1] / characters), baseline[0]) if baseline else None
    turn = next((Mark(dots[i][0], shorten_number(size)) for i, (size, _) in enumerate(curve) if size == knee), None)
    says = f"From {curve[0][1] / characters:.2f} tokens per character with {curve[0][0]:,} tokens in the vocabulary to "
    says += f"{curve[-1][1] / characters:.2f} with {curve[-1][0]:,}."
    return TrainingChart(says, line, _space_labels(marks), down.divide(2), dots=tuple(dots), rule=rule, turn=turn)


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
