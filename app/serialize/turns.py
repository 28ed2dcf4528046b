"""The turns of a conversation as plain data."""

from dataclasses import asdict
from typing import Any

from ..lab.turns.lanes import Lane
from ..lab.turns.mends import Mend
from ..lab.turns.prefixes import PrefixCheck, RenderedSequence, TokenDifference
from ..lab.turns.report import TurnsReport
from .columns import piece


def serialize_turns(report: TurnsReport) -> dict[str, Any]:
    """Return the lanes of a conversation with the ids of each, the checks that fail, and what mends them."""
    return {
        "model": report.model,
        "tokenizer": report.tokenizer,
        "source": report.trajectory.source,
        "line": report.trajectory.line,
        "verdict": report.verdict,
        "lost": sum(check.lost for check in report.broken),
        "lanes": [_lane(report, lane) for lane in report.lanes],
        "notes": [*report.notes],
        "mends": [_mend(mend) for mend in report.mends],
    }


def _mend(mend: Mend) -> dict[str, Any]:
    names = ("kind", "name", "value", "provenance", "lost", "title", "proof")
    return {name: getattr(mend, name) for name in names}


def _lane(report: TurnsReport, lane: Lane) -> dict[str, Any]:
    """Return a turn: the prompt beside the one before, and the whole beside the prompt, null without an answer.

    `new_ids` are those after the shared ones, so that a conversation is not repeated with each turn. `dollars` are what
    the prompt costs as input, in full and with what the cache can serve, null if that is not known.
    """
    generation = lane.check("generation")
    return {
        "index": lane.index,
        "line": lane.turn.line,
        "messages": len(lane.turn.prompt.messages),
        "prompt": _sequence(lane.prompt, lane.shared),
        "turn": _sequence(generation.later, generation.shared) if generation else None,
        "dollars": dict(zip(("full", "cached"), report.compute_dollars(lane), strict=True)),
        "checks": [serialize_check(check) for check in lane.checks],
    }


def _sequence(sequence: RenderedSequence, shared: int) -> dict[str, Any]:
    return {"count": len(sequence), "shared": shared, "new_ids": sequence.ids[shared:]}


def serialize_check(check: PrefixCheck) -> dict[str, Any]:
    """Return a check with its first difference and its cause; null where the earlier sequence is a prefix."""
    return {
        "relation": check.relation,
        "size": check.size,
        "shared": check.shared,
        "lost": check.lost,
        "difference": _difference(check.difference),
        "cause": None if check.cause is None else asdict(check.cause),
    }


def _difference(difference: TokenDifference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    tokens = {"before": difference.before, "after": difference.after}
    named = {name: {"id": one.id, "piece": piece(one)} if one else None for name, one in tokens.items()}
    return {
        "token": difference.token,
        "char": difference.char,
        **named,
        "before_text": difference.before_text,
        "after_text": difference.after_text,
    }
