"""A movement and its tokens as plain data."""

from typing import Any

from ..lab.beyond.actions.analysis import ActionAnalysis, ActionMeasurement


def serialize_analysis(one: ActionAnalysis, *, curve: bool = False) -> dict[str, Any]:
    """Return every stage of a movement, its tokens, and what they give back."""
    centre, half = one.encoded.ranges
    result = {
        "scale": one.scale,
        "centre": centre.tolist(),
        "half_range": half.tolist(),
        "normalized": one.encoded.normalized.tolist(),
        "coefficients": one.encoded.coefficients.tolist(),
        "levels": one.encoded.levels.tolist(),
        "symbols": [*one.encoded.symbols],
        "ids": [token.id for token in one.tokens],
        "tokens": [{"id": token.id, "symbols": [*token.symbols], "label": token.label} for token in one.tokens],
        "decoded": one.decoded.tolist(),
        "exact": one.exact,
        "fast": _serialize_measured(one.measured),
        "naive": _serialize_measured(one.naive),
    }
    return result | ({"curve": [_serialize_measured(point) for point in one.curve]} if curve else {})


def _serialize_measured(one: ActionMeasurement) -> dict[str, Any]:
    return {"tokens": one.tokens, "error": one.error} | ({} if one.scale is None else {"scale": one.scale})
