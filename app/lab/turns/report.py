"""A conversation turn by turn: which ids are those of what came before, why others are not, and what mends it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from pydantic import Field

from ...errors import Invalid, OverLimit, plural
from ...registry import Registry
from ..chat.rendering import choose_template
from ..models import resolve_model
from ..option_schema import Options, declare
from .causes import find_cause
from .lanes import Lane, TurnRenderer
from .mends import Mend, find_mends
from .prefixes import PrefixCheck
from .trajectory import Trajectory, group_calls, recognize_rows

MAX_CONVERSATIONS = 100
"""Conversations of one request."""
NO_MODEL = "The conversation names no model. Choose one, such as qwen3."


class TurnsOptions(Options):
    """How conversations are read."""

    model: str = declare("Model", "", help="In place of the model that the conversation names", max_length=200)
    chat_template: str | None = Field(default=None, description="A template in Jinja, in place of the model’s own.")
    chat_template_kwargs: dict[str, Any] = Field(default={}, description="Further variables for the template.")


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
        # A prompt in the next one is what both a trainer and a cache see.
        worst = max(self.broken, key=lambda check: (check.relation == "prompt", check.lost))
        of = {"prompt": "prompt", "turn": "turn", "generation": "prompt of the turn"}[worst.relation]
        index = next(lane.index for lane in self.lanes if worst in lane.checks)
        lost = f"Turn {index + 1} loses {worst.lost:,} of {worst.size:,} ids of the {of} before it."
        return " ".join([lost, *([worst.cause.detail] if worst.cause else []), *(one.proof for one in self.mends[:1])])


def examine_turns(
    registry: Registry, trajectory: Trajectory, options: TurnsOptions | None = None, *, limit: int
) -> TurnsReport:
    """Return the turns of a conversation as a model reads them; `limit` is the length of a rendered text in bytes.

    Raises `Invalid` if there is no model or no template, `UnknownTokenizer`, `OverLimit`, and what rendering and
    tokenizing raise.
    """
    options = options or TurnsOptions()
    name = options.model or trajectory.model
    if not name:
        raise Invalid(NO_MODEL, pointer="/model")
    turns = trajectory.turns
    tokenizer = resolve_model(registry, name)
    renderer = TurnRenderer(registry, tokenizer, name, limit, options.chat_template, options.chat_template_kwargs)
    lanes = tuple(_explain(lane, renderer) for lane in renderer.make_lanes(turns))
    template = choose_template(registry, tokenizer, lanes[0].prompt.conversation)
    return TurnsReport(trajectory, name, tokenizer, lanes, find_mends(renderer, template, turns, lanes))


def examine_conversations(registry: Registry, value: Any, options: TurnsOptions, *, limit: int) -> list[TurnsReport]:
    """Return the turns of each conversation in a JSON value. Raises what `examine_turns` raises."""
    calls = recognize_rows(value)
    trajectories = [*group_calls((call, 1) for call in calls)]
    if len(trajectories) > MAX_CONVERSATIONS:
        detail = f"At most {MAX_CONVERSATIONS:,} conversations are compared here at once."
        raise OverLimit(detail, pointer="/conversation", limit=MAX_CONVERSATIONS)
    return [examine_turns(registry, one, options, limit=limit) for one in trajectories]


def _explain(lane: Lane, renderer: TurnRenderer) -> Lane:
    """Return a lane with the cause of each check that fails."""
    explained = [
        replace(check, cause=find_cause(check, renderer.render_text)) if check.lost else check for check in lane.checks
    ]
    return replace(lane, checks=tuple(explained))
