"""JSON objects in files of users, parsed once for all who read the same file, and the places of their values.

A file of half a million merges takes a second to parse, and detection, conversion and both engines each read it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count, islice
from json.decoder import JSONDecodeError
from typing import Any

from ..errors import BadFile

EXACT_DIGITS = 16
"""Characters of a number that is read exactly: its sign or point, and 15 digits."""
MAX_U64 = 2**64 - 1
MAX_POWER = 308
POWERS = [float(f"1e{exponent}") for exponent in range(MAX_POWER + 1)]
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_parsed: "ContextVar[dict[bytes, JsonObject] | None]" = ContextVar("parsed", default=None)
WIDTH = 60
"""Characters that an excerpt has before a place, of its line, and after it."""
BLANK = " \t\n\r"
_decoder = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class JsonObject:
    """A JSON object; numbers are those that `serde_float` returns.

    `fault` is why JSON parsers may disagree about it: a repeated key, or a number that is none.
    """

    top: dict[str, Any]
    fault: str = ""

    def strict(self) -> dict[str, Any]:
        """Return the object. Raises `BadFile` if it has a fault."""
        if self.fault:
            raise BadFile(self.fault)
        return self.top


@dataclass(frozen=True, slots=True)
class JsonPlace:
    """A place in a text: line and column, from 1, and what stands around it."""

    line: int
    column: int
    excerpt: str


@contextmanager
def parse_once() -> Iterator[None]:
    """Parse equal files once in here, and share the objects, which nobody may change."""
    token = _parsed.set({}) if _parsed.get() is None else None
    try:
        yield
    finally:
        if token:
            _parsed.reset(token)


def decode_text(data: bytes) -> str:
    """Return a text file without a byte order mark. Raises `BadFile` with the first byte that is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadFile(f"The file is not UTF-8 at byte {error.start}.") from None


def read_json(data: bytes) -> dict[str, Any]:
    """Return a JSON object. Raises `BadFile` with the place of an error, and for half a surrogate pair."""
    top = parse_json(data).top
    if SURROGATE.search(data) and not _is_unicode(top):
        raise BadFile("The file has an escape of half a surrogate pair, which is no character.")
    return top


def _is_unicode(top: dict[str, Any]) -> bool:
    """True if all strings can be written as UTF-8."""
    try:
        json.dumps(top, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def parse_json(data: bytes) -> JsonObject:
    """Return a JSON object with its fault, if it has one. Raises `BadFile` with the place of an error.

    >>> parse_json(b'{"a": 1, "a": 0.5}')
    JsonObject(top={'a': 0.5}, fault="The key 'a' is repeated.")
    """
    parsed = _parsed.get()
    if parsed is None:
        return _parse(data)
    if data not in parsed:
        parsed[data] = _parse(data)
    return parsed[data]


def _parse(data: bytes) -> JsonObject:
    faults: list[str] = []

    def note_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        by_key = dict(pairs)
        if len(by_key) < len(pairs) and not faults:
            faults.append(f"The key {_find_repeated(pairs)[:40]!r} is repeated.")
        return by_key

    def note_constant(name: str) -> float:
        faults.append(f"{name} is not a number.")
        return float(name)

    hooks: Any = {"parse_float": serde_float, "parse_constant": note_constant, "object_pairs_hook": note_repeats}
    try:
        top = json.loads(decode_text(data), **hooks)
    except JSONDecodeError as error:
        raise BadFile(f"The file is not JSON at line {error.lineno}, column {error.colno}.") from None
    except RecursionError:
        raise BadFile("The file is nested too deeply.") from None
    except ValueError:
        raise BadFile("The file has a number of too many digits.") from None
    if not isinstance(top, dict):
        raise BadFile("The file is not one JSON object.")
    return JsonObject(top, faults[0] if faults else "")


def _find_repeated(pairs: list[tuple[str, Any]]) -> str:
    """Return the first key of an object that it has already."""
    keys: set[str] = set()
    for key, _ in pairs:
        if key in keys:
            return key
        keys.add(key)
    return ""


def serde_float(literal: str) -> float:
    """Return a number of a JSON file as serde_json reads it, the parser of `tokenizers`.

    It reads the digits as one integer of 64 bits and divides it by a power of ten. Both are rounded, so that many
    numbers of 16 digits and more are the neighbour of the nearest one. It decides between segmentations of the same
    score, such as those of a row of hyphens.

    >>> serde_float("0.1"), serde_float("-2.0122928619384766"), float("-2.0122928619384766")
    (0.1, -2.012292861938477, -2.0122928619384766)
    """
    mantissa, _, power = literal.lower().partition("e")
    if len(literal) <= EXACT_DIGITS and not power:
        return float(literal)
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0") or "0"
    exponent = int(power or 0) - len(fraction)
    room = 20 if int(digits[:20]) <= MAX_U64 else 19  # the parser leaves out the digits for which it has no room
    digits, exponent = digits[:room], exponent + max(0, len(digits) - room)
    value = float(int(digits))
    while value and not -MAX_POWER <= exponent <= MAX_POWER:
        if exponent > 0:
            return float(literal)
        value = value / 10.0**MAX_POWER
        exponent = exponent + MAX_POWER
    value = value * POWERS[exponent] if exponent >= 0 else value / POWERS[-exponent] if value else value
    return -value if literal[0] == "-" else value


def find_place(text: str, path: Sequence[str | int]) -> JsonPlace | None:
    """Return where the value at a path begins, with its name; None if there is none.

    >>> find_place('{\\n  "model": {"merges": ["a b", "c d"]}\\n}', ["model", "merges", 1])
    JsonPlace(line=2, column=31, excerpt='"model": {"merges": ["a b", "c d"]} }')
    """
    at = named = _skip(text, 0)
    try:
        for step in path:
            places = ((named, value) for key, named, value in _list_values(text, at) if key == step)
            # Of members with one name the last counts; the items of an array are read up to the one that is wanted.
            found = [*islice(places, 1)] if isinstance(step, int) else [*places][-1:]
            if not found:
                return None
            named, at = found[0]
    except (ValueError, IndexError):
        return None
    start = text.rfind("\n", 0, named) + 1
    excerpt = text[max(start, named - WIDTH) : named + WIDTH]
    return JsonPlace(text.count("\n", 0, named) + 1, named - start + 1, " ".join(excerpt.split()))


def _skip(text: str, at: int) -> int:
    while text[at] in BLANK:
        at += 1
    return at


def _list_values(text: str, at: int) -> Iterator[tuple[str | int, int, int]]:
    """Yield each value of the object or array at a place: its name or index, where that begins, and where it does."""
    closing = {"{": "}", "[": "]"}.get(text[at])
    if closing is None:
        return
    at = _skip(text, at + 1)
    for index in count():
        if text[at] == closing:
            return
        key: str | int = index
        named = at
        if closing == "}":
            key, end = _decoder.raw_decode(text, at)
            at = _skip(text, _skip(text, end) + 1)
        yield key, named, at
        at = _skip(text, _decoder.raw_decode(text, at)[1])
        at = _skip(text, at + 1) if text[at] == "," else at
