"""The decoders of Hugging Face `tokenizers` (0.23): from the spellings of tokens back to text, at once or band by band.

Each takes and returns a list of texts; the results of the last are joined. `ByteLevel`, `Metaspace` and `Replace`
are also pre-tokenizers or normalizers, and stand there. Bands are the texts of tokens after each decoder, as pieces
with the spans of their tokens.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from itertools import groupby

from .bands import Band, PieceKind
from .component import Char, Decoder, DecoderComponent, initial
from .pre_tokenizers import BYTE_OF

BYTE = re.compile("<0x[0-9A-Fa-f]{2}>")
CLEANUPS = (
    (" .", "."), (" ?", "?"), (" !", "!"), (" ,", ","), (" ' ", "'"), (" n't", "n't"), (" 'm", "'m"),
    (" do not", " don't"), (" 's", "'s"), (" 've", "'ve"), (" 're", "'re"),
)  # fmt: skip
"""What the WordPiece decoder replaces with `cleanup`, in this order."""
Row = tuple[str, int, int]


def apply_decoders(decoders: Iterable[Decoder], tokens: Sequence[str]) -> str:
    """Apply decoders one after another, and join the result.

    >>> apply_decoders([ByteFallback().decode, Fuse().decode], ["a", "<0xC3>", "<0xA9>"])
    'aé'
    """
    for decoder in decoders:
        tokens = decoder(tokens)
    return "".join(tokens)


def join_with_spaces(tokens: Sequence[str]) -> list[str]:
    """Join tokens with spaces, which is the default without a decoder.

    >>> join_with_spaces(["a", "b"])
    ['a b']
    """
    return [" ".join(tokens)]


class Fuse(DecoderComponent):
    """Joins all tokens, so that the next decoder gets one text.

    >>> Fuse().decode(["a", "b"])
    ['ab']
    """

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return ["".join(tokens)]


class ByteFallback(DecoderComponent):
    """Converts byte tokens such as `<0x41>` to characters; bytes of an invalid sequence become one U+FFFD each.

    >>> ByteFallback().decode(["<0xC3>", "<0xA9>", "b", "<0xFF>"])
    ['é', 'b', '�']
    """

    def decode(self, tokens: Sequence[str]) -> list[str]:
        texts = []
        pending = b""
        for token in [*tokens, ""]:  # the empty one flushes the bytes at the end
            if BYTE.fullmatch(token):
                pending += bytes([int(token[3:5], 16)])
                continue
            if pending:
                try:
                    texts.append(pending.decode())
                except UnicodeDecodeError:
                    texts += ["\ufffd"] * len(pending)
                pending = b""
            texts.append(token)
        return texts[:-1]


class WordPieceDecoder(DecoderComponent, type="WordPiece"):
    """Joins continuations (`##ing`) directly and other tokens with a space; `cleanup` removes common wrong spaces.

    >>> WordPieceDecoder().decode(["play", "##ing", "!"])
    ['play', 'ing', '!']
    """

    prefix: str = "##"
    cleanup: bool = True

    def decode(self, tokens: Sequence[str]) -> list[str]:
        texts = []
        for i, token in enumerate(tokens):
            if i:
                token = token[len(self.prefix) :] if token.startswith(self.prefix) else f" {token}"
            for wrong, right in CLEANUPS if self.cleanup else ():
                token = token.replace(wrong, right)
            texts.append(token)
        return texts


class CTC(DecoderComponent):
    """Joins equal adjacent tokens and drops the blank, as CTC does (Graves et al. 2006); with `cleanup`, writes spaces.

    >>> CTC().decode(["h", "h", "<pad>", "h", "|"])
    ['h', 'h', ' ']
    """

    pad_token: str = "<pad>"
    word_delimiter_token: str = "|"
    cleanup: bool = True

    def decode(self, tokens: Sequence[str]) -> list[str]:
        kept = [token.replace(self.pad_token, "") for token, _ in groupby(tokens)]
        for wrong, right in (*CLEANUPS, (self.word_delimiter_token, " ")) if self.cleanup else ():
            kept = [token.replace(wrong, right) for token in kept]
        return [token for token in kept if token]


class BPEDecoder(DecoderComponent):
    """Replaces the end-of-word mark by a space, except at the end of the text (Sennrich et al. 2016).

    >>> BPEDecoder().decode(["low", "est</w>", "new</w>"])
    ['low', 'est ', 'new']
    """

    suffix: str = "</w>"

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return [token.replace(self.suffix, " " if i < len(tokens) - 1 else "") for i, token in enumerate(tokens)]


class StripDecoder(DecoderComponent, type="Strip"):
    """Removes up to `start` and `stop` of a character from the ends of each text.

    >>> StripDecoder(" ", start=1).decode(["  a"])
    [' a']
    """

    content: Char = field(metadata=initial(" "))
    start: int = field(default=0, metadata=initial(1))
    stop: int = 0

    def decode(self, tokens: Sequence[str]) -> list[str]:
        return [self._strip(token) for token in tokens]

    def _strip(self, token: str) -> str:
        first = min(self.start, len(token) - len(token.lstrip(self.content)))
        last = min(self.stop, len(token) - len(token.rstrip(self.content)))
        return token[first : max(first, len(token) - last)]


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
