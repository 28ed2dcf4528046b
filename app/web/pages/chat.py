"""GET and POST /chat: a conversation rendered by a chat template, in tokens with their origins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import orjson
from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ...errors import Invalid, TooLarge, UnknownTokenizer
from ...lab.chat.conversation import SPEAKERS, Conversation, TranscriptLine, messages, tool_definitions
from ...lab.chat.examples import EXAMPLES, ChatExample
from ...lab.chat.model_templates import find_template
from ...lab.chat.templates import difference, fit_template, template_tests
from ...lab.chat.view import COLUMNS, ChatView, chat_view
from ...lab.compare.options import POLICIES
from ...lab.examples import get_example
from ...lab.model_facts import list_template_names
from ...lab.models import find_model, resolve_model
from ...lab.option_schema import Options, declare, get_option_fields, with_values
from ...lab.pictures import tokens_picture
from ...registry import Registry
from ...serialize.problem import Problem
from ...types import ChatTemplate
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
    """Parameters of a conversation, with the defaults of a first visit; `fresh` is the index of a new message.

    A `model` is rendered with its own template, and tokenized by its own tokenizer.
    """

    tokenizer: str = declare("Tokenizer", "")
    model: str = declare("Model", "", max_length=200)
    script: Sequence[TranscriptLine] = ()
    tools: str = declare("Tools", "")
    template: str = declare("Custom template", "")
    prompted: bool = declare("Add generation prompt", True)
    continued: bool = declare("Continue the final message", False)
    twice: bool = declare("Also add BOS/EOS", False)
    loss: bool = declare("Show what is in the loss", False)
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
            model=self.model.strip(),
        )

    def name_tokenizer(self, registry: Registry) -> str:
        """Return the id of the model's tokenizer, else that of the chosen one. Raises `UnknownTokenizer`."""
        model = self.model.strip()
        return resolve_model(registry, model) if model else self.tokenizer


def render_conversation(request: Request, params: ChatParams) -> ChatView:
    """Return the conversation in tokens. Raises `Invalid`, `TooLarge`, `UnknownTokenizer`."""
    registry = get_services(request).registry
    limit = get_services(request).settings.max_text
    options: dict[str, Any] = {"special": params.special, "add_special_tokens": params.twice, "loss": params.loss}
    conversation = params.conversation
    id = params.name_tokenizer(registry)
    if conversation.template is None and find_template(registry, id, conversation.model) is None:
        if id not in ESTIMATED_BY:
            raise Invalid(NO_TEMPLATE.format(registry.info(id).title), pointer="/tokenizer")
        id, conversation = ESTIMATED_BY[id], replace(conversation, model="")
    return chat_view(registry, id, conversation, limit=limit, **options)


def respond(request: Request, params: ChatParams) -> HTMLResponse:
    """Return the page; an error of the conversation is part of it, so that no text is lost."""
    registry = get_services(request).registry
    view = problem = None
    try:
        view = render_conversation(request, params)
    except (Invalid, TooLarge, UnknownTokenizer) as error:
        if isinstance(error, UnknownTokenizer) and not params.model.strip():
            raise
        problem = Problem.of(error)
    context: dict[str, Any] = {"params": params, "view": view, "problem": problem, "examples": EXAMPLES}
    context |= {"max_messages": MAX_MESSAGES, "names": list_template_names(registry)}
    context |= describe_rendering(registry, params, view) if view else {}
    ids = [info.id for info in list_offered(request, [params.tokenizer])]
    context |= {
        "templates": [*registry.chat_templates(ids), *ESTIMATED_BY],
        "speakers": SPEAKERS,
        "fields": get_option_fields(ChatParams),
    }
    context |= picker_rows(request, [params.tokenizer]) | template_context(request, params)
    return render(request, "chat", context, status=problem.status if problem else 200)


def describe_rendering(registry: Registry, params: ChatParams, view: ChatView) -> dict[str, Any]:
    """Return what the page says of how a conversation was rendered, and the request to the API that does the same."""
    id = view.chat.tokenization.tokenizer.info.id
    model = view.conversation.model
    asked = params.name_tokenizer(registry)
    template = None if params.template.strip() or id != asked else find_template(registry, id, model)
    said = [f"{model} has the tokenizer {id}."] if model and id != params.tokenizer else []
    if template:
        fit = fit_template(template, model, id).text
        said.append(f"{'Rendered with the' if fit.startswith('template of') else 'The chat template is'} {fit}.")
    body = make_request_body(params, model or id)
    return {"sent": orjson.dumps(body).decode(), "estimated": id != asked, "written": " ".join(said)}


def template_context(request: Request, params: ChatParams) -> dict[str, Any]:
    """Return what the page shows of a template beside its result: the difference to the shipped one, and its tests."""
    registry = get_services(request).registry
    limit = get_services(request).settings.max_text
    shipped = find_shipped(registry, params)
    edited = params.template if params.template.strip() else None
    changed = difference(shipped.text, edited) if shipped and edited else []
    tests = []
    if params.tested and (shipped or edited):
        written = edited or (shipped.text if shipped and params.model.strip() else None)
        tests = list(template_tests(registry, params.name_tokenizer(registry), written, limit=limit))
    return {"changed": changed, "tests": tests}


def find_shipped(registry: Registry, params: ChatParams) -> ChatTemplate | None:
    """Return the chat template of the model, or without one of the tokenizer; None if there is none."""
    model = params.model.strip()
    id = find_model(registry, model) if model else params.tokenizer
    return find_template(registry, id, model) if id is not None and id in registry else None


def make_request_body(params: ChatParams, model: str) -> dict[str, Any]:
    """Return the body of POST /api/chat for the same conversation and options, without defaults."""
    conversation = params.conversation
    fields: dict[str, Any] = {
        "messages": conversation.messages,
        "tools": conversation.tools,
        "chat_template": conversation.template,
        "add_generation_prompt": None if conversation.add_generation_prompt else False,
        "continue_final_message": conversation.continue_final_message or None,
        "add_special_tokens": params.twice or None,
        "special": None if params.special == "text" else params.special,
    }
    if params.loss:
        fields["include"] = [*COLUMNS, "mask"]
    return {"tokenizer": model} | {name: value for name, value in fields.items() if value is not None}


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
    if form.get("shipped") and (own := find_shipped(get_services(request).registry, params)):
        params = with_values(params, template=own.text)
    return respond(request, params)
