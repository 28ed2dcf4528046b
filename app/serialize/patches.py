"""A text as bytes, patches and concepts as plain data."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ..lab.beyond.bytes import MovedUnits, PatchStudy, UnitSegmentation
from ..lab.beyond.concepts import ConceptStudy as ConceptStudy


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
