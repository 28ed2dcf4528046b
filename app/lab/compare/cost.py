"""What a text costs as the input of a model: the price of its tokens, and their share of the context window.

A count by the model's own tokenizer is exact for the text alone, without a chat template; a count by another is an
estimate.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .comparison import Comparison

PRICES = Path(__file__).with_name("prices.toml")
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Model:
    """A model: its tokenizer, dollars per million input tokens, context window in tokens, and the source of these."""

    name: str
    tokenizer: str
    price: float | None = None
    window: int | None = None
    date: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of a text as the input of `calls` calls of a model, in dollars.

    `exact` is True if the model's own tokenizer counted the tokens, `custom_price` if the price is not the known one.
    """

    model: Model
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


@cache
def models() -> tuple[Model, ...]:
    """Return the models with a known price or context window, from `prices.toml`."""
    return tuple(Model(**entry) for entry in tomllib.loads(PRICES.read_text())["model"])


def costs(
    comparison: Comparison, known: Sequence[Model], *, calls: int = 1, prices: Mapping[str, float] | None = None
) -> list[Cost]:
    """Return the cost for every model whose own tokenizer is compared; `prices` by model name replace those known."""
    tokens = {column.id: column.measures.tokens for column in comparison.tokenizations}
    custom = prices or {}
    return [
        Cost(
            model,
            tokens[model.tokenizer],
            custom.get(model.name, model.price),
            calls,
            custom_price=custom.get(model.name, model.price) != model.price,
        )
        for model in known
        if model.tokenizer in tokens
    ]


def estimate(comparison: Comparison, *, price: float | None, window: int | None, calls: int = 1) -> Cost | None:
    """Return the cost for a model that is not known, counted by the baseline; None without price and window."""
    # The tokenizer of an unknown model is unknown as well; the baseline stands in for it, and `exact` is False.
    base = comparison.base
    if base is None or (price is None and window is None):
        return None
    model = Model("Your model", base.id, price, window)
    return Cost(model, base.measures.tokens, price, calls, exact=False, custom_price=True)
