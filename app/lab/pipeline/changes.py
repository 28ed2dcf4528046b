"""Components of a pipeline that a user changed, replaced or added: read with bounds, and built over the vocabulary."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...errors import Invalid, join_names
from ...files.tokenizer_json.components import flatten
from ...files.tokenizer_json.models import JsonModel
from ...files.tokenizer_json.staged import JsonPart, PipelineVocabulary, StagedPipeline, with_parts
from .parameters import MODELS
from .sources import STAGES, Parts, PipelineSource

MAX_PARTS = 30
"""The maximum number of components of a stage that was changed."""
MAX_CONTENT = 100
"""The maximum length of a text that a changed component writes: each match of a Replace writes it."""
OWN = "own"
"""What stands for the tokenizer's own character map, which has up to a megabyte."""
FLAGS = {"fuse_unk": "fuse_unknown", "byte_fallback": "byte_fallback", "ignore_merges": "ignore_merges"}
TEXTS = {"continuing_subword_prefix": "prefix", "end_of_word_suffix": "suffix"}
MODEL_OPTIONS = {kind: [one.name for one in parameters] for kind, parameters in MODELS.items()}


@dataclass(frozen=True)
class Changes:
    """Stages by name that replace those of a tokenizer, as components of a `tokenizer.json`; and options of its model.

    A stage that is None is left out; one that is not there stays.
    """

    stages: Mapping[str, JsonPart | Sequence[JsonPart] | None] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.stages or self.options)


def build_pipeline(source: PipelineSource, changes: Changes) -> tuple[StagedPipeline, Parts, Mapping[str, Any]]:
    """Return the pipeline with changes, its components and its model's options. Raises `Invalid` naming the stage."""
    changed = {stage: _read(source, stage, spec) for stage, spec in changes.stages.items()}
    options = {**source.options, **changes.options}
    pipeline = source.pipeline
    if changes.options:
        pipeline = replace(pipeline, vocabulary=_with_options(source, options))
    return (with_parts(pipeline, changed) if changed else pipeline), {**source.parts, **changed}, options


def _read(source: PipelineSource, stage: str, spec: Any) -> list[JsonPart] | None:
    """Return the components of a changed stage, bounded. Raises `Invalid`."""
    if spec is None:
        return None if stage == "decoder" else []
    check_encodable(spec, f"/{stage}")
    listed_parts = spec if isinstance(spec, list | tuple) else [spec]
    if any(not isinstance(part, dict) for part in listed_parts):
        raise Invalid("A stage is a component, a list of components or null.", pointer=f"/{stage}")
    parts = [part for whole in listed_parts for part in flatten(whole, stage)]
    if any(not isinstance(part, dict) for part in parts):
        raise Invalid(f"A Sequence of {stage} is of components.", pointer=f"/{stage}")
    if len(parts) > MAX_PARTS:
        raise Invalid(f"A stage may have {MAX_PARTS} components.", pointer=f"/{stage}", limit=MAX_PARTS)
    own = source.parts.get(stage) or ()
    for part in parts:
        text = str(part.get("content") or part.get("prepend") or part.get("replacement") or "")
        if len(text) > MAX_CONTENT and part not in own:
            detail = f"The text that a component writes may have {MAX_CONTENT} characters."
            raise Invalid(detail, pointer=f"/{stage}", limit=MAX_CONTENT)
    return [_with_own_map(part, own) for part in parts]


def check_encodable(value: Any, pointer: str) -> None:
    """Raise `Invalid` for a value with a lone surrogate, which no text can contain."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Invalid("A lone surrogate cannot be encoded in UTF-8.", pointer=pointer) from None


def _with_own_map(part: JsonPart, own: Sequence[JsonPart]) -> JsonPart:
    if part.get("precompiled_charsmap") != OWN:
        return part
    maps = [one["precompiled_charsmap"] for one in own if one.get("type") == "Precompiled"]
    if not maps:
        raise Invalid("This tokenizer has no character map of its own.", pointer="/normalizer")
    return {**part, "precompiled_charsmap": maps[0]}


def _with_options(source: PipelineSource, options: Mapping[str, Any]) -> PipelineVocabulary:
    """Return the vocabulary with other options of its model. Raises `Invalid` naming those that it has."""
    spec = source.vocabulary.spec
    check_encodable(options, "/model")
    valid = MODEL_OPTIONS[source.kind] if spec else ()
    unknown = sorted({*options} - {*valid, *source.options})
    if spec is None or unknown:
        what = f"valid are {join_names(valid)}" if valid else "ranks have none"
        raise Invalid(f"This model does not have such an option; {what}.", pointer="/model")
    try:
        return source.vocabulary.with_options(_change_model(spec, options))
    except KeyError as missing:
        detail = f"With this prefix a merge makes {str(missing)[:40]}, which is not in the vocabulary."
        raise Invalid(detail, pointer="/model/continuing_subword_prefix") from None


def _change_model(spec: JsonModel, options: Mapping[str, Any]) -> JsonModel:
    values: dict[str, Any] = {}
    for name in MODEL_OPTIONS[spec.type]:
        if name not in options:
            continue
        value = options[name]
        expected = bool if name in FLAGS else int if name in ("unk_id", "max_input_chars_per_word") else str
        nullable = expected is not bool and name != "max_input_chars_per_word"
        fits = type(value) is expected or (value is None and nullable)
        if not fits:
            raise Invalid(f"{name} is not a valid {expected.__name__}.", pointer=f"/model/{name}")
        values[name] = value
    unknown = values.get("unk_token", spec.unknown)
    if "unk_id" in values and spec.type == "Unigram":
        pieces = [*spec.vocabulary]
        if values["unk_id"] is not None and not 0 <= values["unk_id"] < len(pieces):
            raise Invalid("unk_id is not an id of the vocabulary.", pointer="/model/unk_id")
        unknown = None if values["unk_id"] is None else pieces[values["unk_id"]]
    if unknown is None and spec.type in ("WordPiece", "WordLevel"):
        raise Invalid(f"{spec.type} needs an unk_token.", pointer="/model/unk_token")
    if not 0 <= values.get("max_input_chars_per_word", 0) < 10**6:
        raise Invalid("max_input_chars_per_word is from 0 to 999999.", pointer="/model/max_input_chars_per_word")
    fields: dict[str, Any] = {to: values[name] for name, to in FLAGS.items() if name in values}
    fields |= {to: values[name] or "" for name, to in TEXTS.items() if name in values}
    fields["made"] = () if fields.get("prefix", spec.prefix) != spec.prefix else spec.made
    return replace(spec, unknown=unknown, max_chars=values.get("max_input_chars_per_word", spec.max_chars), **fields)


def differences(source: PipelineSource, parts: Parts, options: Mapping[str, Any]) -> Changes:
    """Return the changes that lead from a tokenizer's own pipeline to another; its own stages are left out."""
    stages = {stage: parts[stage] for stage in STAGES if parts[stage] != source.parts[stage]}
    return Changes(stages, {name: value for name, value in options.items() if value != source.options.get(name)})
