"""Vocabulary entries: the kind of a token as a flag, the bytes and the spelling of a piece, as each format has them.

Entries are made when they are needed; columns have the flags of all.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from ..errors import UnknownId
from ..types import BYTE_FALLBACK, SPECIAL, UNKNOWN, Kind, Tokenizer, VocabEntry

KIND_FLAGS: Mapping[Kind, int] = {"normal": 0, "special": SPECIAL, "unknown": UNKNOWN, "byte": BYTE_FALLBACK}
KINDS: Mapping[int, Kind] = {flag: kind for kind, flag in KIND_FLAGS.items()}
MARK = "▁"
"""How SentencePiece spells a space."""
UNKNOWN_SURFACE = " ⁇ "
"""What SentencePiece decodes the unknown token to by default."""


def list_entries(tokenizer: Tokenizer, *, most: int | None = None) -> Iterator[VocabEntry]:
    """Yield the tokens of a vocabulary by id; with `most`, of about so many ids, evenly spread. Gaps are left out."""
    size = tokenizer.info.vocab_size or 0
    for id in range(0, size, max(1, size // most) if most else 1):
        with suppress(UnknownId):
            yield tokenizer.entry(id)


def spell_raw(raw: bytes) -> str:
    r"""Return the bytes as text, or each as `<0x…>` if they are not UTF-8.

    >>> spell_raw(b" the"), spell_raw(b"\xf0\x9f")
    (' the', '<0xF0><0x9F>')
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in raw)


def make_raw_entry(id: int, raw: bytes, *, kind: Kind = "normal") -> VocabEntry:
    """Return an entry of a vocabulary that has bytes but no spellings."""
    return VocabEntry(id, spell_raw(raw), raw, kind)


def make_marked_entry(id: int, piece: str, kind: Kind, unknown: str = UNKNOWN_SURFACE) -> VocabEntry:
    """Return an entry of a SentencePiece vocabulary; `unknown`: what its unknown token is decoded to.

    >>> make_marked_entry(7, "▁the", "normal").raw, make_marked_entry(3, "<0x0A>", "byte").raw
    (b' the', b'\\n')
    """
    if kind == "byte":
        return VocabEntry(id, piece, bytes([int(piece[3:5], 16)]), kind)
    raw = unknown if kind == "unknown" else piece.replace(MARK, " ")
    return VocabEntry(id, piece, raw.encode(), kind)


@dataclass(frozen=True, slots=True)
class InsertedSpaces:
    """Where the normalizer of a SentencePiece model inserts a space, which decoding takes off again.

    `before`, `after`: one at the beginning or the end of a text; `collapsed`: all others at the beginning are removed.
    """

    before: bool = True
    after: bool = False
    collapsed: bool = False

    @classmethod
    def by_trial(cls, normalize: Callable[[str], str]) -> "InsertedSpaces":
        """Return where a normalizer inserts spaces, found out by normalizing.

        >>> InsertedSpaces.by_trial(lambda text: text.replace(" ", "▁"))
        InsertedSpaces(before=False, after=False, collapsed=False)
        """
        once = normalize("a")
        spread = normalize(f"a{1000 * ' '}b")  # more than a user-defined piece of spaces, which stays whole, has
        return cls(once.startswith((MARK, " ")), once.endswith((MARK, " ")), len(spread) < len(once) + 1001)

    def join_entries(self, entries: Iterable[VocabEntry]) -> bytes:
        """Join raw bytes, without the space that was inserted in front of each part between special tokens.

        As in the library, a space that was inserted behind a text stays, and so does that of the unknown token.

        >>> entries = [make_marked_entry(7, "▁the", "normal")]
        >>> InsertedSpaces().join_entries(entries), InsertedSpaces(before=False).join_entries(entries)
        (b'the', b' the')
        """
        inserts = self.before or self.after or self.collapsed
        parts = list[bytes]()
        fresh = True
        for entry in entries:
            raw = entry.raw
            if entry.kind == "special":
                fresh = True
            elif fresh:
                marked = entry.kind == "normal" and entry.piece.startswith(MARK)
                raw = raw.removeprefix(b" ") if inserts and marked else raw
                fresh = self.collapsed and not raw
            parts.append(raw)
        return b"".join(parts)


def find_space_mark(components: Iterable[tuple[str, Mapping[str, object]]]) -> str:
    """Return the character for a space by the normalizers, pre-tokenizers and decoders; "" for none.

    >>> find_space_mark([("Prepend", {"prepend": "▁"})]), find_space_mark([("Lowercase", {})])
    ('▁', '')
    """
    for kind, options in components:
        if kind == "Metaspace":
            return str(options.get("replacement", MARK))
        if kind in ("Prepend", "Replace") and MARK in (options.get("prepend"), options.get("content")):
            return MARK
        pattern = options.get("pattern")
        source = pattern.get("String") if isinstance(pattern, Mapping) else getattr(pattern, "source", None)
        if kind == "Replace" and source == MARK:
            return MARK
    return ""
