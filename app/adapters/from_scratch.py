"""The engines written here, behind the `Tokenizer` protocol."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.adapters.pieces import raw_entry
from app.adapters.spans import Column, spanned, tiled
from app.adapters.special import traced, with_policy
from app.errors import UnknownId
from app.formats.minbpe_model import MinbpeModel
from app.scratch.bpe import ByteLevelBPE
from app.scratch.merges import PairMergedBytes
from app.scratch.pretokenize import split
from app.scratch.trace import byte_level
from app.scratch.units import byte_values, characters, words
from app.types import (
    CutWord,
    Encoding,
    Engine,
    SpecialPolicy,
    Stage,
    TokenizerInfo,
    Trace,
    TracedWord,
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


def units(encoding: Encoding, text: str) -> Trace:
    """A trace in which each token is a word of its own, and equal ones are one."""
    data, known = text.encode(), dict[tuple[int, bytes], CutWord]()
    words = []
    for id, start, end in zip(
        *(column.tolist() for column in (encoding.ids, encoding.byte_starts, encoding.byte_ends)), strict=True
    ):
        part = data[start:end]
        cut = known.get((id, part)) or known.setdefault((id, part), CutWord(part, ((id, 0, end - start),)))
        words.append(TracedWord(cut, start, end))
    return Trace("units", words, text)


@dataclass(frozen=True, eq=False)
class ScratchTokenizer:
    """A from-scratch algorithm, with the vocabulary it reads ids back with."""

    info: TokenizerInfo
    cut: Callable[[str], Encoding]
    raw: Callable[[int], bytes | None]
    nbytes: int = 0
    shown: Stages = field(default=lambda text: {})
    followed: Callable[[str], Trace] | None = None
    engine: Engine = field(default="scratch", init=False)

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """What there is before the model."""
        return self.shown(text)

    def trace(self, text: str, *, special: SpecialPolicy = "text") -> Trace:
        """How the text is cut, step by step; where no way is known to tell, one step a token."""
        follow = self.followed or (lambda part: units(self.cut(part), part))
        return traced(follow, text, tokens=self.info.special_tokens, special=special)

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
        """By id; of two names of one id the first, as tiktoken has it."""
        return {id: token for token, id in reversed([*self.info.special_tokens.items()])}


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

    def trace(self, text: str, *, special: SpecialPolicy = "text") -> Trace:
        """A step a word."""
        return replace(units(self.encode(text), text), pattern=self.pattern)

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

    def followed(text: str) -> Trace:
        return Trace("merges", [*byte_level(bpe, text)], text, pattern, ranks, ranks)

    return ScratchTokenizer(info, cut, raws.get, nbytes, shown, followed)


def minbpe(info: TokenizerInfo, *, model: MinbpeModel) -> ScratchTokenizer:
    """A model that minbpe trained."""
    raws = dict(enumerate(model.vocabulary()))
    merges = {pair: (id, id) for id, pair in enumerate(model.merges, 256)}
    rows = PairMergedBytes(merges, pattern=model.pattern).encode
    return ScratchTokenizer(info, lambda text: encoded(rows(text), text), raws.get, 300 * len(raws))
