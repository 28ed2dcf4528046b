"""The pipelines of tokenizers: that of a `tokenizer.json`, or the equivalent of ranks, of SentencePiece, of BERT.

Ranks need no list of merges here; a SentencePiece model is converted as the doctor converts it.

Those that were used last are kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from ...errors import BadFile, Invalid
from ...files.minbpe import load_minbpe
from ...files.patterns import WHOLE, make_readable
from ...files.sentencepiece.convert import check_sayable, model_to_json
from ...files.sentencepiece.model import load_model
from ...files.tiktoken.ranks import read_ranks
from ...files.tokenizer_json.components import (
    SPELLED_BYTES,
    flatten,
    make_matching_split,
    make_template_processor,
)
from ...files.tokenizer_json.models import repair_json
from ...files.tokenizer_json.packed import NAME, load_packed
from ...files.tokenizer_json.read import TokenizerJson, load_tokenizer_json
from ...files.tokenizer_json.scratch import model
from ...files.tokenizer_json.staged import JsonPart, PipelineVocabulary, StagedPipeline, build_staged_pipeline
from ...registry import Registry
from ...scratch.compat.pipeline.added_tokens import AddedToken
from ...scratch.compat.pipeline.pre_tokenizers import ALPHABET
from ...scratch.compat.pipeline.word_models import RankedWords
from ...store import Record
from ...types import TokenizerInfo
from ..caches import LRUCache

Parts = Mapping[str, Sequence[JsonPart] | None]
"""The components of each stage; None only for a tokenizer without a decoder, whose tokens are joined with spaces."""
STAGES = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
PAD = re.compile(r"\W*pad\W*", re.IGNORECASE)
NOT_MODEL = {"type", "vocab", "merges"}


@dataclass(frozen=True, eq=False)
class PipelineSource:
    """The pipeline of a tokenizer: its vocabulary, its components, the options of its model.

    `equivalent` says of which other format it is the equivalent, "" for a tokenizer.json.
    """

    id: str
    vocabulary: PipelineVocabulary
    parts: Parts
    options: Mapping[str, Any]
    kind: str
    equivalent: str = ""

    @cached_property
    def pipeline(self) -> StagedPipeline:
        """The tokenizer's own pipeline."""
        return build_staged_pipeline(self.vocabulary, self.parts)


def source(record: Record) -> PipelineSource:
    """Return the pipeline of a tokenizer. Raises `Invalid` for one that has none, with the reason."""
    info = record.info
    files = record.spec.get("files", {})
    try:
        if "ranks" in record.spec or "minbpe" in record.spec:
            return _source_from_ranks(record)
        if NAME in files:
            packed = load_packed(record.only_file())
            return source_from_json(info.id, packed.unpack(), packed.header)
        if "tokenizer.json" in files:
            data = record.file("tokenizer.json")
            return source_from_json(
                info.id, load_tokenizer_json(data), repair_json(json.loads(data.decode("utf-8-sig")))[0]
            )
        if files and info.family in ("bpe", "unigram"):
            data = model_to_json(load_model(record.only_file()), info)
            said = "a SentencePiece model"
            return source_from_json(info.id, load_tokenizer_json(data), json.loads(data), said)
    except BadFile as error:
        raise Invalid(f"{info.id} cannot be said as a pipeline. {error.detail}", pointer="/tokenizer") from None
    detail = f"{info.id} has no pipeline: its tokens are found in the text itself, by an algorithm of its own."
    raise Invalid(detail, pointer="/tokenizer")


def source_from_json(id: str, file: TokenizerJson, top: Mapping[str, Any], equivalent: str = "") -> PipelineSource:
    spelled = {**file.spelled} | {token.id: token.content for token in file.added}
    parts: dict[str, Sequence[JsonPart] | None] = {stage: flatten(top.get(stage), stage) for stage in STAGES}
    parts["decoder"] = None if file.decoders is None else parts["decoder"]
    options = {name: value for name, value in top["model"].items() if name not in NOT_MODEL}
    ids = {**file.model.vocabulary, **{token.content: token.id for token in file.added}}
    vocabulary = PipelineVocabulary(model(file.model), file.model, file.added, spelled.get, ids.get)
    return PipelineSource(
        id=id, vocabulary=vocabulary, parts=parts, options=options, kind=file.model.type, equivalent=equivalent
    )


