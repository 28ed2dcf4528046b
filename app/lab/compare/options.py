"""The options of a comparison. Form, JSON and command line follow them; they need no numpy, so that the server starts
without it."""

from collections.abc import Mapping
from typing import Literal

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
