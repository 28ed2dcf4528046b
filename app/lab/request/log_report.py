"""Examine requests: of one, its parts and what could be shorter; of a log, tokens, bill, cache, sums and fitted ratios.

A ratio is how many tokens a model without a public tokenizer takes for one of a known tokenizer.

A bill is a fixed number of tokens for the format and a multiple of the known count. Both are fitted by least squares;
resampling the requests gives the interval (Efron 1979, Bootstrap Methods).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from ...errors import TokenariumError
from ...registry import Registry
from ..costs import Span
from ..prices import add_dollars
from ..turns.lanes import TurnRenderer
from ..vocabulary.columns import LETTERS, SCRIPTS, classify_scripts
from .bill import BilledTokens, compute_dollars, read_usage
from .caches import CacheCheck, SentPrompt, check_cache, read_prompt
from .counting import count_request
from .diet import DietFinding, diet
from .log import RequestLog, check_calls
from .parts import KnownTexts, PartCounter, PartKind, RequestCount, add_spans
from .recognition import ModelCall

LEAST_REQUESTS = 8
"""Requests of a fit; fewer tell too little."""
RESAMPLES = 500
SAMPLE = 20_000
"""Characters of a request whose scripts are counted."""
DAY = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True)
class RatioFit:
    """A fitted ratio: tokens of `model` for one of `tokenizer`, from `low` to `high` in 95 of 100 resamples.

    `content` is "all requests", a script, or a kind of content; `fixed` are the tokens of the format.
    """

    model: str
    tokenizer: str
    content: str
    requests: int
    ratio: float
    low: float
    high: float
    fixed: float


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
    """The sums of the requests of one day to one model.

    `billed` and `cached` are None if no request has a bill, `dollars` if a price is not known.
    """

    day: str
    model: str
    requests: int
    tokens: Span
    billed: int | None
    cached: int | None
    cacheable: int
    dollars: float | None
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


@dataclass(frozen=True, slots=True)
class ExaminedRequest:
    """A request whose parts are counted, and what in it could be shorter."""

    count: RequestCount
    savings: tuple[DietFinding, ...]


def fit_ratios(bills: Sequence[tuple[RequestCount, int]]) -> list[RatioFit]:
    """Return the ratios that billed input tokens give for each model without a public tokenizer.

    Requests with pictures or files are left out. Without enough requests of enough different sizes there is no fit.
    """
    pairs: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for count, billed in bills:
        if count.model.own or any(part.kind == "media" for part in count.parts):
            continue
        formats = [part.tokens for part in count.parts if part.kind == "format" and part.tokens]
        pair = (_known_count(count), billed - sum(span.low for span in formats))
        for content in ("all requests", *_contents(count)):
            pairs.setdefault((count.model.name, content), []).append(pair)
    tokenizers = {count.model.name: count.model.tokenizer for count, _ in bills}
    fits = (_fit(tokenizers[model], model, content, points) for (model, content), points in pairs.items())
    return [fit for fit in fits if fit]


def _known_count(count: RequestCount) -> float:
    """Return the tokens of the known tokenizer, which the model's range was made of."""
    low = count.model.range.low if count.model.range else 1
    ranged = [part.tokens for part in count.parts if part.tokens and not part.tokens.exact]
    return sum(span.low for span in ranged) / low


def _contents(count: RequestCount) -> Iterator[str]:
    """Yield the script of most letters of a request, and its kind of content if most of it is one."""
    text = "".join(part.text for part in count.parts)[:SAMPLE]
    script = SCRIPTS[classify_scripts([text])[0]]
    if script in LETTERS:
        yield f"{script} script"
    whole = count.tokens.low or 1
    data = sum(part.tokens.low for part in count.parts if part.tokens and part.kind in ("tool", "call", "result"))
    yield "mostly tools and data" if data > whole / 2 else "mostly messages"


def _fit(tokenizer: str, model: str, content: str, points: Sequence[tuple[float, float]]) -> RatioFit | None:
    known, billed = (np.array(column, float) for column in zip(*points, strict=True))
    if len(points) < LEAST_REQUESTS or np.ptp(known) < known.mean() / 2:
        return None
    random = np.random.default_rng(0)  # the same log has the same interval
    chosen = random.integers(0, len(points), (RESAMPLES, len(points)))
    slopes = np.array([_line(known[rows], billed[rows])[0] for rows in chosen])
    low, high = np.nanpercentile(slopes, (2.5, 97.5))
    slope, fixed = _line(known, billed)
    return RatioFit(model, tokenizer, content, len(points), slope, float(low), float(high), fixed)


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[float, float]:
    """Return slope and intercept by least squares; a slope of NaN if all of `x` are the same."""
    centred = x - x.mean()
    spread = float((centred * centred).sum())
    slope = float((centred * y).sum()) / spread if spread else float("nan")
    return slope, float(y.mean() - slope * x.mean())


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
    """Return the counts of the first `most` requests of a log; one that cannot be counted has its error."""
    known: KnownTexts = {}
    last: dict[str, SentPrompt] = {}
    rows = []
    for number, (call, line) in enumerate(zip(log.calls[:most], log.lines, strict=False), 1):
        try:
            count = count_request(registry, call, model=model, ratio=ratio, limit=limit, known=known)
        except TokenariumError as error:
            rows.append(LogRow(number, line, call, error=error.detail))
            continue
        target = count.model
        older = last.get(target.name)
        renderer = TurnRenderer(registry, target.tokenizer, target.name, limit)
        last[target.name] = sent = read_prompt(count, renderer)
        counter = PartCounter(registry, target, known)
        cache = check_cache(older, sent, count, counter, renderer) if older else None
        rows.append(LogRow(number, line, call, count, cache))
    return LogReport(tuple(rows), tuple(_groups(rows)), max(0, len(log.calls) - most))


def _groups(rows: Iterable[LogRow]) -> Iterable[LogGroup]:
    counted = [(row, row.count) for row in rows if row.count]
    counted.sort(key=lambda pair: (pair[0].day, pair[1].model.name))
    for (day, model), members in groupby(counted, key=lambda pair: (pair[0].day, pair[1].model.name)):
        pairs = [*members]
        bills = [row.billed for row, _ in pairs if row.billed]
        kinds: dict[PartKind, list[Span]] = {}
        for _, count in pairs:
            for kind, span in count.by_kind:
                kinds.setdefault(kind, []).append(span)
        yield LogGroup(
            day=day,
            model=model,
            requests=len(pairs),
            tokens=add_spans(count.tokens for _, count in pairs),
            billed=sum(bill.input for bill in bills) if bills else None,
            cached=sum(bill.cached for bill in bills) if bills else None,
            cacheable=sum(row.cache.cacheable for row, _ in pairs if row.cache),
            dollars=add_dollars([row.dollars for row, _ in pairs]),
            kinds=tuple((kind, add_spans(spans)) for kind, spans in kinds.items()),
        )


def examine_calls(
    registry: Registry,
    calls: Sequence[ModelCall],
    *,
    model: str = "",
    ratio: tuple[float, float] | None = None,
    limit: int,
    most: int,
) -> ExaminedRequest | LogReport:
    """Return the count and the savings of one request, or a report of at most `most`. Raises what counting raises."""
    check_calls(len(calls), most)
    if len(calls) == 1:
        count = count_request(registry, calls[0], model=model, ratio=ratio, limit=limit)
        return ExaminedRequest(count, tuple(diet(registry, count)))
    log = RequestLog(tuple(calls), tuple(range(1, len(calls) + 1)))
    return examine_log(registry, log, model=model, ratio=ratio, limit=limit, most=most)
