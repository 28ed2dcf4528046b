"""What a text costs: a model's price for its tokens, and their share of its context window.

A count by a model's own tokenizer is exact for the text alone; by another's it is an estimate, and says so.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.lab.compare.comparison import Comparison

PRICES = Path(__file__).with_name("prices.toml")
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Model:
    """A model, its own tokenizer, the price of a million tokens of input, its window, and since when and by whom."""

    name: str
    tokenizer: str
    price: float | None = None
    window: int | None = None
    date: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Bill:
    """A text in a model's tokens: dollars for one call and for all of them, and the share of the window.

    `exact` says that the model's own tokenizer counted, `own` that the price is not the one in the file.
    """

    model: Model
    tokens: int
    price: float | None
    calls: int
    exact: bool = True
    own: bool = False

    @property
    def once(self) -> float | None:
        return None if self.price is None else self.tokens * self.price / MILLION

    @property
    def together(self) -> float | None:
        return None if self.once is None else self.once * self.calls

    @property
    def share(self) -> float | None:
        return self.tokens / self.model.window if self.model.window else None


@cache
def models() -> tuple[Model, ...]:
    """The models whose price or window is known, from the one file that says so."""
    return tuple(Model(**entry) for entry in tomllib.loads(PRICES.read_text())["model"])


def bills(
    comparison: Comparison, known: Sequence[Model], *, calls: int = 1, prices: Mapping[str, float] | None = None
) -> list[Bill]:
    """Of every model whose own tokenizer is a column; `prices`, by model, replace those of the file."""
    counted = {cut.id: cut.measures.tokens for cut in comparison.cuts}
    mine = prices or {}
    return [
        Bill(
            model,
            counted[model.tokenizer],
            mine.get(model.name, model.price),
            calls,
            own=model.name in mine and mine[model.name] != model.price,
        )
        for model in known
        if model.tokenizer in counted
    ]


def estimate(comparison: Comparison, *, price: float | None, window: int | None, calls: int = 1) -> Bill | None:
    """Another model, in the tokens of the baseline."""
    base = comparison.base
    if base is None or (price is None and window is None):
        return None
    model = Model("Your model", base.id, price, window)
    return Bill(model, base.measures.tokens, price, calls, exact=False, own=True)
