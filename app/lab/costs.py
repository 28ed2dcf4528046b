"""What one text costs in each of the models that people pay for: tokens, dollars, and its share of the context window.

A count is exact, or it is a range with a source, or there is none and the reason is given: no count is a guess.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from ..csv_text import csv_text
from ..errors import Invalid, TokenariumError, join_names
from ..registry import Registry
from ..types import SpecialPolicy
from .caches import LRUCache
from .models import find_model
from .prices import MILLION, PricedModel, load_prices, load_token_ranges
from .reconstruction import Reconstruction, reconstruct
from .token_ranges import find_range
from .tokenize import check_length, tokenize

State = Literal["exact", "range", "on request", "unknown", "failed"]
PER = 1000
"""The number of requests that a cost is also given for, unless another is chosen."""
UNPUBLISHED = "Anthropic publishes no tokenizer for Claude 3 and later."


@dataclass(frozen=True, slots=True)
class Span:
    """A number that lies from `low` to `high`, which are equal if it is known exactly."""

    low: float
    high: float

    @property
    def exact(self) -> bool:
        return self.low == self.high

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


def price_tokens(model: PricedModel, tokens: Span, output: int = 0) -> Span | None:
    """Return the dollars of tokens as input that no cache has, and of an answer; None if a price is not known.

    >>> model = PricedModel("A", price=2.0)
    >>> price_tokens(model, Span(1000, 2000)), price_tokens(model, Span(1, 1), output=1)
    (Span(low=0.002, high=0.004), None)
    """
    ends = []
    for count in (tokens.low, tokens.high):
        price, output_price = model.rates(int(count))
        if price is None or (output and output_price is None):
            return None
        ends.append((count * price + output * (output_price or 0.0)) / MILLION)
    return Span(*ends)


def find_share(model: PricedModel, tokens: Span) -> Span | None:
    """Return the share of the context window, more than 1 if tokens do not fit; None if the window is not known."""
    return Span(tokens.low / model.window, tokens.high / model.window) if model.window else None


@dataclass(frozen=True, slots=True)
class TextCost:
    """What a text costs in a model. `tokens` is None if there is no count; `reason` then says why.

    `reason` also says how a range or a count came about where that is not obvious. `output_tokens` are those of an
    expected answer; `many` is the cost of `requests`.
    """

    model: PricedModel
    state: State
    tokens: Span | None = None
    reason: str = ""
    output_tokens: int = 0
    requests: int = PER
    reconstruction: Reconstruction | None = None

    @property
    def dollars(self) -> Span | None:
        """The cost of the text as input."""
        return self.tokens and price_tokens(self.model, self.tokens)

    @property
    def request(self) -> Span | None:
        """The cost of a request: the text, and the expected answer."""
        return self.tokens and price_tokens(self.model, self.tokens, self.output_tokens)

    @property
    def many(self) -> Span | None:
        """The cost of `requests` requests."""
        one = self.request
        return one and Span(one.low * self.requests, one.high * self.requests)

    @property
    def share(self) -> Span | None:
        """The share of the context window, more than 1 if the text does not fit."""
        return self.tokens and find_share(self.model, self.tokens)


def list_paid_models() -> tuple[PricedModel, ...]:
    """Return the models that people pay for: those with a price."""
    return tuple(model for model in load_prices() if model.price is not None)


def list_strip_models() -> tuple[PricedModel, ...]:
    """Return the models of the strip of a first visit, one of each maker."""
    return tuple(model for model in list_paid_models() if model.strip)


def find_paid(ids: Iterable[str]) -> tuple[PricedModel, ...]:
    """Return the paid models with these ids, in their order in the table. Raises `Invalid`."""
    known = {model.id: model for model in list_paid_models()}
    wanted = dict.fromkeys(ids)
    for id in wanted:
        if id not in known:
            raise Invalid(f"models are some of {join_names(known)}.", pointer="/models")
    return tuple(model for id, model in known.items() if id in wanted)


class RecentCounts(LRUCache[int]):
    """The counts of recent texts by tokenizer: to sort a table, no vocabulary is loaded again."""

    def __init__(self) -> None:
        super().__init__(entries=1000, max_bytes=1_000_000, size=lambda _: 100)

    def forget(self, tokenizer: str) -> None:
        """Keep all: a count refers to no tokenizer."""

    def count(self, registry: Registry, text: str, tokenizer: str, special: SpecialPolicy = "text") -> int:
        """Return the tokens of a text. Raises what `tokenize` raises."""
        if not text:  # no vocabulary need be loaded
            return 0
        key = f"{tokenizer} {special} {hashlib.sha256(text.encode()).hexdigest()}"
        return self.get_or_create(
            key, lambda: len(tokenize(registry, text, tokenizer=tokenizer, special=special).encoding)
        )


def count_costs(
    registry: Registry,
    text: str,
    chosen: Sequence[PricedModel],
    *,
    limit: int,
    output_tokens: int = 0,
    requests: int = PER,
    ratio: tuple[float, float] | None = None,
    known: Mapping[str, int] = MappingProxyType({}),
    recent: RecentCounts | None = None,
    special: SpecialPolicy = "text",
) -> list[TextCost]:
    """Return what a text costs in each model.

    `limit` is the maximum length of the text in bytes. `ratio` replaces the published ranges: how many tokens a model
    takes for a token of the tokenizer that the range refers to, as someone has measured. `known` are counts by
    tokenizer, which are not counted again. `special` says how special tokens in the text are treated.

    Raises `TooLarge`, `LoneSurrogate`.
    """
    check_length([text], limit=limit)
    ranges = load_token_ranges()
    wanted = {model.tokenizer or (ranges[model.range].of if model.range else "") for model in chosen} - {"", *known}
    cached = recent or RecentCounts()
    here = {id: own for id in sorted(wanted) if (own := find_model(registry, id))}
    counts = {id: _count(registry, text, own, cached, special) for id, own in here.items()} | {**known}
    costs = (_cost(model, counts, ratio) for model in chosen)
    beside = {model.name: reconstruct(registry, find_range(model.name), text) for model in chosen}
    return [
        replace(one, output_tokens=output_tokens, requests=requests, reconstruction=beside[one.model.name])
        for one in costs
    ]


def _count(registry: Registry, text: str, tokenizer: str, recent: RecentCounts, special: SpecialPolicy) -> int | str:
    """Return the tokens of a text, or why a tokenizer has failed."""
    try:
        return recent.count(registry, text, tokenizer, special)
    except TokenariumError as error:
        return error.detail


def _cost(model: PricedModel, counts: Mapping[str, int | str], ratio: tuple[float, float] | None) -> TextCost:
    if model.range:
        return _ranged(model, counts, ratio)
    count = counts.get(model.tokenizer)
    if isinstance(count, int):
        return TextCost(model, "exact", Span(count, count), model.note)
    if count is not None:
        return TextCost(model, "failed", None, count)
    if model.tokenizer:
        return TextCost(model, "on request", None, "Not included: download after accepting the licence.")
    return TextCost(model, "unknown", None, model.gap)


def _ranged(model: PricedModel, counts: Mapping[str, int | str], ratio: tuple[float, float] | None) -> TextCost:
    one = load_token_ranges()[model.range].measure(ratio)
    count = counts.get(one.of, "")
    if isinstance(count, str):
        return TextCost(model, "failed", None, count or UNPUBLISHED)
    return TextCost(model, "range", Span(*one.multiply(count)), f"{UNPUBLISHED} {one.text}")


def write_csv(costs: Sequence[TextCost]) -> str:
    """Return the costs as CSV; what is not known is empty."""
    head = ("model", "offer", "vocabulary", "count", "tokens_low", "tokens_high", "price", "output_price")
    tail = ("dollars_low", "dollars_high", "dollars_1000_low", "dollars_1000_high", "window", "share_low", "share_high")
    rows: list[Sequence[object]] = [(*head, *tail, "date", "source", "address", "reason")]
    for one in costs:
        model = one.model
        spans = [(span.low, span.high) if span else ("", "") for span in (one.tokens, one.dollars, one.many, one.share)]
        about = (model.name, model.offer, model.tokenizer, one.state)
        money = (model.price, "" if model.output is None else model.output)
        last = (model.date, model.source, model.address, one.reason)
        rows.append((*about, *spans[0], *money, *spans[1], *spans[2], model.window or "", *spans[3], *last))
    return csv_text(rows, line_end="\n")
