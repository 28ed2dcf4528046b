"""Do the engines of one tokenizer agree on a text, and if not, at which stage do they diverge?"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..errors import EngineFailed
from ..registry import Registry
from ..types import Encoding, Engine, Stage, Staged, Tokenizer

COLUMNS = ("ids", "byte_starts", "byte_ends", "char_starts", "char_ends", "flags")
"""Columns of an encoding in which engines must agree."""


@dataclass(frozen=True, slots=True)
class EngineResult:
    """The ids that one engine produced for a text, or None with the `reason` if it failed.

    `first_difference` is the index of the first token that differs from the reference's, and `stage` the first stage of
    the pipeline with a different result; both are None if the ids are equal.
    """

    engine: Engine
    ids: tuple[int, ...] | None
    reason: str = ""
    first_difference: int | None = None
    stage: Stage | None = None


def engine_results(registry: Registry, text: str, *, tokenizer: str) -> Iterator[EngineResult]:
    """Yield the result of every engine, the reference first. Raises what `Registry.get` raises."""
    reference: tuple[Tokenizer, Encoding] | None = None
    for engine in registry.info(tokenizer).engines:
        loaded = registry.get(tokenizer, engine)
        try:
            encoding = loaded.encode(text)
        except EngineFailed as failure:
            yield EngineResult(engine, None, failure.detail)
            continue
        reference = reference or (loaded, encoding)  # the first engine that does not fail
        yield _compared(loaded, encoding, reference, text)


def _compared(loaded: Tokenizer, encoding: Encoding, reference: tuple[Tokenizer, Encoding], text: str) -> EngineResult:
    ids = tuple(encoding.ids.tolist())
    index = _first_difference(encoding, reference[1])
    if index is None:
        return EngineResult(loaded.engine, ids)
    stage = first_divergence(loaded, reference[0], text)
    return EngineResult(loaded.engine, ids, first_difference=index, stage=stage)


def _first_difference(ours: Encoding, theirs: Encoding) -> int | None:
    """Return the index of the first token whose ids differ; None if all ids are equal."""
    common = min(len(ours), len(theirs))
    indexes = np.flatnonzero(ours.ids[:common] != theirs.ids[:common])
    if len(indexes):
        return int(indexes[0])
    return None if len(ours) == len(theirs) else common


def same_encoding(ours: Encoding, theirs: Encoding) -> bool:
    """Return whether two encodings have the same ids, spans and flags."""
    return all(np.array_equal(getattr(ours, name), getattr(theirs, name)) for name in COLUMNS)


def first_divergence(ours: Tokenizer, theirs: Tokenizer, text: str) -> Stage:
    """Return the first stage of the pipeline at which two engines produce different results.

    A library that does not show its pre-tokens gets ours one by one. If it then produces our ids, its model agrees and
    the pre-tokenization differs.
    """
    our_stages = ours.stages(text) if isinstance(ours, Staged) else {}
    their_stages = theirs.stages(text) if isinstance(theirs, Staged) else {}
    stages: tuple[Stage, ...] = ("normalize", "pre-tokenize")
    for stage in stages:
        if stage in our_stages and stage in their_stages and our_stages[stage] != their_stages[stage]:
            return stage
    # Equal ids can still have different spans or flags, which come after the model.
    ids = ours.encode(text).ids.tolist()
    if ids == theirs.encode(text).ids.tolist():
        return "post-process"
    words = our_stages.get("pre-tokenize", ())
    if words and "pre-tokenize" not in their_stages:
        word_by_word = [id for word in words for id in theirs.encode(word).ids.tolist()]
        return "pre-tokenize" if word_by_word == ids else "model"
    return "model"
