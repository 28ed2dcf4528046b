"""The pipeline of a `tokenizer.json` stage by stage: each component can be another one over the same vocabulary.

`from_tokenizer_json` builds a `Tokenizer`; this keeps what every component did, and knows pairs, truncation, padding.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..errors import BadFile, Invalid
from ..formats.json_models import JsonModel
from ..formats.tokenizer_json import Component, components
from ..scratch.compat.aligned import AlignedText
from ..scratch.compat.pipeline import pair_processors
from ..scratch.compat.pipeline.added_tokens import AddedToken, AddedTokens
from ..scratch.compat.pipeline.bands import Band, PieceKind, get_tokens, model_band, text_bands
from ..scratch.compat.pipeline.batches import PipelineEncoding, PipelineToken, Truncation
from ..scratch.compat.pipeline.decode_bands import decode_bands
from ..scratch.compat.pipeline.decoders import Decoder, apply_decoders, join_with_spaces
from ..scratch.compat.pipeline.encode import WordModel as BuiltModel
from ..scratch.compat.pipeline.normalizers import Normalizer, apply_normalizers
from ..scratch.compat.pipeline.pair_processors import PostProcessor, TemplateStep
from ..scratch.compat.pipeline.pre_tokenizers import Splitter
from ..scratch.compat.pipeline.word_models import WordUnigram
from ..scratch.fast.bpe.encode_pairs import PairBPE
from .from_tokenizer_json import decoder, normalizer, splitter
from .from_tokenizer_json import model as built_model
from .spelling import BYTE_PIECE

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
    normalizers: Sequence[Sequence[Normalizer]] = ()
    splitters: Sequence[Splitter] = ()
    processors: Sequence[PostProcessor] = ()
    decoders: Sequence[tuple[str, Decoder]] | None = None

    @cached_property
    def added(self) -> AddedTokens:
        """The added tokens, those matched in the normalized text in their normalized form."""
        steps = [step for part in self.normalizers for step in part]
        return AddedTokens(self.vocabulary.added, lambda text: apply_normalizers(steps, text))

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
        return pair_processors.apply_post_processors(
            encodings, self.processors, truncation=truncation, add_special_tokens=add_special_tokens
        )

    def spell_token(self, id: int) -> str:
        """Return the spelling of a token, "" for an id that there is not."""
        return self.vocabulary.piece(id) or ""

    @cached_property
    def special(self) -> frozenset[int]:
        """The ids of special tokens, which decoding leaves out."""
        return frozenset(token.id for token in self.vocabulary.added if token.special)

    @cached_property
    def _contents(self) -> Mapping[int, str]:
        """Added tokens by id, those that are matched in the normalized text in their normalized form."""
        return {token.id: content for content, token in (self.added.normal | self.added.raw).items()}

    def kind(self, id: int) -> PieceKind:
        """Return the kind of a token of the model."""
        spec = self.vocabulary.spec
        if spec is None or (spec.unknown is None and not spec.byte_fallback):
            return "kept"
        piece = self.spell_token(id)
        if piece == spec.unknown:
            return "unknown"
        return "byte" if spec.byte_fallback and BYTE_PIECE.fullmatch(piece) else "kept"

    def _decodable(self, tokens: Sequence[PipelineToken], skip: bool) -> list[tuple[str, int, int]]:
        kept = [token for token in tokens if not (skip and token.id in self.special)]
        pieces = [(self._contents.get(token.id) or self.vocabulary.piece(token.id), token) for token in kept]
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
        fields["normalizers"] = [
            [_limit_normalizer(part), *normalizer(part), _check_length] for part in checked["normalizer"]
        ]
    if "pre_tokenizer" in parts:
        fields["splitters"] = [splitter(part) for part in checked["pre_tokenizer"]]
    if "post_processor" in parts:
        specs = zip(checked["post_processor"], parts["post_processor"] or (), strict=True)
        fields["processors"] = [post_processor(part, spec) for part, spec in specs]
    if "decoder" in parts:
        steps = [(part.type, _limit_decoder(part)) for part in checked["decoder"]]
        fields["decoders"] = None if parts["decoder"] is None else steps
    return replace(pipeline, **fields)


def _check_components(stage: str, specs: Sequence[JsonPart]) -> list[Component]:
    try:
        return [part for spec in specs for part in components(spec, stage)]
    except BadFile as error:
        raise Invalid(error.detail, pointer=f"/{stage}", limit=error.limit) from None


def _check_room(part: Component, texts: Sequence[str], pointer: str) -> None:
    """Raise `Invalid` if a Replace would write too much. Its matches are counted only where they might."""
    content = part.options.get("content", "")
    if part.type == "Replace" and sum(len(text) + 1 for text in texts) * len(content) > MAX_GROWN:
        matches = sum(len(part.options["pattern"].spans(text)) for text in texts)
        if matches * len(content) > MAX_GROWN:
            raise Invalid(f"Replace writes more than {MAX_GROWN:,} characters.", pointer=pointer)


def _limit_normalizer(part: Component) -> Normalizer:
    def check_text(text: AlignedText) -> AlignedText:
        _check_room(part, [text.text], "/normalizer")
        return text

    return check_text


def _limit_decoder(part: Component) -> Decoder:
    decode = decoder(part)

    def decode_bounded(texts: Sequence[str]) -> list[str]:
        _check_room(part, texts, "/decoder")
        return decode(texts)

    return decode_bounded


def _check_length(text: AlignedText) -> AlignedText:
    if len(text) > MAX_GROWN:
        raise Invalid(f"The normalized text has more than {MAX_GROWN:,} characters.", pointer="/normalizer")
    return text


def post_processor(part: Component, spec: JsonPart) -> PostProcessor:
    """Return a post-processor of a file for one text and for two; `spec` is the component as the file has it."""
    options = part.options
    trims = {"trim": options.get("trim_offsets", True), "prefix_space": options.get("add_prefix_space", True)}
    match part.type:
        case "ByteLevel":
            return pair_processors.ByteLevelPostProcessor(**trims)
        case "BertProcessing":
            return pair_processors.BertPostProcessor(options["cls"], options["sep"])
        case "RobertaProcessing":
            return pair_processors.RobertaPostProcessor(options["cls"], options["sep"], **trims)
    tokens = {
        name: tuple(zip(ids, _texts(name, ids, spec["special_tokens"][name]), strict=True))
        for name, ids in options["special_tokens"].items()
    }
    single, pair = (_steps(spec.get(name) or [], tokens, name) for name in ("single", "pair"))
    return pair_processors.TemplatePostProcessor(single, pair, tokens)


def _texts(name: str, ids: Sequence[int], spec: JsonPart) -> list[str]:
    texts = spec.get("tokens")
    return texts if isinstance(texts, list) and len(texts) == len(ids) else [name] * len(ids)


def _steps(items: Any, tokens: Mapping[str, Any], name: str) -> tuple[TemplateStep, ...]:
    """Return a template of a file. Raises `Invalid` for what is none."""
    steps = []
    if isinstance(items, list) and len(items) > MAX_STEPS:
        raise Invalid(f"A template may have {MAX_STEPS} steps.", pointer="/post_processor", limit=MAX_STEPS)
    for item in items if isinstance(items, list) else [None]:
        ((kind, step),) = item.items() if isinstance(item, dict) and len(item) == 1 else [("", {})]
        id, type_id = (step.get("id"), step.get("type_id", 0)) if isinstance(step, dict) else (None, 0)
        text = kind == "Sequence" and id in ("A", "B")
        if not (text or (kind == "SpecialToken" and id in tokens)) or type(type_id) is not int:
            detail = f"{name} is a list of special tokens of the template and of the sequences A and B."
            raise Invalid(detail, pointer="/post_processor")
        steps.append(TemplateStep(("A", "B").index(str(id)) if text else str(id), type_id))
    return tuple(steps)
