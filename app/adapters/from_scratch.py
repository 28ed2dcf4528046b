"""The engines written here, behind the `Tokenizer` protocol."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.adapters.pieces import raw_entry
from app.adapters.spans import Column, outward, spanned, tiled
from app.adapters.special import with_policy
from app.errors import UnknownId
from app.formats.minbpe_model import MinbpeModel
from app.formats.sentencepiece_model import SentencePieceModel
from app.scratch.aligned import Aligned
from app.scratch.bpe import ByteLevelBPE
from app.scratch.merges import PairMergedBytes
from app.scratch.normalize import in_turn
from app.scratch.pretokenize import split
from app.scratch.sentencepiece import MARK, Normalizer, Pieces, SentencePiece
from app.scratch.sentencepiece_bpe import ScoredBPE
from app.scratch.unigram import Unigram
from app.scratch.units import byte_values, characters, words
from app.scratch.wordpiece import Bert, joined
from app.scratch.words import bert_words
from app.types import (
    BYTE_FALLBACK,
    INSERTED,
    SPECIAL,
    UNKNOWN,
    Encoding,
    Engine,
    Kind,
    SpecialPolicy,
    Stage,
    TokenizerInfo,
    VocabEntry,
)

Rows = Iterator[tuple[int, int, int]]
Stages = Callable[[str], Mapping[Stage, Sequence[str]]]
ROW = np.dtype([("id", np.uint32), ("start", np.int32), ("end", np.int32)])


def encoded(rows: Rows, text: str) -> Encoding:
    """Rows of (id, byte start, byte end) as an encoding of the text."""
    ids, starts, ends = columns(rows)
    return spanned(ids, starts, ends, text=text, data=text.encode(), flags=np.zeros(len(ids), np.uint8))


def columns(rows: Rows) -> tuple[NDArray[np.uint32], Column, Column]:
    """Rows of (id, byte start, byte end) in three columns."""
    table = np.fromiter(rows, ROW)
    return np.ascontiguousarray(table["id"]), np.ascontiguousarray(table["start"]), np.ascontiguousarray(table["end"])


@dataclass(frozen=True, eq=False)
class ScratchTokenizer:
    """A from-scratch algorithm, with the vocabulary it reads ids back with."""

    info: TokenizerInfo
    cut: Callable[[str], Encoding]
    raw: Callable[[int], bytes | None]
    nbytes: int = 0
    shown: Stages = field(default=lambda text: {})
    engine: Engine = field(default="scratch", init=False)

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """What there is before the model."""
        return self.shown(text)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        tokens = self.info.special_tokens
        return with_policy(self.cut, text, tokens=tokens, special=special)

    def decode(self, ids: Sequence[int]) -> bytes:
        return b"".join(self.entry(id).raw for id in ids)

    def entry(self, id: int) -> VocabEntry:
        if (raw := self.raw(id)) is not None:
            return raw_entry(id, raw)
        if (token := self._special.get(id)) is not None:
            return raw_entry(id, token.encode(), kind="special")
        raise UnknownId(id, vocab_size=self.info.vocab_size)

    @cached_property
    def _special(self) -> Mapping[int, str]:
        return {id: token for token, id in self.info.special_tokens.items()}


KIND_FLAGS: Mapping[Kind, int] = {"normal": 0, "special": SPECIAL, "unknown": UNKNOWN, "byte": BYTE_FALLBACK}


@dataclass(frozen=True, eq=False)
class PieceTokenizer:
    """A from-scratch algorithm over a vocabulary that spells its pieces; `entries` are in the order of their ids."""

    info: TokenizerInfo
    rows: Callable[[str], Rows]
    entries: Sequence[VocabEntry]
    joined: Callable[[list[VocabEntry]], bytes]
    shown: Stages
    nbytes: int
    engine: Engine = field(default="scratch", init=False)

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """What there is before the model."""
        return self.shown(text)

    @cached_property
    def flags(self) -> NDArray[np.uint8]:
        """The flags of each id."""
        return np.array([KIND_FLAGS[entry.kind] for entry in self.entries], np.uint8)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        found = with_policy(self._encode, text, tokens=self.info.special_tokens, special=special)
        return replace(found, flags=(found.flags & np.uint8(INSERTED)) | self.flags[found.ids])

    def _encode(self, text: str) -> Encoding:
        ids, starts, ends = columns(self.rows(text))
        starts, ends = outward(starts, ends, flags := self.flags[ids])
        return spanned(ids, starts, ends, text=text, data=text.encode(), flags=flags)

    def decode(self, ids: Sequence[int]) -> bytes:
        return self.joined([self.entry(id) for id in ids])

    def entry(self, id: int) -> VocabEntry:
        if not 0 <= id < len(self.entries):
            raise UnknownId(id, vocab_size=len(self.entries))
        return self.entries[id]


@dataclass(frozen=True, eq=False)
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
    return ScratchTokenizer(info, lambda text: encoded(characters(text), text), _character)


def byte_tokenizer(info: TokenizerInfo) -> ScratchTokenizer:
    """One token a byte."""
    return ScratchTokenizer(info, lambda text: encoded(byte_values(text), text), _byte)


def byte_level_bpe(info: TokenizerInfo, *, ranks: Mapping[bytes, int], pattern: str) -> ScratchTokenizer:
    """Byte-level BPE over tiktoken ranks."""
    raws = {rank: raw for raw, rank in ranks.items()}
    nbytes = 200 * len(ranks)
    lengths = np.zeros(max(raws) + 1, np.int32)
    for rank, raw in raws.items():
        lengths[rank] = len(raw)
    bpe = ByteLevelBPE(ranks, pattern=pattern)

    def cut(text: str) -> Encoding:
        ids, data = np.array(bpe.ids(text), np.uint32), text.encode()
        if int(lengths[ids].sum()) != len(data):
            return encoded(bpe.encode(text), text)  # the pattern leaves gaps
        return tiled(ids, lengths[ids], text=text, data=data, flags=np.zeros(len(ids), np.uint8))

    def shown(text: str) -> Mapping[Stage, Sequence[str]]:
        return {"pre-tokenize": [word for _, word in split(pattern, text)]}

    return ScratchTokenizer(info, cut, raws.get, nbytes, shown)


def bert(info: TokenizerInfo, *, vocabulary: Mapping[str, int]) -> PieceTokenizer:
    """BERT's WordPiece over a `vocab.txt`."""

    def entry(piece: str, id: int) -> VocabEntry:
        kind: Kind = "unknown" if piece == "[UNK]" else "special" if piece in info.special_tokens else "normal"
        return VocabEntry(id, piece, piece.removeprefix("##").encode(), kind)

    entries = [entry(piece, id) for piece, id in vocabulary.items()]
    return PieceTokenizer(info, Bert(vocabulary).encode, entries, _joined_words, _bert_stages, 500 * len(entries))


