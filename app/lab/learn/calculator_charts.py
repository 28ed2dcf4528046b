"""Curves of the calculators: the number that is changed runs along the x axis, dots mark its value now."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...scratch.vocabulary_size import (
    ModelDimensions,
    attention_operations,
    by_derivative,
    by_isoflops,
    by_loss,
    embedding_share,
)
from ..charts import ChartLine, LineChart, Mark, draw_chart, shorten_number

POINTS = 60
"""Points of a curve."""
ESTIMATES = (("by IsoFLOPs", by_isoflops), ("by derivative", by_derivative), ("by loss", by_loss))


def spread(low: float, high: float, *among: float) -> list[float]:
    """Return values between two bounds in equal ratios, and those `among` them.

    >>> [round(value) for value in spread(1, 8, 5)[:3]], 5 in spread(1, 8, 5)
    ([1, 1, 1], True)
    """
    ratio = (high / low) ** (1 / (POINTS - 1))
    return sorted({*(low * ratio**place for place in range(POINTS)), *among})


def draw_share(vocabulary: int, model: ModelDimensions) -> LineChart:
    """Draw the share of the parameters that vocabularies of all sizes take, with the matrices apart and shared."""
    sizes = spread(1_000, 1_000_000, vocabulary)
    lines = []
    for tone, tied in enumerate((False, True)):
        name = "one matrix for input and output" if tied else "a matrix for each"
        one = model._replace(tied=tied)
        points = [(size, 100 * embedding_share(round(size), one)) for size in sizes]
        lines.append(ChartLine(name, points, 4 * tone, dashed=tied != model.tied))
    dot = ChartLine("", [(vocabulary, 100 * embedding_share(vocabulary, model))], 4 * model.tied, dotted=True)
    says = f"Share of the embedding by vocabulary size; now {dot.points[0][1]:.1f} % at {vocabulary:,} tokens"
    return shorten_labels(
        draw_chart([*lines, dot], "vocabulary", "% of all parameters", says, logarithmic=(True, False))
    )


def draw_estimates(others: float, width: int) -> LineChart:
    """Draw the three estimates for models of other sizes, whose width grows with the cube root of the parameters."""

    def estimate(approach: Callable[[ModelDimensions], float], parameters: float) -> float:
        return approach(ModelDimensions(round(width * (parameters / others) ** (1 / 3)) or 1, parameters))

    models = spread(min(1e8, others), max(1e12, others), others)
    lines = [
        ChartLine(name, [(one, estimate(approach, one)) for one in models], 2 * tone)
        for tone, (name, approach) in enumerate(ESTIMATES)
    ]
    dots = [
        ChartLine("", [(others, estimate(approach, others))], 2 * tone, dotted=True)
        for tone, (_, approach) in enumerate(ESTIMATES)
    ]
    says = "Best size of the vocabulary by the other parameters, after three approaches"
    chart = draw_chart([*lines, *dots], "other parameters", "tokens", says, logarithmic=(True, True))
    return shorten_labels(chart)


def draw_operations(tokens: int, width: int, layers: int, others: float) -> LineChart:
    """Draw the operations of attention and of the matrices for texts of all lengths."""
    lengths = spread(min(256, tokens), max(1_000_000, tokens), tokens)
    functions: Sequence[tuple[str, Callable[[int], float]]] = (
        ("attention", lambda length: attention_operations(length, width, layers) / 1e12),
        ("matrices", lambda length: 2 * others * length / 1e12),
    )
    lines = [
        ChartLine(name, [(length, count(round(length))) for length in lengths], 4 * tone)
        for tone, (name, count) in enumerate(functions)
    ]
    dots = [
        ChartLine("", [(tokens, count(tokens))], 4 * tone, dotted=True) for tone, (_, count) in enumerate(functions)
    ]
    says = "Operations of attention and of the matrices by the length of the text"
    return shorten_labels(draw_chart([*lines, *dots], "tokens", "operations, in T", says, logarithmic=(True, True)))


def shorten_labels(chart: LineChart) -> LineChart:
    """Return a chart whose large numbers are short."""

    def shorten(marks: Sequence[Mark]) -> tuple[Mark, ...]:
        return tuple(Mark(mark.at, _shorten(float(mark.text))) for mark in marks)

    return replace(chart, across=shorten(chart.across), up=shorten(chart.up))


def _shorten(number: float) -> str:
    """Return a number of an axis, with B for a billion and T for a trillion."""
    for unit, letter in ((1e12, "T"), (1e9, "B")):
        if number >= unit:
            return f"{number / unit:g}{letter}"
    return shorten_number(number)
