"""The way back: the texts of tokens after each decoder, as pieces with the spans of the tokens that they came from."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from .bands import Band, PieceKind
from .component import Decoder
from .decoders import BYTE, join_with_spaces
from .pre_tokenizers import BYTE_OF

Row = tuple[str, int, int]


def decode_bands(rows: Sequence[Row], decoders: Sequence[tuple[str, Decoder]] | None, text: str) -> list[Band]:
    """Return a band for each decoder, as (type, function), and one for the text; `rows` are spelled tokens with spans.

    >>> [band.pieces for band in decode_bands([("a", 0, 1), ("b", 1, 2)], None, "ab")]
    [[('a', 0, 1, 'kept'), (' b', 1, 2, 'changed')], [('a', 0, 1, 'kept'), (' b', 1, 2, 'changed')]]
    """
    bands = list[Band]()
    texts = [text for text, _, _ in rows]
    for number, (name, decoder) in enumerate([("", join_with_spaces)] if decoders is None else decoders):
        band = Band("decoder", None if decoders is None else number)
        decoded = decoder(texts)
        one_to_one = len(texts) == len(rows)
        new = [*(_align_rows(name, rows, decoder, decoded) if one_to_one else _spread(rows, "".join(decoded)))]
        old = {row[1:]: row[0] for row in rows}
        for piece, start, end in new:
            kind: PieceKind = "kept" if old.get((start, end)) == piece else "changed"
            band.pieces.append((piece, start, end, kind))
        bands.append(band)
        rows = new
        texts = decoded
    last = Band("text")
    position = 0
    for piece, start, end in rows:
        kept = piece in (text[start:end], text[position:end]) if position <= start else piece == text[start:end]
        kind = "kept" if kept else "inserted" if start == end else "changed"
        if piece:
            last.pieces.append((piece, start, end, kind))
        position = max(position, end)
    return [*bands, last]


def _align_rows(name: str, rows: Sequence[Row], decoder: Decoder, decoded: Sequence[str]) -> Iterator[Row]:
    """Yield what a decoder made of texts, each with the span of the tokens that it was made of.

    Decoders that join all texts leave their parts apart here.
    """
    if name in ("", "Fuse", "ByteLevel"):
        groups = [*_bytes(rows)] if name == "ByteLevel" else [(row[0], [row]) for row in rows]
        if name == "":
            groups = [(f" {text}" if i else text, group) for i, (text, group) in enumerate(groups)]
    elif len(decoded) == len(rows):
        groups = [(text, [row]) for text, row in zip(decoded, rows, strict=True)]
    else:
        groups = [pair for part in _parts(name, rows) for pair in _apply_decoder(name, part, decoder)]
    if "".join([text for text, _ in groups]) != "".join(decoded):
        groups = [("".join(decoded), [*rows])] if rows else []
    for text, group in groups:
        real = [row for row in group if row[1] < row[2]] or group  # not those that stand for no input
        yield text, min(start for _, start, _ in real), max(end for _, _, end in real)


def _parts(name: str, rows: Sequence[Row]) -> Iterator[list[Row]]:
    """Yield the tokens of which a decoder makes a text: runs of bytes, or of equal tokens."""
    key: Callable[[Row], object] = (lambda row: row[0]) if name == "CTC" else _is_byte
    for together, run in groupby(rows, key=key):
        part = [*run]
        yield from [part] if name == "CTC" or together else [[row] for row in part]


def _is_byte(row: Row) -> bool:
    return BYTE.fullmatch(row[0]) is not None


def _apply_decoder(name: str, part: list[Row], decoder: Decoder) -> Iterator[tuple[str, list[Row]]]:
    """Yield what a decoder makes of one part: nothing, one text, or one of each token."""
    if len(part) == 1 and name == "ByteFallback" and not _is_byte(part[0]):
        yield part[0][0], part
        return
    texts = decoder([text for text, _, _ in part])
    yield from (
        [(texts[0], part)] if len(texts) == 1 else ((text, [row]) for text, row in zip(texts, part, strict=False))
    )


def _spread(rows: Sequence[Row], new: str) -> Iterator[Row]:
    """Yield the changed text of joined tokens in its parts, if its ends were cut off or its characters replaced."""
    old = "".join([text for text, _, _ in rows])
    at = 0 if len(new) == len(old) else old.find(new)
    if at < 0 or not new:
        yield from [(new, rows[0][1], rows[-1][2])] if new and rows else []
        return
    position = -at
    for text, start, end in rows:
        part = new[max(0, position) : max(0, position + len(text))]
        position += len(text)
        if part:
            yield part, start, end


def _bytes(rows: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Yield the texts of byte-level tokens, those that have parts of one character together."""
    data = b""
    group = list[Row]()
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
        data = b""
        group = []
    if group:
        yield data.decode(errors="replace"), group
