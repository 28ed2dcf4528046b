"""What an answer says was billed, against what is counted here: known causes, and a rest that is unexplained.

Vendors' prompt caches are known by their rules: the least prefix, the steps in which it grows, and what reading and
writing cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..costs import Span
from ..prices import MILLION
from .formulas import READ
from .parts import KINDS, RequestCount
from .rules import find_rule
from .targets import TargetModel
from .values import mapping, number_of


@dataclass(frozen=True, slots=True)
class CacheRule:
    """A vendor's cache of prefixes from `least` tokens, in steps; `read` and `write` are multiples of the price."""

    models: Sequence[str]
    least: int
    step: int
    read: float
    write: float
    source: str
    date: str = READ

    def price_prompt(self, price: float, tokens: int, shared: int) -> float:
        """Return the dollars of a prompt, of which `shared` ids begin the one before, at a price for a million tokens.

        What is shared is read, and the rest is written for the next prompt.

        >>> rule = CacheRule((), 1024, 1, 0.1, 1.25, "")
        >>> round(rule.price_prompt(10.0, 4000, 2000), 5), round(rule.price_prompt(10.0, 1000, 900), 5)
        (0.027, 0.01)
        """
        held, read = self.round_down(tokens), self.round_down(shared)
        return (tokens - held + read * self.read + (held - read) * self.write) * price / MILLION

    def round_down(self, tokens: int) -> int:
        """Return how many of a common beginning the cache can serve.

        >>> [CacheRule((), 1024, 128, 0.5, 1.0, "").round_down(tokens) for tokens in (900, 1200)]
        [0, 1152]
        """
        return 0 if tokens < self.least else tokens - tokens % self.step


@dataclass(frozen=True, slots=True)
class BilledTokens:
    """The `usage` of an answer. `input` is all input; of it, `cached` was read from a cache and `written` to one.

    Of `output`, `reasoning` are tokens that the answer does not show.
    """

    input: int
    output: int = 0
    cached: int = 0
    written: int = 0
    reasoning: int = 0

    @property
    def fresh(self) -> int:
        """The input that no cache was read for or written with."""
        return max(0, self.input - self.cached - self.written)


def find_cache_rule(model: TargetModel) -> CacheRule | None:
    """Return the rule of a model's cache; None if none is known here."""
    found = find_rule("cache", model)
    return CacheRule(**found) if found else None


def read_usage(usage: Mapping[str, Any] | None) -> BilledTokens | None:
    """Return the billed tokens that an answer of any of the APIs states; None if it states none.

    >>> read_usage({"input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 5})
    BilledTokens(input=100, output=5, cached=90, written=0, reasoning=0)
    """
    if not usage:
        return None
    if "promptTokenCount" in usage:
        thoughts = number_of(usage.get("thoughtsTokenCount"))
        return BilledTokens(
            number_of(usage["promptTokenCount"]) + number_of(usage.get("toolUsePromptTokenCount")),
            number_of(usage.get("candidatesTokenCount")) + thoughts,
            cached=number_of(usage.get("cachedContentTokenCount")),
            reasoning=thoughts,
        )
    if "input_tokens" in usage:
        return _of_input_tokens(usage)
    if "prompt_tokens" not in usage:
        return None
    details = mapping(usage.get("prompt_tokens_details"))
    return BilledTokens(
        number_of(usage["prompt_tokens"]),
        number_of(usage.get("completion_tokens")),
        cached=number_of(details.get("cached_tokens")),
        reasoning=number_of(mapping(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def _of_input_tokens(usage: Mapping[str, Any]) -> BilledTokens:
    """Return the usage of Anthropic, whose input leaves out the cache, or of OpenAI's Responses, whose input has it."""
    read = number_of(usage.get("cache_read_input_tokens"))
    written = number_of(usage.get("cache_creation_input_tokens"))
    return BilledTokens(
        number_of(usage["input_tokens"]) + read + written,
        number_of(usage.get("output_tokens")),
        cached=read or number_of(mapping(usage.get("input_tokens_details")).get("cached_tokens")),
        written=written,
        reasoning=number_of(mapping(usage.get("output_tokens_details")).get("reasoning_tokens")),
    )


@dataclass(frozen=True, slots=True)
class BillCheck:
    """A request as counted and as billed. `causes` are sentences about what the bill has that a text has not."""

    counted: Span
    billed: BilledTokens
    causes: tuple[str, ...]
    complete: bool

    @property
    def unexplained(self) -> Span:
        """By how many tokens the bill is above what was counted, below 0 if it is below; 0 within the range."""
        low, high = self.billed.input - self.counted.high, self.billed.input - self.counted.low
        return Span(0, 0) if low <= 0 <= high else Span(low, high)


def check_bill(count: RequestCount) -> BillCheck | None:
    """Return the request as counted and as billed; None without a `usage`."""
    billed = read_usage(count.call.usage)
    return None if billed is None else BillCheck(count.tokens, billed, tuple(_causes(count, billed)), count.complete)


def compute_dollars(count: RequestCount) -> float | None:
    """Return what a request cost: as billed, with its answer and the cache, or else as counted, the middle of a range.

    None if the price is not known. Without a rule for the model's cache, what was read from it counts as fresh.
    """
    billed = read_usage(count.call.usage)
    if billed is None:
        return count.dollars.middle if count.dollars else None
    price, output = count.model.money.rates(billed.input)
    if price is None or (billed.output and output is None):
        return None
    rule = find_cache_rule(count.model)
    read, write = (rule.read, rule.write) if rule else (1.0, 1.0)
    weighted = billed.fresh + billed.cached * read + billed.written * write
    return (weighted * price + billed.output * (output or 0.0)) / MILLION


def _causes(count: RequestCount, billed: BilledTokens) -> list[str]:
    causes = []
    for kind, span in count.by_kind:
        if kind in ("tool", "media", "format", "prompt", "call"):
            tokens = "1 token" if span.low == span.high == 1 else f"{tell(span)} tokens"
            causes.append(f"{KINDS[kind]}: {tokens}, which no text of a message shows.")
    missing = [part.name for part in count.parts if part.tokens is None]
    if missing:
        causes.append(f"Billed, and not counted here: {', '.join(missing[:5])}{' …' if len(missing) > 5 else ''}.")
    if billed.cached:
        causes.append(f"{billed.cached:,} of the billed tokens were read from a cache, at a lower price.")
    if billed.written:
        causes.append(f"{billed.written:,} of the billed tokens were written to a cache, at a higher price.")
    if billed.reasoning:
        causes.append(f"{billed.reasoning:,} of {billed.output:,} tokens of the answer are reasoning, which it hides.")
    return causes


def tell(span: Span) -> str:
    """Return a number, or both ends of a range.

    >>> tell(Span(3, 3)), tell(Span(1000, 2000))
    ('3', '1,000 to 2,000')
    """
    return f"{span.low:,.0f}" if span.exact else f"{span.low:,.0f} to {span.high:,.0f}"
