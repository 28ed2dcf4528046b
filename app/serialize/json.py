"""JSON, read strictly (UTF-8, no duplicate keys, no NaN, bounded nesting and counts) and written by orjson."""

import json
import re
from codecs import BOM_UTF8
from typing import Any

import orjson

from ..errors import BadEncoding, BadRequest, TooLarge, UnsupportedMedia

MAX_DIGITS = 25
"""Digits of the longest integer that is parsed as one; a longer one fits no field anyway."""
MAX_ITEMS = 1_000_000
"""Items and keys of all lists and objects together."""
MAX_NESTED = 50_000
"""Lists and objects together: each costs as much as many items, and the server waits."""
MAX_KEYS = 1000
"""Keys of one object."""
MAX_FLAT = 4 * MAX_ITEMS
"""Bytes of the largest body that is parsed before its items are counted."""
_FLAT = {str, int, bool, type(None)}
# Without backtracking, and up to the end where a string has none: the time is linear for any bytes.
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)', re.DOTALL)


def parse(data: bytes, *, part: str = "body") -> Any:
    """Parse UTF-8 bytes as JSON; `part` is what error messages call them.

    Raises `BadEncoding`, `BadRequest`, `TooLarge`, `UnsupportedMedia`.

    >>> parse(b'{"text": "a"}')
    {'text': 'a'}
    """
    # A NUL among the first bytes of JSON means UTF-16 or UTF-32: name that instead of a syntax error.
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in data[:4]:
        raise UnsupportedMedia(f"The {part} is UTF-16 or UTF-32; send UTF-8.")
    if len(data) <= MAX_FLAT and (value := _parse_flat(data)) is not None:
        return value
    check_items(data, part=part)
    try:
        text = data.removeprefix(BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        raise BadEncoding(f"Byte {error.start} of the {part} is not UTF-8.") from None
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadRequest(f"The {part} is no JSON: {error.msg} at character {error.pos}.") from None
    except RecursionError:
        raise BadRequest(f"The {part} is nested too deep.") from None


def _parse_flat(data: bytes) -> dict[str, Any] | None:
    """Parse an object of texts, whole numbers, switches and lists of them, several times as fast as any other.

    orjson refuses what `parse` refuses, but of equal keys it keeps the last. The quotation marks tell: two around each
    text, and those in texts, if none is spelled by its number. Any other value is None here, also one with numbers that
    are not whole, which may be long ones that `parse` reads otherwise.

    >>> _parse_flat(b'{"text": "a", "include": ["ids"]}'), _parse_flat(b'{"ids": [1, 2]}')
    ({'text': 'a', 'include': ['ids']}, {'ids': [1, 2]})
    >>> _parse_flat(b'{"share": 1.5}'), _parse_flat(b'{"text": "a", "text": "b"}')
    (None, None)
    """
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError:
        return None
    if type(value) is not dict or len(value) > MAX_KEYS:
        return None
    texts = [*value]
    count = len(value)
    for member in value.values():
        items = member if type(member) is list else [member]
        kinds = {*map(type, items)}
        count += len(items)
        if not kinds <= _FLAT or count > MAX_ITEMS:
            return None
        if str in kinds:
            texts += items if kinds == {str} else [item for item in items if type(item) is str]
    marks = data.count(b'"') - 2 * len(texts)
    if marks and (b"\\u0022" in data or marks != sum([text.count('"') for text in texts])):
        return None
    return value


def check_items(data: bytes, *, part: str = "body") -> None:
    """Raise `TooLarge` if JSON has more than `MAX_ITEMS` items and keys, or many lists and objects; both are counted
    without parsing it.

    >>> check_items(b"[" + b"1," * 2_000_000 + b"1]")
    Traceback (most recent call last):
    tokenarium.errors.TooLarge: The body has more than 1,000,000 items and keys.
    >>> check_items(b'"' + b"1," * 2_000_000 + b'"')
    """
    if _nested(data) <= MAX_NESTED and data.count(b",") <= MAX_ITEMS:
        return
    bare = _STRING.sub(b"", data)
    if (nested := _nested(bare)) + bare.count(b",") > MAX_ITEMS:
        raise TooLarge(f"The {part} has more than {MAX_ITEMS:,} items and keys.", limit=MAX_ITEMS)
    if nested > MAX_NESTED:
        raise TooLarge(f"The {part} has more than {MAX_NESTED:,} lists and objects.", limit=MAX_NESTED)


def _nested(data: bytes) -> int:
    """Return the number of bytes that begin lists and objects."""
    return data.count(b"[") + data.count(b"{")


def dumps(value: Any) -> bytes:
    """Serialize plain data and numpy arrays.

    >>> import numpy
    >>> dumps({"ids": numpy.array([1, 2])})
    b'{"ids":[1,2]}'
    """
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)


def _make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > MAX_KEYS:
        raise TooLarge(f"An object has more than {MAX_KEYS:,} keys.", limit=MAX_KEYS)
    members = dict(pairs)
    if len(members) != len(pairs):
        raise BadRequest("An object has the same key twice.")
    return members


def _reject_constant(constant: str) -> None:
    raise BadRequest(f"{constant} is no JSON number.")


def _integer(digits: str) -> int | float:
    # Python takes quadratic time for a very long integer, and refuses the longest with an error of its own.
    return int(digits) if len(digits) <= MAX_DIGITS else float("inf")


_DECODER = json.JSONDecoder(object_pairs_hook=_make_object, parse_constant=_reject_constant, parse_int=_integer)
