"""A lane for each turn of a conversation: its prompt and its whole as ids, and the checks of their prefixes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...registry import Registry
from ..chat.conversation import Conversation
from ..chat.rendering import render
from .prefixes import PrefixCheck, Relation, RenderedSequence, count_shared, find_difference, render_sequence
from .trajectory import Turn


@dataclass(frozen=True, slots=True)
class Lane:
    """A turn: its prompt and the whole with the answer, if there is one, and the checks whose later sequence is here.

    `index` counts from 0. `shared` is how many ids of the prompt begin the one before it, too, which is what a cache
    can have; 0 in the first lane.
    """

    index: int
    turn: Turn
    prompt: RenderedSequence
    whole: RenderedSequence | None
    checks: tuple[PrefixCheck, ...]
    shared: int = 0

    @property
    def lost(self) -> int:
        """The ids that the checks of this lane miss."""
        return sum(check.lost for check in self.checks)

    def check(self, relation: Relation) -> PrefixCheck | None:
        """Return the check of a relation; None if there is nothing to compare."""
        return next((one for one in self.checks if one.relation == relation), None)


@dataclass(frozen=True, slots=True)
class TurnRenderer:
    """Renders turns for a model: `options` are further variables, `template` is in place of the model's own."""

    registry: Registry
    tokenizer: str
    model: str
    limit: int
    template: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def render(self, conversation: Conversation, known: Sequence[RenderedSequence] = ()) -> RenderedSequence:
        """Return a conversation with its ids. Raises what rendering and tokenizing raise."""
        adapted = self._adapt(conversation)
        return render_sequence(self.registry, self.tokenizer, adapted, known=known, limit=self.limit)

    def render_text(self, conversation: Conversation) -> str:
        """Return the text of a conversation. Raises what rendering raises."""
        return render(self.registry, self.tokenizer, self._adapt(conversation)).text

    def _adapt(self, conversation: Conversation) -> Conversation:
        options = {**conversation.options, **self.options}
        return replace(conversation, options=options, template=self.template, model=self.model)

    def make_lanes(self, turns: Sequence[Turn], known: Sequence[Lane] = ()) -> Iterator[Lane]:
        """Yield the lane of each turn; the ids of `known` lanes of the same turns are used where texts begin alike.

        Raises what rendering and tokenizing raise.
        """
        before: Lane | None = None
        for index, turn in enumerate(turns):
            lanes = [*known[index : index + 1], *([before] if before else [])]
            alike = [one for lane in lanes for one in (lane.prompt, lane.whole) if one]
            prompt = self.render(turn.prompt, alike)
            whole = None if turn.whole is None else self.render(turn.whole, [*alike, prompt])
            checks = []
            shared = 0
            if before is not None:
                shared = count_shared(before.prompt, prompt)
                checks.append(check_prefix("prompt", before.prompt, prompt))
                if before.whole is not None:
                    checks.append(check_prefix("turn", before.whole, prompt))
            if whole is not None:
                checks.append(check_prefix("generation", prompt, whole))
            before = Lane(index, turn, prompt, whole, tuple(checks), shared)
            yield before


def check_prefix(relation: Relation, earlier: RenderedSequence, later: RenderedSequence) -> PrefixCheck:
    """Return whether the ids of an earlier sequence begin a later one, with the first difference if they do not."""
    shared = count_shared(earlier, later)
    difference = None if shared == len(earlier) else find_difference(earlier, later)
    return PrefixCheck(relation, earlier, later, shared, difference)
