"""What the page shows of a budget: a bar of its parts, and a table to save."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...csv_text import csv_text
from ..charts import Scale
from .budget import BudgetPart, PromptBudget

WIDTH = 1000
"""Width of the bar, in units of its drawing."""
KINDS = {"text": 1, "image": 3, "sound": 2, "video": 5}
"""The colour of each kind."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the bar: where it begins, its width, its colour, and the part of the prompt."""

    x: float
    width: float
    tone: int
    part: BudgetPart


def bar(budget: PromptBudget, window: int = 0) -> tuple[list[Segment], float]:
    """Return the segments of a bar of all parts, and where the context window ends.

    The bar is as wide as the window, or as all tokens if there are more, or if no window is given.
    """
    whole = max(budget.tokens, window) or 1
    scale = Scale(0, whole, 0, WIDTH, digits=2)
    segments = []
    before = 0
    for part in budget.parts:
        if part.tokens:
            width = max(scale.place(part.tokens), 1.5)
            segments.append(Segment(scale.place(before), width, KINDS[part.kind], part))
            before += part.tokens
    return segments, scale.place(window or whole)


def as_csv(budget: PromptBudget) -> str:
    """Return the parts as CSV; the tokens of a part are empty if they are not known."""
    rows: list[Sequence[object]] = [("kind", "part", "tokens", "formula", "source", "date")]
    for part in budget.parts:
        tokens = "" if part.tokens is None else part.tokens
        rows.append((part.kind, part.name, tokens, part.formula, part.source, part.date))
    rows.append(("total", "all known parts", budget.tokens, "", "", ""))
    return csv_text(rows, line_end="\n")
