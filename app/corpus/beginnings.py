"""What the first bytes of a file say that is read as text: that it is packed, of another kind, or no UTF-8."""

import codecs
from collections.abc import Mapping
from typing import IO, Any

HEAD = 512
"""Bytes that are looked at."""
ENDING = "give it a name that ends in {0}"
KINDS: Mapping[bytes, str] = {
    b"\x1f\x8b": f"it is compressed with gzip; {ENDING.format('.gz')}",
    b"\x28\xb5\x2f\xfd": f"it is compressed with zstd; {ENDING.format('.zst')}",
    b"\xfd7zX": f"it is compressed with xz; {ENDING.format('.xz')}",
    b"PAR1": f"it is Parquet; {ENDING.format('.parquet')}",
    b"ARROW1\0\0": f"it is Arrow; {ENDING.format('.arrow')}",
    b"PK\3\4": "it is a zip archive; unpack it",
    b"%PDF-": "it is PDF; extract its text",
    b"SQLite format 3\0": "it is a database; write its texts to a file",
    b"\x93NUMPY": "it is an array and no text",
    b"\x89PNG": "it is a picture and no text",
    b"\xff\xd8\xff": "it is a picture and no text",
}
"""What a file is that begins so, and what to do."""
TAR_MAGIC = slice(257, 262)
MARK_IS_TEXT = "which is read as a character of the text"
"""What is said of a byte order mark: the API and a library that gets the bytes tokenize it, too."""
SHARES = (1 / 64, 1 / 4)
"""Of the even or the odd bytes of a text in UTF-16, those that are 0; the second where all would be UTF-8, too."""


def check_beginning(file: Any) -> IO[bytes]:
    """Return a file at its beginning. Raises `ValueError` if its first bytes say that it is no UTF-8."""
    begin = file.peek(HEAD)[:HEAD]
    for magic, what in KINDS.items():
        if begin.startswith(magic):
            raise ValueError(what)
    if begin[TAR_MAGIC] == b"ustar":
        raise ValueError(f"it is a tar archive; {ENDING.format('.tar')}")
    check_encoding(begin)
    checked: IO[bytes] = file
    return checked


def check_encoding(begin: bytes) -> None:
    """Raise `ValueError`, which says what to do, for the beginning of a text in UTF-16 or UTF-32."""
    if name := find_wide_encoding(begin[:HEAD]):
        raise ValueError(f"it is {name[:6]}; convert it, as with iconv -f {name} -t UTF-8")


def find_wide_encoding(begin: bytes) -> str:
    r"""Return the name of the encoding of two or four bytes a character that a text begins in, or "".

    Without a byte order mark, the zeros tell it that are in one half of the bytes alone.

    >>> find_wide_encoding("text".encode("utf-16")), find_wide_encoding("text".encode("utf-16-be"))
    ('UTF-16', 'UTF-16BE')
    >>> find_wide_encoding(b"text"), find_wide_encoding(b"a\0text"), find_wide_encoding("text".encode("utf-32-le"))
    ('', '', 'UTF-32LE')
    """
    if begin.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "UTF-32"
    if begin.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "UTF-16"
    zeros = [begin[number::4].count(0) for number in range(4)]
    fourth = len(begin) // 4
    for number, name in ((0, "UTF-32BE"), (3, "UTF-32LE")):
        if fourth and zeros[number] >= fourth and zeros[abs(number - 1)] >= fourth:
            return name
    even, odd = zeros[0] + zeros[2], zeros[1] + zeros[3]
    least = max(3, SHARES[_begins_utf8(begin)] * (len(begin) // 2))
    if not even and odd >= least:
        return "UTF-16LE"
    return "UTF-16BE" if not odd and even >= least else ""


def _begins_utf8(begin: bytes) -> bool:
    """Return whether bytes are UTF-8; their last character may be cut."""
    try:
        codecs.getincrementaldecoder("utf-8")().decode(begin)
    except UnicodeDecodeError:
        return False
    return True
