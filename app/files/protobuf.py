"""The wire format of Protocol Buffers, as far as SentencePiece models need it: the fields of a message, one by one.

A message is a list of fields. Each begins with a varint (7 bits per byte) of `field number << 3 | wire type`. No schema
is read.
"""

from collections.abc import Iterator
from struct import pack, unpack_from

from ..errors import BadFile

Value = int | bytes
"""An integer, or the raw bytes of anything else: a string, a message, a float or a double."""

VARINT = 0
FIXED64 = 1
BYTES = 2
FIXED32 = 5


def fields(data: bytes, *, at: int = 0, what: str = "message") -> Iterator[tuple[int, int, Value, int]]:
    r"""Yield (field number, wire type, value, its offset); `at` is the offset of the message in its file.

    >>> list(fields(b"\x08\x96\x01\x12\x02hi"))
    [(1, 0, 150, 1), (2, 2, b'hi', 5)]

    Raises `BadFile`, with the byte, for a field that runs past the end or has a wire type that does not exist.
    https://protobuf.dev/programming-guides/encoding/
    """
    position = 0
    while position < len(data):
        key, begin = _varint(data, position, at, what)
        number = key >> 3
        wire = key & 7
        if wire == VARINT:
            value, position = _varint(data, begin, at, what)
            yield number, wire, value, at + begin
            continue
        if wire == BYTES:
            size, begin = _varint(data, begin, at, what)
        elif wire in (FIXED32, FIXED64):
            size = 4 if wire == FIXED32 else 8
        else:
            raise BadFile(
                f"Byte {at + position} of the {what} begins a field of wire type {wire}, which does not exist."
            )
        position = begin + size
        if not number or position > len(data):
            end = at + len(data)
            raise BadFile(f"Byte {at + begin} of the {what} begins field {number} of {size} bytes; it ends at {end}.")
        yield number, wire, data[begin:position], at + begin


def float32(value: bytes) -> float:
    r"""Return a float of four bytes.

    >>> float32(b"\x00\x00\x80\x3f")
    1.0
    """
    number: float = unpack_from("<f", value)[0]
    return number


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
    value = shift = 0
    for begin in range(start, min(start + 10, len(data))):  # 64 bits fit into 10 bytes
        byte = data[begin]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, begin + 1
        shift += 7
    raise BadFile(f"Byte {at + start} of the {what} begins a number that does not end.")
