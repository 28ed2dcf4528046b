"""Byte fallback: a piece that is not in the vocabulary is written as the tokens of its bytes, so nothing is unknown.

SentencePiece has 256 tokens for it, `<0x00>` to `<0xFF>` (Kudo and Richardson's library; Llama, Touvron et al. 2023).
Byte-level BPE needs no fallback, as it starts from bytes. In both, a character may be in several tokens: then the text
of a single token is no text, and a program that shows tokens as they come has to wait for the rest.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple


class KnownPiece(NamedTuple):
    """A piece of the vocabulary."""

    piece: str
    id: int


class FallbackByte(NamedTuple):
    """One byte of a piece that is not in the vocabulary."""

    piece: str
    byte: int
    id: int


class StreamedText(NamedTuple):
    """What can be shown after a token, and the bytes that still wait for the rest of their character."""

    text: str
    waiting: bytes


def fall_back(
    pieces: Iterable[str], vocabulary: Mapping[str, int], byte_ids: Sequence[int]
) -> Iterator[KnownPiece | FallbackByte]:
    """Yield the tokens of pieces; `byte_ids` are the ids of the 256 bytes.

    >>> [step.id for step in fall_back(["the", "é"], {"the": 300}, range(3, 259))]
    [300, 198, 172]
    """
    for piece in pieces:
        if piece in vocabulary:
            yield KnownPiece(piece, vocabulary[piece])
        else:
            for byte in piece.encode():
                yield FallbackByte(piece, byte, byte_ids[byte])


def iter_text(tokens: Iterable[bytes]) -> Iterator[StreamedText]:
    r"""Yield what can be shown after each token: nothing while a character is incomplete.

    >>> [(shown.text, shown.waiting) for shown in iter_text([b"hi", b" \xf0\x9f", b"\x99\x82!"])]
    [('hi', b''), ('', b' \xf0\x9f'), (' 🙂!', b'')]
    """
    waiting = b""
    for token in tokens:
        waiting += token
        try:
            text = waiting.decode()
        except UnicodeDecodeError:
            text = ""  # the last character is not complete: hold everything back
        waiting = b"" if text else waiting
        yield StreamedText(text, waiting)
