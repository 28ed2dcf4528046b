"""Rendering: a conversation written out by a chat template, and where each character comes from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from traceback import walk_tb

from jinja2 import TemplateSyntaxError, nodes

from app.errors import BadTemplate, Invalid, OverLimit, TokenariumError
from app.lab.chat.conversation import Conversation, continued, variables
from app.lab.chat.limits import budgeted
from app.lab.chat.provenance import Runs, runs, sourced
from app.lab.chat.sandbox import Refused, compiled
from app.lab.tokenize import utf8_length
from app.registry import Registry
from app.types import ChatTemplate

LONGEST_TEMPLATE = 100_000
"""Characters of a template that is sent."""
MOST_MESSAGES = 20_000
"""Messages of a conversation, or definitions of tools."""


@dataclass(frozen=True, slots=True)
class Rendering:
    """A conversation written out, and the origins of its characters where they were asked for."""

    text: str
    origins: Runs = ()


def template_of(registry: Registry, tokenizer: str, sent: str | None = None) -> ChatTemplate:
    """The template that is sent, or the tokenizer’s own. Raises `Invalid` where there is none, `UnknownTokenizer`."""
    own = registry.chat_template(tokenizer)
    if sent is not None:
        if len(sent) > LONGEST_TEMPLATE:
            raise OverLimit(f"A template has at most {LONGEST_TEMPLATE:,} characters.", limit=LONGEST_TEMPLATE)
        return ChatTemplate(sent, own.variables if own else {})
    if own is None:
        raise Invalid(f"{tokenizer} comes with no chat template. Send one, or a prompt.", pointer="/messages")
    return own


def render(registry: Registry, tokenizer: str, conversation: Conversation, *, attributed: bool = False) -> Rendering:
    """A conversation written out for a tokenizer.

    The text is what transformers would render. The origins are those of the same template run over texts that know
    where they come from; all are unknown if that gives another text.

    Raises `UnknownTokenizer`, `Invalid`, `BadTemplate`, `OverLimit`, `LoneSurrogate`.
    """
    if max(len(conversation.messages), len(conversation.tools or ())) > MOST_MESSAGES:
        raise OverLimit(f"A conversation has at most {MOST_MESSAGES:,} messages and tools.", limit=MOST_MESSAGES)
    template = template_of(registry, tokenizer, conversation.template)
    if conversation.continue_final_message and conversation.add_generation_prompt:
        raise Invalid("continue_final_message and add_generation_prompt exclude each other.", pointer="/messages")
    conversation = replace(conversation, now=conversation.now or datetime.now())
    text = _written(template, conversation, attributed=False)
    utf8_length(text, pointer="/messages")
    if not attributed:
        return Rendering(text)
    marked = _written(template, conversation, attributed=True)
    return Rendering(text, runs(marked if marked == text else text))


def _written(template: ChatTemplate, conversation: Conversation, *, attributed: bool) -> str:
    """One run of the template."""
    sent = None if template.source else "/chat_template"
    try:
        code = compiled(template.text, sourced=attributed)
        options = {"mark": sourced} if attributed else {}
        given = variables(conversation, template, parts=reads_parts(template.text), **options)
        with budgeted(conversation.now or datetime.now()):
            text = code.render(given)
        return continued(text) if conversation.continue_final_message else text
    except TokenariumError:
        raise
    except TemplateSyntaxError as error:
        raise BadTemplate(f"It is no template: there is a mistake in line {error.lineno}.", pointer=sent) from None
    except Refused as error:
        said = f"{_place(error)}." if sent else f": {error}"
        raise BadTemplate(f"The template refuses this conversation{said}", pointer="/messages") from None
    except (Exception, MemoryError) as error:
        raise BadTemplate(f"The template fails{_place(error)}, with {type(error).__name__}.", pointer=sent) from None


def _place(error: BaseException) -> str:
    """Where in the template an error arose, in words; empty where that is unknown."""
    lines = [line for frame, line in walk_tb(error.__traceback__) if frame.f_code.co_filename == "<template>"]
    return f" in line {lines[-1]}" if lines else ""


@lru_cache(maxsize=64)
def reads_parts(template: str) -> bool:
    """Whether a template goes through the parts of a content, rather than take it for one text.

    >>> reads_parts("{% for part in message.content %}{{ part.text }}{% endfor %}")
    True
    """
    tree = compiled(template, sourced=False).environment.parse(template)
    return any(map(_is_content, (loop.iter for loop in tree.find_all(nodes.For))))


def _is_content(node: nodes.Node | None) -> bool:
    match node:
        case nodes.Getattr(attr=name) | nodes.Getitem(arg=nodes.Const(value=name)) | nodes.Name(name=name):
            return name == "content"
        case nodes.Filter(node=inner) | nodes.Or(left=inner):
            return _is_content(inner)
        case _:
            return False
