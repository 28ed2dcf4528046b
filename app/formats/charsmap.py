"""Reads the precompiled character map of a SentencePiece model or a `tokenizer.json`, and checks every unit."""

from array import array
from sys import byteorder

from ..errors import BadFile
from ..scratch.compat.sentencepiece.charsmap import CharsMap, offset


def load_charsmap(blob: bytes, what: str) -> CharsMap:
    """Read a map: four bytes with the size of the trie, the trie in units of four bytes, and the values.

    Raises `BadFile`, naming the map as `what`, for an impossible size, for values that are not UTF-8 or lack a final
    NUL, and for a unit of the trie that points to no value.
    """
    size = int.from_bytes(blob[:4], "little")
    if len(blob) < 8 or not size or size % 4 or 4 + size > len(blob):
        raise BadFile(f"{what} has {len(blob)} bytes, but declares a trie of {size} bytes.")
    units = array("I", blob[4 : 4 + size])
    values = blob[4 + size :]
    if byteorder == "big":
        units.byteswap()
    try:
        values.decode()
    except UnicodeDecodeError as error:
        raise BadFile(f"{what} is not UTF-8 at byte {error.start} of its values.") from None
    for index, unit in enumerate(units):
        if unit >> 8 & 1 and not unit >> 31:  # a rule ends here: the child for byte 0 holds its value
            leaf = index ^ offset(unit)
            value = units[leaf] & 0x7FFFFFFF if leaf < len(units) else len(values)
            if value >= len(values) or (value and values[value - 1]) or not units[leaf] >> 31:
                raise BadFile(f"Unit {index} of {what[0].lower() + what[1:]} points to no value.")
    if not values.endswith(b"\0"):
        raise BadFile(f"The last value of {what[0].lower() + what[1:]} does not end.")
    return CharsMap(units, values)


def dump_charsmap(charsmap: CharsMap) -> bytes:
    """Write a map in the form that `load_charsmap` reads."""
    units = array("I", charsmap.units)
    if byteorder == "big":
        units.byteswap()
    return (4 * len(units)).to_bytes(4, "little") + units.tobytes() + charsmap.values
