"""All requests of a log: tokens, bill and cache of each, and sums by day and model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby

from ...errors import TokenariumError
from ...registry import Registry
from ..costs import Span
from .bill import BilledTokens, compute_dollars, read_usage
from .caches import CacheCheck, PromptBlock, check_cache, list_blocks
from .counting import count_request
from .log import RequestLog
from .parts import KnownTexts, PartCounter, PartKind, RequestCount, add_spans
from .ratio_fit import RatioFit, fit_ratios
from .recognition import ModelCall

DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True)
class LogRow:
    """A request of a log by its number from 1, and the number of its line; `error` says why there is no count."""

    number: int
    line: int
    call: ModelCall
    count: RequestCount | None = None
    cache: CacheCheck | None = None
    error: str = ""

    @property
    def billed(self) -> BilledTokens | None:
        return read_usage(self.call.usage)

    @property
    def dollars(self) -> float | None:
        return compute_dollars(self.count) if self.count else None

    @property
    def day(self) -> str:
        return read_day(self.call.time)


@dataclass(frozen=True)
class LogGroup:
    """The sums of the requests of one day to one model. `dollars` leaves out what has no price."""

    day: str
    model: str
    requests: int
    tokens: Span
    billed: int
    cached: int
    cacheable: int
    dollars: float
    kinds: tuple[tuple[PartKind, Span], ...]


@dataclass(frozen=True)
class LogReport:
    """The requests of a log, the first of them if there are too many, and the sums of those."""

    rows: tuple[LogRow, ...]
    groups: tuple[LogGroup, ...]
    left_out: int

    @cached_property
    def fits(self) -> list[RatioFit]:
        """The ratios of models without a public tokenizer that the bills give."""
        bills = [(row.count, row.billed.input) for row in self.rows if row.count and row.billed]
        return fit_ratios(bills)

    @property
    def cached_rows(self) -> list[LogRow]:
        """The requests that follow another, with what their cache check says."""
        return [row for row in self.rows if row.cache]


def read_day(time: str) -> str:
    """Return the day of a time in ISO 8601 or in seconds or milliseconds since 1970; "" if it is none.

    >>> read_day("2026-11-24T10:00:00Z"), read_day("1764000000"), read_day("soon")
    ('2026-11-24', '2025-11-24', '')
    """
    if match := DAY.match(time):
        return match.group()
    try:
        seconds = float(time)
        return f"{datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC):%Y-%m-%d}"
    except (ValueError, OverflowError, OSError):
        return ""


def examine_log(
    registry: Registry,
    log: RequestLog,
    *,
    model: str = "",
    ratio: tuple[float, float] | None = None,
    limit: int,
    most: int,
) -> LogReport:
    """Return what the requests of a log take, the first `most` of them; one that cannot be counted has its error."""
    known: KnownTexts = {}
    last: dict[str, Sequence[PromptBlock]] = {}
    rows = []
    for number, (call, line) in enumerate(zip(log.calls[:most], log.lines, strict=False), 1):
        try:
            count = count_request(registry, call, model=model, ratio=ratio, limit=limit, known=known)
        except TokenariumError as error:
            rows.append(LogRow(number, line, call, error=error.detail))
            continue
        older = last.get(count.model.name)
        counter = PartCounter(registry, count.model, known)
        rows.append(LogRow(number, line, call, count, check_cache(older, count, counter) if older else None))
        last[count.model.name] = list_blocks(call)
    return LogReport(tuple(rows), tuple(_groups(rows)), max(0, len(log.calls) - most))


def _groups(rows: Iterable[LogRow]) -> Iterable[LogGroup]:
    counted = [(row, row.count) for row in rows if row.count]
    counted.sort(key=lambda pair: (pair[0].day, pair[1].model.name))
    for (day, model), members in groupby(counted, key=lambda pair: (pair[0].day, pair[1].model.name)):
        pairs = [*members]
        kinds: dict[PartKind, list[Span]] = {}
        for _, count in pairs:
            for kind, span in count.by_kind:
                kinds.setdefault(kind, []).append(span)
        yield LogGroup(
            day=day,
            model=model,
            requests=len(pairs),
            tokens=add_spans(count.tokens for _, count in pairs),
            billed=sum(row.billed.input for row, _ in pairs if row.billed),
            cached=sum(row.billed.cached for row, _ in pairs if row.billed),
            cacheable=sum(row.cache.cacheable for row, _ in pairs if row.cache),
            dollars=sum(row.dollars or 0.0 for row, _ in pairs),
            kinds=tuple((kind, add_spans(spans)) for kind, spans in kinds.items()),
        )
