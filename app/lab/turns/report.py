"""A conversation turn by turn: which ids are those of what came before, why others are not, and what mends it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...errors import Invalid, plural
from ...registry import Registry
from ..chat.rendering import resolve_template
from ..models import resolve_model
from .causes import find_cause
from .lanes import Lane, TurnRenderer
from .mends import Mend, find_mends
from .prefixes import PrefixCheck
from .trajectory import Trajectory

NO_MODEL = "The conversation names no model. Choose one, such as qwen3."


@dataclass(frozen=True)
class TurnsReport:
    """The lanes of a conversation, and what mends the checks that fail, the best first."""

    trajectory: Trajectory
    model: str
    tokenizer: str
    lanes: tuple[Lane, ...]
    mends: tuple[Mend, ...] = ()

    @property
    def broken(self) -> tuple[PrefixCheck, ...]:
        """The checks that fail, in the order of the turns."""
        return tuple(check for lane in self.lanes for check in lane.checks if check.lost)

    @property
    def verdict(self) -> str:
        """What was found, in a sentence or two."""
        if not self.broken:
            return f"Each of {plural(len(self.lanes), 'turn')} begins with the ids of what came before."
        worst = max(self.broken, key=lambda check: check.lost)
        cause = f" {worst.cause.detail}" if worst.cause else ""
        lost = f"{worst.lost:,} of {worst.size:,} ids are lost.{cause}"
        return f"{lost} {self.mends[0].proof}" if self.mends else lost


def examine_turns(
    registry: Registry,
    trajectory: Trajectory,
    *,
    model: str = "",
    template: str | None = None,
    options: Mapping[str, Any] | None = None,
    limit: int,
) -> TurnsReport:
    """Return the turns of a conversation as a model reads them; `limit` is the length of a rendered text in bytes.

    `template` is in place of the model's own, and `options` are variables for it. Raises `Invalid` if there is no
    model or no template, `UnknownTokenizer`, and what rendering and tokenizing raise.
    """
    name = model or trajectory.model
    if not name:
        raise Invalid(NO_MODEL, pointer="/model")
    tokenizer = resolve_model(registry, name)
    renderer = TurnRenderer(registry, tokenizer, limit, template, options or {})
    lanes = tuple(_explain(lane, renderer) for lane in renderer.make_lanes(trajectory.turns))
    resolved = resolve_template(registry, tokenizer, template, tools=trajectory.turns[0].prompt.tools is not None)
    return TurnsReport(trajectory, name, tokenizer, lanes, find_mends(renderer, resolved, trajectory.turns, lanes))


def _explain(lane: Lane, renderer: TurnRenderer) -> Lane:
    """Return a lane with the cause of each check that fails."""
    explained = [
        replace(check, cause=find_cause(check, renderer.render)) if check.lost else check for check in lane.checks
    ]
    return replace(lane, checks=tuple(explained))
