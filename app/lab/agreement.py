"""Agreement: one text through every engine that can read a vocabulary, and where they part if they do."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from app.errors import EngineFailed
from app.lab.conformance import first_divergence
from app.registry import Registry
from app.types import Encoding, Engine, Stage, Tokenizer


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one engine made of a text. `ids` is None where it gave up, for the `reason`.

    `parts_at` is the first token that differs from the reference's, and `stage` where that begins.
    """

    engine: Engine
    ids: tuple[int, ...] | None
    reason: str = ""
    parts_at: int | None = None
    stage: Stage | None = None


def agreement(registry: Registry, text: str, *, tokenizer: str) -> Iterator[Verdict]:
    """Each engine's verdict, the reference first. Raises what `Registry.get` raises."""
    reference: tuple[Tokenizer, Encoding] | None = None
    for engine in registry.info(tokenizer).engines:
        loaded = registry.get(tokenizer, engine)
        try:
            encoding = loaded.encode(text)
        except EngineFailed as failure:
            yield Verdict(engine, None, failure.detail)
            continue
        reference = reference or (loaded, encoding)
        yield _verdict(loaded, encoding, reference, text)


def _verdict(loaded: Tokenizer, encoding: Encoding, reference: tuple[Tokenizer, Encoding], text: str) -> Verdict:
    ids = tuple(encoding.ids.tolist())
    at = _first_difference(encoding, reference[1])
    if at is None:
        return Verdict(loaded.engine, ids)
    return Verdict(loaded.engine, ids, parts_at=at, stage=first_divergence(loaded, reference[0], text))


def _first_difference(ours: Encoding, theirs: Encoding) -> int | None:
    common = min(len(ours), len(theirs))
    apart = np.flatnonzero(ours.ids[:common] != theirs.ids[:common])
    if len(apart):
        return int(apart[0])
    return None if len(ours) == len(theirs) else common
