"""The scene about the movements of a robot: frequencies instead of points in time, and then BPE."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from random import Random

from ...errors import Invalid, plural
from ...registry import Registry
from ...scratch.dct_tokens import Flattened, NormalizedSeries, Rounded, Series, Tokens, Transformed, decode, iter_stages
from ..beyond.actions.analysis import ActionToken, ranks
from ..beyond.actions.movements import arm, noise
from ..charts import Scale, draw_path
from ..steps.drawing import Drawing, Label, Stroke, StrokeKind
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow
from ..steps.tiles import MAX_TILES, NO_ID, make_row
from .code import trace_lines
from .plots import Axes
from .prose import fill
from .scene import Question, Trace, ask

SCALE = 10
LARGEST = 1e6
MAX_POINTS = 60
MAX_JOINTS = 8


def trace_actions(text: str, registry: Registry) -> Trace:
    """Trace the numbers of a text, a line for each joint, through the stages of FAST and back."""
    series = parse_movement(text)
    joints = len(series[0])
    numbers = len(series) * joints
    steps = [
        Step(
            (fill("actions.steps.start", numbers=plural(numbers, "number")),),
            _rows(series),
            figure=_draw_series(series),
        )
    ]
    levels: Sequence[int] = ()
    tokens: Sequence[bytes] = ()
    ranges: Sequence[tuple[float, float]] = ()
    given = Step(())
    for line, step in trace_lines(iter_stages(series, SCALE, ranks())):
        if isinstance(step, NormalizedSeries):
            ranges = step.ranges
        if isinstance(step, Flattened):
            levels = step.levels
        if isinstance(step, Tokens):
            tokens = step.tokens
        sentence, rows, symbol = _stage(step)
        if isinstance(step, Transformed):
            given = Step((fill("actions.question.given", scale=SCALE),), _rows(step.coefficients, digits=3))
        steps.append(Step((sentence,), rows, line, facts=_facts(numbers, levels, tokens), symbols=frozenset(symbol)))
    back = decode(tokens, ranges, SCALE)
    sentence = fill("actions.steps.decoded")
    steps.append(Step((sentence,), _rows(back), table=_errors(series, back), figure=_draw_series(series, back)))
    return Trace(steps, _question(numbers, levels, len(tokens), given))


def _stage(
    step: NormalizedSeries | Transformed | Rounded | Flattened | Tokens,
) -> tuple[str, tuple[TileRow, ...], set[str]]:
    """Return the text of a stage, its rows, and the symbols of the equation that it is about."""
    match step:
        case NormalizedSeries():
            return fill("actions.steps.normalized"), _rows(step.series), {"value"}
        case Transformed():
            return fill("actions.steps.transformed"), _rows(step.coefficients), {"coefficient"}
        case Rounded():
            return fill("actions.steps.rounded", scale=SCALE), _rows(step.levels), {"round"}
        case Flattened():
            return fill("actions.steps.flattened"), (_whole(step.levels),), {"round"}
        case Tokens():
            return (
                fill("actions.steps.tokens", tokens=plural(len(step.tokens), "token")),
                (_make_token_row(step.tokens),),
                set(),
            )


def parse_movement(text: str) -> Series:
    """Return the numbers of a text, one row for each point in time. Raises `Invalid`.

    >>> parse_movement("1 2 3\\n4 5 6")
    [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]
    """
    try:
        joints = [
            [float(word) for word in line.replace(",", " ").split()] for line in text.splitlines() if line.strip()
        ]
    except ValueError:
        raise Invalid("Type numbers with spaces between them, a line for each joint.", pointer="/text") from None
    length = len(joints[0]) if joints else 0
    if not 2 <= length <= MAX_POINTS or len(joints) > MAX_JOINTS or any(len(joint) != length for joint in joints):
        message = f"Type 2 to {MAX_POINTS} numbers a line, as many on each of at most {MAX_JOINTS} lines."
        raise Invalid(message, pointer="/text", limit=MAX_POINTS)
    if not all(isfinite(x) and abs(x) <= LARGEST for joint in joints for x in joint):
        raise Invalid(f"Type numbers between −{LARGEST:,.0f} and {LARGEST:,.0f}.", pointer="/text")
    return [[*row] for row in zip(*joints, strict=True)]


def _rows(series: Series, *, digits: int = 2) -> tuple[TileRow, ...]:
    """Return a row of tiles for each joint."""
    rows = []
    for number, joint in enumerate(zip(*series, strict=True), 1):
        tiles = tuple(Tile(_format_number(x, digits), NO_ID + round(x), at) for at, x in enumerate(joint[:MAX_TILES]))
        rows.append(TileRow(tiles, f"joint {number}" if len(series[0]) > 1 else ""))
    return tuple(rows)


def _format_number(x: float, digits: int = 2) -> str:
    """Return a number with at most `digits` decimals.

    >>> [_format_number(x) for x in (-0.001, -0.25, 3.0, -7)]
    ['0', '−0.25', '3', '−7']
    """
    text = f"{x:.{digits}f}".rstrip("0").rstrip(".") if isinstance(x, float) else f"{x}"
    return "0" if text == "-0" else text.replace("-", "−")


def _whole(levels: Sequence[int]) -> TileRow:
    return make_row(Tile(_format_number(level), NO_ID + level) for level in levels)


def _make_token_row(tokens: Sequence[bytes]) -> TileRow:
    return make_row(Tile(ActionToken(0, token).label, ranks()[token]) for token in tokens)


def _facts(numbers: int, levels: Sequence[int], tokens: Sequence[bytes]) -> tuple[Fact, ...]:
    facts = [Fact("numbers", f"{numbers}")]
    facts += [Fact("zeros", f"{sum(not level for level in levels)}")] if levels else []
    return (*facts, *([Fact("tokens", f"{len(tokens)}")] if tokens else []))


def _errors(series: Series, back: Series) -> Table:
    rows = []
    for number, (before, after) in enumerate(zip(zip(*series, strict=True), zip(*back, strict=True), strict=True), 1):
        largest = max(abs(a - b) for a, b in zip(before, after, strict=True))
        rows.append(Row((f"joint {number}", f"{max(before) - min(before):.3g}", f"{largest:.2g}")))
    return Table("What the rounding lost", ("", "range", "largest difference"), tuple(rows))


def _draw_series(series: Series, back: Series = ()) -> Drawing:
    """Return the curves of the joints, and of what the tokens give back, between their extremes."""
    values = [x for row in (*series, *back) for x in row]
    axes = Axes(Scale(0, len(series) - 1, 20, 580), Scale.spanning(values, 160, 20))
    curves: list[tuple[Series, StrokeKind]] = [(series, "best"), (back, "new")]
    strokes = [
        Stroke(draw_path(axes.place(enumerate(joint))), kind)
        for rows, kind in curves
        for joint in zip(*rows, strict=True)
    ]
    label = "dashed: decoded" if back else "each joint over time"
    return axes.draw(strokes, {}, label, [Label(20, 184, label, middle=False)])


def _question(numbers: int, levels: Sequence[int], tokens: int, given: Step) -> Question:
    zeros = sum(not level for level in levels)
    return ask(
        "actions.question",
        zeros,
        [
            ("0", "none"),
            (numbers // 2, "half"),
            (numbers, "all"),
        ],
        given=given,
        shown_at=3,
        numbers=numbers,
        tokens=plural(tokens, "token"),
    )


def sample_movement(random: Random) -> str:
    """Return a random movement: one joint that goes from a place to another, or noise.

    >>> len(sample_movement(Random(1)).split())
    24
    """
    rows = noise(random, 24, 1) if random.random() < 0.3 else arm(random, 24, 1)
    return " ".join(f"{x:.2f}" for (x,) in rows)
