"""Rendering of a conversation with a chat template, with the origin of each character."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache, partial

from jinja2 import meta, nodes

from ...errors import Invalid, OverLimit, TemplateLimit, TokenariumError
from ...registry import Registry
from ...types import ChatTemplate
from ..tokenize import utf8_length
from .attribution import Origin, Runs, attach_origin, runs
from .conversation import Conversation, truncate_at_tag, variables
from .limits import run_limited
from .model_templates import explain_missing, find_template
from .sandbox import compile_template, make_clock
from .template_errors import explain_failure

MAX_TEMPLATE_LENGTH = 100_000
"""Characters of a chat template in a request."""
MAX_MESSAGES = 20_000
"""Messages of a conversation; also the limit on tool definitions."""


@dataclass(frozen=True)
class Rendering:
    """The text that a template writes for a conversation."""

    text: str
    template: ChatTemplate
    conversation: Conversation

    @cached_property
    def origins(self) -> Runs:
        """The origins of the characters, by a second rendering with attributed strings, which takes ten times as long.

        They are all unknown if it results in another text or exceeds a limit.
        """
        try:
            text = render_template(self.template, self.conversation, attributed=True)
        except TemplateLimit:
            text = self.text
        return runs(text if text == self.text else self.text)

    @property
    def written(self) -> Set[Origin | None]:
        """The origins of the characters of the text."""
        return {origin for _, origin in self.origins}


def resolve_template(
    registry: Registry, tokenizer: str, sent: str | None = None, *, tools: bool = False, model: str = ""
) -> ChatTemplate:
    """Return the chat template of the request (`sent`, a template or a name), else that of the model, else the
    tokenizer's own.

    Raises `UnknownTokenizer`, `Invalid` if there is no template, `TemplateLimit` if `sent` is too long.
    """
    own = find_template(registry, tokenizer, model)
    name = sent if sent is not None else "tool_use" if tools else ""
    if own is not None and name in own.named:
        return replace(own, text=own.named[name])
    if sent is not None:
        if len(sent) > MAX_TEMPLATE_LENGTH:
            raise TemplateLimit(
                f"A chat template can have at most {MAX_TEMPLATE_LENGTH:,} characters.", limit=MAX_TEMPLATE_LENGTH
            )
        return ChatTemplate(sent, own.variables if own else {})
    if own is None:
        why = explain_missing(registry, model) or f"{tokenizer} has no chat template."
        raise Invalid(f"{why} Send a template, or a prompt instead of messages.", pointer="/messages")
    return own


def choose_template(registry: Registry, tokenizer: str, conversation: Conversation) -> ChatTemplate:
    """Return the chat template that a conversation is rendered with. Raises what `resolve_template` raises."""
    tools = conversation.tools is not None
    return resolve_template(registry, tokenizer, conversation.template, tools=tools, model=conversation.model)


def render(registry: Registry, tokenizer: str, conversation: Conversation) -> Rendering:
    """Return a conversation rendered for a tokenizer.

    The messages are adapted before the template sees them (`template_message`); the text is then the same as that of
    transformers for the adapted messages.

    Raises `UnknownTokenizer`, `Invalid`, `BadTemplate`, `OverLimit`, `LoneSurrogate`.
    """
    if max(len(conversation.messages), len(conversation.tools or ())) > MAX_MESSAGES:
        raise OverLimit(
            f"A conversation can have at most {MAX_MESSAGES:,} messages and {MAX_MESSAGES:,} tools.", limit=MAX_MESSAGES
        )
    template = choose_template(registry, tokenizer, conversation)
    if conversation.continue_final_message and conversation.add_generation_prompt:
        raise Invalid("continue_final_message and add_generation_prompt exclude each other.", pointer="/messages")
    # The rendering for the origins must see the same time.
    conversation = replace(conversation, now=conversation.now or datetime.now())
    text = render_template(template, conversation)
    utf8_length(text, pointer="/messages")
    return Rendering(text, template, conversation)


def render_template(
    template: ChatTemplate, conversation: Conversation, *, attributed: bool = False, marked: bool = False
) -> str:
    """Return the text of one run of the template. Raises what `render` raises."""
    try:
        work = partial(_run_template, template, conversation, attributed=attributed, marked=marked)
        text = work() if template.source else run_limited(work)
        if not conversation.continue_final_message:
            return text
        return truncate_at_tag(text, conversation.messages[-1], conversation.continued_field)
    except TokenariumError:
        raise
    except Exception as error:
        raise explain_failure(error, template, conversation) from None


def _run_template(template: ChatTemplate, conversation: Conversation, *, attributed: bool, marked: bool) -> str:
    """Return what a template writes, without limits on its time."""
    code = compile_template(template.text, sourced=attributed, marked=marked)
    options = {"mark": attach_origin} if attributed else {}
    parts, texts = reads_parts(template.text), joins_arguments(template.text)
    values = variables(conversation, template, parts=parts, texts=texts, **options)
    return code.render({"strftime_now": make_clock(conversation.now or datetime.now()), **values})


@lru_cache(maxsize=64)
def reads_parts(template: str) -> bool:
    """True if a template iterates over the parts of a message's content instead of using it as one string.

    >>> reads_parts("{% for part in message.content %}{{ part.text }}{% endfor %}")
    True
    >>> reads_parts("{% set c = message.get('content') %}{% for part in c %}{{ part.text }}{% endfor %}")
    True
    """
    tree = compile_template(template, sourced=False).environment.parse(template)
    names = {"content"}
    for assignment in tree.find_all(nodes.Assign):  # in the order of the template
        if isinstance(assignment.target, nodes.Name) and _is_content(assignment.node, names):
            names.add(assignment.target.name)
    return any(_is_content(loop.iter, names) for loop in tree.find_all(nodes.For))


@lru_cache(maxsize=64)
def joins_arguments(template: str) -> bool:
    """True if a template adds the arguments of a call to a text, which fails where they are data.

    >>> joins_arguments("{{ name + call.arguments }}"), joins_arguments("{{ name + call.arguments | tojson }}")
    (True, False)
    """
    tree = compile_template(template, sourced=False).environment.parse(template)
    operands = (side for addition in tree.find_all(nodes.Add) for side in (addition.left, addition.right))
    return any(_is_field(side, "arguments") for side in operands)


@lru_cache(maxsize=64)
def reads_conversation(template: str) -> bool:
    """True if a template uses messages or tools.

    >>> reads_conversation("{% for i in range(5) %}{{ i }}{% endfor %}")
    False
    """
    tree = compile_template(template, sourced=False).environment.parse(template)
    return not meta.find_undeclared_variables(tree).isdisjoint({"messages", "tools"})


def _is_content(node: nodes.Node | None, names: Set[str]) -> bool:
    """True for an expression such as `message.content`, also with filters or a default; `names` are those of one."""
    match node:
        case nodes.Getattr() | nodes.Getitem():
            return _is_field(node, "content")
        case nodes.Call(node=nodes.Getattr(attr="get"), args=[nodes.Const(value="content"), *_]):
            return True
        case nodes.Name(name=name):
            return name in names
        case nodes.Filter(node=inner) | nodes.Or(left=inner):
            return _is_content(inner, names)
        case _:
            return False


def _is_field(node: nodes.Node, name: str) -> bool:
    """True for an expression such as `message.content` or `message["content"]`."""
    match node:
        case nodes.Getattr(attr=field) | nodes.Getitem(arg=nodes.Const(value=field)):
            return bool(field == name)
        case _:
            return False
