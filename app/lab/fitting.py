"""The longest beginning or end of a text that has at most so many tokens, and splits no grapheme cluster."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal, get_args

from ..errors import Invalid
from ..registry import Registry
from .cells import CLUSTER
from .tokenize import tokenize

KeptEnd = Literal["start", "end"]
KEPT_ENDS: tuple[KeptEnd, ...] = get_args(KeptEnd)


@dataclass(frozen=True, slots=True)
class FittedText:
    """A part of a text, its tokens when it is tokenized alone, and those of the whole text."""

    text: str
    count: int
    whole: int


def fit(registry: Registry, text: str, *, tokenizer: str, budget: int, keep: KeptEnd = "start") -> FittedText:
    """Return as much of the start or the end of a text as has at most `budget` tokens when it is tokenized alone.

    The tokens of a part may differ from those within the text, so the part is tokenized again, and shortened until it
    fits. Raises `Invalid` for a budget below 0, and what `tokenize` raises.

    >>> from tokenarium.settings import Settings
    >>> fit(Registry(Settings()), "naïve", tokenizer="bytes", budget=3)
    FittedText(text='na', count=2, whole=6)
    >>> fit(Registry(Settings()), "naïve", tokenizer="bytes", budget=3, keep="end").text
    've'
    """
    if budget < 0:
        raise Invalid(f"The budget is at least 0, not {budget}.", pointer="/budget")
    if keep not in KEPT_ENDS:
        raise Invalid(f"keep is start or end, not {keep[:40]!r}.", pointer="/keep")
    encoding = tokenize(registry, text, tokenizer=tokenizer).encoding
    whole = len(encoding)
    tokens = min(budget, whole)
    ends = [0, *(match.end() for match in CLUSTER.finditer(text))]
    while True:
        if keep == "start":
            limit = int(encoding.char_starts[tokens]) if tokens < whole else len(text)
            part = text[: ends[bisect_right(ends, limit) - 1]]
        else:
            limit = int(encoding.char_ends[whole - tokens - 1]) if tokens < whole else 0
            part = text[ends[min(bisect_right(ends, limit - 1), len(ends) - 1)] :]
        count = len(tokenize(registry, part, tokenizer=tokenizer).encoding)
        if count <= budget or not tokens:
            return FittedText(part if count <= budget else "", count if count <= budget else 0, whole)
        tokens = max(0, tokens - (count - budget))
