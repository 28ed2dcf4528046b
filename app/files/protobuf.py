"""The wire format of Protocol Buffers, as far as SentencePiece models need it: the fields of a message, one by one.

A message is a list of fields. Each begins with a varint (7 bits per byte) of `field number << 3 | wire type`. No schema
is read.
"""

from collections.abc import Iterator, Mapping
from struct import pack
from typing import Any

from ..errors import BadFile

VARINT = 0
FIXED64 = 1
BYTES = 2
FIXED32 = 5


def fields(
    data: bytes, wires: Mapping[int, int] | None = None, *, at: int = 0, what: str = "message"
) -> Iterator[tuple[int, int, Any, int]]:
    r"""Yield (field number, wire type, value, its offset); `at` is the offset of the message in its file.

    A value is an integer, or the raw bytes of anything else: a string, a message, a float or a double. With `wires`,
    the wire types by field number, only these fields are yielded.

    >>> list(fields(b"\x08\x96\x01\x12\x02hi"))
    [(1, 0, 150, 1), (2, 2, b'hi', 5)]

    Raises `BadFile`, with the byte, for a field that runs past the end, and for a wire type that does not exist or is
    not that of the field. https://protobuf.dev/programming-guides/encoding/
    """
    position = 0
    while position < len(data):
        start = position
        key, begin = _varint(data, position, at, what)
        number = key >> 3
        wire = key & 7
        value: int | bytes
        if wire == VARINT:
            value, position = _varint(data, begin, at, what)
        else:
            size, begin = _varint(data, begin, at, what) if wire == BYTES else (SIZES.get(wire), begin)
            if size is None:
                detail = f"Byte {at + start} of the {what} begins a field of wire type {wire}, which does not exist."
                raise BadFile(detail)
            position = begin + size
            if not number or position > len(data):
                place = f"Byte {at + begin} of the {what} begins field {number} of {size} bytes"
                raise BadFile(f"{place}; it ends at {at + len(data)}.")
            value = data[begin:position]
        if wires is not None and wires.get(number, wire) != wire:
            place = f"Byte {at + begin} of the {what} begins a value of wire type {wire}"
            raise BadFile(f"{place}, expected {wires[number]}.")
        if wires is None or number in wires:
            yield number, wire, value, at + begin


SIZES = {FIXED32: 4, FIXED64: 8}


def field(number: int, value: int | float | bytes) -> bytes:
    r"""Return one encoded field of a message: an integer, a float of four bytes, or the bytes of a string or message.

    >>> field(1, 150), field(2, b"hi"), field(3, 1.0)
    (b'\x08\x96\x01', b'\x12\x02hi', b'\x1d\x00\x00\x80?')
    """
    if isinstance(value, float):
        return _number(number << 3 | FIXED32) + pack("<f", value)
    if isinstance(value, int):
        return _number(number << 3 | VARINT) + _number(value % 2**64)
    return _number(number << 3 | BYTES) + _number(len(value)) + value


def _number(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*encoded, value])


def _varint(data: bytes, start: int, at: int, what: str) -> tuple[int, int]:
    if start < len(data) and data[start] < 0x80:  # nearly all are short
        return data[start], start + 1
    value = shift = 0
    for begin in range(start, min(start + 10, len(data))):  # 64 bits fit into 10 bytes
        byte = data[begin]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, begin + 1
        shift += 7
    raise BadFile(f"Byte {at + start} of the {what} begins a number that does not end.")
