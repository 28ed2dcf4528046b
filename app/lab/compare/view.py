"""What the page shows of a comparison: columns or places, the summary, the agreement, the costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from app.lab.compare import aligned
from app.lab.compare.columns import Stretch, stretch
from app.lab.compare.comparison import Comparison, Cut
from app.lab.compare.cost import Bill, bills, estimate, models


class Asked(Protocol):
    """What the page needs to know of what was asked."""

    @property
    def place(self) -> int: ...
    @property
    def calls(self) -> int: ...
    @property
    def prices(self) -> Mapping[str, float]: ...
    @property
    def price(self) -> float | None: ...
    @property
    def window(self) -> int | None: ...


@dataclass(frozen=True)
class Page:
    """A comparison on the page."""

    comparison: Comparison
    asked: Asked

    @cached_property
    def stretch(self) -> Stretch:
        return stretch(self.comparison)

    @cached_property
    def first(self) -> int:
        """The place that the page of places begins with."""
        total = len(self.comparison.differences)
        return min(self.asked.place, max(0, total - 1)) // aligned.PAGE * aligned.PAGE

    @cached_property
    def places(self) -> list[aligned.Place]:
        return aligned.places(self.comparison, self.first)

    @property
    def preceding(self) -> tuple[int, int] | None:
        """From where to where the page of places before this one goes."""
        return (self.first - aligned.PAGE, self.first) if self.first else None

    @property
    def following(self) -> tuple[int, int] | None:
        """From where to where the page of places behind this one goes."""
        after, total = self.first + aligned.PAGE, len(self.comparison.differences)
        return (after, min(after + aligned.PAGE, total)) if after < total else None

    def ringed(self, cut: Cut) -> int:
        """How many of a column's tokens not every other column has."""
        spans = self.comparison.differences.columns[self.comparison.cuts.index(cut)]
        return int(spans.alone.sum())

    def length(self, cut: Cut) -> float:
        """A column's bar, in percent of the longest."""
        most = self.comparison.by_count[-1].measures.tokens
        return 100 * cut.measures.tokens / most if most else 0.0

    @cached_property
    def bills(self) -> list[Bill]:
        return bills(self.comparison, models(), calls=self.asked.calls, prices=self.asked.prices)

    @cached_property
    def estimate(self) -> Bill | None:
        return estimate(self.comparison, price=self.asked.price, window=self.asked.window, calls=self.asked.calls)
