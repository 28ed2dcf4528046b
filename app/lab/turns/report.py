"""A conversation turn by turn: which ids are those of what came before, why others are not, and what mends it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import Field

from ...errors import OverLimit, plural
from ...registry import Registry
from ...types import SPECIAL
from ..chat.limits import keep_texts
from ..chat.rendering import choose_template
from ..option_schema import Options, declare
from ..prices import MILLION
from ..request.bill import find_cache_rule
from ..request.targets import TargetModel, find_target
from ..request.values import hide_secrets, mapping, objects, text_of
from .causes import find_cause
from .lanes import Lane, TurnRenderer
from .mends import Mend, find_mends
from .prefixes import PrefixCheck, RenderedSequence
from .trajectory import Trajectory, group_calls, recognize_rows

MAX_EXPLAINED = 30
"""Checks whose causes are looked for; later turns repeat them."""
MAX_QUOTED = 60
"""Characters of arguments that a sentence quotes."""
MAX_CONVERSATIONS = 100
"""Conversations of one request."""
NO_MEND = "No argument of the template was found that mends this."
NO_END = "No turn ends with a special token: a model that is trained on them does not learn to stop."


class TurnsOptions(Options):
    """How conversations are read."""

    model: str = declare("Model", "", help="In place of the model that the conversation names", max_length=200)
    chat_template: str | None = Field(default=None, description="A template in Jinja, in place of the model’s own.")
    chat_template_kwargs: dict[str, Any] = Field(default={}, description="Further variables for the template.")


@dataclass(frozen=True)
class TurnsReport:
    """The lanes of a conversation, and what mends the checks that fail, the best first."""

    trajectory: Trajectory
    target: TargetModel
    lanes: tuple[Lane, ...]
    mends: tuple[Mend, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def model(self) -> str:
        return self.target.name

    @property
    def tokenizer(self) -> str:
        return self.target.tokenizer

    def compute_dollars(self, lane: Lane) -> tuple[float | None, float | None]:
        """Return what the prompt of a lane costs without a cache, and with one of what begins the prompt before.

        Each is None if it is not known: the price of the model, or the rule of its cache.
        """
        price, _ = self.target.money.rates(len(lane.prompt))
        rule = find_cache_rule(self.target)
        if price is None:
            return None, None
        size = len(lane.prompt)
        return size * price / MILLION, rule.price_prompt(price, size, lane.shared) if rule else None

    @property
    def broken(self) -> tuple[PrefixCheck, ...]:
        """The checks that fail, in the order of the turns."""
        return tuple(check for lane in self.lanes for check in lane.checks if check.lost)

    @property
    def worst(self) -> PrefixCheck | None:
        """The check that loses most ids, which is one of a prompt in the next one if any fails; None if none does."""
        # That is what both a trainer and a cache see.
        return max(self.broken, key=lambda check: (check.relation == "prompt", check.lost), default=None)

    @property
    def verdict(self) -> str:
        """What was found, in a sentence or two."""
        worst = self.worst
        if worst is None and len(self.lanes) == 1:
            return "The only turn begins with the ids of its prompt."
        if worst is None:
            return f"Each of {plural(len(self.lanes), 'turn')} begins with the ids of what came before."
        of = {"prompt": "prompt", "turn": "turn", "generation": "prompt of the turn"}[worst.relation]
        index = next(lane.index for lane in self.lanes if worst in lane.checks)
        lost = f"Turn {index + 1} loses {worst.lost:,} of {worst.size:,} ids of the {of} before it."
        return " ".join([lost, *([worst.cause.detail] if worst.cause else []), *(one.proof for one in self.mends[:1])])


def examine_turns(
    registry: Registry, trajectory: Trajectory, options: TurnsOptions | None = None, *, limit: int, mend: bool = True
) -> TurnsReport:
    """Return the turns of a conversation as a model reads them; `limit` is the length of a rendered text in bytes.

    Without `mend`, nothing is tried that mends the checks that fail.

    Raises `Invalid` if there is no model or no template, `UnknownTokenizer`, `OverLimit`, and what rendering and
    tokenizing raise.
    """
    options = options or TurnsOptions()
    turns = trajectory.turns
    target = find_target(registry, options.model or trajectory.model, "chat")
    renderer = TurnRenderer(
        registry, target.tokenizer, target.name, limit, options.chat_template, options.chat_template_kwargs
    )
    lanes = _explain([*_keep(renderer.make_lanes(turns))], renderer)
    template = choose_template(registry, target.tokenizer, lanes[0].prompt.conversation)
    mends = find_mends(renderer, template, turns, lanes) if mend else ()
    unmended = [NO_MEND] if mend and not mends and any(lane.lost for lane in lanes) else []
    return TurnsReport(trajectory, target, lanes, mends, (*unmended, *_find_notes(lanes)))


def _keep(lanes: Iterable[Lane]) -> Iterator[Lane]:
    """Yield lanes, whose texts are counted. Raises `OverLimit`."""
    for lane in lanes:
        keep_texts(len(lane.prompt.text) + (len(lane.whole.text) if lane.whole else 0))
        yield lane


def examine_conversations(registry: Registry, value: Any, options: TurnsOptions, *, limit: int) -> list[TurnsReport]:
    """Return the turns of each conversation in a JSON value. Raises what `examine_turns` raises."""
    calls = recognize_rows(value)
    trajectories = [*group_calls((call, 1) for call in calls)]
    if len(trajectories) > MAX_CONVERSATIONS:
        detail = f"At most {MAX_CONVERSATIONS:,} conversations are compared here at once."
        raise OverLimit(detail, pointer="/conversation", limit=MAX_CONVERSATIONS)
    return [examine_turns(registry, one, options, limit=limit) for one in trajectories]


def _find_notes(lanes: Sequence[Lane]) -> tuple[str, ...]:
    """Return what is not as a model has written it, although no prefix is broken."""
    wholes = [lane.whole for lane in lanes if lane.whole]
    notes = [] if not wholes or any(map(has_end, wholes)) else [NO_END]
    calls = [
        (lane, text) for lane in lanes if lane.whole for text in _list_arguments(lane) if text not in lane.whole.text
    ]
    if calls:
        lane, text = calls[0]
        number = plural(len(calls), "call is", "calls are")
        shown, _ = hide_secrets(text[:MAX_QUOTED])
        notes.append(
            f"The arguments of {number} re-serialized, such as {shown} of turn {lane.index + 1}: "
            "ids that a model has sampled for them are lost."
        )
    return tuple(notes)


def has_end(whole: RenderedSequence) -> bool:
    """Return whether one of the last two tokens is special; the last may be a new line."""
    return bool((whole.tokenization.encoding.flags[-2:] & SPECIAL).any())


def _list_arguments(lane: Lane) -> list[str]:
    """Return the arguments of the calls of an answer that are a text, as an API sends them."""
    calls = objects(mapping(lane.turn.answer).get("tool_calls"))
    return list(filter(None, (text_of(mapping(call.get("function")).get("arguments")) for call in calls)))


def _explain(lanes: Sequence[Lane], renderer: TurnRenderer) -> tuple[Lane, ...]:
    """Return lanes with the causes of the first checks that fail."""
    broken = [check for lane in lanes for check in lane.checks if check.lost][:MAX_EXPLAINED]
    causes = {id(check): find_cause(check, renderer.render_text) for check in broken}
    return tuple(
        replace(lane, checks=tuple(replace(check, cause=causes.get(id(check))) for check in lane.checks))
        for lane in lanes
    )
