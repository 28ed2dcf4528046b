"""A text as bytes, patches and concepts, and a movement with its tokens, as plain data."""

from dataclasses import asdict
from typing import Any

from ..lab.beyond.actions.analysis import ActionAnalysis, ActionMeasurement
from ..lab.beyond.bytes import MovedUnits, PatchStudy, UnitSegmentation
from ..lab.beyond.concepts import ConceptStudy


def serialize_study(study: PatchStudy) -> dict[str, Any]:
    """Return the entropies of a text and its cuts, and what a typo moves, as plain data."""
    return {
        "bytes": len(study.data),
        "bits_per_byte": study.bits_per_byte,
        "entropies": [byte.entropy for byte in study.row],
        "limits": [byte.limit for byte in study.row],
        "cuts": [_serialize_cut(cut) for cut in study.cuts],
        "typo": {"text": study.changed, "cuts": [_serialize_moved(one) for one in study.moved]}
        if study.moved
        else None,
    }


def _serialize_cut(cut: UnitSegmentation) -> dict[str, Any]:
    return {
        "id": cut.id,
        "name": cut.name,
        "kind": cut.kind,
        "count": len(cut.spans),
        "bytes_per_unit": cut.bytes_per_unit,
        "operations": cut.operations,
        "starts": [start for start, _ in cut.spans],
        "ends": [end for _, end in cut.spans],
    }


def _serialize_moved(one: MovedUnits) -> dict[str, Any]:
    new = [at for at, new in enumerate(one.new) if new]
    return {**_serialize_cut(one.cut), "count_before": one.before, "new": new, "gone": one.gone}


def serialize_concepts(study: ConceptStudy) -> dict[str, Any]:
    """Return the concepts of a text and its other units as plain data."""
    return {
        "sentences": study.sentences,
        "concepts": [one._asdict() for one in study.concepts],
        "units": [asdict(one) for one in study.units],
    }


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
