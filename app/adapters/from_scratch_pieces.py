"""The engines written here whose vocabulary spells its pieces (`##ing`, `▁the`): WordPiece and SentencePiece's."""

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.adapters.from_scratch import Rows, Stages, columns
from app.adapters.pieces import KIND_FLAGS, joined_marked, marked_entry
from app.adapters.spans import Column, outward, spanned, tiled
from app.adapters.special import traced, with_policy
from app.errors import UnknownId
from app.formats.sentencepiece_model import SentencePieceModel
from app.scratch.aligned import Aligned
from app.scratch.normalize import in_turn
from app.scratch.sentencepiece import Normalizer, SentencePiece
from app.scratch.sentencepiece_bpe import ScoredBPE
from app.scratch.sentencepiece_ids import SentencePieceIds
from app.scratch.sentencepiece_trace import by_likelihood, by_score
from app.scratch.sentencepiece_trace import traced as sentencepiece_trace
from app.scratch.trace import bert as bert_trace
from app.scratch.unigram import Unigram
from app.scratch.wordpiece import Bert, joined
from app.scratch.words import bert_words
from app.types import (
    INSERTED,
    Encoding,
    Engine,
    Kind,
    SpecialPolicy,
    Stage,
    TokenizerInfo,
    Trace,
    VocabEntry,
)


@dataclass(frozen=True, eq=False)
class PieceTokenizer:
    """A from-scratch algorithm over a vocabulary that spells its pieces; `entries` are in the order of their ids."""

    info: TokenizerInfo
    rows: Callable[[str], Rows]
    entries: Sequence[VocabEntry]
    joined: Callable[[list[VocabEntry]], bytes]
    shown: Stages
    followed: Callable[[str], Trace]
    nbytes: int
    ids: Callable[[str], "array[int] | None"] = field(default=lambda text: None)
    engine: Engine = field(default="scratch", init=False)

    def trace(self, text: str, *, special: SpecialPolicy = "text") -> Trace:
        """How the text is cut, step by step."""
        return traced(self.followed, text, tokens=self.info.special_tokens, special=special)

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

    @cached_property
    def lengths(self) -> Column:
        """How many bytes of the input each id stands for, where spaces are marked and nothing else is changed."""
        return np.array([len(entry.raw) for entry in self.entries], np.int32)

    def _encode(self, text: str) -> Encoding:
        if (alone := self.ids(text)) is not None:
            return self._marked(np.array(alone, np.uint32), text)
        ids, starts, ends = columns(self.rows(text))
        starts, ends = outward(starts, ends, flags := self.flags[ids])
        return spanned(ids, starts, ends, text=text, data=text.encode(), flags=flags)

    def _marked(self, ids: NDArray[np.uint32], text: str) -> Encoding:
        """Tokens that follow one another; the first may begin with a space put in front."""
        data, lengths, flags = text.encode(), self.lengths[ids], self.flags[ids]
        lengths[0] -= int(lengths.sum()) - len(data)
        if not lengths[0]:
            flags[0] |= INSERTED
        return tiled(ids, lengths, text=text, data=data, flags=flags)

    def decode(self, ids: Sequence[int]) -> bytes:
        return self.joined([self.entry(id) for id in ids])

    def entry(self, id: int) -> VocabEntry:
        if not 0 <= id < len(self.entries):
            raise UnknownId(id, vocab_size=len(self.entries))
        return self.entries[id]


def bert(info: TokenizerInfo, *, vocabulary: Mapping[str, int]) -> PieceTokenizer:
    """BERT's WordPiece over a `vocab.txt`."""

    def entry(piece: str, id: int) -> VocabEntry:
        kind: Kind = "unknown" if piece == "[UNK]" else "special" if piece in info.special_tokens else "normal"
        return VocabEntry(id, piece, piece.removeprefix("##").encode(), kind)

    entries = [entry(piece, id) for piece, id in vocabulary.items()]
    model = Bert(vocabulary)

    def followed(text: str) -> Trace:
        normal = in_turn(Bert.NORMALIZERS, Aligned.of(text)).text
        return Trace("attempts", [*bert_trace(model, text)], normal, unknown=vocabulary["[UNK]"], prefix="##")

    nbytes = 500 * len(entries)
    return PieceTokenizer(info, model.encode, entries, _joined_words, _bert_stages, followed, nbytes)


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
    cut: ScoredBPE | Unigram
    if model.algorithm == "bpe":
        scores |= {piece.text: piece.score for piece in model.pieces if piece.kind == "user_defined"}
        cut = ScoredBPE(ids, scores, unknown=unknown, frozen=verbatim)
    else:
        cut = Unigram(ids, scores, unknown=unknown, user_defined=verbatim)
    normalizer = Normalizer(
        charsmap=model.charsmap,
        verbatim=verbatim,
        dummy=model.add_dummy_prefix,
        collapse=model.remove_extra_whitespaces,
        escape=model.escape_whitespaces,
        suffix=model.whitespace_as_suffix,
    )
    byte_ids = [ids[f"<0x{byte:02X}>"] for byte in range(256)] if model.byte_fallback else ()
    whole = SentencePiece(cut.pieces, normalizer, unknown=unknown, byte_ids=byte_ids)
    entries = [marked_entry(id, piece.text, kinds.get(piece.kind, "normal")) for id, piece in enumerate(model.pieces)]
    return PieceTokenizer(
        info,
        whole.encode,
        entries,
        joined_marked,
        lambda text: {"normalize": [normalizer(text)[0]]},
        lambda text: _followed(whole, cut, ids, text),
        800 * len(entries),
        SentencePieceIds(whole, cut),
    )


def _followed(whole: SentencePiece, cut: ScoredBPE | Unigram, ids: Mapping[str, int], text: str) -> Trace:
    normal = whole.normalizer(text)[0]
    if isinstance(cut, ScoredBPE):
        words = sentencepiece_trace(whole, cut.words, by_score(cut), text)
        return Trace("merges", words, normal, "", cut.ranks, ids, None, whole.unknown, whole.byte_ids)
    words = sentencepiece_trace(whole, cut.words, by_likelihood(cut), text)
    return Trace("lattice", words, normal, "", {}, ids, cut, whole.unknown, whole.byte_ids)
