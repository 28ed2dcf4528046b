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
from ..steps.step import Fact, Step, Table, Tile, TileRow, Words, tabulate
from ..steps.tiles import NO_ID, make_row
from .code import trace_lines
from .plots import Axes
from .prose import say
from .scene import Question, Trace, ask

SCALE = 10
LARGEST = 1e6
MAX_POINTS = 60
MAX_JOINTS = 8


Stage = NormalizedSeries | Transformed | Rounded | Flattened | Tokens


def trace_actions(text: str, registry: Registry) -> Trace:
    """Trace the numbers of a text, a line for each joint, through the stages of FAST and back."""
    series = parse_movement(text)
    numbers = len(series) * len(series[0])
    start = say("actions.steps.start", numbers=plural(numbers, "number"))
    steps = [Step(start, _rows(series), figure=_draw_series(series))]
    done: list[Stage] = []
    for line, stage in trace_lines(iter_stages(series, SCALE, ranks())):
        done.append(stage)
        sentence, rows, symbols = _show_stage(stage)
        steps.append(Step(sentence, rows, line, facts=_facts(numbers, done), symbols=symbols))
    normalized, transformed, _, flattened, tokens = done
    assert isinstance(normalized, NormalizedSeries)
    assert isinstance(transformed, Transformed)
    assert isinstance(flattened, Flattened)
    assert isinstance(tokens, Tokens)
    back = decode(tokens.tokens, normalized.ranges, SCALE)
    figure = _draw_series(series, back)
    steps.append(Step(say("actions.steps.decoded"), _rows(back), table=_errors(series, back), figure=figure))
    given = Step(say("actions.question.given", scale=SCALE), _rows(transformed.coefficients, digits=3))
    return Trace(steps, _question(numbers, flattened.levels, len(tokens.tokens), given))


def _show_stage(stage: Stage) -> tuple[Words, tuple[TileRow, ...], tuple[str, ...]]:
    """Return the sentence of a stage, its rows, and the symbols of the equation that it is about."""
    match stage:
        case NormalizedSeries():
            return say("actions.steps.normalized"), _rows(stage.series), ("value",)
        case Transformed():
            return say("actions.steps.transformed"), _rows(stage.coefficients), ("coefficient",)
        case Rounded():
            return say("actions.steps.rounded", scale=SCALE), _rows(stage.levels), ("round",)
        case Flattened():
            return say("actions.steps.flattened"), (_whole(stage.levels),), ("round",)
        case Tokens():
            tokens = plural(len(stage.tokens), "token")
            return say("actions.steps.tokens", tokens=tokens), (_make_token_row(stage.tokens),), ()


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
    joints = enumerate(zip(*series, strict=True), 1)
    several = len(series[0]) > 1
    return tuple(
        make_row((Tile(_format_number(x, digits), NO_ID + round(x)) for x in joint), f"joint {at}" if several else "")
        for at, joint in joints
    )


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


def _facts(numbers: int, done: Sequence[Stage]) -> tuple[Fact, ...]:
    zeros = [Fact("zeros", f"{stage.levels.count(0)}") for stage in done if isinstance(stage, Flattened)]
    tokens = [Fact("tokens", f"{len(stage.tokens)}") for stage in done if isinstance(stage, Tokens)]
    return Fact("numbers", f"{numbers}"), *zeros, *tokens


def _errors(series: Series, back: Series) -> Table:
    rows = []
    for number, (before, after) in enumerate(zip(zip(*series, strict=True), zip(*back, strict=True), strict=True), 1):
        largest = max(abs(a - b) for a, b in zip(before, after, strict=True))
        rows.append((f"joint {number}", f"{max(before) - min(before):.3g}", f"{largest:.2g}"))
    return tabulate("What the rounding lost", ("", "range", "largest difference"), rows)


def _draw_series(series: Series, back: Series = ()) -> Drawing:
    """Return the curves of the joints, and of what the tokens give back, between their extremes."""
    values = [x for row in (*series, *back) for x in row]
    axes = Axes(Scale(0, len(series) - 1, 20, 550), Scale.spanning(values, 140, 20))
    curves: list[tuple[Series, StrokeKind]] = [(series, "best"), (back, "new")]
    strokes = [
        Stroke(draw_path(axes.place(enumerate(joint))), kind)
        for rows, kind in curves
        for joint in zip(*rows, strict=True)
    ]
    label = "dashed: decoded" if back else "each joint over time"
    return axes.draw(strokes, {}, label, [Label(20, 164, label, middle=False)])


def _question(numbers: int, levels: Sequence[int], tokens: int, given: Step) -> Question:
    return ask(
        "actions.question",
        levels.count(0),
        [(0, "none"), (numbers // 2, "half"), (numbers, "all")],
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
