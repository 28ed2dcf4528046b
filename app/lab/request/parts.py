"""The parts of a request: what each of them is, its tokens, and the formula that it was counted by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from ...registry import Registry
from ..cells import Window
from ..costs import Span, find_share, price_tokens
from ..tokenize import Tokenization, tokenize
from .formulas import Formula
from .recognition import ModelCall
from .targets import TargetModel
from .values import hide_secrets

PartKind = Literal["system", "tool", "message", "call", "result", "media", "format", "prompt"]
KINDS: dict[PartKind, str] = {
    "system": "System prompt",
    "tool": "Tool definitions",
    "message": "Messages",
    "call": "Tool calls",
    "result": "Tool results",
    "media": "Pictures, sound, files",
    "format": "Added by the format",
    "prompt": "Beginning of the answer",
}
"""The kinds of parts, in the order in which they are summed up."""
Basis = Literal["exact", "template", "formula", "range", "unknown"]
"""Counted as the model reads it · by the template of another model · by a formula with a source · between two ends ·
not counted."""


@dataclass(frozen=True)
class RequestPart:
    """A part of a request. `tokens` is None if they are not known.

    `text` is what was counted, without secrets; `shown` and `rows` are its tokens, if they are the model's own and hide
    no secret. `message` is the index of the message that it belongs to, if any.
    """

    kind: PartKind
    name: str
    tokens: Span | None
    basis: Basis
    formula: Formula | None = None
    detail: str = ""
    text: str = ""
    shown: Tokenization | None = None
    rows: tuple[tuple[int, int], ...] = ()
    message: int | None = None
    secrets: int = 0

    @property
    def windows(self) -> list[Window]:
        """The tokens of this part as windows of the tokenization."""
        if self.shown is None:
            return []
        encoding = self.shown.encoding
        return [
            Window(i, start, stop, int(encoding.byte_starts[start]), int(encoding.byte_ends[stop - 1]))
            for i, (start, stop) in enumerate(self.rows)
            if start < stop
        ]


@dataclass(frozen=True)
class RequestCount:
    """A request, the model that reads it, and its parts with their tokens.

    `notes` are sentences that belong to it, `failure` says why a chat template did not write the prompt.
    """

    call: ModelCall
    model: TargetModel
    parts: tuple[RequestPart, ...]
    notes: tuple[str, ...] = ()
    failure: str = ""

    @cached_property
    def tokens(self) -> Span:
        """The tokens of all parts that are known."""
        return add_spans(part.tokens for part in self.parts)

    @cached_property
    def complete(self) -> bool:
        """False if the tokens of a part are not known: both ends of `tokens` are then lower bounds."""
        return all(part.tokens is not None for part in self.parts)

    @property
    def settled(self) -> bool:
        """True if the tokens are one number: no part is a range or not known."""
        return self.complete and self.tokens.exact

    @property
    def basis(self) -> Basis:
        """The basis of the sum: that of its least certain part."""
        order: tuple[Basis, ...] = ("unknown", "range", "formula", "template", "exact")
        return min((part.basis for part in self.parts), key=order.index, default="exact")

    @property
    def share(self) -> Span | None:
        """The share of the context window; None if that is not known."""
        return find_share(self.model.money, self.tokens)

    @property
    def dollars(self) -> Span | None:
        """The cost as input that no cache has; None if the price is not known, or no tokens are."""
        return price_tokens(self.model.money, self.tokens) if self.complete or self.tokens.high else None

    @cached_property
    def by_kind(self) -> list[tuple[PartKind, Span]]:
        """The tokens of each kind that has any."""
        sums = [(kind, add_spans(part.tokens for part in self.parts if part.kind == kind)) for kind in KINDS]
        return [(kind, span) for kind, span in sums if span.high]

    @property
    def secrets(self) -> int:
        """The number of keys and tokens that are hidden."""
        return sum(part.secrets for part in self.parts)

    @property
    def formulas(self) -> list[Formula]:
        """The formulas that were used, each once."""
        return list(dict.fromkeys(part.formula for part in self.parts if part.formula))

    @property
    def sentences(self) -> list[str]:
        """What is to be said of the count: its notes, and how its parts were counted."""
        return [*self.notes, *(f"{one.title}: {one.text} Error: {one.error}" for one in self.formulas)]


def add_spans(spans: Iterable[Span | None]) -> Span:
    """Return the sum of the spans that are known."""
    known = [span for span in spans if span]
    return Span(sum(span.low for span in known), sum(span.high for span in known))


KnownTexts = dict[tuple[str, str], Tokenization]
MAX_KNOWN = 5_000
"""Texts whose tokens are kept while a log is counted."""


@dataclass(frozen=True)
class PartCounter:
    """Counts texts for a model and makes parts of them."""

    registry: Registry
    model: TargetModel
    known: KnownTexts = field(default_factory=dict)

    def tokenize(self, text: str) -> Tokenization:
        """Return the tokens of a text, which the requests of a log repeat."""
        key = (self.model.tokenizer, text)
        if (tokenization := self.known.get(key)) is None:
            tokenization = tokenize(self.registry, text, tokenizer=self.model.tokenizer)
            if len(self.known) < MAX_KNOWN:
                self.known[key] = tokenization
        return tokenization

    def count(self, text: str) -> Span:
        """Return the tokens of a text: exact, or in the range of the model."""
        return self.scale(len(self.tokenize(text).encoding)) if text else Span(0, 0)

    def exact(self, text: str) -> int:
        """Return the tokens of a text in the tokenizer, whoever's it is."""
        return len(self.tokenize(text).encoding) if text else 0

    def count_added(self) -> int:
        """Return how many special tokens the tokenizer adds to a text, such as 2 for [CLS] and [SEP]."""
        info = self.registry.get(self.model.tokenizer).info
        return len(info.prefix) + len(info.suffix)

    def scale(self, count: int) -> Span:
        """Return the tokens of the model for a count of the tokenizer."""
        return Span(*self.model.range.multiply(count)) if self.model.range else Span(count, count)

    def part(
        self,
        kind: PartKind,
        name: str,
        text: str,
        *,
        tokens: Span | None = None,
        basis: Basis = "exact",
        formula: Formula | None = None,
        message: int | None = None,
    ) -> RequestPart:
        """Return a text as a part: with `tokens`, or else with those of the text, shown if they are the model's own.

        Of a model without a public tokenizer every part is a range.
        """
        hidden, secrets = hide_secrets(text)
        shown, size = None, 0
        if tokens is None:
            tokenization = self.tokenize(text)
            size = len(tokenization.encoding)
            tokens = self.scale(size)
            shown = tokenization if self.model.own and not secrets else None
        return RequestPart(
            kind=kind,
            name=name,
            tokens=tokens,
            basis=basis if self.model.own else "range",
            formula=formula,
            text=hidden,
            shown=shown,
            rows=((0, size),),
            message=message,
            secrets=secrets,
        )


def number_names(texts: Sequence[str]) -> list[str]:
    """Return names, numbered from the second of the same.

    >>> number_names(["a", "b", "a"])
    ['a', 'b', 'a (2)']
    """
    seen: dict[str, int] = {}
    names = []
    for text in texts:
        seen[text] = seen.get(text, 0) + 1
        names.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return names