def _bert_stages(text: str) -> Mapping[Stage, Sequence[str]]:
    normal = in_turn(Bert.NORMALIZERS, Aligned.of(text))
    return {"normalize": [normal.text], "pre-tokenize": [word.text for word in bert_words(normal)]}


def _joined_words(entries: list[VocabEntry]) -> bytes:
    return joined(entry.piece for entry in entries).encode()


def sentencepiece(info: TokenizerInfo, *, model: SentencePieceModel) -> PieceTokenizer:
    """A unigram or BPE model of SentencePiece."""
    kinds: dict[str, Kind] = {"unknown": "unknown", "control": "special", "byte": "byte"}
    ids = {piece.text: id for id, piece in enumerate(model.pieces)}
    scores = {piece.text: piece.score for piece in model.pieces if piece.kind == "normal"}
    verbatim = [piece.text for piece in model.pieces if piece.kind == "user_defined"]
    unknown = next(id for id, piece in enumerate(model.pieces) if piece.kind == "unknown")
    cut: Callable[[str], Pieces]
    if model.algorithm == "bpe":
        scores |= {piece.text: piece.score for piece in model.pieces if piece.kind == "user_defined"}
        cut = ScoredBPE(ids, scores, unknown=unknown, frozen=verbatim).pieces
    else:
        cut = Unigram(ids, scores, unknown=unknown, user_defined=verbatim).pieces
    normalizer = Normalizer(
        charsmap=model.charsmap,
        verbatim=verbatim,
        dummy=model.add_dummy_prefix,
        collapse=model.remove_extra_whitespaces,
        escape=model.escape_whitespaces,
        suffix=model.whitespace_as_suffix,
    )
    byte_ids = [ids[f"<0x{byte:02X}>"] for byte in range(256)] if model.byte_fallback else ()
    rows = SentencePiece(cut, normalizer, unknown=unknown, byte_ids=byte_ids).encode
    entries = [_marked_entry(id, piece.text, kinds.get(piece.kind, "normal")) for id, piece in enumerate(model.pieces)]
    return PieceTokenizer(
        info, rows, entries, _joined_marked, lambda text: {"normalize": [normalizer(text)[0]]}, 800 * len(entries)
    )


def _marked_entry(id: int, piece: str, kind: Kind) -> VocabEntry:
    if kind == "byte":
        return VocabEntry(id, piece, bytes([int(piece[3:5], 16)]), kind)
    return VocabEntry(id, piece, (" ⁇ " if kind == "unknown" else piece.replace(MARK, " ")).encode(), kind)


def _joined_marked(entries: list[VocabEntry]) -> bytes:
    """Raw bytes joined, without the space that the model puts in front of each stretch of text."""
    parts, fresh = [], True
    for entry in entries:
        parts.append(entry.raw.removeprefix(b" ") if fresh else entry.raw)
        fresh = entry.kind == "special"
    return b"".join(parts)


def minbpe(info: TokenizerInfo, *, model: MinbpeModel) -> ScratchTokenizer:
    """A model that minbpe trained."""
    raws = dict(enumerate(model.vocabulary()))
    merges = {pair: (id, id) for id, pair in enumerate(model.merges, 256)}
    return ScratchTokenizer(info, PairMergedBytes(merges, pattern=model.pattern).encode, raws.get, 300 * len(raws))
