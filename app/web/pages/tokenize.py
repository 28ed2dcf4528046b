"""GET and POST /: the playground. Also the parts it asks for: a window of tokens, the details of one, a download."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, get_args

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from app.errors import Invalid
from app.lab.examples import EXAMPLES, HELLO, example
from app.registry import Registry
from app.types import SpecialPolicy
from app.web.answer import JSONResponse
from app.web.forms import Form, read_form
from app.web.render import render

if TYPE_CHECKING:
    from app.lab.sheet import Sheet

router = APIRouter(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]

DEFAULT = "o200k_base"
VIEWS = ("text", "ids", "bytes", "table")


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form asks for, with the defaults of an empty page."""

    text: str = HELLO
    tokenizer: str = DEFAULT
    engine: str = "reference"
    special: SpecialPolicy = "text"
    template: bool = False
    views: tuple[str, ...] = ("text", "ids", "bytes")
    spaces: bool = False
    window: int = 0
    token: int | None = None
    file_name: str | None = None
    folded: bool = False

    @classmethod
    def of(cls, form: Form) -> Asked:
        """Read a form. Raises `Invalid` with the field's name."""
        chosen = example(form.get("example"))
        return cls(
            text=chosen.text if chosen else form.text,
            tokenizer=form.get("tokenizer", DEFAULT),
            engine=form.get("engine", "reference"),
            special=form.one_of("special", get_args(SpecialPolicy), "text"),
            template=bool(form.get("template")),
            views=tuple(view for view in VIEWS if view in form.getall("view")) or ("text",),
            spaces=bool(form.get("spaces")),
            window=form.number("window") or 0,
            token=form.number("token"),
            file_name=form.file_name,
            folded=form.folded and not chosen,
        )


def cut(request: Request, asked: Asked) -> Sheet:
    """The sheet of what is asked for; an engine that the tokenizer does not have is its reference."""
    from app.lab.sheet import Sheet
    from app.lab.tokenize import check_length

    registry: Registry = request.app.state.registry
    check_length([asked.text], limit=request.app.state.settings.max_text)
    engine = asked.engine if asked.engine in registry.info(asked.tokenizer).engines else None
    key, done = request.app.state.recent.tokenize(
        registry, asked.text, tokenizer=asked.tokenizer, engine=engine, special=asked.special, template=asked.template
    )
    return Sheet(key, done, asked.window, asked.token)


def recall(request: Request, form: Form) -> Sheet | None:
    """The sheet that a part of the page belongs to: by its key, or cut again where the form came along."""
    from app.lab.sheet import Sheet

    done = request.app.state.recent.get(form.get("key"))
    if done is not None:
        return Sheet(form.get("key"), done, form.number("window") or 0, form.number("token"))
    return cut(request, Asked.of(form)) if "tokenizer" in form.fields else None


def context(request: Request, asked: Asked) -> dict[str, Any]:
    """What the templates of the playground need."""
    from app.lab.sheet import families

    groups = families(request.app.state.registry.infos())
    return {"asked": asked, "sheet": cut(request, asked), "families": groups, "examples": EXAMPLES}


@router.get("/")
def page(request: Request, tokenizer: str = DEFAULT) -> HTMLResponse:
    return render(request, "tokenize", context(request, Asked(tokenizer=tokenizer)))


@router.post("/")
def post(request: Request, form: Sent) -> HTMLResponse:
    return render(request, "tokenize", context(request, Asked.of(form)))


@router.post("/window")
def window(request: Request, form: Sent) -> Response:
    sheet = recall(request, form)
    if sheet is None:
        return Response(status_code=410)
    part = {"sheet": sheet, "window": sheet.windows[sheet.opened], "views": Asked.of(form).views}
    return render(request, "tokenize", part, fragment="_window")


@router.post("/token")
def token(request: Request, form: Sent) -> Response:
    sheet = recall(request, form)
    if sheet is None:
        return Response(status_code=410)
    if sheet.details is None:
        raise Invalid("token is a whole number from 0.", pointer="/token")
    return render(request, "tokenize", {"sheet": sheet, "details": sheet.details}, fragment="_details")


@router.post("/download")
def download(request: Request, form: Sent) -> Response:
    from app.lab.table import csv_chunks
    from app.web.columns import columns

    done = cut(request, Asked.of(form)).done
    kind = "csv" if form.get("format") == "csv" else "json"
    headers = {"Content-Disposition": f'attachment; filename="tokens.{kind}"'}
    if kind == "csv":
        return StreamingResponse(csv_chunks(done), media_type="text/csv; charset=utf-8", headers=headers)
    response = JSONResponse(columns(done))
    response.headers.update(headers)
    return response
