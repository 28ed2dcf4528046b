"""What the page shows of a layer that grows: heat maps, differences, the race of training, and a table to save."""

from collections.abc import Sequence
from dataclasses import replace

from ....csv_text import csv_text
from ...charts import ChartLine, HeatMapCell, LineChart, draw_chart, draw_heat_map
from .layer import GROWTHS, RULES, WIDTH, ErrorCurve, Growth, Race, Rule, grow

TINY = 1e-12
"""A difference below this is that of rounding: the output has not moved."""
TONES: dict[Rule, int] = {"kept": 1, "rescaled": 2, "softmax": 3}
NAMES: dict[Rule, str] = {"kept": "factor √n kept", "rescaled": "factor √n new", "softmax": "softmax"}


def parameters(growth: Growth) -> tuple[HeatMapCell, ...]:
    """Return the parameters as a heat map: a column for each pair, the numbers of its key above those of its value."""
    keys = growth.keys.T.tolist()
    values = growth.values.T.tolist()
    return draw_heat_map([*keys, [0.0] * len(keys[0]), *values])


def parameter_names() -> list[str]:
    """Return the names of the rows of the heat map of parameters."""
    return [*(f"key {d + 1}" for d in range(WIDTH)), "", *(f"value {d + 1}" for d in range(WIDTH))]


def weight_rows(growth: Growth, chosen: int) -> tuple[list[str], list[HeatMapCell]]:
    """Return the scores and the weights of an input for all pairs: names of the rows, and cells, each row by itself."""
    named = {"scores": growth.scores(grown=True)[chosen]}
    for rule, name in NAMES.items():
        for grown in (False, True):
            named[f"{name}, {'after' if grown else 'before'}"] = growth.weights(rule, grown=grown)[chosen]
    del named["factor √n new, before"]  # the same as before with the factor kept
    cells = []
    for row, numbers in enumerate(named.values()):
        texts = [f"{number:.2f}".replace("-", "−") for number in numbers.tolist()]
        cells += [replace(cell, row=row) for cell in draw_heat_map([numbers.tolist()], texts=[texts])]
    return [*named], cells


def outputs(growth: Growth, chosen: int) -> list[tuple[str, list[str], str]]:
    """Return the outputs of an input before and after by each rule, as (name, numbers, largest difference)."""
    rows = []
    for rule in RULES:
        before, after = (growth.output(rule, grown=grown)[chosen] for grown in (False, True))
        largest = f"{abs(after - before).max():.2g}"
        for label, numbers, difference in (("before", before, ""), ("after", after, largest)):
            rows.append(
                (f"{NAMES[rule]}, {label}", [f"{x:.3f}".replace("-", "−") for x in numbers.tolist()], difference)
            )
    return rows


def difference_chart(growth: Growth) -> LineChart:
    """Return the largest difference by the number of added pairs, for each rule."""
    lines = []
    for rule, name in RULES.items():
        points = [(more, grow(growth.seed, growth.pairs, more).difference(rule)) for more in GROWTHS]
        lines.append(ChartLine(name, points, TONES[rule], dotted=True))
    says = "Largest difference of the output by the number of added pairs"
    return draw_chart(lines, "added pairs", "largest difference", says)


def race_chart(race: Race) -> LineChart:
    """Return the errors of the three layers while they are trained."""
    lines = [ChartLine(one.name, one.points, tone) for one, tone in zip(race.curves, (1, 2, 3), strict=True)]
    says = f"Error on held-out points; two layers grow after {race.grown_at} steps"
    return draw_chart(lines, "steps", "mean squared error, held out", says, logarithmic=(False, True))


def curves(race: Race) -> tuple[ErrorCurve, ...]:
    """Return the curves, the one that ends lowest first."""
    return tuple(sorted(race.curves, key=lambda one: one.points[-1][1]))


def as_csv(race: Race) -> str:
    """Return the curves as CSV."""
    rows: list[Sequence[object]] = [("layer", "step", "error")]
    rows += [(one.name, step, f"{error:.6g}") for one in race.curves for step, error in one.points]
    return csv_text(rows, line_end="\n")
