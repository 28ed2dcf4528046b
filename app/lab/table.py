"""A tokenization as a table for other programs: CSV, one row a token."""

import csv
from collections.abc import Iterator
from io import StringIO

from app.lab.faces import kind
from app.lab.tokenize import Tokenization

HEADER = ("index", "id", "piece", "bytes_hex", "byte_start", "byte_end", "char_start", "char_end", "kind")
CHUNK = 5000


def csv_chunks(done: Tokenization) -> Iterator[str]:
    """CSV after RFC 4180, some thousand rows at a time."""
    buffer = StringIO(newline="")
    writer = csv.writer(buffer)
    writer.writerow(HEADER)
    for start in range(0, len(done.encoding), CHUNK):
        flags = done.encoding.flags[start : start + CHUNK].tolist()
        for token, bits in zip(done.tokens(start, start + CHUNK), flags, strict=True):
            entry, chars = token.entry, (token.char_start, token.char_end)
            row = (
                token.index,
                entry.id,
                entry.piece,
                entry.raw.hex(),
                token.byte_start,
                token.byte_end,
                *chars,
                kind(bits),
            )
            writer.writerow(row)
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()
