"""The wire format of protocol buffers, as far as a SentencePiece model needs it: fields of a message, one by one.

A message is a list of fields; each begins with a number, `field << 3 | wire type`, in as many bytes as it takes,
seven bits a byte. No schema is read and nothing is executed.
"""

from collections.abc import Iterator
from struct import pack, unpack_from

from app.errors import BadFile

Value = int | bytes
"""A number, or the raw bytes of everything else: a text, a message, a float of four bytes or a double of eight."""

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def fields(data: bytes, *, at: int = 0, what: str = "message") -> Iterator[tuple[int, int, Value, int]]:
    r"""Yield (field number, wire type, value, byte where it begins); `at` is where the message begins in its file.

    >>> list(fields(b"\x08\x96\x01\x12\x02hi"))
    [(1, 0, 150, 1), (2, 2, b'hi', 5)]

    Raises `BadFile`, with the byte, for a field that runs past the end or has a wire type that does not exist.
    https://protobuf.dev/programming-guides/encoding/
    """
    here = 0
    while here < len(data):
        key, begin = _varint(data, here, at, what)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, here = _varint(data, begin, at, what)
            yield number, wire, value, at + begin
            continue
        if wire == BYTES:
            size, begin = _varint(data, begin, at, what)
        elif wire in (FIXED32, FIXED64):
            size = 4 if wire == FIXED32 else 8
        else:
            raise BadFile(f"Byte {at + here} of the {what} begins a field of wire type {wire}, which does not exist.")
        here = begin + size
        if not number or here > len(data):
            end = at + len(data)
            raise BadFile(f"Byte {at + begin} of the {what} begins field {number} of {size} bytes; it ends at {end}.")
        yield number, wire, data[begin:here], at + begin


def float32(value: bytes) -> float:
    r"""A float of four bytes.

    >>> float32(b"\x00\x00\x80\x3f")
    1.0
    """
    number: float = unpack_from("<f", value)[0]
    return number


def field(number: int, value: int | float | bytes) -> bytes:
    r"""One field of a message as it is written: a number, a float of four bytes, or a text or message in its bytes.

    >>> field(1, 150), field(2, b"hi"), field(3, 1.0)
    (b'\x08\x96\x01', b'\x12\x02hi', b'\x1d\x00\x00\x80?')
    """
    if isinstance(value, float):
        return _number(number << 3 | FIXED32) + pack("<f", value)
    if isinstance(value, int):
        return _number(number << 3 | VARINT) + _number(value % 2**64)
    return _number(number << 3 | BYTES) + _number(len(value)) + value


def _number(value: int) -> bytes:
    done = bytearray()
    while value > 0x7F:
        done.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*done, value])


def _varint(data: bytes, here: int, at: int, what: str) -> tuple[int, int]:
    value = shift = 0
    for begin in range(here, min(here + 10, len(data))):
        byte = data[begin]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, begin + 1
        shift += 7
    raise BadFile(f"Byte {at + here} of the {what} begins a number that does not end.")
