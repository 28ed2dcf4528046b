"""What a chat template does with turns: one row of properties for each, on the conversation of `examples.py`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ...errors import TokenariumError
from ...registry import Registry
from ..chat.attribution import tojson
from ..chat.conversation import variables
from ..chat.masks import GENERATION
from ..chat.rendering import choose_template, reads_parts, resolve_template
from ..chat.sandbox import ConversationRefused, compile_template, make_clock
from ..request.values import compact_json
from .examples import EXAMPLE, MESSAGES
from .lanes import Lane, TurnRenderer
from .prefixes import Relation, RenderedSequence
from .report import has_end
from .trajectory import cut

LIMIT = 1_000_000
ARGUMENTS = {"zone": "Łódź", "area": True, "size": None}
"""Arguments that show the order of keys and how values are written."""
THOUGHT = MESSAGES[2]["reasoning_content"]


@dataclass(frozen=True, slots=True)
class LostIds:
    """How many of the ids of a sequence are lost."""

    lost: int
    size: int


@dataclass(frozen=True, slots=True)
class TemplateProperties:
    """A row of what is lost: of a prompt in the next one within a loop of calls (`loop`) and at the next user message
    (`user`), of a turn there, and of each prompt in its turn; `plain` and `plain_generation` are the last two for each
    turn without any reasoning.

    `options` are the variables with which the model reasons, where it does not without them. `reasoning` says whether
    it is kept in its own turn, in the loop, and after the next user message. The last fields say how arguments are
    written that are a text or an object, whether a turn ends with a special token, and whether the template marks the
    assistant’s text. All but `error` is empty where the conversation cannot be rendered.
    """

    model: str
    tokenizer: str
    options: str = ""
    loop: LostIds | None = None
    user: LostIds | None = None
    turn: LostIds | None = None
    generation: tuple[int, ...] = ()
    plain: tuple[int, ...] = ()
    plain_generation: tuple[int, ...] = ()
    reasoning: tuple[bool, ...] = ()
    text_arguments: str = ""
    object_arguments: str = ""
    end_token: bool = False
    marked: bool = False
    error: str = ""


def examine_template(
    registry: Registry, tokenizer: str, model: str, options: dict[str, Any] | None = None
) -> TemplateProperties:
    """Return the row of a model’s template; `options` are variables for it, in place of those with which it reasons."""
    template = resolve_template(registry, tokenizer, model=model)
    options = dict(template.reasoning) if options is None else options
    renderer = TurnRenderer(registry, tokenizer, model, LIMIT, options=options)
    shown = ", ".join(f"{name}={compact_json(value)}" for name, value in options.items())
    row = TemplateProperties(model, tokenizer, shown)
    try:
        lanes = [*renderer.make_lanes(cut(EXAMPLE).turns)]
        bare = [{key: value for key, value in one.items() if key != "reasoning_content"} for one in MESSAGES]
        plain = [*renderer.make_lanes(cut(replace(EXAMPLE, messages=bare)).turns)]
    except TokenariumError as error:
        return replace(row, error=error.detail)
    first, _, loop, user, *_ = lanes
    whole = first.whole or first.prompt
    return replace(
        row,
        loop=max((_lost(lane, "prompt") for lane in (lanes[1], lanes[2], lanes[4])), key=lambda one: one.lost),
        user=_lost(user, "prompt"),
        turn=_lost(user, "turn"),
        generation=tuple(_lost(lane, "generation").lost for lane in lanes),
        plain=tuple(_lost(lane, "turn").lost for lane in plain[1:]),
        plain_generation=tuple(_lost(lane, "generation").lost for lane in plain),
        reasoning=tuple(THOUGHT in one.text for one in (whole, loop.prompt, user.prompt)),
        text_arguments=_write_arguments(renderer, whole, compact_json(ARGUMENTS)),
        object_arguments=_write_arguments(renderer, whole, ARGUMENTS),
        end_token=has_end(whole),
        marked=bool(GENERATION.search(template.text)),
    )


def _lost(lane: Lane, relation: Relation) -> LostIds:
    check = lane.check(relation)
    return LostIds(check.lost, check.size) if check else LostIds(0, 0)


def _write_arguments(renderer: TurnRenderer, turn: RenderedSequence, arguments: Any) -> str:
    """Return in words how a template writes the arguments of a call, which it gets as they are, as in transformers."""
    template = choose_template(renderer.registry, renderer.tokenizer, turn.conversation)
    values = variables(turn.conversation, template, parts=reads_parts(template.text))
    message = values["messages"][-1]
    calls = [{**call, "function": {**call["function"], "arguments": arguments}} for call in message["tool_calls"]]
    values["messages"][-1] = {**message, "tool_calls": calls}
    clock = make_clock(datetime.now())
    try:
        text = compile_template(template.text, sourced=False).render({"strftime_now": clock, **values})
    except ConversationRefused:
        return "refused"
    except Exception as error:  # the template's own
        return type(error).__name__
    written = describe_arguments(text, arguments)
    # A template that is written here gets arguments as data, since its library reads them as such.
    return "read as data" if written == "encoded twice" and not template.provenance else written


def describe_arguments(text: str, arguments: Any) -> str:
    """Return how arguments are written in a text.

    >>> describe_arguments('{"arguments": {"zone": "Łódź", "area": true, "size": null}}', ARGUMENTS)
    'spaced JSON'
    """
    compact, spaced = compact_json(ARGUMENTS), tojson(ARGUMENTS)
    if compact_json(compact) in text:
        return "encoded twice"
    if compact in text:
        return "as they are" if isinstance(arguments, str) else "compact JSON"
    if spaced in text:
        return "spaced JSON"
    if "Łódź" not in text:
        return "left out"
    words = [word for word in ("True", "None") if word in text]
    return ", ".join(["keys sorted" if text.rfind("area") < text.rfind("zone") else "fields", *words])
