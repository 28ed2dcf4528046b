"""What a trainer leaves, as bytes that can be kept and read again: JSON, field by field."""

import json
from dataclasses import asdict, fields

from app.errors import BadFile
from app.types import Learned


def dumped(learned: Learned) -> bytes:
    """The bytes.

    >>> learned = Learned("bpe", "characters", ("a", "b", "ab"), ((0, 1),))
    >>> dumped(loaded(dumped(learned))) == dumped(learned)
    True
    """
    return json.dumps(asdict(learned), ensure_ascii=False, separators=(",", ":")).encode()


def loaded(data: bytes) -> Learned:
    """What was dumped. Raises `BadFile` for other bytes."""
    try:
        told = json.loads(data)
        known = {one.name: told[one.name] for one in fields(Learned)}
        pairs = tuple((a, b) for a, b in known["merges"])
        return Learned(**{**known, "pieces": tuple(known["pieces"]), "scores": tuple(known["scores"]), "merges": pairs})
    except (ValueError, KeyError, TypeError) as error:
        raise BadFile("This is not what a trainer left.") from error
