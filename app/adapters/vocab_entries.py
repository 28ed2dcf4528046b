"""Vocabulary entries: the kind of a token as a flag, and the bytes and the spelling of a piece."""

from collections.abc import Iterable, Mapping

from ..types import BYTE_FALLBACK, SPECIAL, UNKNOWN, Kind, VocabEntry

KIND_FLAGS: Mapping[Kind, int] = {"normal": 0, "special": SPECIAL, "unknown": UNKNOWN, "byte": BYTE_FALLBACK}
KINDS: Mapping[int, Kind] = {flag: kind for kind, flag in KIND_FLAGS.items()}
MARK = "▁"
"""How SentencePiece spells a space."""


def spelled(raw: bytes) -> str:
    r"""Return the bytes as text, or each as `<0x…>` if they are not UTF-8.

    >>> spelled(b" the"), spelled(b"\xf0\x9f")
    (' the', '<0xF0><0x9F>')
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in raw)


def raw_entry(id: int, raw: bytes, *, kind: Kind = "normal") -> VocabEntry:
    """Return an entry of a vocabulary that has bytes but no spellings."""
    return VocabEntry(id, spelled(raw), raw, kind)


def marked_entry(id: int, piece: str, kind: Kind) -> VocabEntry:
    """Return an entry of a SentencePiece vocabulary.

    >>> marked_entry(7, "▁the", "normal").raw, marked_entry(3, "<0x0A>", "byte").raw
    (b' the', b'\\n')
    """
    if kind == "byte":
        return VocabEntry(id, piece, bytes([int(piece[3:5], 16)]), kind)
    # sentencepiece decodes the unknown token as " ⁇ ".
    raw = " ⁇ " if kind == "unknown" else piece.replace(MARK, " ")
    return VocabEntry(id, piece, raw.encode(), kind)


def joined_marked(entries: Iterable[VocabEntry]) -> bytes:
    """Join raw bytes, without the space that SentencePiece inserts at the beginning and after special tokens."""
    parts, fresh = [], True
    for entry in entries:
        parts.append(entry.raw.removeprefix(b" ") if fresh else entry.raw)
        fresh = entry.kind == "special"
    return b"".join(parts)
