"""Costs of one text as plain data."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ..lab.costs import PER, Span, TextCost


def serialize_costs(costs: Sequence[TextCost]) -> dict[str, Any]:
    """Return the costs by model; `tokens`, dollars and shares have a `low` and a `high`, null if not known."""
    return {"requests": PER, "models": [_cost(one) for one in costs]}


def _cost(one: TextCost) -> dict[str, Any]:
    model = one.model
    return {
        "id": model.id,
        "name": model.name,
        "offer": model.offer,
        "vocabulary": model.tokenizer or None,
        "count": one.state,
        "tokens": _span(one.tokens),
        "reason": one.reason,
        "reconstruction": one.reconstruction and asdict(one.reconstruction),
        "price": model.price,
        "output_price": model.output,
        "dollars": _span(one.dollars),
        "dollars_for_requests": _span(one.many),
        "window": model.window,
        "share": _span(one.share),
        "date": model.date,
        "source": model.source,
        "address": model.address,
    }


def _span(span: Span | None) -> dict[str, float] | None:
    return None if span is None else asdict(span)
