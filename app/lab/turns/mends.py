"""Arguments of a chat template with which each turn is a prefix of the next; each is tried on the conversation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from jinja2 import meta, nodes

from ...errors import TokenariumError, plural
from ...types import ChatTemplate
from ..chat.sandbox import compile_template
from .lanes import Lane, TurnRenderer
from .prefixes import PrefixCheck, RenderedSequence, common_length
from .trajectory import Turn

KNOWN = frozenset({"messages", "tools", "documents", "add_generation_prompt", "strftime_now"})
"""Variables that every chat template has."""


@dataclass(frozen=True, slots=True)
class Mend:
    """An argument of the template, or a template in place of it, and the ids that all checks lose with it.

    `name` is that of the argument or of the template, which is from the package and file `provenance`; `value` is the
    argument's.
    """

    kind: Literal["argument", "template"]
    name: str
    value: bool | None = None
    lost: int = 0
    provenance: str = ""

    def adapt(self, renderer: TurnRenderer) -> TurnRenderer:
        """Return a renderer that uses it."""
        if self.kind == "template":
            return replace(renderer, model=self.name)
        return replace(renderer, options={**renderer.options, self.name: self.value})

    @property
    def title(self) -> str:
        """How a server is told: `clear_thinking=false`."""
        return self.name if self.value is None else f"{self.name}={str(self.value).lower()}"

    @property
    def proof(self) -> str:
        """What it does on this conversation."""
        left = plural(self.lost, "id is", "ids are") if self.lost else "nothing is"
        return f"With {self.title} {left} lost."


@lru_cache(maxsize=64)
def list_arguments(template: str) -> tuple[str, ...]:
    """Return the variables that a template reads and that a caller may set, by name.

    One that the template sets itself is such only if it asks whether it is defined, or has a default for it.

    >>> list_arguments("{% if keep is defined %}{% set text = messages %}{% endif %}{{ text }}")
    ('keep',)
    """
    tree = compile_template(template, sourced=False).environment.parse(template)
    own = {name.name for name in tree.find_all(nodes.Name) if name.ctx == "store"}
    asked = {
        test.node.name
        for test in tree.find_all((nodes.Test, nodes.Filter))
        if test.name in ("defined", "undefined", "default") and isinstance(test.node, nodes.Name)
    }
    return tuple(sorted(meta.find_undeclared_variables(tree) - KNOWN - (own - asked)))


def find_mends(
    renderer: TurnRenderer, template: ChatTemplate, turns: Sequence[Turn], lanes: Sequence[Lane]
) -> tuple[Mend, ...]:
    """Return what loses fewer ids and leaves out nothing that the template writes without it, the best first."""
    lost = sum(lane.lost for lane in lanes)
    if not lost:
        return ()
    mends = []
    for mend in list_candidates(renderer, template):
        left = _try_mend(mend, renderer, turns, lanes)
        if left is not None and left < lost:
            mends.append(replace(mend, lost=left))
    return tuple(sorted(mends, key=lambda mend: mend.lost))


def list_candidates(renderer: TurnRenderer, template: ChatTemplate) -> Iterator[Mend]:
    """Yield what may be tried of a template: each value of its arguments, and its training template."""
    for name in list_arguments(template.text):
        if name not in template.variables:
            yield from (Mend("argument", name, value) for value in (False, True))
    if training := renderer.registry.training_template(renderer.tokenizer, template):
        yield Mend("template", training.model, provenance=training.provenance)


def _try_mend(mend: Mend, renderer: TurnRenderer, turns: Sequence[Turn], lanes: Sequence[Lane]) -> int | None:
    """Return how many ids all checks lose with a mend; None if it fails or leaves something out."""
    first = next(lane for lane in lanes if lane.lost)
    adapted = mend.adapt(renderer)
    try:
        # Most arguments do not even mend the first, which takes two texts to see.
        mends_first = (_reaches_further(adapted, check) for check in first.checks if check.lost)
        if mend.kind == "argument" and not any(mends_first):
            return None
        lost = 0
        for old, new in zip(lanes, adapted.make_lanes(turns, lanes), strict=True):
            if _leaves_out(old.prompt, new.prompt) or (old.whole and new.whole and _leaves_out(old.whole, new.whole)):
                return None
            lost += new.lost
    except TokenariumError:
        return None
    return lost


def _reaches_further(renderer: TurnRenderer, check: PrefixCheck) -> bool:
    """Return whether less of an earlier text is lost in the later one with another renderer."""
    earlier, later = check.earlier.text, check.later.text
    texts = [renderer.render_text(one.conversation) for one in (check.earlier, check.later)]
    lost = len(texts[0]) - common_length(*texts)
    return texts != [earlier, later] and (not lost or lost < len(earlier) - common_length(earlier, later))


def _leaves_out(old: RenderedSequence, new: RenderedSequence) -> bool:
    """Return whether one text has less of the messages and tools than another."""
    rest = iter(new.ids)
    if all(id in rest for id in old.ids):  # the new one has all of the old one and more
        return False
    return _count_written(new) < _count_written(old)


def _count_written(sequence: RenderedSequence) -> int:
    """Return the number of characters of a rendered text that may be from messages or tools."""
    known = ("text", "tools")
    return sum(end - start for start, end, origin in sequence.runs if origin is None or origin.kind in known)
