"""A precompiled character map, as SentencePiece models and some `tokenizer.json` hold it, checked unit by unit."""

from array import array
from sys import byteorder

from app.errors import BadFile
from app.scratch.charsmap import CharsMap, offset


def load_charsmap(blob: bytes, what: str) -> CharsMap:
    """Read four bytes with the size of the trie, the trie in units of four bytes, and the values.

    Raises `BadFile`, naming the map by `what`, for a size that cannot be, for values that are not UTF-8 or do not
    end, and for a unit of the trie that points to no value.
    """
    size = int.from_bytes(blob[:4], "little")
    if len(blob) < 8 or not size or size % 4 or 4 + size > len(blob):
        raise BadFile(f"{what} has {len(blob)} bytes and says that {size} of them are a trie.")
    units, values = array("I", blob[4 : 4 + size]), blob[4 + size :]
    if byteorder == "big":
        units.byteswap()
    try:
        values.decode()
    except UnicodeDecodeError as error:
        raise BadFile(f"{what} is not UTF-8 at byte {error.start} of its values.") from None
    for here, unit in enumerate(units):
        if unit >> 8 & 1 and not unit >> 31:  # it has a value, one unit on
            leaf = here ^ offset(unit)
            value = units[leaf] & 0x7FFFFFFF if leaf < len(units) else len(values)
            if value >= len(values) or (value and values[value - 1]) or not units[leaf] >> 31:
                raise BadFile(f"Unit {here} of {what[0].lower() + what[1:]} points to no value.")
    if not values.endswith(b"\0"):
        raise BadFile(f"The last value of {what[0].lower() + what[1:]} does not end.")
    return CharsMap(units, values)
