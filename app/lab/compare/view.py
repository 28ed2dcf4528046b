"""What the page Compare shows: a row for each tokenizer with its cost, why it needs more tokens, and the lanes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...registry import Registry
from ..costs import Span, TextCost, count_costs
from ..models import ModelList
from ..prices import PricedModel, load_prices
from .causes import CauseExample, CauseGroup, Explanation, list_examples
from .comparison import Comparison, Failure, MeasuredTokenization
from .lanes import Lanes
from .options import PriceOptions

OWN_MODEL = "Your model"
MAX_EXAMPLES = 3
"""Distinct examples of a cause that are shown."""


def price_comparison(registry: Registry, comparison: Comparison, params: PriceOptions, *, limit: int) -> list[TextCost]:
    """Return what the text costs in the models of the compared tokenizers, or in `every` model that has a price.

    `params.prices` by name replace list prices. A model of the user's own is counted by the baseline.
    """
    compared = {column.id for column in comparison.columns}
    models = [
        replace(model, price=params.prices.get(model.name, model.price))
        for model in load_prices()
        if {model.tokenizer, model.id} & compared or (params.every and model.price is not None)
    ]
    if comparison.base and not (params.price is None and params.window is None):
        models.append(PricedModel(OWN_MODEL, comparison.base.id, params.price, params.window))
    return count_costs(
        registry,
        comparison.index.text,
        models,
        limit=limit,
        output_tokens=params.output or 0,
        requests=params.calls,
        ratio=params.ratio,
        known={column.id: column.measures.tokens for column in comparison.tokenizations},
    )


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """A row of the table: a tokenizer with its count, or a model with a range of counts, or why there is no count.

    `lane` is the number of the tokenizer's lane from 1. `cost` is that of the first model of the tokenizer that has a
    price.
    """

    label: str
    column: MeasuredTokenization | Failure
    lane: int
    tokens: Span | None
    cost: TextCost | None
    change: Span | None


@dataclass(frozen=True)
class ComparisonView:
    """A comparison on the page. `versus` is the tokenizer that is explained, `mark` the example that is marked."""

    comparison: Comparison
    models: ModelList
    costs: Sequence[TextCost] = ()
    versus: str = ""
    mark: str = ""
    window: int | None = None

    @cached_property
    def rows(self) -> list[ComparedRow]:
        return [self._row(column) for column in self.comparison.columns]

    @property
    def labels(self) -> dict[str, str]:
        """The labels of the rows by id, also of those without a tokenizer here."""
        return {row.column.id: row.label for row in self.rows}

    def _row(self, column: MeasuredTokenization | Failure) -> ComparedRow:
        named = (one for one in self.costs if column.id in (one.model.tokenizer, one.model.id))
        cost = next((one for one in named if one.model.price is not None and one.model.name != OWN_MODEL), None)
        if isinstance(column, MeasuredTokenization):
            tokens, lane = column.measures.tokens, self.comparison.tokenizations.index(column) + 1
            span = Span(tokens, tokens)
            return ComparedRow(self.models.label(column.id), column, lane, span, cost, self._change(span))
        if cost is None:
            return ComparedRow(self.models.label(column.id), column, 0, None, None, None)
        change = self._change(cost.tokens) if cost.tokens else None
        return ComparedRow(cost.model.name, column, 0, cost.tokens, cost, change)

    def _change(self, tokens: Span) -> Span | None:
        """Return tokens / baseline tokens − 1."""
        base = self.comparison.base.measures.tokens if self.comparison.base else 0
        return Span(tokens.low / base - 1, tokens.high / base - 1) if base else None

    @cached_property
    def most(self) -> float:
        """The most tokens of a row, which its bar is as long as."""
        return max((row.tokens.high for row in self.rows if row.tokens), default=0)

    def length(self, tokens: float) -> float:
        """Return the length of a bar in percent of the longest."""
        return 100 * tokens / self.most if self.most else 0.0

    @cached_property
    def explained(self) -> MeasuredTokenization | None:
        """The column that is explained beside the baseline, if one is chosen."""
        others = (one for one in self.comparison.tokenizations if one is not self.comparison.base)
        return next((one for one in others if one.id == self.versus), None)

    @cached_property
    def explanation(self) -> Explanation | None:
        """Why that column has more or fewer tokens than the baseline."""
        every = len(self.comparison.index.data)
        return self.comparison.explain(self.explained, first=every) if self.explained else None

    def examples(self, group: CauseGroup) -> list[tuple[str, CauseExample]]:
        """Return the first examples of a cause, each with the value of its mark."""
        examples = list_examples(group, self.comparison.index.text)[:MAX_EXAMPLES]
        return [(f"{group.kind} {group.script} {one.label}", one) for one in examples]

    @cached_property
    def marked(self) -> CauseExample | None:
        """The example that is marked in the lanes."""
        groups = self.explanation.groups if self.explanation and self.mark else ()
        examples = (one for group in groups for one in self.examples(group))
        return next((example for value, example in examples if value == self.mark), None)

    @cached_property
    def lanes(self) -> Lanes:
        if self.marked is None:
            return Lanes(self.comparison)
        spans = sorted((place.byte_start, place.byte_end) for place in self.marked.places)
        return Lanes(self.comparison, tuple(np.array(spans, np.int32).T))

    @cached_property
    def opened(self) -> int:
        """The number of the window that is shown: that of the first marked place unless another is chosen."""
        if self.window is None:
            return self.lanes.find_window(int(self.lanes.places[0][0])) if self.marked else 0
        return min(self.window, len(self.lanes.bounds) - 2)

    @cached_property
    def turns(self) -> tuple[int | None, int | None]:
        """The windows of the last marked place before the one shown, and of the first place after it."""
        starts = self.lanes.places[0]
        before, after = np.searchsorted(starts, self.lanes.bounds[self.opened : self.opened + 2])
        return (
            self.lanes.find_window(int(starts[before - 1])) if before else None,
            self.lanes.find_window(int(starts[after])) if after < len(starts) else None,
        )

    def count_differing_tokens(self, column: MeasuredTokenization) -> int:
        """Return the number of a column's tokens that not all columns share."""
        spans = self.comparison.differences.columns[self.comparison.tokenizations.index(column)]
        return int(spans.differing.sum())
