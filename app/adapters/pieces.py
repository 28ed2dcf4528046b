"""How raw bytes are spelled where a vocabulary has no spelling of its own."""

from app.types import Kind, VocabEntry


def spelled(raw: bytes) -> str:
    r"""The text of the bytes, or each byte as `<0x…>` where they are not UTF-8.

    >>> spelled(b" the"), spelled(b"\xf0\x9f")
    (' the', '<0xF0><0x9F>')
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in raw)


def raw_entry(id: int, raw: bytes, *, kind: Kind = "normal") -> VocabEntry:
    """An entry of a vocabulary that holds bytes and no spelling."""
    return VocabEntry(id, spelled(raw), raw, kind)
