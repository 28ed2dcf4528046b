"""Examine requests: the parts of one and what could be shorter; of several, what each shares with the one before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...registry import Registry
from .counting import count_request
from .diet import DietFinding, diet
from .log import RequestLog, check_calls
from .log_report import LogReport, examine_log
from .parts import RequestCount
from .recognition import ModelCall


@dataclass(frozen=True, slots=True)
class ExaminedRequest:
    """A request whose parts are counted, and what in it could be shorter."""

    count: RequestCount
    savings: tuple[DietFinding, ...]


def examine_calls(
    registry: Registry,
    calls: Sequence[ModelCall],
    *,
    model: str = "",
    ratio: tuple[float, float] | None = None,
    limit: int,
    most: int,
) -> ExaminedRequest | LogReport:
    """Return what is known of a request, or of at most `most` as the lines of a log. Raises what counting raises."""
    check_calls(len(calls), most)
    if len(calls) == 1:
        count = count_request(registry, calls[0], model=model, ratio=ratio, limit=limit)
        return ExaminedRequest(count, tuple(diet(registry, count)))
    log = RequestLog(tuple(calls), tuple(range(1, len(calls) + 1)))
    return examine_log(registry, log, model=model, ratio=ratio, limit=limit, most=most)
