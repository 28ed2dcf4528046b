"""The way back: the texts of tokens after each decoder, as pieces with the spans of the tokens that they came from."""

from collections.abc import Iterator, Sequence
from itertools import groupby

import regex

from .bands import Band, PieceKind
from .decoders import Decoder, byte_fallback, spaced
from .pre_tokenizers import ALPHABET

BYTE = regex.compile("<0x[0-9A-Fa-f]{2}>")
BYTE_OF = {char: byte for byte, char in enumerate(ALPHABET)}
Row = tuple[str, int, int]


def decode_bands(rows: Sequence[Row], decoders: Sequence[tuple[str, Decoder]] | None, text: str) -> list[Band]:
    """Return a band for each decoder, as (type, function), and one for the text; `rows` are spelled tokens with spans.

    >>> [[*band.rows()] for band in decode_bands([("a", 0, 1), ("b", 1, 2)], None, "ab")]
    [[('a', 0, 1, 'kept'), (' b', 1, 2, 'changed')], [('a', 0, 1, 'kept'), (' b', 1, 2, 'changed')]]
    """
    bands = []
    for number, (name, decoder) in enumerate([("", spaced)] if decoders is None else decoders):
        band = Band("decoder", None if decoders is None else number)
        decoded = decoder([text for text, _, _ in rows])
        new = [*_aligned(name, rows, decoded)]
        old = {row[1:]: row[0] for row in rows}
        for piece, start, end in new:
            band.add(piece, start, end, "kept" if old.get((start, end)) == piece else "changed")
        bands.append(band)
        rows = new
    last, position = Band("text"), 0
    for piece, start, end in rows:
        kept = piece in (text[start:end], text[position:end]) if position <= start else piece == text[start:end]
        kind: PieceKind = "kept" if kept else "inserted" if start == end else "changed"
        if piece:
            last.add(piece, start, end, kind)
        position = max(position, end)
    return [*bands, last]


def _aligned(name: str, rows: Sequence[Row], decoded: Sequence[str]) -> Iterator[Row]:
    """Yield what a decoder made, each text with the span of the tokens that it was made of."""
    groups = _groups(name, rows)
    if groups is None and len(decoded) == len(rows):
        groups = [(text, [row]) for text, row in zip(decoded, rows, strict=True)]
    if groups is None or "".join(text for text, _ in groups) != "".join(decoded):
        groups = [("".join(decoded), [*rows])] if rows else []
    for text, group in groups:
        real = [row for row in group if row[1] < row[2]] or group  # not those that stand for no input
        yield text, min(start for _, start, _ in real), max(end for _, _, end in real)


def _groups(name: str, rows: Sequence[Row]) -> list[tuple[str, list[Row]]] | None:
    """Return the texts that a decoder makes of several tokens, with these; None for one that makes one of each."""
    match name:
        case "":
            return [(f" {row[0]}" if i else row[0], [row]) for i, row in enumerate(rows)]
        case "Fuse":
            return [(row[0], [row]) for row in rows]
        case "ByteLevel":
            return [*_bytes(rows)]
        case "ByteFallback":
            runs = [[*run] for _, run in groupby(rows, key=lambda row: BYTE.fullmatch(row[0]) is not None)]
            parts = [part for run in runs for part in ([run] if BYTE.fullmatch(run[0][0]) else [[row] for row in run])]
            return [("".join(byte_fallback([text for text, _, _ in part])), part) for part in parts]
    return None


def _bytes(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yield the texts of byte-level tokens, those that have parts of one character together."""
    data, group = b"", list[Row]()
    for row in rows:
        spelled = all(char in BYTE_OF for char in row[0])
        data += bytes([BYTE_OF[char] for char in row[0]]) if spelled else row[0].encode()
        group.append(row)
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data" and len(group) < 8:
                continue
            text = data.decode(errors="replace")
        yield text, group
        data, group = b"", []
    if group:
        yield data.decode(errors="replace"), group
