"""The pipeline of a `tokenizer.json` stage by stage: each component can be another one over the same vocabulary.

`from_tokenizer_json` builds a `Tokenizer`; this keeps what every component did, and knows pairs, truncation, padding.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from ...errors import BadFile, Invalid
from ...scratch.compat.aligned import AlignedText
from ...scratch.compat.pipeline.added_tokens import AddedToken, AddedTokens
from ...scratch.compat.pipeline.bands import Band, PieceKind, get_tokens, model_band, text_bands
from ...scratch.compat.pipeline.batches import PipelineEncoding, PipelineToken, Truncation
from ...scratch.compat.pipeline.component import (
    Decoder,
    DecoderComponent,
    Normalizer,
    NormalizerComponent,
    PostProcessorComponent,
    Splitter,
)
from ...scratch.compat.pipeline.decoders import apply_decoders, decode_bands, join_with_spaces
from ...scratch.compat.pipeline.encode import WordModel as BuiltModel
from ...scratch.compat.pipeline.normalizers import Replace, apply_normalizers
from ...scratch.compat.pipeline.post_processors import TemplateProcessing, apply_post_processors
from ...scratch.compat.pipeline.word_models import WordUnigram
from ...scratch.fast.bpe.encode_pairs import PairBPE
from ..spelling import BYTE_PIECE
from .models import JsonModel
from .read import components
from .scratch import model as built_model

JsonPart = Mapping[str, Any]
MAX_STEPS = 20
"""The maximum number of steps of a template, each of which may repeat the text."""
MAX_GROWN = 1_000_000
"""The maximum length of a normalized text, in characters: components that a user wrote can multiply it."""


@dataclass(frozen=True, eq=False)
class PipelineVocabulary:
    """What components share: the model as it was read, the added tokens, and the spelling of each id.

    `spec` is the model in the file; None for BPE by ranks, which has no options. `id_of` is the inverse of `piece`.
    """

    model: BuiltModel
    spec: JsonModel | None
    added: tuple[AddedToken, ...]
    piece: Callable[[int], str | None]
    id_of: Callable[[str], int | None]

    def with_options(self, spec: JsonModel) -> "PipelineVocabulary":
        """Return the same vocabulary with other options of the model."""
        built = self.model
        old = self.spec
        if isinstance(built, PairBPE) and old and spec.prefix == old.prefix:
            new: BuiltModel = built.with_options(
                unknown=spec.unknown,
                fuse_unk=spec.fuse_unknown,
                ignore_merges=spec.ignore_merges,
                byte_fallback=spec.byte_fallback,
                suffix=spec.suffix,
            )
        else:
            new = built_model(spec)
        return replace(self, model=new, spec=spec)


@dataclass(frozen=True, eq=False)
class StagedPipeline:
    """A pipeline of which each component can be watched; `decoders` is None if tokens are joined with spaces."""

    vocabulary: PipelineVocabulary
    normalizers: Sequence[Normalizer] = ()
    splitters: Sequence[Splitter] = ()
    processors: Sequence[PostProcessorComponent] = ()
    decoders: Sequence[tuple[str, Decoder]] | None = None

    @cached_property
    def added(self) -> AddedTokens:
        """The added tokens, those matched in the normalized text in their normalized form."""
        return AddedTokens(self.vocabulary.added, lambda text: apply_normalizers(self.normalizers, text))

    def bands(self, text: str, *, specials: bool = True) -> list[Band]:
        """Return the text after each stage, up to the tokens of the model. Raises `Invalid`, `EngineFailed`."""
        bands, words = text_bands(text, self.added, self.normalizers, self.splitters, specials=specials)
        model = self.vocabulary.model
        bands.append(model_band(words, model, self.spell_token, self.kind, as_text=isinstance(model, WordUnigram)))
        return bands

    def post_process(
        self, bands: Sequence[Band], *, truncation: Truncation | None = None, add_special_tokens: bool = True
    ) -> list[list[PipelineEncoding]]:
        """Return the tokens of one text or two after truncation, and after each post-processor."""
        encodings = [PipelineEncoding(get_tokens(band, number)) for number, band in enumerate(bands)]
        return apply_post_processors(
            encodings, self.processors, truncation=truncation, add_special_tokens=add_special_tokens
        )

    def spell_token(self, id: int) -> str:
        """Return the spelling of a token, "" for an id that there is not."""
        return self.vocabulary.piece(id) or ""

    @cached_property
    def special(self) -> frozenset[int]:
        """The ids of special tokens, which decoding leaves out."""
        return frozenset(token.id for token in self.vocabulary.added if token.special)

    def kind(self, id: int) -> PieceKind:
        """Return the kind of a token of the model."""
        spec = self.vocabulary.spec
        if spec is None or (spec.unknown is None and not spec.byte_fallback):
            return "kept"
        if spec.unknown is not None and id == self.vocabulary.id_of(spec.unknown):
            return "unknown"
        return "byte" if spec.byte_fallback and BYTE_PIECE.fullmatch(self.spell_token(id)) else "kept"

    def _decodable(self, tokens: Sequence[PipelineToken], skip: bool) -> list[tuple[str, int, int]]:
        kept = [token for token in tokens if not (skip and token.id in self.special)]
        pieces = [(self.added.spelled.get(token.id) or self.vocabulary.piece(token.id), token) for token in kept]
        return [(piece, token.start, token.end) for piece, token in pieces if piece is not None]

    def decode(self, tokens: Sequence[PipelineToken], *, skip_special: bool = True) -> str:
        """Return the text of tokens."""
        steps = [join_with_spaces] if self.decoders is None else [step for _, step in self.decoders]
        return apply_decoders(steps, [piece for piece, _, _ in self._decodable(tokens, skip_special)])

    def decode_bands(self, tokens: Sequence[PipelineToken], text: str, *, skip_special: bool = True) -> list[Band]:
        """Return the texts of tokens after each decoder, and the text that they make beside the input."""
        return decode_bands(self._decodable(tokens, skip_special), self.decoders, text)


def build_staged_pipeline(
    vocabulary: PipelineVocabulary, parts: Mapping[str, Sequence[JsonPart] | None]
) -> StagedPipeline:
    """Build a pipeline from components by stage, as a `tokenizer.json` has them. Raises `Invalid` naming the stage."""
    return with_parts(StagedPipeline(vocabulary), parts)


def with_parts(pipeline: StagedPipeline, parts: Mapping[str, Sequence[JsonPart] | None]) -> StagedPipeline:
    """Return a pipeline with other components in some stages. Raises `Invalid` naming the stage."""
    checked = {stage: _check_components(stage, specs or ()) for stage, specs in parts.items()}
    fields: dict[str, Any] = {}
    if "normalizer" in parts:
        fields["normalizers"] = [partial(_normalize, part) for part in checked["normalizer"]]
    if "pre_tokenizer" in parts:
        fields["splitters"] = [part.pre_tokenize for part in checked["pre_tokenizer"]]
    if "post_processor" in parts:
        fields["processors"] = checked["post_processor"]
        for part in checked["post_processor"]:
            if isinstance(part, TemplateProcessing):
                _check_template(part)
    if "decoder" in parts:
        steps = [(part.type, partial(_decode, part)) for part in checked["decoder"]]
        fields["decoders"] = None if parts["decoder"] is None else steps
    return replace(pipeline, **fields)


def _check_components(stage: str, specs: Sequence[JsonPart]) -> list[Any]:
    try:
        return [part for spec in specs for part in components(spec, stage)]
    except BadFile as error:
        raise Invalid(error.detail, pointer=f"/{stage}", limit=error.limit) from None


def _check_room(part: object, texts: Sequence[str], pointer: str) -> None:
    """Raise `Invalid` if a Replace would write too much. Its matches are counted only where they might."""
    if isinstance(part, Replace) and sum(len(text) + 1 for text in texts) * len(part.content) > MAX_GROWN:
        matches = sum(len(part.pattern.spans(text)) for text in texts)
        if matches * len(part.content) > MAX_GROWN:
            raise Invalid(f"Replace writes more than {MAX_GROWN:,} characters.", pointer=pointer)


def _normalize(part: NormalizerComponent, text: AlignedText) -> AlignedText:
    _check_room(part, [text.text], "/normalizer")
    normal = part.normalize(text)
    if len(normal) > MAX_GROWN:
        raise Invalid(f"The normalized text has more than {MAX_GROWN:,} characters.", pointer="/normalizer")
    return normal


def _decode(part: DecoderComponent, texts: Sequence[str]) -> list[str]:
    _check_room(part, texts, "/decoder")
    return part.decode(texts)


def _check_template(part: TemplateProcessing) -> None:
    """Raise `Invalid` for a template with too many steps, or a step that is none."""
    for name, steps in (("single", part.single), ("pair", part.pair)):
        if len(steps) > MAX_STEPS:
            raise Invalid(f"A template may have {MAX_STEPS} steps.", pointer="/post_processor", limit=MAX_STEPS)
        if not all(part.has_step(step) and type(step.type_id) is int for step in steps):
            detail = f"{name} is a list of special tokens of the template and of the sequences A and B."
            raise Invalid(detail, pointer="/post_processor")
