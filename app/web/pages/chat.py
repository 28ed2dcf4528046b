"""GET and POST /chat: a conversation, typed line by line, in tokens that say where they come from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import orjson
from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse

from app.errors import Invalid, TooLarge
from app.lab.chat.examples import EXAMPLES, Example
from app.lab.chat.script import SPEAKERS, Line
from app.lab.examples import named
from app.web.forms import Form, fold, read_form
from app.web.problems import Problem
from app.web.render import render

if TYPE_CHECKING:
    from app.lab.chat.conversation import Conversation
    from app.lab.chat.sheet import Sheet

router = APIRouter(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]

Reading = Literal["text", "parse"]
MOST = 20
"""Messages that the page takes."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form asks for, with the defaults of an empty page; `fresh` is a line that was just added."""

    tokenizer: str
    script: tuple[Line, ...]
    tools: str = ""
    template: str = ""
    prompted: bool = True
    continued: bool = False
    twice: bool = False
    special: Reading = "text"
    fresh: int | None = None

    @classmethod
    def of(cls, form: Form) -> Asked:
        """Read a form. Raises `Invalid` with the field's name."""
        texts = [fold(text) for text in form.getall("content")]
        speakers = form.getall("role")
        if len(speakers) != len(texts) or not set(speakers) <= set(SPEAKERS):
            raise Invalid("Every message has a role and a text.", pointer="/role")
        asked = cls(
            tokenizer=form.get("tokenizer"),
            script=tuple(
                Line(who, text) for line, text in zip(speakers, texts, strict=True) for who in SPEAKERS if who == line
            ),
            tools=fold(form.get("tools")),
            template=fold(form.get("template")),
            prompted=bool(form.get("prompted")),
            continued=bool(form.get("continued")),
            twice=bool(form.get("twice")),
            special=form.one_of("special", get_args(Reading), "text"),
        )
        return asked.edited(form)

    @classmethod
    def from_example(cls, one: Example) -> Asked:
        special: Reading = "parse" if one.parse else "text"
        return cls(one.tokenizer, one.script, one.tools, one.template, twice=one.twice, special=special)

    def edited(self, form: Form) -> Asked:
        """After a line is added or taken away, where that was asked."""
        taken = form.number("remove")
        if taken is not None:
            return replace(self, script=self.script[:taken] + self.script[taken + 1 :])
        if form.get("add") and len(self.script) < MOST:
            last = self.script[-1].speaker if self.script else ""
            line = Line("assistant" if last in ("user", "tool") else "tool" if last == "call" else "user")
            return replace(self, script=(*self.script, line), fresh=len(self.script))
        return self

    @property
    def conversation(self) -> Conversation:
        """What is to be written out; empty lines at the end are not said yet. Raises `Invalid`."""
        from app.lab.chat.conversation import Conversation
        from app.lab.chat.script import definitions, messages

        said = len(self.script)
        while said and not self.continued and not self.script[said - 1].text:
            said -= 1
        return Conversation(
            messages(self.script[:said]),
            definitions(self.tools),
            add_generation_prompt=self.prompted and not self.continued,
            continue_final_message=self.continued,
            template=self.template if self.template.strip() else None,
        )


def opened(request: Request, asked: Asked) -> Sheet:
    """The conversation in tokens. Raises `Invalid`, `TooLarge`, `UnknownTokenizer`."""
    from app.lab.chat import sheet

    registry, limit = request.app.state.registry, request.app.state.settings.max_text
    options: dict[str, Any] = {"special": asked.special, "add_special_tokens": asked.twice}
    return sheet.opened(registry, asked.tokenizer, asked.conversation, limit=limit, **options)


def respond(request: Request, asked: Asked) -> HTMLResponse:
    """The page; what is wrong with a conversation stands on it, beside what was typed."""
    from app.lab.sheet import families

    registry = request.app.state.registry
    sheet = problem = None
    try:
        sheet = opened(request, asked)
    except (Invalid, TooLarge) as error:
        problem = Problem.of(error)
    context: dict[str, Any] = {"asked": asked, "sheet": sheet, "problem": problem, "examples": EXAMPLES, "most": MOST}
    context["sent"] = orjson.dumps(request_of(asked)).decode() if sheet else ""
    context |= {"families": families(registry.infos()), "templates": registry.chat_templates(), "speakers": SPEAKERS}
    return render(request, "chat", context, status=problem.status if problem else 200)


def request_of(asked: Asked) -> dict[str, Any]:
    """The body of POST /api/chat that asks for the same."""
    told, conversation = {"tokenizer": asked.tokenizer}, asked.conversation
    fields = {
        "messages": conversation.messages,
        "tools": conversation.tools,
        "chat_template": conversation.template,
        "add_generation_prompt": None if conversation.add_generation_prompt else False,
        "continue_final_message": conversation.continue_final_message or None,
        "add_special_tokens": asked.twice or None,
        "special": None if asked.special == "text" else asked.special,
    }
    return told | {name: value for name, value in fields.items() if value is not None}


@router.get("/chat")
def page(request: Request, example: str = EXAMPLES[0].id) -> HTMLResponse:
    return respond(request, Asked.from_example(named(example, EXAMPLES)))


@router.post("/chat")
def post(request: Request, form: Sent) -> HTMLResponse:
    return respond(request, Asked.of(form))
