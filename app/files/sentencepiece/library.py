"""sentencepiece as a `Tokenizer`: spans from the lengths of pieces if they suffice, else from its offsets."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import BadFile, UnknownId, reason
from ...types import (
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
from ..spans import Column, encode_marked, encode_spans, round_outward
from ..special_tokens import with_policy
from ..vocab_entries import KINDS, MARK, UNKNOWN_SURFACE, InsertedSpaces, make_marked_entry

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

NBYTES = 175
"""The memory that a piece takes, as measured."""


@dataclass(frozen=True, eq=False)
class PieceTokenizer(ABC):
    """A SentencePiece model in any engine; `lengths` (raw bytes) and `flags` are indexed by id, shape `(vocab_size,)`.

    - `plain`: the normalizer only replaces spaces by ▁, and may put one in front.
    - `spaces`: those that decoding takes off again.
    - `spell`: returns the piece of an id; `unknown`: what the unknown token is decoded to.
    """

    info: TokenizerInfo
    lengths: NDArray[np.int32]
    flags: NDArray[np.uint8]
    plain: bool
    spaces: InsertedSpaces
    nbytes: int
    spell: Callable[[int], str]
    unknown: str

    @abstractmethod
    def find_ids(self, text: str) -> NDArray[np.uint32]:
        """Return the ids of a text without special tokens."""

    @abstractmethod
    def find_spans(self, text: str) -> tuple[NDArray[np.uint32], Column, Column]:
        """Return the ids of a text without special tokens, and where each begins and ends in its bytes."""

    def encode(self, text: str, *, special: SpecialPolicy = "text") -> Encoding:
        encoding = with_policy(self._encode, text, info=self.info, special=special)
        return replace(encoding, flags=(encoding.flags & np.uint8(INSERTED)) | self.flags[encoding.ids])

    def _encode(self, text: str) -> Encoding:
        if self.plain and MARK not in text:
            ids = self.find_ids(text)
            lengths, flags = self.lengths[ids], self.flags[ids]
            if tiles := encode_marked(ids, lengths, text=text, flags=flags, inserted=self.spaces.before):
                return tiles
        ids, starts, ends = self.find_spans(text)
        flags = self.flags[ids]
        starts, ends = round_outward(starts, ends, flags)
        return encode_spans(ids, starts, ends, text=text, data=text.encode(), flags=flags)

    def decode(self, ids: Sequence[int]) -> bytes:
        """Join raw bytes, without the spaces that the model inserts around each part between special tokens."""
        return self.spaces.join_entries(map(self.entry, ids))

    def entry(self, id: int) -> VocabEntry:
        if not 0 <= id < len(self.lengths):
            raise UnknownId(id, vocab_size=len(self.lengths))
        return make_marked_entry(id, self.spell(id), KINDS[int(self.flags[id])], self.unknown)


@dataclass(frozen=True, eq=False)
class SentencePieceTokenizer(PieceTokenizer):
    """A SentencePiece model in sentencepiece."""

    library: "SentencePieceProcessor"
    engine: Engine = field(default="sentencepiece", init=False)

    def find_ids(self, text: str) -> NDArray[np.uint32]:
        ids: NDArray[np.int32] = self.library.encode(text, return_type="numpy")
        return ids.view(np.uint32)

    def find_spans(self, text: str) -> tuple[NDArray[np.uint32], Column, Column]:
        result = self.library.encode(text, return_type="offset_mapping", return_bytes=True)
        spans = np.array(result["offsets"], np.int32).reshape(-1, 2)
        return np.array(result["ids"], np.uint32), spans[:, 0].copy(), spans[:, 1].copy()

    def ids_of_many(self, texts: Sequence[str]) -> list[Sequence[int]]:
        """Return the ids of each text: see `Batched`."""
        return [*map(self.ids, texts)]

    def ids(self, text: str) -> Sequence[int]:
        """Return the ids of a text: see `Batched`."""
        if (added := self.info.added_tokens) and any(token in text for token in added):
            inner: list[int] = self.encode(text).ids.tolist()
            return inner
        if not text.isascii():
            text.encode()  # a lone surrogate raises here; the library would not say what is wrong
        ids: list[int] = self.library.encode(text)
        return ids

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """Return the text as the library normalizes it."""
        return {"normalize": [self.library.normalize(text)]}


def measure_marked(pieces: Iterable[str], kinds: Iterable[Kind], unknown: str = UNKNOWN_SURFACE) -> NDArray[np.int32]:
    """Return the number of bytes of each entry of a SentencePiece vocabulary, shape `(vocab_size,)`.

    >>> measure_marked(["▁the", "<0x0A>"], ["normal", "byte"]).tolist()
    [4, 1]
    """
    fixed = {"byte": 1, "unknown": len(unknown.encode())}  # the spelling says nothing
    sizes = [
        fixed[kind] if kind in fixed else len(piece.replace(MARK, " ").encode())
        for piece, kind in zip(pieces, kinds, strict=True)
    ]
    return np.array(sizes, np.int32)


def load(info: TokenizerInfo, *, model: bytes) -> SentencePieceTokenizer:
    """Read a `.model` file. Raises `BadFile` if the library cannot read it."""
    import sentencepiece

    library = sentencepiece.SentencePieceProcessor()
    try:
        library.LoadFromSerializedProto(model)
    except (RuntimeError, ValueError) as error:
        raise BadFile(f"sentencepiece cannot read the model of {info.id}: {reason(error)}.") from error
    size = library.get_piece_size()
    every = [*range(size)]
    tests = {SPECIAL: library.is_control, UNKNOWN: library.is_unknown, BYTE_FALLBACK: library.is_byte}
    flags = np.zeros(size, np.uint8)
    for flag, test in tests.items():
        flags |= np.array(test(every), bool) * np.uint8(flag)
    unknown = library.decode([library.unk_id()])
    kinds = map(KINDS.__getitem__, flags.tolist())
    pieces = library.id_to_piece(every)
    lengths = measure_marked(pieces, kinds, unknown)
    # The library does not tell how a model normalizes, so try it on a text that other normalizations change.
    probe = "  ﬁ\t\n a  Å\u200b"
    spaced = any(" " in piece for piece in pieces)  # in a text, all of such a symbol comes from its beginning
    spaces = InsertedSpaces.by_trial(library.normalize)
    plain = library.normalize(probe) == MARK * spaces.before + probe.replace(" ", MARK) and not spaced
    return SentencePieceTokenizer(
        info=info,
        library=library,
        lengths=lengths,
        flags=flags,
        plain=plain,
        nbytes=NBYTES * size,
        spaces=spaces,
        spell=library.id_to_piece,
        unknown=unknown,
    )
