"""The from-scratch engines of SentencePiece models, whose vocabulary spells its pieces (`▁the`), as `Tokenizer`s."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ...scratch.compat.sentencepiece.bpe import ScoredBPE
from ...scratch.compat.sentencepiece.encode import Columns, Normalizer, SentencePiece
from ...scratch.compat.sentencepiece.lookup import LookupModel
from ...scratch.compat.sentencepiece.trace import trace_by_likelihood, trace_by_score
from ...scratch.compat.sentencepiece.trace import trace_words as sentencepiece_trace
from ...scratch.fast.unigram.encode import Unigram
from ...types import EncodingTrace, Engine, Kind, SpecialPolicy, Stage, TokenizerInfo
from ..from_scratch import Stages, units
from ..spans import encode_spans
from ..special_tokens import trace_with_policy
from ..vocab_entries import KIND_FLAGS, InsertedSpaces
from .library import PieceTokenizer, measure_marked
from .model import SentencePieceModel

NBYTES = {"bpe": 225, "unigram": 335}
"""The memory that a piece of a SentencePiece model takes, as measured."""


@dataclass(frozen=True, eq=False)
class ScratchPieceTokenizer(PieceTokenizer):
    """A from-scratch algorithm and its vocabulary of pieces.

    - `columns`: returns the ids, byte starts and byte ends of the tokens of a text.
    - `compute_stages`, `tracer`: see `Staged.stages` and `Traced.trace`.
    """

    columns: Callable[[str], Columns]
    compute_stages: Stages
    tracer: Callable[[str], EncodingTrace]
    engine: Engine = field(default="scratch", init=False)

    def trace(self, text: str, *, special: SpecialPolicy = "text") -> EncodingTrace:
        """Trace a text, step by step."""
        return trace_with_policy(self.tracer, text, info=self.info, special=special)

    def stages(self, text: str) -> Mapping[Stage, Sequence[str]]:
        """Return the text after each stage before the model."""
        return self.compute_stages(text)

    def find_ids(self, text: str) -> NDArray[np.uint32]:
        return self.find_spans(text)[0]

    def find_spans(self, text: str) -> Columns:
        return self.columns(text)


def load(info: TokenizerInfo, *, model: SentencePieceModel) -> ScratchPieceTokenizer:
    """Build the from-scratch tokenizer of a `.model` file."""
    kinds: dict[str, Kind] = {"unknown": "unknown", "control": "special", "byte": "byte"}
    ids = {text: id for id, (text, _, _) in enumerate(model.pieces)}
    scores = {text: score for text, score, kind in model.pieces if kind == "normal"}
    verbatim = [piece.text for piece in model.pieces if piece.kind == "user_defined"]
    unknown = next(id for id, piece in enumerate(model.pieces) if piece.kind == "unknown")
    algorithm: ScoredBPE | Unigram | LookupModel
    if model.algorithm in ("word", "char"):
        kept = ("normal", "user_defined")
        known = {piece: id for piece, id in ids.items() if model.pieces[id].kind in kept}
        algorithm = LookupModel(known, words=model.algorithm == "word", unknown=unknown, user_defined=verbatim)
    elif model.algorithm == "bpe":
        scores |= {piece.text: piece.score for piece in model.pieces if piece.kind == "user_defined"}
        algorithm = ScoredBPE(ids, scores, unknown=unknown, frozen=verbatim)
    else:
        algorithm = Unigram(ids, scores, unknown=unknown, user_defined=verbatim)
    normalizer = Normalizer(
        charsmap=model.charsmap,
        verbatim=verbatim,
        dummy=model.add_dummy_prefix,
        collapse=model.remove_extra_whitespaces,
        escape=model.escape_whitespaces,
        suffix=model.whitespace_as_suffix,
    )
    suffix = model.whitespace_as_suffix
    spaces = InsertedSpaces(
        model.add_dummy_prefix and not suffix, model.add_dummy_prefix and suffix, model.remove_extra_whitespaces
    )
    byte_ids = [ids[f"<0x{byte:02X}>"] for byte in range(256)] if model.byte_fallback else ()
    whole = SentencePiece(algorithm.pieces, normalizer, unknown=unknown, byte_ids=byte_ids)
    own_kinds = [kinds.get(piece.kind, "normal") for piece in model.pieces]
    plain = model.escape_whitespaces and not suffix and model.charsmap is None and not model.remove_extra_whitespaces
    return ScratchPieceTokenizer(
        info=info,
        lengths=measure_marked(ids, own_kinds, model.unknown_surface),
        flags=np.array([KIND_FLAGS[kind] for kind in own_kinds], np.uint8),
        plain=plain and not any(" " in text for text in ids),  # all of such a symbol comes from its beginning
        spaces=spaces,
        nbytes=NBYTES.get(model.algorithm, 225) * len(ids),
        columns=whole.encode,
        spell=[*ids].__getitem__,
        unknown=model.unknown_surface,
        compute_stages=lambda text: {"normalize": [normalizer(text)[0]]},
        tracer=lambda text: _trace(whole, algorithm, ids, text),
    )


def _trace(
    whole: SentencePiece, algorithm: ScoredBPE | Unigram | LookupModel, ids: Mapping[str, int], text: str
) -> EncodingTrace:
    normal = whole.normalizer(text)[0]
    if isinstance(algorithm, LookupModel):
        found, starts, ends = whole.encode(text)
        flags = np.zeros(len(found), np.uint8)
        spans = encode_spans(found, starts, ends, text=text, data=text.encode(), flags=flags)
        return replace(units(spans, text), normal=normal)
    follow = trace_by_score(algorithm) if isinstance(algorithm, ScoredBPE) else trace_by_likelihood(algorithm)
    words = sentencepiece_trace(whole, algorithm.words, follow, text)
    common = EncodingTrace("merges", words, normal, ids=ids, unknown=whole.unknown, byte_ids=whole.byte_ids)
    if isinstance(algorithm, ScoredBPE):
        return replace(common, ranks=algorithm.ranks)
    return replace(common, method="lattice", lattice=algorithm)
