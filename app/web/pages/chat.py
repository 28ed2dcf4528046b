"""GET and POST /chat: a conversation rendered by a chat template, in tokens with their origins."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import orjson
from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ...errors import Invalid, TooLarge
from ...lab.chat.conversation import SPEAKERS, Conversation, TranscriptLine, messages, tool_definitions
from ...lab.chat.examples import EXAMPLES, ChatExample
from ...lab.chat.templates import difference, template_tests
from ...lab.chat.view import ChatView, chat_view
from ...lab.compare.options import POLICIES
from ...lab.examples import get_example
from ...lab.option_schema import Options, declare, get_option_fields, with_values
from ...lab.pictures import tokens_picture
from ...serialize.problem import Problem
from ..forms import Form, SentForm, fold
from ..offered import list_offered
from ..page_params import read_params
from ..picker import picker_rows
from ..pictures import KINDS, picture
from ..policy import RoutePolicy, always
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)

Reading = Literal["text", "parse"]
READINGS = {policy: POLICIES[policy] for policy in get_args(Reading)}
ESTIMATED_BY = {"o200k_base": "o200k_harmony"}
"""Tokenizers of models whose template is not published, and the one with whose template their prompts are estimated."""
NO_TEMPLATE = "No chat template of {} is published. Choose a model that has one, or write one under Custom template."
MAX_MESSAGES = 20
"""Number of messages that the form takes; the API takes more."""


class ChatParams(Options):
    """Parameters of a conversation, with the defaults of a first visit; `fresh` is the index of a new message."""

    tokenizer: str = declare("Tokenizer", "")
    script: Sequence[TranscriptLine] = ()
    tools: str = declare("Tools", "")
    template: str = declare("Custom template", "")
    prompted: bool = declare("Add generation prompt", True)
    continued: bool = declare("Continue the final message", False)
    twice: bool = declare("Also add BOS/EOS", False)
    special: Reading = declare("Special tokens in the messages", "text", choices=READINGS)
    tested: bool = declare("Test on nine conversations", False, field="test")
    fresh: int | None = None

    @classmethod
    def of(cls, form: Form) -> ChatParams:
        """Return the parameters in a form. Raises `Invalid` with a pointer to the field."""
        texts = [fold(text) for text in form.getall("content")]
        speakers = form.getall("role")
        if len(speakers) != len(texts) or not set(speakers) <= set(SPEAKERS):
            raise Invalid("Every message needs a role and a text.", pointer="/role")
        lines = [
            TranscriptLine(role, text)
            for sent, text in zip(speakers, texts, strict=True)
            for role in SPEAKERS
            if role == sent
        ]
        params = read_params(form, cls, script=tuple(lines))
        return params.edit(form)

    @classmethod
    def from_example(cls, one: ChatExample) -> ChatParams:
        special: Reading = "parse" if one.parse else "text"
        return cls(
            tokenizer=one.tokenizer,
            script=one.script,
            tools=one.tools,
            template=one.template,
            twice=one.twice,
            special=special,
        )

    def edit(self, form: Form) -> ChatParams:
        """Return the parameters after the form's button has added or removed a message, if it was one of those."""
        removed = form.number("remove")
        if removed is not None:
            return with_values(self, script=(*self.script[:removed], *self.script[removed + 1 :]))
        if form.get("add") and len(self.script) < MAX_MESSAGES:
            last = self.script[-1].speaker if self.script else ""
            line = TranscriptLine("assistant" if last in ("user", "tool") else "tool" if last == "call" else "user")
            return with_values(self, script=(*self.script, line), fresh=len(self.script))
        return self

    @property
    def conversation(self) -> Conversation:
        """The conversation to render, without empty messages at its end. Raises `Invalid`."""
        count = len(self.script)
        while count and not self.continued and not self.script[count - 1].text:
            count -= 1
        return Conversation(
            messages(self.script[:count]),
            tool_definitions(self.tools),
            add_generation_prompt=self.prompted and not self.continued,
            continue_final_message=self.continued,
            template=self.template if self.template.strip() else None,
        )


