"""The options of a comparison. Form, JSON and command line follow them; they need no numpy, so that the server starts
without it."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from ...errors import Invalid
from ...types import SpecialPolicy
from ..option_schema import Options, declare

ComparisonPart = Literal["agreement", "places", "ids", "causes"]
"""Parts of a comparison that JSON includes on request; `causes` says why each tokenizer needs more or fewer tokens than
the baseline."""
POLICIES: Mapping[SpecialPolicy, str] = {"text": "treat as text", "parse": "recognize", "refuse": "reject"}


class CompareOptions(Options):
    """Everything that decides a comparison, beside the text and the tokenizers."""

    baseline: str = declare("Baseline", "", help="The tokenizer that the others are measured against; else the first.")
    special: SpecialPolicy = declare("Special tokens in the text", "text", choices=POLICIES)
    spaces: bool = declare(
        "Count leading and trailing whitespace",
        False,
        help="Tokens that differ only in the whitespace at their edges then count as different.",
    )


class PriceOptions(Options):
    """What decides prices. `prices` by name replace list prices; `price` and `window` are of a model of one's own."""

    calls: int = declare("Requests", 1000)
    output: int | None = declare("Expected output tokens", None, le=10_000_000)
    low: float | None = declare("Claude tokens per GPT-4o token, from", None, le=100)
    high: float | None = declare("to", None, le=100)
    every: bool = declare("All models with a price", False)
    prices: dict[str, float] = Field(default_factory=dict)
    price: float | None = declare("Price", None, field="own-price")
    window: int | None = declare("Context window", None, field="own-window")

    @property
    def ratio(self) -> tuple[float, float] | None:
        """The measured ratio, if one or both of its ends are given. Raises `Invalid`."""
        ends = [end for end in (self.low, self.high) if end is not None]
        if not ends:
            return None
        if not 0 < ends[0] <= ends[-1]:
            raise Invalid("The measured ratio runs from a number above 0 to one that is not smaller.", pointer="/low")
        return ends[0], ends[-1]
