"""The engines written here, behind the `Tokenizer` protocol."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from app.adapters.pieces import raw_entry
from app.adapters.spans import spanned
from app.adapters.special import with_policy
from app.errors import UnknownId
from app.scratch.bpe import ByteLevelBPE
from app.scratch.units import byte_values, characters, words
from app.scratch.wordpiece import Bert, joined
from app.types import (
    BYTE_FALLBACK,
    INSERTED,
    SPECIAL,
    UNKNOWN,
    Encoding,
    Engine,
    Kind,
    SpecialPolicy,
    TokenizerInfo,
    VocabEntry,
)

Rows = Iterator[tuple[int, int, int]]
ROW = np.dtype([("id", np.uint32), ("start", np.int32), ("end", np.int32)])


def encoded(rows: Rows, text: str) -> Encoding:
    """Rows of (id, byte start, byte end) as an encoding of the text."""
    table = np.fromiter(rows, ROW)
    ids, starts, ends = (np.ascontiguousarray(table[name]) for name in ("id", "start", "end"))
    flags = INSERTED * (starts == ends).astype(np.uint8)
    return spanned(ids, starts, ends, text=text, data=text.encode(), flags=flags)


@dataclass(frozen=True)
class ScratchTokenizer:
    """A from-scratch algorithm that yields rows, with the vocabulary it reads ids back with."""

    info: TokenizerInfo
    rows: Callable[[str], Rows]
    raw: Callable[[int], bytes | None]
    nbytes: int = 0
    engine: Engine = field(default="scratch", init=False)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        tokens = self.info.special_tokens
        return with_policy(lambda part: encoded(self.rows(part), part), text, tokens=tokens, special=special)

    def decode(self, ids: Sequence[int]) -> bytes:
        return b"".join(self.entry(id).raw for id in ids)

    def entry(self, id: int) -> VocabEntry:
        for token, special_id in self.info.special_tokens.items():
            if id == special_id:
                return raw_entry(id, token.encode(), kind="special")
        raw = self.raw(id)
        if raw is None:
            raise UnknownId(id, vocab_size=self.info.vocab_size)
        return raw_entry(id, raw)


KIND_FLAGS: Mapping[Kind, int] = {"normal": 0, "special": SPECIAL, "unknown": UNKNOWN, "byte": BYTE_FALLBACK}


@dataclass(frozen=True)
class PieceTokenizer:
    """A from-scratch algorithm over a vocabulary that spells its pieces; `entries` are in the order of their ids."""

    info: TokenizerInfo
    rows: Callable[[str], Rows]
    entries: Sequence[VocabEntry]
    joined: Callable[[list[VocabEntry]], bytes]
    nbytes: int
    engine: Engine = field(default="scratch", init=False)

    @cached_property
    def flags(self) -> NDArray[np.uint8]:
        """The flags of each id."""
        return np.array([KIND_FLAGS[entry.kind] for entry in self.entries], np.uint8)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        tokens = self.info.special_tokens
        found = with_policy(lambda part: encoded(self.rows(part), part), text, tokens=tokens, special=special)
        return replace(found, flags=(found.flags & np.uint8(INSERTED)) | self.flags[found.ids])

    def decode(self, ids: Sequence[int]) -> bytes:
        return self.joined([self.entry(id) for id in ids])

    def entry(self, id: int) -> VocabEntry:
        if not 0 <= id < len(self.entries):
            raise UnknownId(id, vocab_size=len(self.entries))
        return self.entries[id]


@dataclass(frozen=True)
class WordTokenizer:
    """Words with a vocabulary that starts empty with each text and comes back with its encoding, as `grown`."""

    info: TokenizerInfo
    pattern: str
    nbytes: int = 0
    engine: Engine = field(default="scratch", init=False)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        vocabulary: dict[str, int] = {}
        encoding = encoded(words(text, pattern=self.pattern, vocabulary=vocabulary), text)
        return replace(encoding, grown=tuple(word.encode() for word in vocabulary))

    def decode(self, ids: Sequence[int]) -> bytes:
        return b"".join(self.entry(id).raw for id in ids)

    def entry(self, id: int) -> VocabEntry:
        raise UnknownId(id, vocab_size=None)


def _character(id: int) -> bytes | None:
    return chr(id).encode() if 0 <= id < 0x110000 and not 0xD800 <= id < 0xE000 else None


def _byte(id: int) -> bytes | None:
    return bytes([id]) if 0 <= id < 256 else None


def character_tokenizer(info: TokenizerInfo) -> ScratchTokenizer:
    """One token a code point."""
    return ScratchTokenizer(info, characters, _character)


def byte_tokenizer(info: TokenizerInfo) -> ScratchTokenizer:
    """One token a byte."""
    return ScratchTokenizer(info, byte_values, _byte)


def byte_level_bpe(info: TokenizerInfo, *, ranks: Mapping[bytes, int], pattern: str) -> ScratchTokenizer:
    """Byte-level BPE over tiktoken ranks."""
    raws = {rank: raw for raw, rank in ranks.items()}
    nbytes = 200 * len(ranks)
    return ScratchTokenizer(info, partial(ByteLevelBPE.encode, ByteLevelBPE(ranks, pattern=pattern)), raws.get, nbytes)


def bert(info: TokenizerInfo, *, vocabulary: Mapping[str, int]) -> PieceTokenizer:
    """BERT's WordPiece over a `vocab.txt`."""

    def entry(piece: str, id: int) -> VocabEntry:
        kind: Kind = "unknown" if piece == "[UNK]" else "special" if piece in info.special_tokens else "normal"
        return VocabEntry(id, piece, piece.removeprefix("##").encode(), kind)

    entries = [entry(piece, id) for piece, id in vocabulary.items()]
    rows = Bert(vocabulary).encode
    return PieceTokenizer(info, rows, entries, _joined_words, nbytes=500 * len(entries))


def _joined_words(entries: list[VocabEntry]) -> bytes:
    return joined(entry.piece for entry in entries).encode()