def _source_from_ranks(record: Record) -> PipelineSource:
    info = record.info
    whole = "ranks" in record.spec
    if whole:
        ranks = read_ranks(record)
        pattern = record.pattern or ""
    else:
        minbpe = load_minbpe(record.only_file())
        ranks = {raw: id for id, raw in enumerate(minbpe.vocabulary())}
        pattern = minbpe.pattern
    words = [] if pattern in ("", WHOLE) else [make_matching_split(make_readable(pattern))]
    form = record.spec.get("normalizer")
    parts: dict[str, Sequence[JsonPart] | None] = {
        "normalizer": [{"type": form}] if form else [],
        "pre_tokenizer": [*words, SPELLED_BYTES],
        "post_processor": _build_post_processor(record),
        "decoder": [SPELLED_BYTES],
    }
    tokens = {**info.special_tokens, **info.added_tokens}
    added = tuple(AddedToken(token, id, special=token in info.special_tokens) for token, id in tokens.items())

    @lru_cache(maxsize=10_000)
    def piece(id: int) -> str | None:
        raw = raws.get(id)
        return contents.get(id) if raw is None else "".join([ALPHABET[byte] for byte in raw])

    raws = {id: raw for raw, id in ranks.items()}
    contents = {token.id: token.content for token in added}
    vocabulary = PipelineVocabulary(RankedWords(ranks, ignore_merges=whole), None, added, piece, tokens.get)
    return PipelineSource(
        id=info.id,
        vocabulary=vocabulary,
        parts=parts,
        options={},
        kind="BPE",
        equivalent="ranks of tiktoken" if whole else "a model of minbpe",
    )


def _build_post_processor(record: Record) -> list[JsonPart]:
    info = record.info
    part = make_template_processor(info.prefix, info.suffix, {**info.added_tokens, **info.special_tokens})
    return [] if part is None else [part]


def has_pipeline(info: TokenizerInfo) -> bool:
    """True if a tokenizer may be said as a pipeline, as far as its description tells."""
    return info.family in ("bpe", "unigram", "wordpiece") or (info.origin != "bundled" and not info.grows)


SAYABLE: dict[str, bool] = {}
"""By the hash of a SentencePiece model, whether it is a pipeline: 250,000 pieces take half a second to read."""
MAX_SAYABLE = 1_000


def can_be_shown(record: Record) -> bool:
    """True if a tokenizer has a pipeline. A SentencePiece model, which may not be one, is read for that, once."""
    if not has_pipeline(record.info) or record.info.engines[0] != "sentencepiece":
        return has_pipeline(record.info)
    key = record.sha256()
    if key not in SAYABLE:
        if len(SAYABLE) >= MAX_SAYABLE:
            SAYABLE.clear()
        SAYABLE[key] = _is_sayable(record)
    return SAYABLE[key]


def _is_sayable(record: Record) -> bool:
    try:
        check_sayable(load_model(record.only_file()))
    except BadFile:
        return False
    return True


def pad_token(vocabulary: PipelineVocabulary) -> tuple[int, str]:
    """Return the id and the spelling of the token for padding, by its name; 0 and `[PAD]` if there is none."""
    pads = [token for token in vocabulary.added if PAD.fullmatch(token.content)]
    return (pads[0].id, pads[0].content) if pads else (0, "[PAD]")


class PipelineCache:
    """The pipelines of two tokenizers, which take as long to read as tokenizers do."""

    def __init__(self) -> None:
        self._sources = LRUCache["PipelineSource"](entries=2, max_bytes=1, size=lambda source: 0)

    def get(self, registry: Registry, id: str) -> PipelineSource:
        """Return the pipeline of a tokenizer. Raises `UnknownTokenizer`, `Invalid`, and what loading it raises."""
        registry.get(id)  # checks that it may be used here, and that the library can read it
        return self._sources.get_or_create(id, lambda: source(registry.record(id)))

    def forget(self, tokenizer: str) -> None:
        """Drop the pipeline of a tokenizer."""
        self._sources.discard(lambda source: source.id == tokenizer)
