"""Ids as they are written, and what is known of them as JSON."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import Invalid, UnknownId
from ..lab.canonical import ExaminedIds
from ..types import Tokenizer
from .columns import piece, serialize_detokenization

MAX_IDS = 2**32
MAX_VALUE = 40
"""Characters of a wrong value that are repeated."""
DIGITS = re.compile(r"(0[xX])?(?(1)[0-9a-fA-F]{1,8}|[0-9]{1,10})")
NAMED_LIST = re.compile(r"[\"'](?:ids|input_ids|token_ids|tokens)[\"']\s*:\s*\[+([\d\s,]*)\]")
SEPARATORS = re.compile(r"[\s,;\[\]()\"'\ufeff]+")


class WrongId(NamedTuple):
    """A value that is no id of a vocabulary: its number among the values, from 1, the value as text, and the reason."""

    number: int
    value: str
    reason: str


def read_values(text: str) -> list[str]:
    """Return the values of a list of ids, as JSON, Python, NumPy and PyTorch write it, or in an answer of an API.

    >>> read_values("9906, 11"), read_values("tensor([[9906, 11]], device='cpu')"), read_values("0x26b2;11")
    (['9906', '11'], ['9906', '11'], ['0x26b2', '11'])
    >>> read_values('{"count": 2, "ids": [9906, 11]}')
    ['9906', '11']

    Raises `Invalid` for a list that is cut off.
    """
    if text.count("[") != text.count("]"):
        raise Invalid("A list of ids is not closed; its end may be missing.")
    if named := NAMED_LIST.search(text):
        text = named[1]
    elif "[" in text and "]" in text:
        text = text[text.index("[") : text.rindex("]")]
    return [value for value in SEPARATORS.split(text) if value]


def read_ids(text: str) -> list[int]:
    """Return ids as `read_values` finds them. Raises `Invalid`.

    >>> read_ids("[9906, 0xb]")
    [9906, 11]
    """
    ids, wrong = sort_ids(read_values(text))
    if wrong:
        raise Invalid(f"Number {wrong[0].number} is no id: {wrong[0].reason}.")
    return ids


def sort_ids(values: Sequence[str], tokenizer: Tokenizer | None = None) -> tuple[list[int], list[WrongId]]:
    """Return the values that are ids, and the others; with a tokenizer, those that it lacks are among the others.

    >>> sort_ids(["9906", "x"])
    ([9906], [WrongId(number=2, value='x', reason='ids are whole numbers from 0 to 4294967295')])
    """
    ids, wrong = list[int](), list[WrongId]()
    for number, value in enumerate(values, 1):
        digits = DIGITS.fullmatch(value)
        id = int(value, 16 if digits[1] else 10) if digits else MAX_IDS
        if id >= MAX_IDS:
            wrong.append(WrongId(number, value[:MAX_VALUE], f"ids are whole numbers from 0 to {MAX_IDS - 1}"))
            continue
        try:
            if tokenizer:
                tokenizer.entry(id)
            ids.append(id)
        except UnknownId as error:
            wrong.append(WrongId(number, value, error.detail.rstrip(".")))
    return ids, wrong


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
