"""A counted request as plain data."""

from dataclasses import asdict
from typing import Any

from ..lab.costs import Span
from ..lab.request.bill import BillCheck, check_bill
from ..lab.request.log_report import ExaminedRequest, LogGroup, LogReport, LogRow
from ..lab.request.parts import RequestCount, RequestPart
from ..lab.request.tools import group_tools


def serialize_examined(found: ExaminedRequest | LogReport) -> dict[str, Any]:
    """Return requests and, of one, its diet; of several, their sums."""
    if isinstance(found, LogReport):
        return serialize_log(found)
    return {"requests": [serialize_request(found.count) | {"diet": [asdict(one) for one in found.savings]}]}


def serialize_request(count: RequestCount) -> dict[str, Any]:
    """Return the parts of a request with their tokens, what they cost, and the bill; null for what is not known.

    Texts are left out: the client has them, and they may hold secrets.
    """
    model = count.model
    money = model.money
    return {
        "format": count.call.format,
        "recorder": count.call.recorder or None,
        "model": model.name or None,
        "tokenizer": model.tokenizer,
        "own_tokenizer": model.own,
        "tokens": asdict(count.tokens),
        "complete": count.complete,
        "count": count.basis,
        "window": money.window,
        "share": _span(count.share),
        "price": money.price,
        "dollars": _span(count.dollars),
        "price_source": {"source": money.source, "date": money.date} if money.source else None,
        "kinds": {kind: asdict(span) for kind, span in count.by_kind},
        "parts": [_part(part) for part in count.parts],
        "tool_servers": {server.name: asdict(server.tokens) for server in group_tools(count)},
        "formulas": [asdict(formula) for formula in count.formulas],
        "secrets": count.secrets,
        "notes": [*count.notes],
        "bill": _bill(check_bill(count)),
    }


def serialize_prompt(count: RequestCount) -> dict[str, Any]:
    """Return the tokens of a prompt as one `count`, or None and a `range`, and how they are known."""
    span = {"low": int(count.tokens.low), "high": int(count.tokens.high)}
    return {
        "tokenizer": count.model.tokenizer if count.model.own else None,
        "count": span["low"] if count.settled else None,
        "range": None if count.settled else span,
        "complete": count.complete,
        "basis": count.basis,
        "notes": count.sentences,
    }


def serialize_log(report: LogReport) -> dict[str, Any]:
    """Return the requests of a log, one that cannot be counted with its `error`, and their sums by day and model."""
    return {
        "requests": [_row(row) for row in report.rows],
        "groups": [_group(group) for group in report.groups],
        "ratios": [asdict(fit) for fit in report.fits],
    }


def _row(row: LogRow) -> dict[str, Any]:
    if row.count is None:
        return {"error": row.error, "model": row.call.model or None}
    cache = asdict(row.cache) | {"share": row.cache.share} if row.cache else None
    return {**serialize_request(row.count), "time": row.call.time or None, "cost": row.dollars, "cache": cache}


def _group(group: LogGroup) -> dict[str, Any]:
    return {**asdict(group), "kinds": {kind: asdict(span) for kind, span in group.kinds}}


def _part(part: RequestPart) -> dict[str, Any]:
    return {
        "kind": part.kind,
        "name": part.name,
        "message": part.message,
        "tokens": _span(part.tokens),
        "count": part.basis,
        "formula": part.formula.title if part.formula else None,
        "detail": part.detail,
    }


def _bill(bill: BillCheck | None) -> dict[str, Any] | None:
    if bill is None:
        return None
    return {**asdict(bill.billed), "unexplained": asdict(bill.unexplained), "causes": [*bill.causes]}


def _span(span: Span | None) -> dict[str, float] | None:
    return None if span is None else asdict(span)
