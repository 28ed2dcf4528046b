"""The scene about parameters as tokens: a layer that the input attends to, and that grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from random import Random

from ...errors import Invalid, plural
from ...registry import Registry
from ...scratch.pattention import (
    AttentionOutput,
    KeyScores,
    ValueWeights,
    Vector,
    Weigh,
    attend,
    difference,
    grow,
    softmax,
    weigh_by_length,
)
from ..steps.step import Fact, Row, Step, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, make_row
from .code import trace_lines
from .prose import fill, say
from .scene import Question, Trace, ask

PAIRS = 4
MORE = 4
OUTPUTS = 3
MAX_WIDTH = 12
LARGEST = 1e6
STAYS = 1e-12
RULES: dict[str, Weigh] = {
    "factor kept": lambda scores: weigh_by_length(scores, PAIRS),
    "factor of the new size": lambda scores: weigh_by_length(scores, len(scores)),
    "softmax": softmax,
}
"""Three ways to weigh, by name."""
REASONS = ("reason", "factor", "softmax")
"""Why each of them is right or wrong, as keys of the question."""
PLACES = (
    ("query", "a matrix"),
    ("key", "a matrix"),
    ("value", "a matrix"),
    ("output of attention", "a matrix"),
    ("feed-forward", "two matrices with an activation between"),
)
"""The layers of a block that TokenFormer makes of pairs, and what stands there in a transformer."""


def trace_parameters(text: str, registry: Registry) -> Trace:
    """Trace an input through a small layer, and through the same layer with more pairs, in three ways to weigh."""
    x = parse_input(text)
    random = Random(7)
    keys = [[random.gauss(0, 1) for _ in x] for _ in range(PAIRS)]
    values, new = ([[random.gauss(0, 1) for _ in range(OUTPUTS)] for _ in range(n)] for n in (PAIRS, MORE))
    grown_keys, grown_values = grow(keys, values, new)
    start = say("parameters.steps.start", numbers=plural(len(x), "number"), pairs=PAIRS)
    steps = [Step(start, (_row("input", x),))]
    moved: dict[str, float] = {}
    for name, weigh in RULES.items():
        small, before = _trace_layer(x, keys, values, weigh, name)
        large, after = _trace_layer(x, grown_keys, grown_values, weigh, name)
        grown = say("parameters.steps.grown", rule=name, pairs=len(grown_keys))
        steps += [*([] if moved else small), replace(large[-1], sentence=grown)]  # only the first rule has all steps
        moved[name] = difference(before, after)
        rows = (Row((rule, _format_number(by)), chosen=by < STAYS) for rule, by in moved.items())
        table = tabulate("Largest difference", ("weights", "moved by"), rows)
        sentence = say("parameters.steps.moved", weights=name, moved=_format_number(moved[name]))
        steps.append(Step(sentence, (_row("before", before), _row("after", after)), table=table))
    table = tabulate("Where a block has such layers", ("layer", "in a transformer"), PLACES)
    steps.append(Step(say("parameters.steps.places", places=len(PLACES)), steps[-1].rows, table=table))
    return Trace(steps, _question(moved, text, steps[0]))


SHOWN = {KeyScores: "scores", ValueWeights: "weights", AttentionOutput: "output"}
"""What each step of a layer computes, as the label of its row and the key of its sentence."""


def _trace_layer(
    x: Vector, keys: Sequence[Vector], values: Sequence[Vector], weigh: Weigh, rule: str
) -> tuple[list[Step], Vector]:
    """Return the steps of a layer, and its output."""
    output: Vector = ()
    rows: list[TileRow] = [_row("input", x)]
    steps: list[Step] = []
    for line, step in trace_lines(attend(x, keys, values, weigh)):
        label, (output, *_) = SHOWN[type(step)], step
        rows.append(_row(label, output))
        sentence = say(f"parameters.steps.{label}", rule=rule)
        symbols = (label.removesuffix("s"),)
        steps.append(Step(sentence, (*rows,), line, facts=(Fact("pairs", f"{len(keys)}"),), symbols=symbols))
    return steps, output


def parse_input(text: str) -> Vector:
    """Return the numbers of a text. Raises `Invalid`.

    >>> parse_input("1, -0.5")
    [1.0, -0.5]
    """
    try:
        x = [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise Invalid("Type numbers with spaces between them.", pointer="/text") from None
    if not 1 <= len(x) <= MAX_WIDTH or not all(isfinite(number) and abs(number) <= LARGEST for number in x):
        message = f"Type 1 to {MAX_WIDTH} numbers, none beyond ±{LARGEST:,.0f}."
        raise Invalid(message, pointer="/text", limit=MAX_WIDTH)
    if max(map(abs, x)) < 1 / LARGEST:
        raise Invalid("Type at least one number that is not 0: zero agrees with no key.", pointer="/text")
    return x


def _row(label: str, numbers: Vector) -> TileRow:
    return make_row((Tile(_format_number(number), NO_ID + at) for at, number in enumerate(numbers)), label)


def _format_number(number: float) -> str:
    if number and abs(number) < STAYS:
        return f"{number:.0e}"
    return f"{number:.3f}".rstrip("0").rstrip(".").replace("-", "−")


def _question(moved: dict[str, float], text: str, first: Step) -> Question | None:
    """Return the question for the rule that keeps the output, or for what one of the others does to it."""
    stays = [name for name, by in moved.items() if by < STAYS]
    if stays != ["factor kept"]:
        return None
    at = (sum(map(ord, text)) + len(text)) % len(RULES)
    pairs = [*zip(RULES, REASONS, strict=True)]
    right, reason = pairs.pop(at)
    rows = ((name, fill(f"parameters.question.rule-{number}", pairs=PAIRS)) for number, name in enumerate(RULES))
    return ask(
        "parameters.question",
        right,
        pairs,
        first.rows,
        table=tabulate("Ways to weigh", ("", "weights"), rows),
        shown_at=5 + 2 * at,
        prompt=("prompt", "prompt-factor", "prompt-softmax")[at],
        reason=reason,
        more=MORE,
        all=PAIRS + MORE,
        pairs=PAIRS,
    )


def sample_input(random: Random) -> str:
    """Return a random input.

    >>> len(sample_input(Random(1)).split()) in range(3, 7)
    True
    """
    return " ".join(f"{random.gauss(0, 1):.1f}" for _ in range(random.randint(3, 6))) + " 1"
