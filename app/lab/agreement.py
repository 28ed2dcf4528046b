"""Whether both engines of a tokenizer agree on a text, token by token, with the first difference if they do not."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import Invalid
from ..registry import Registry
from ..types import Stage
from .conformance import EngineResult, engine_results
from .tokenize import check_length

MAX_TEXT = 100_000
"""The maximum size of a text that is compared in all pairs, in bytes."""
AROUND = 2
"""Tokens before and behind the first one that differs."""


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first token that differs: its index, the stage at which the engines diverge, and the tokens around it.

    `start` is the index of the first of `reference` and `scratch`, which are pairs of id and spelling.
    """

    index: int
    stage: Stage
    start: int
    reference: tuple[tuple[int, str], ...]
    scratch: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """The engines of a tokenizer on one text. `agrees` is None, with the `reason`, if one gave no tokens."""

    tokenizer: str
    reference: str
    agrees: bool | None
    tokens: int | None
    difference: FirstDifference | None = None
    reason: str = ""


def check_agreement(registry: Registry, text: str, tokenizers: Sequence[str]) -> list[str]:
    """Return the ids of the tokenizers to compare.

    Raises `TooLarge`; `UnknownTokenizer`; `Invalid` for no tokenizer, one with a single engine, or one named twice.
    """
    check_length([text], limit=MAX_TEXT)
    if not tokenizers:
        raise Invalid("Name one tokenizer or several, each with two engines.", pointer="/tokenizers")
    for number, id in enumerate(tokenizers):
        if "scratch" not in registry.info(id).engines[1:] or id in tokenizers[:number]:
            what = "is named twice" if id in tokenizers[:number] else "has one engine, so there is nothing to compare"
            raise Invalid(f"{id} {what}.", pointer=f"/tokenizers/{number}")
    return [*tokenizers]


def compare_engines(registry: Registry, text: str, tokenizer: str) -> PairAgreement:
    """Compare both engines of a tokenizer on a text: ids, spans and flags. Raises what `Registry.get` raises."""
    reference, *others = engine_results(registry, text, tokenizer=tokenizer)
    scratch = next(one for one in others if one.engine == "scratch")
    counts = [len(one.ids) for one in (reference, scratch) if one.ids is not None]
    failed = [one for one in (reference, scratch) if one.ids is None]
    return PairAgreement(
        tokenizer=tokenizer,
        reference=reference.engine,
        agrees=None if failed else scratch.first_difference is None,
        tokens=counts[0] if counts else None,
        difference=None if failed else _first_difference(registry, tokenizer, reference, scratch),
        reason=failed[0].reason if failed else "",
    )


def _first_difference(
    registry: Registry, tokenizer: str, reference: EngineResult, scratch: EngineResult
) -> FirstDifference | None:
    index = scratch.first_difference
    if index is None or scratch.stage is None:
        return None
    start = max(0, index - AROUND)
    near = []
    for result in (reference, scratch):
        engine = registry.get(tokenizer, result.engine)
        ids = (result.ids or ())[start : index + AROUND + 1]
        near.append(tuple((id, engine.entry(id).piece) for id in ids))
    return FirstDifference(index, scratch.stage, start, near[0], near[1])
