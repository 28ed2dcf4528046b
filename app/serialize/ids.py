"""Ids as they are written, and what is known of them as JSON."""

from typing import Any

from ..errors import Invalid
from ..lab.canonical import ExaminedIds
from .columns import piece, serialize_detokenization
from .json import parse


def read_ids(text: str) -> list[int]:
    """Return ids that are written as numbers, as a JSON list, or as an answer of /tokenize.

    Raises `Invalid`, `BadRequest`.

    >>> read_ids("9906, 11"), read_ids("[9906, 11]"), read_ids('{"count": 2, "ids": [9906, 11]}')
    ([9906, 11], [9906, 11], [9906, 11])
    """
    text = text.removeprefix("\ufeff")
    values: Any = text.replace(",", " ").split()
    if text.lstrip()[:1] in ("[", "{"):
        values = parse(text.encode(), part="input")
        values = values.get("ids") if isinstance(values, dict) else values
    if not isinstance(values, list):
        raise Invalid("There is no list of ids.")
    return [_id(index, value) for index, value in enumerate(values)]


def _id(index: int, value: Any) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) <= 10:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**32:
        raise Invalid(f"Number {index + 1} is no id: ids are whole numbers from 0 to {2**32 - 1}.")
    return value


def serialize_ids(found: ExaminedIds) -> dict[str, Any]:
    """Return what is known of ids; the number of segmentations is a text of digits, as it has any length."""
    difference, segmentations = found.difference, found.segmentations
    pair = [difference.given, difference.canonical] if difference else []
    tokens = [one and {"id": one.id, "piece": piece(one)} for one in pair]
    return {
        "tokenizer": found.tokenizer.info.id,
        "count": len(found.ids),
        **serialize_detokenization(found.decoded),
        "canonical": found.canonical,
        "special": found.special,
        "canonical_ids": found.canonical_ids,
        "difference": {"index": difference.index, "given": tokens[0], "canonical": tokens[1]} if difference else None,
        "segmentations": None if segmentations is None else str(segmentations.count),
        "fewest": None if segmentations is None else segmentations.fewest,
        "sampled": None if segmentations is None else segmentations.sampled,
        "log_probabilities": None
        if segmentations is None or segmentations.log_probability is None
        else {
            "text": segmentations.log_probability,
            "given": found.log_probability(found.ids),
            "canonical": found.log_probability(found.canonical_ids or ()),
            "fewest": found.log_probability(segmentations.fewest),
            "sampled": found.log_probability(segmentations.sampled),
        },
        "steps": [
            {"id": one.entry.id, "text": one.text, "held_hex": one.held.hex(), "erased": one.erased}
            for one in found.steps
        ],
        "notes": found.notes,
    }
