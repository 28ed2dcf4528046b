"""What the Compare page shows: the beginning of the text in columns or the places that differ, a summary and costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from ..cell_views import CellView, cell_views, clip_text, cursive
from ..cells import Window
from ..display_runs import DisplayRun, runs
from ..prices import MILLION, PricedModel, load_prices
from . import alignment
from .causes import CausePlace, Explanation
from .comparison import Comparison, MeasuredTokenization

MAX_TOKENS = 3200
"""Number of tokens shown in all columns together, so that the page stays fast."""
MAX_CAUSE_TEXT = 24
"""Characters that are shown of a place of a cause."""


@dataclass(frozen=True, slots=True)
class InputCost:
    """The cost of a text as the input of `calls` calls of a model, in dollars.

    `exact` is True if the model's own tokenizer counted the tokens, `custom_price` if the price is not the known one.
    """

    model: PricedModel
    tokens: int
    price: float | None
    calls: int
    exact: bool = True
    custom_price: bool = False

    @property
    def per_call(self) -> float | None:
        return None if self.price is None else self.tokens * self.price / MILLION

    @property
    def total(self) -> float | None:
        return None if self.per_call is None else self.per_call * self.calls

    @property
    def window_share(self) -> float | None:
        """The share of the context window; more than 1 if the text does not fit."""
        return self.tokens / self.model.window if self.model.window else None


def costs(
    comparison: Comparison, known: Sequence[PricedModel], *, calls: int = 1, prices: Mapping[str, float] | None = None
) -> list[InputCost]:
    """Return the cost for every model whose own tokenizer is compared; `prices` by model name replace those known."""
    tokens = {column.id: column.measures.tokens for column in comparison.tokenizations}
    custom = prices or {}
    return [
        InputCost(
            model,
            tokens[model.tokenizer],
            custom.get(model.name, model.price),
            calls,
            custom_price=custom.get(model.name, model.price) != model.price,
        )
        for model in known
        if model.tokenizer in tokens
    ]


def estimate(comparison: Comparison, *, price: float | None, window: int | None, calls: int = 1) -> InputCost | None:
    """Return the cost for a model that is not known, counted by the baseline; None without price and window."""
    # The tokenizer of an unknown model is unknown as well; the baseline stands in for it, and `exact` is False.
    base = comparison.base
    if base is None or (price is None and window is None):
        return None
    model = PricedModel("Your model", base.id, price, window)
    return InputCost(model, base.measures.tokens, price, calls, exact=False, custom_price=True)


@dataclass(frozen=True)
class ColumnView:
    """The beginning of a column: its cells, and by token whether it differs and its span in characters.

    `joined` is True if the text is cursive.
    """

    cell_views: Sequence[CellView]
    differing: Sequence[bool]
    starts: Sequence[int]
    ends: Sequence[int]
    joined: bool


@dataclass(frozen=True)
class Excerpt:
    """The part of the text that the columns show: its first bytes, up to a position that splits no token."""

    comparison: Comparison
    bytes: int

    @property
    def whole(self) -> bool:
        return self.bytes == len(self.comparison.index.data)

    @property
    def characters(self) -> int:
        return len(self.comparison.index.data[: self.bytes].decode())

    def __iter__(self) -> Iterator[tuple[MeasuredTokenization, ColumnView]]:
        for column, spans in zip(self.comparison.tokenizations, self.comparison.differences.columns, strict=True):
            tokenization = column.tokenization
            encoding = column.tokenization.encoding
            stop = len(encoding) if self.whole else int(np.count_nonzero(encoding.byte_starts < self.bytes))
            window = Window(0, 0, stop, 0, self.bytes)
            view = ColumnView(
                tuple(cell_views(tokenization, window)),
                spans.differing[:stop].tolist(),
                encoding.char_starts[:stop].tolist(),
                encoding.char_ends[:stop].tolist(),
                cursive(window.text(tokenization.data)),
            )
            yield column, view


def excerpt(comparison: Comparison, *, tokens: int = MAX_TOKENS) -> Excerpt:
    """Return the longest excerpt with at most about `tokens` tokens in all columns together.

    It is empty if no position near enough to the beginning divides the tokens of all columns.
    """
    # All columns show the same bytes, so the column that uses up its share first ends the excerpt for all.
    limit = tokens // max(1, len(comparison.tokenizations))
    encodings = [column.tokenization.encoding for column in comparison.tokenizations]
    ends = [int(encoding.byte_ends[limit - 1]) for encoding in encodings if len(encoding) > limit]
    if not ends:
        return Excerpt(comparison, len(comparison.index.data))
    edges = comparison.edges
    return Excerpt(comparison, int(edges[max(0, int(np.searchsorted(edges, min(ends), side="right")) - 1)]))


class ViewParams(Protocol):
    """The parameters of the page that this view uses."""

    @property
    def place(self) -> int: ...
    @property
    def versus(self) -> str: ...
    @property
    def calls(self) -> int: ...
    @property
    def prices(self) -> Mapping[str, float]: ...
    @property
    def price(self) -> float | None: ...
    @property
    def window(self) -> int | None: ...


@dataclass(frozen=True)
class ComparisonView:
    """A comparison on the page."""

    comparison: Comparison
    params: ViewParams

    @cached_property
    def excerpt(self) -> Excerpt:
        return excerpt(self.comparison)

    @cached_property
    def first(self) -> int:
        """The number of the first place on the page that contains the requested place."""
        total = len(self.comparison.differences)
        return min(self.params.place, max(0, total - 1)) // alignment.PAGE_SIZE * alignment.PAGE_SIZE

    @cached_property
    def places(self) -> list[alignment.DifferencePlace]:
        return alignment.places(self.comparison, self.first)

    @property
    def preceding(self) -> tuple[int, int] | None:
        """The numbers at which the previous page of places starts and stops, if there is one."""
        return (self.first - alignment.PAGE_SIZE, self.first) if self.first else None

    @property
    def following(self) -> tuple[int, int] | None:
        """The numbers at which the next page of places starts and stops, if there is one."""
        after = self.first + alignment.PAGE_SIZE
        total = len(self.comparison.differences)
        return (after, min(after + alignment.PAGE_SIZE, total)) if after < total else None

    def count_differing_tokens(self, column: MeasuredTokenization) -> int:
        """Return the number of a column's tokens that not all columns share."""
        spans = self.comparison.differences.columns[self.comparison.tokenizations.index(column)]
        return int(spans.differing.sum())

    def length(self, column: MeasuredTokenization) -> float:
        """Return the length of a column's bar in percent of the longest."""
        longest = self.comparison.by_count[-1].measures.tokens
        return 100 * column.measures.tokens / longest if longest else 0.0

    @cached_property
    def versus(self) -> MeasuredTokenization | None:
        """The column that is explained beside the baseline: the requested one, else the one with the most tokens."""
        others = [one for one in reversed(self.comparison.by_count) if one is not self.comparison.base]
        return next((one for one in others if one.id == self.params.versus), next(iter(others), None))

    @cached_property
    def explanation(self) -> Explanation | None:
        """Why that column has more or fewer tokens than the baseline."""
        return self.comparison.explain(self.versus) if self.versus else None

    def cause_text(self, place: CausePlace) -> list[DisplayRun]:
        """Return the text of a place of a cause, without the spaces around it."""
        text = self.comparison.index.text[place.char_start : place.char_end]
        return runs(clip_text(text.strip(" ") or text, MAX_CAUSE_TEXT))

    def cost(self, column: MeasuredTokenization) -> InputCost | None:
        """Return the cost with the first model of a column's tokenizer that has a price."""
        return next((one for one in self.costs if one.model.tokenizer == column.id and one.price is not None), None)

    @cached_property
    def costs(self) -> list[InputCost]:
        return costs(self.comparison, load_prices(), calls=self.params.calls, prices=self.params.prices)

    @cached_property
    def estimate(self) -> InputCost | None:
        params = self.params
        return estimate(self.comparison, price=params.price, window=params.window, calls=params.calls)
