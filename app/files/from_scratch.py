"""The from-scratch engines whose vocabulary consists of bytes, characters or words, as `Tokenizer`s."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from ..errors import UnknownId
from ..scratch.bytes import byte_values
from ..scratch.characters import characters
from ..scratch.compat.aligned import Form
from ..scratch.fast.bpe.encode import ByteLevelBPE
from ..scratch.fast.bpe.encode_pairs import PairMergedBytes
from ..scratch.fast.bpe.trace import byte_level, trace_walks
from ..scratch.fast.longest_match import ByteTrie
from ..scratch.fast.pretokenize import split
from ..scratch.words import words
from ..types import (
    Encoding,
    EncodingTrace,
    Engine,
    Kind,
    Segmentation,
    SpecialPolicy,
    Stage,
    TokenizerInfo,
    TracedWord,
    VocabEntry,
)
from .minbpe import MinbpeModel
from .spans import Column, encode_spans, encode_tiles
from .special_tokens import trace_with_policy, with_policy
from .unicode_normalizer import UnicodeNormalizer
from .vocab_entries import make_raw_entry

Rows = Iterator[tuple[int, int, int]]
Stages = Callable[[str], Mapping[Stage, Sequence[str]]]
ROW = np.dtype([("id", np.uint32), ("start", np.int32), ("end", np.int32)])


def encode_rows(rows: Rows, text: str) -> Encoding:
    """Return rows of (id, byte start, byte end) as an encoding of the text."""
    ids, starts, ends = columns(rows)
    return encode_spans(ids, starts, ends, text=text, data=text.encode(), flags=np.zeros(len(ids), np.uint8))


def columns(rows: Rows) -> tuple[NDArray[np.uint32], Column, Column]:
    """Return rows of (id, byte start, byte end) as three columns of shape `(n,)`."""
    table = np.fromiter(rows, ROW)
    return np.ascontiguousarray(table["id"]), np.ascontiguousarray(table["start"]), np.ascontiguousarray(table["end"])


def units(encoding: Encoding, text: str) -> EncodingTrace:
    """Return a trace in which each token is a word of its own; equal ones share one `Segmentation`."""
    data = text.encode()
    cache = dict[tuple[int, bytes], Segmentation]()
    words = []
    for id, start, end in zip(
        *(column.tolist() for column in (encoding.ids, encoding.byte_starts, encoding.byte_ends)), strict=True
    ):
        part = data[start:end]
        segmentation = cache.get((id, part)) or cache.setdefault(
            (id, part), Segmentation(part, ((id, 0, end - start),))
        )
        words.append(TracedWord(segmentation, start, end))
    return EncodingTrace("units", words, text)


@dataclass(frozen=True, eq=False)
class ScratchTokenizer:
    """A from-scratch algorithm and its vocabulary.

    - `tokenize`: encodes a text without special tokens.
    - `raw`: returns the bytes of an id, or None for an unknown one.
    - `encode_bytes`: see `Bytewise`.
    - `compute_stages`, `tracer`: see `Staged.stages` and `Traced.trace`.
    """

    info: TokenizerInfo
    tokenize: Callable[[str], Encoding]
    raw: Callable[[int], bytes | None]
    nbytes: int = 0
    compute_stages: Stages = field(default=lambda text: {})
    tracer: Callable[[str], EncodingTrace] | None = None
    encode_bytes: Callable[[bytes], Sequence[int]] | None = None
    engine: Engine = field(default="scratch", init=False)

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """Return the words after each stage before the model."""
        return self.compute_stages(text)

    def trace(self, text: str, *, special: SpecialPolicy = "text") -> EncodingTrace:
        """Trace a text; without a tracer, one word per token."""
        tracer = self.tracer or (lambda part: units(self.tokenize(part), part))
        return trace_with_policy(tracer, text, info=self.info, special=special)

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        return with_policy(self.tokenize, text, info=self.info, special=special)

    def decode(self, ids: Sequence[int]) -> bytes:
        return b"".join(self.entry(id).raw for id in ids)

    def entry(self, id: int) -> VocabEntry:
        if (raw := self.raw(id)) is not None:
            return make_raw_entry(id, raw)
        if (token := self._special.get(id)) is not None:
            kind: Kind = "normal" if token in self.info.added_tokens else "special"
            return make_raw_entry(id, token.encode(), kind=kind)
        raise UnknownId(id, vocab_size=self.info.vocab_size)

    @cached_property
    def _special(self) -> Mapping[int, str]:
        """Special and added tokens by id; of two with the same id the first, as in tiktoken."""
        tokens = [*self.info.special_tokens.items(), *self.info.added_tokens.items()]
        return {id: token for token, id in reversed(tokens)}


def _character(id: int) -> bytes | None:
    return chr(id).encode() if 0 <= id < 0x110000 and not 0xD800 <= id < 0xE000 else None


def _byte(id: int) -> bytes | None:
    return bytes([id]) if 0 <= id < 256 else None


def character_tokenizer(info: TokenizerInfo) -> ScratchTokenizer:
    """One token per code point; its id is the code point."""
    return ScratchTokenizer(info, lambda text: encode_rows(characters(text), text), _character)


def word_tokenizer(info: TokenizerInfo, pattern: str) -> ScratchTokenizer:
    """One token per word; the vocabulary is built anew from each text and returned as `Encoding.grown`."""

    def tokenize(text: str) -> Encoding:
        vocabulary: dict[str, int] = {}
        encoding = encode_rows(words(text, vocabulary, split=partial(split, pattern)), text)
        return replace(encoding, grown=tuple(word.encode() for word in vocabulary))

    def tracer(text: str) -> EncodingTrace:
        return replace(units(tokenize(text), text), pattern=pattern)

    return ScratchTokenizer(info, tokenize, lambda id: None, tracer=tracer)


def byte_tokenizer(info: TokenizerInfo) -> ScratchTokenizer:
    """One token per byte; its id is the byte."""
    return ScratchTokenizer(info, lambda text: encode_rows(byte_values(text), text), _byte, encode_bytes=list)


def byte_level_bpe(
    info: TokenizerInfo, *, ranks: Mapping[bytes, int], pattern: str, trusted: bool = True, form: Form | None = None
) -> ScratchTokenizer:
    """Byte-level BPE over tiktoken ranks. Searches with a pattern that is not `trusted` have a time limit.

    `form`: the Unicode normalization form that a text is brought into first.
    """
    raws = {rank: raw for raw, rank in ranks.items()}
    nbytes = 220 * len(ranks)  # as measured
    lengths = np.zeros(max(raws) + 1, np.int32)
    lengths[np.fromiter(raws, np.int64, len(raws))] = np.fromiter(map(len, raws.values()), np.int32, len(raws))
    bpe = ByteLevelBPE(ranks, pattern=pattern, trusted=trusted)

    def tokenize(text: str) -> Encoding:
        ids = np.array(bpe.ids(text), np.uint32)
        data = text.encode()
        if int(lengths[ids].sum()) != len(data):
            return encode_rows(bpe.encode(text), text)  # the pattern does not match all of the text
        return encode_tiles(ids, lengths[ids], text=text, data=data, flags=np.zeros(len(ids), np.uint8))

    def compute_stages(text: str) -> Mapping[Stage, Sequence[str]]:
        return {"pre-tokenize": [word for _, word in split(pattern, text, trusted=trusted)]}

    def tracer(text: str) -> EncodingTrace:
        return EncodingTrace(
            method="merges", words=[*byte_level(bpe, text)], normal=text, pattern=pattern, ranks=ranks, ids=ranks
        )

    plain = ScratchTokenizer(
        info=info,
        tokenize=tokenize,
        raw=raws.get,
        nbytes=nbytes,
        compute_stages=compute_stages,
        tracer=tracer,
        encode_bytes=bpe.ids_of_bytes,
    )
    if form is None:
        return plain
    normalized = UnicodeNormalizer(form)
    return replace(
        plain,
        tokenize=lambda text: normalized.encode(tokenize, text),
        compute_stages=lambda text: {"normalize": [normal := normalized.text(text)], **compute_stages(normal)},
        tracer=lambda text: normalized.trace(tracer, text),
        encode_bytes=None,
    )


def longest_match(info: TokenizerInfo, *, vocabulary: Mapping[bytes, int]) -> ScratchTokenizer:
    """The longest token of a vocabulary that has all bytes, again and again."""
    raws = {id: raw for raw, id in vocabulary.items()}
    lengths = np.zeros(max(raws) + 1, np.int32)
    lengths[np.fromiter(raws, np.int64, len(raws))] = np.fromiter(map(len, raws.values()), np.int32, len(raws))
    model = ByteTrie(vocabulary)

    def tokenize(text: str) -> Encoding:
        data = text.encode()
        ids = np.array(model.ids(data), np.uint32)
        return encode_tiles(ids, lengths[ids], text=text, data=data, flags=np.zeros(len(ids), np.uint8))

    def tracer(text: str) -> EncodingTrace:
        return EncodingTrace("walks", [*trace_walks(model, text)], text, ids=vocabulary)

    nbytes = 580 * len(raws)  # as measured
    return ScratchTokenizer(
        info, tokenize, raws.get, nbytes, tracer=tracer, encode_bytes=lambda data: model.ids(data).tolist()
    )


def minbpe(info: TokenizerInfo, *, model: MinbpeModel) -> ScratchTokenizer:
    """A model in minbpe's format."""
    raws = dict(enumerate(model.vocabulary()))
    merges = {pair: (id, id) for id, pair in enumerate(model.merges, 256)}
    rows = PairMergedBytes(merges, pattern=model.pattern).encode
    return ScratchTokenizer(info, lambda text: encode_rows(rows(text), text), raws.get, 300 * len(raws))