def render_conversation(request: Request, params: ChatParams) -> ChatView:
    """Return the conversation in tokens. Raises `Invalid`, `TooLarge`, `UnknownTokenizer`."""
    registry = get_services(request).registry
    limit = get_services(request).settings.max_text
    options: dict[str, Any] = {"special": params.special, "add_special_tokens": params.twice}
    conversation = params.conversation
    id = params.tokenizer
    if conversation.template is None and registry.chat_template(id) is None:
        id = ESTIMATED_BY.get(id, "")
        if not id:
            raise Invalid(NO_TEMPLATE.format(registry.info(params.tokenizer).title), pointer="/tokenizer")
    return chat_view(registry, id, conversation, limit=limit, **options)


def respond(request: Request, params: ChatParams) -> HTMLResponse:
    """Return the page; an error of the conversation is part of it, so that no text is lost."""
    registry = get_services(request).registry
    view = problem = None
    try:
        view = render_conversation(request, params)
    except (Invalid, TooLarge) as error:
        problem = Problem.of(error)
    context: dict[str, Any] = {"params": params, "view": view, "problem": problem, "examples": EXAMPLES}
    rendered = with_values(params, tokenizer=view.chat.tokenization.tokenizer.info.id) if view else params
    sent = orjson.dumps(make_request_body(rendered)).decode() if view else ""
    context |= {"max_messages": MAX_MESSAGES, "sent": sent}
    ids = [info.id for info in list_offered(request, [params.tokenizer])]
    context |= {
        "templates": [*registry.chat_templates(ids), *ESTIMATED_BY],
        "speakers": SPEAKERS,
        "fields": get_option_fields(ChatParams),
    }
    context |= picker_rows(request, [params.tokenizer]) | template_context(request, params)
    return render(request, "chat", context, status=problem.status if problem else 200)


def template_context(request: Request, params: ChatParams) -> dict[str, Any]:
    """Return what the page shows of a template beside its result: the difference to the shipped one, and its tests."""
    registry = get_services(request).registry
    limit = get_services(request).settings.max_text
    shipped = registry.chat_template(params.tokenizer) if params.tokenizer in registry else None
    edited = params.template if params.template.strip() else None
    changed = difference(shipped.text, edited) if shipped and edited else []
    tests = []
    if params.tested and (shipped or edited):
        tests = list(template_tests(registry, params.tokenizer, edited, limit=limit))
    return {"changed": changed, "tests": tests}


def make_request_body(params: ChatParams) -> dict[str, Any]:
    """Return the body of POST /api/chat for the same conversation and options, without defaults."""
    conversation = params.conversation
    fields = {
        "messages": conversation.messages,
        "tools": conversation.tools,
        "chat_template": conversation.template,
        "add_generation_prompt": None if conversation.add_generation_prompt else False,
        "continue_final_message": conversation.continue_final_message or None,
        "add_special_tokens": params.twice or None,
        "special": None if params.special == "text" else params.special,
    }
    return {"tokenizer": params.tokenizer} | {name: value for name, value in fields.items() if value is not None}


@router.get("/chat")
def page(request: Request, example: str = EXAMPLES[0].id) -> HTMLResponse:
    return respond(request, ChatParams.from_example(get_example(example, EXAMPLES)))


@router.post("/chat/download")
@RoutePolicy(untrusted=always)
def download(request: Request, form: SentForm) -> Response:
    kind = form.get_choice("format", KINDS, "svg")
    shown = tokens_picture([render_conversation(request, ChatParams.of(form)).chat.tokenization])
    return picture(shown, "chat", kind, form)


@router.post("/chat")
@RoutePolicy(untrusted=always)
def post(request: Request, form: SentForm) -> HTMLResponse:
    params = ChatParams.of(form)
    if form.get("shipped") and (own := get_services(request).registry.chat_template(params.tokenizer)):
        params = with_values(params, template=own.text)
    return respond(request, params)
