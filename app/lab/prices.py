"""What models cost, and how much text they take: the table `prices.toml`, which explains its fields."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import ceil, floor, log10
from pathlib import Path

TABLE = Path(__file__).with_name("prices.toml")
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class PricedModel:
    """A model: its tokenizer, dollars for a million tokens of input, context window in tokens, and who says so."""

    name: str
    tokenizer: str = ""
    price: float | None = None
    window: int | None = None
    date: str = ""
    source: str = ""
    address: str = ""
    offer: str = ""
    output: float | None = None
    long_from: int = 0
    long_price: float | None = None
    long_output: float | None = None
    range: str = ""
    gap: str = ""
    note: str = ""
    strip: bool = False

    @property
    def id(self) -> str:
        """The name as an identifier, such as gpt-4o-mini."""
        return self.name.casefold().replace(" ", "-").replace(",", "")

    def rates(self, tokens: int) -> tuple[float | None, float | None]:
        """Return the dollars for a million tokens of input and of output, of a request with this many of input.

        >>> PricedModel("A", price=2.0, output=12.0, long_from=200_000, long_price=4.0, long_output=18.0).rates(200_001)
        (4.0, 18.0)
        """
        if self.long_from and tokens > self.long_from:
            return self.long_price, self.long_output
        return self.price, self.output


@dataclass(frozen=True, slots=True)
class TokenRange:
    """How many tokens a model without a public tokenizer takes: `low` to `high` times those of the tokenizer `of`.

    `since` is the first version of the vendor's models that it holds for, up to that of the next range; `version` is
    that of the model at hand.
    """

    id: str
    since: tuple[int, int]
    title: str
    of: str
    low: float
    high: float
    text: str
    source: str
    address: str
    date: str
    version: str = ""

    @property
    def sentence(self) -> str:
        """What the range is."""
        of = "GPT-4o" if self.of == "o200k_base" else self.of
        return f"{self.title}: {self.low:.2f} to {self.high:.2f} times the tokens of {of}; no tokenizer is published."

    def measure(self, ratio: tuple[float, float] | None) -> TokenRange:
        """Return the range with the ends that someone has measured, if there are any, in place of the published ones.

        >>> load_token_ranges()["claude-3"].measure((1.25, 1.3)).text
        'Your measurement: 1.25 to 1.3 times GPT-4o.'
        """
        if ratio is None:
            return self
        low, high = ratio
        return replace(self, low=low, high=high, text=f"Your measurement: {low:g} to {high:g} times GPT-4o.")

    def multiply(self, count: float) -> tuple[int, int]:
        """Return the range for a count of the tokenizer `of`.

        >>> load_token_ranges()["claude-3"].multiply(8)
        (9, 11)
        """
        return floor(count * self.low), ceil(count * self.high)


@cache
def load_prices() -> tuple[PricedModel, ...]:
    """Return the models with a known price or context window."""
    return tuple(PricedModel(**entry) for entry in tomllib.loads(TABLE.read_text())["model"])


@cache
def load_token_ranges() -> dict[str, TokenRange]:
    """Return the ranges by id."""
    entries = tomllib.loads(TABLE.read_text())["range"]
    return {entry["id"]: TokenRange(**entry | {"since": tuple(entry["since"])}) for entry in entries}


def add_dollars(amounts: Sequence[float | None]) -> float | None:
    """Return a sum, or None if one of the amounts is not known.

    >>> add_dollars([0.5, 1.0]), add_dollars([0.5, None]), add_dollars([])
    (1.5, None, 0)
    """
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


def format_dollars(value: float | None) -> str:
    """Return an amount with cents, with two digits that count below ten cents, and with one below a tenth of a cent.

    One that is not known is "unknown", and never $0.

    >>> [format_dollars(value) for value in (0, 0.0000012, 0.00018, 0.0123, 1.234, None)]
    ['$0', '$0.000001', '$0.0002', '$0.012', '$1.23', 'unknown']
    """
    if value is None:
        return "unknown"
    if not value:
        return "$0"
    places = 2 if value >= 0.1 else (1 if value >= 0.001 else 0) - floor(log10(value))
    return f"${value:,.{places}f}"
