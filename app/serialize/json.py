"""JSON, read strictly (UTF-8, no duplicate keys, no NaN, bounded nesting) and written by orjson."""

import json
from typing import Any

import orjson

from ..errors import BadEncoding, BadRequest, UnsupportedMedia

MAX_DIGITS = 25
"""Digits of the longest integer that is parsed as one; a longer one fits no field anyway."""


def parse(data: bytes, *, part: str = "body") -> Any:
    """Parse UTF-8 bytes as JSON; `part` is what error messages call them.

    Raises `BadEncoding`, `BadRequest`, `UnsupportedMedia`.

    >>> parse(b'{"text": "a"}')
    {'text': 'a'}
    """
    # A NUL among the first bytes of JSON means UTF-16 or UTF-32: name that instead of a syntax error.
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        raise UnsupportedMedia(f"The {part} is UTF-16 or UTF-32; send UTF-8.")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadEncoding(f"Byte {error.start} of the {part} is not UTF-8.") from None
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadRequest(f"The {part} is no JSON: {error.msg} at character {error.pos}.") from None
    except RecursionError:
        raise BadRequest(f"The {part} is nested too deep.") from None


def dumps(value: Any) -> bytes:
    """Serialize plain data and numpy arrays.

    >>> import numpy
    >>> dumps({"ids": numpy.array([1, 2])})
    b'{"ids":[1,2]}'
    """
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)


def _object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise BadRequest("An object has the same key twice.")
    return members


def _reject_constant(constant: str) -> None:
    raise BadRequest(f"{constant} is no JSON number.")


def _integer(digits: str) -> int | float:
    # Python takes quadratic time for a very long integer, and refuses the longest with an error of its own.
    return int(digits) if len(digits) <= MAX_DIGITS else float("inf")


_DECODER = json.JSONDecoder(object_pairs_hook=_object_of, parse_constant=_reject_constant, parse_int=_integer)
