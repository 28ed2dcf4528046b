"""The options of a comparison. Form, JSON and command line follow them; they need no numpy, so that the server starts
without it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ...types import SpecialPolicy
from ..option_schema import option

ComparisonPart = Literal["agreement", "places", "ids"]
"""Parts of a comparison that JSON includes on request."""
POLICIES: Mapping[SpecialPolicy, str] = {"text": "treat as text", "parse": "recognize", "refuse": "reject"}


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """Everything that decides a comparison, beside the text and the tokenizers."""

    baseline: str = field(
        default="",
        metadata=option("Baseline", help="The tokenizer that the others are measured against; else the first."),
    )
    special: SpecialPolicy = field(default="text", metadata=option("Special tokens in the text", choices=POLICIES))
    spaces: bool = field(
        default=False,
        metadata=option(
            "Count leading and trailing whitespace",
            help="Tokens that differ only in the whitespace at their edges then count as different.",
        ),
    )
