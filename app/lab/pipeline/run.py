"""A text, its pair and its batch through a pipeline: every stage, the encodings, and the way back to text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import EngineFailed, Invalid, TooLarge
from ...files.tokenizer_json.staged import StagedPipeline
from ...registry import Registry
from ...scratch.compat.pipeline.bands import Band, PieceKind
from ...scratch.compat.pipeline.batches import Padding, PipelineEncoding, Truncation, join_encodings, pad_batch
from ...types import SpecialPolicy
from ..tokenize import check_length
from .changes import Changes, build_pipeline, check_encodable
from .sources import Parts, PipelineCache, PipelineSource

MAX_TEXT = 100_000
"""The maximum size of all texts together, in bytes: each stage keeps every piece."""
MAX_BATCH = 100


@dataclass(frozen=True)
class PipelineInput:
    """What to send through a pipeline, and which pipeline.

    `pair` is a second text beside the first, `batch` are further texts; `add_special_tokens` adds those of the
    tokenizer, `special` parses those spelled in a text.
    """

    tokenizer: str
    text: str
    pair: str | None = None
    batch: tuple[str, ...] = ()
    special: bool = True
    add_special_tokens: bool = True
    truncation: Truncation | None = None
    padding: Padding | None = None
    changes: Changes = field(default_factory=Changes)


@dataclass(frozen=True, eq=False)
class PipelineRun:
    """What a pipeline made of texts.

    - `bands`: of the text; `pair_bands`: of its pair, up to the tokens of the model.
    - `later`: after truncation, each post-processor and padding, of both together; `sequences` has for each of their
      pieces 0 or 1 for the text, None for an inserted token.
    - `back`: after each decoder, and the decoded text; None with a pair.
    - `encodings`: what a model reads, the first of them of the text.
    """

    question: PipelineInput
    source: PipelineSource
    pipeline: StagedPipeline
    parts: Parts
    options: Mapping[str, Any]
    bands: Sequence[Band]
    pair_bands: Sequence[Band]
    later: Sequence[tuple[Band, Sequence[int | None]]]
    back: Sequence[Band]
    encodings: Sequence[PipelineEncoding]
    decoded: str

    @property
    def ids(self) -> list[int]:
        """The ids of the first encoding."""
        return [token.id for token in self.encodings[0].tokens]

    @property
    def round_trip(self) -> bool:
        """True if decoding the tokens of the model gives the text back."""
        return self.decoded == self.question.text

    @property
    def skips(self) -> bool:
        """True if a special token is spelled in the text, which decoding leaves out."""
        return bool(self.pipeline.special.intersection(self.bands[-1].ids or ()))


def run(registry: Registry, cache: PipelineCache, question: PipelineInput) -> PipelineRun:
    """Send texts through a pipeline.

    Raises `TooLarge`, `Invalid` for a component or option, `UnknownTokenizer`, and what a component raises.
    """
    texts = [question.text, *([] if question.pair is None else [question.pair]), *question.batch]
    if len(question.batch) > MAX_BATCH:
        raise TooLarge(f"The batch has {len(question.batch)} texts; at most {MAX_BATCH}.", limit=MAX_BATCH)
    check_length(texts, limit=MAX_TEXT)
    if question.padding:
        check_encodable(question.padding.pad_token, "/padding/pad_token")
    source = cache.get(registry, question.tokenizer)
    pipeline, parts, options = build_pipeline(source, question.changes)
    try:
        bands = [pipeline.bands(text, specials=question.special) for text in texts]
    except EngineFailed as error:
        if not question.changes:
            raise
        raise Invalid(error.detail, pointer="/model") from None  # such as an unknown token that there is not
    own = 1 if question.pair is None else 2
    states = _finish(pipeline, question, [one[-1] for one in bands[:own]])
    others = [_finish(pipeline, question, [one[-1]])[-1] for one in bands[own:]]
    encodings = [join_encodings(state) for state in (states[-1], *others)]
    if question.padding is not None:
        encodings = pad_batch(encodings, question.padding)
    tokens = states[0][0].tokens
    back = pipeline.decode_bands(tokens, question.text) if own == 1 else []
    later = _later(question, states, encodings[0], bands[:own])
    return PipelineRun(
        question=question,
        source=source,
        pipeline=pipeline,
        parts=parts,
        options=options,
        bands=bands[0],
        pair_bands=bands[1] if own == 2 else [],
        later=later,
        back=back,
        encodings=encodings,
        decoded="".join(back[-1].texts) if back else pipeline.decode(tokens),
    )


def _finish(pipeline: StagedPipeline, question: PipelineInput, bands: Sequence[Band]) -> list[list[PipelineEncoding]]:
    truncation = question.truncation
    if truncation and truncation.strategy == "only_second" and len(bands) == 1 and question.pair is not None:
        raise Invalid("The texts of a batch have no second text to truncate.", pointer="/truncation/strategy")
    return pipeline.post_process(bands, truncation=truncation, add_special_tokens=question.add_special_tokens)


def _later(
    question: PipelineInput,
    states: Sequence[Sequence[PipelineEncoding]],
    final: PipelineEncoding,
    bands: Sequence[Sequence[Band]],
) -> list[tuple[Band, Sequence[int | None]]]:
    """Return the bands after the model."""
    kinds = {id: kind for one in bands for id, kind in zip(one[-1].ids or (), one[-1].kinds, strict=True)}
    later = [_band("truncation", None, states[0], kinds)] if question.truncation is not None else []
    later += [_band("post_processor", number, state, kinds) for number, state in enumerate(states[1:])]
    if question.padding is not None:
        later.append(_band("padding", None, [final], kinds))
    return later


def _band(
    stage: str, component: int | None, state: Sequence[PipelineEncoding], kinds: Mapping[int, PieceKind]
) -> tuple[Band, Sequence[int | None]]:
    band = Band(stage, component)
    ids = list[int]()
    sequences = list[int | None]()
    for token in (token for one in state for token in one.tokens):
        kind: PieceKind = kinds.get(token.id, "kept") if token.sequence is not None else "special"
        band.pieces.append((token.text, token.start, token.end, kind if token.attended else "padding"))
        ids.append(token.id)
        sequences.append(token.sequence)
    band.ids = ids
    return band, sequences


def before(registry: Registry, cache: PipelineCache, question: PipelineInput) -> PipelineRun:
    """Return the same texts through the tokenizer's own pipeline."""
    return run(registry, cache, replace(question, changes=Changes()))


def agrees(registry: Registry, one: PipelineRun) -> bool | None:
    """True if a tokenizer's own engine gives the text the same ids as its pipeline; None for a changed pipeline."""
    if one.question.changes:
        return None
    policy: SpecialPolicy = "parse" if one.question.special else "text"
    ids = registry.get(one.source.id).encode(one.question.text, special=policy).ids.tolist()
    return bool(ids == one.bands[-1].ids)
