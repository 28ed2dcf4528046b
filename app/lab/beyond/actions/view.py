"""What the page shows of a movement: curves, heat maps, rows of numbers, the curve of the error, and tables to save."""

from collections.abc import Sequence
from itertools import groupby

from ....csv_text import csv_text
from ...charts import ChartLine, HeatMapCell, LineChart, draw_chart, draw_heat_map
from .analysis import ActionAnalysis

MAX_FREQUENCIES = 24
"""Frequencies that the heat maps show; the rest are nearly always 0."""
MAX_FLAT = 160
MAX_TILES = 200
"""Whole numbers and tokens that the page shows."""
TONES = 5
"""Colours of the lines, from the second on."""


def curves(shown: ActionAnalysis, *, normalized: bool = False) -> LineChart:
    """Return the curves of all dimensions over time: the movement and, dashed, what comes back; or normalized."""
    series = shown.encoded.normalized if normalized else shown.series
    lines = [
        ChartLine(name, [*enumerate(column)], 1 + at % TONES)
        for at, (name, column) in enumerate(zip(shown.names, series.T.tolist(), strict=True))
    ]
    says = f"{len(lines)} curves over {len(series)} moments"
    return draw_chart(lines, "time (row)", "normalized" if normalized else "value", says, height=220)


def draw_reconstruction(shown: ActionAnalysis) -> LineChart:
    """Return the curves of the movement and of what the tokens give back."""
    lines = []
    pairs = zip(shown.names, shown.series.T.tolist(), shown.decoded.T.tolist(), strict=True)
    for at, (name, before, after) in enumerate(pairs):
        lines += [
            ChartLine(name, [*enumerate(before)], 1 + at % TONES),
            ChartLine("", [*enumerate(after)], 1 + at % TONES, dashed=True),
        ]
    return draw_chart(lines, "time (row)", "value", "The movement, and dashed what its tokens give back")


def plane(shown: ActionAnalysis) -> LineChart | None:
    """Return a movement of two dimensions as the path of a pen, and dashed what comes back; None for others."""
    if shown.series.shape[1] != 2:
        return None
    paths = [[(x, y) for x, y in series.tolist()] for series in (shown.series, shown.decoded)]
    lines = [ChartLine("drawn", paths[0], 1), ChartLine("decoded", paths[1], dashed=True)]
    return draw_chart(
        lines, shown.names[0], shown.names[1], "The path of the pen, and dashed what its tokens give back", height=340
    )


def coefficients(shown: ActionAnalysis) -> tuple[HeatMapCell, ...]:
    """Return the first coefficients as a heat map: a row for each dimension, a column for each frequency."""
    return draw_heat_map(shown.encoded.coefficients[:MAX_FREQUENCIES].T.tolist())


def levels(shown: ActionAnalysis) -> tuple[HeatMapCell, ...]:
    """Return the first coefficients after rounding as a heat map, with their numbers."""
    rows = shown.encoded.levels[:MAX_FREQUENCIES].T.tolist()
    return draw_heat_map(rows, texts=[[f"{level}".replace("-", "−") for level in row] for row in rows])


def flat(shown: ActionAnalysis) -> list[tuple[int, int, bool]]:
    """Return the numbers in a row, as (number, times, whether a new frequency begins); many zeros are one entry."""
    width = shown.series.shape[1]
    numbers = shown.encoded.levels.ravel().tolist()
    entries: list[tuple[int, int, bool]] = []
    for zero, group in groupby(enumerate(numbers), key=lambda item: item[1] == 0):
        run = [*group]
        if zero and len(run) > 3:
            entries.append((0, len(run), run[0][0] % width == 0))
        else:
            entries += [(number, 1, at % width == 0) for at, number in run]
    return entries


def error_curve(shown: ActionAnalysis) -> LineChart:
    """Return the curve of error against tokens over all scales, with the chosen scale and naive binning as dots."""
    points = [(one.tokens, 100 * one.error) for one in shown.curve]
    chosen = shown.measured
    naive = shown.naive
    lines = [
        ChartLine("FAST at scales from 1 to 100", points, 1, dotted=True),
        ChartLine(f"scale {shown.scale:g}", [(chosen.tokens, 100 * chosen.error)], 2, dotted=True),
        ChartLine("naive binning, 256 bins", [(naive.tokens, 100 * naive.error)], 3, dotted=True),
    ]
    return draw_chart(
        lines, "tokens", "error, % of the range", "Error against tokens, on logarithmic axes", logarithmic=(True, True)
    )


def as_csv(shown: ActionAnalysis, kind: str) -> str:
    """Return the movement and what comes back, or the curve of the error, as CSV."""
    if kind == "curve.csv":
        rows: list[Sequence[object]] = [("method", "scale", "tokens", "error")]
        rows += [("FAST", one.scale, one.tokens, f"{one.error:.6g}") for one in shown.curve]
        rows.append(("256 bins", "", shown.naive.tokens, f"{shown.naive.error:.6g}"))
    else:
        rows = [(*shown.names, *(f"{name} decoded" for name in shown.names))]
        pairs = zip(shown.series.tolist(), shown.decoded.tolist(), strict=True)
        rows += [[f"{x:.6g}" for x in (*before, *after)] for before, after in pairs]
    return csv_text(rows, line_end="\n")
