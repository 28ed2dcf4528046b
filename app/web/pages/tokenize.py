"""GET and POST /: the playground. Also the parts it fetches: a window of tokens, the details of one, a download."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from pydantic import Field
from starlette.responses import HTMLResponse, Response

from ...errors import Invalid
from ...lab.caches import RecentTokenizations
from ...lab.compare.options import POLICIES
from ...lab.costs import (
    RecentCounts,
    count_costs,
    find_paid,
    list_paid_models,
    list_strip_models,
)
from ...lab.examples import EXAMPLES, HELLO, find_example
from ...lab.option_schema import Items, Options, declare, with_values
from ...lab.pictures import tokens_picture
from ...lab.steps.origin import origin
from ...lab.tokenization_view import TokenizationView
from ...lab.tokenize import check_length, tokenize
from ...serialize.columns import columns, tokenization_csv
from ...types import SpecialPolicy
from ..downloads import as_file
from ..forms import Form, read_form, read_query
from ..page_params import read_params
from ..picker import picker_rows, tokenizer_id
from ..pictures import KINDS, picture
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]

DEFAULT_TOKENIZER = "o200k_base"
VIEWS = ("text", "ids", "bytes", "table")


class TokenizeParams(Options):
    """Parameters of the playground, with the defaults of a first visit."""

    text: str = HELLO
    tokenizer: str = declare("Tokenizer", DEFAULT_TOKENIZER)
    engine: str = declare("Engine", "reference")
    special: SpecialPolicy = declare("Special tokens in the text", "text", choices=POLICIES)
    template: bool = declare("Add special tokens", False)
    views: Items[str] = Field(default=["text"])
    spaces: bool = declare("Show whitespace", True)
    window: int = declare("Window of tokens", 0)
    token: int | None = declare("Token whose details are shown", None)
    file_name: str | None = None

    @classmethod
    def of(cls, form: Form, *, posted: bool = True) -> TokenizeParams:
        """Return the parameters in a form or an address. Raises `Invalid` with a pointer to the field."""
        chosen = find_example(form.get("example"), EXAMPLES)
        views = [view for view in VIEWS if view in form.getall("view")] or ["text"]
        text = chosen.text if chosen else form.text
        return read_params(form, cls, posted=posted, text=text, views=views, file_name=form.file_name)


def tokenization_view(request: Request, params: TokenizeParams) -> TokenizationView:
    """Return the view of a tokenization, from the cache where it is there.

    Raises `TooLarge`, `UnknownTokenizer` and what the tokenizer raises.
    """
    services = get_services(request)
    registry = services.registry
    check_length([params.text], limit=services.settings.max_text)
    # The form keeps the engine of the last tokenizer; where this one lacks it, its default engine answers.
    engine = params.engine if params.engine in registry.info(params.tokenizer).engines else None
    _, tokenization = services.cache(RecentTokenizations).tokenize(
        registry,
        params.text,
        tokenizer=params.tokenizer,
        engine=engine,
        special=params.special,
        add_special_tokens=params.template,
    )
    return TokenizationView(tokenization, params.window, params.token)


def context(request: Request, params: TokenizeParams) -> dict[str, Any]:
    """Return the context of the playground's templates."""
    view = tokenization_view(request, params)
    shared = {"params": params, "views": params.views, "view": view, "opening": None, "examples": EXAMPLES}
    shared |= {"paid": list_paid_models(), "policies": POLICIES}
    return shared | picker_rows(request, [params.tokenizer])


@router.get("/")
def page(request: Request) -> HTMLResponse:
    form = read_query(request)
    chosen = tokenizer_id(request, form.get("tokenizer", DEFAULT_TOKENIZER))
    if "text" in form.fields:
        return render(
            request, "tokenize", context(request, with_values(TokenizeParams.of(form, posted=False), tokenizer=chosen))
        )
    opening = tokenize(get_services(request).registry, "strawberry", tokenizer=DEFAULT_TOKENIZER)
    return render(request, "tokenize", context(request, TokenizeParams(tokenizer=chosen)) | {"opening": opening})


@router.post("/")
def post(request: Request, form: Sent) -> HTMLResponse:
    params = TokenizeParams.of(form)
    chosen = tokenizer_id(request, params.tokenizer)
    return render(request, "tokenize", context(request, with_values(params, tokenizer=chosen)))


@router.post("/window")
def window(request: Request, form: Sent) -> Response:
    params = TokenizeParams.of(form)
    view = tokenization_view(request, params)
    part = {"view": view, "window": view.windows[view.opened], "views": params.views}
    return render(request, "tokenize", part, fragment="_window")


@router.post("/token")
def token(request: Request, form: Sent) -> Response:
    view = tokenization_view(request, TokenizeParams.of(form))
    if view.details is None:
        raise Invalid("token must be the index of a token of this text.", pointer="/token")
    if not form.get("origin"):
        return render(request, "tokenize", {"view": view, "details": view.details}, fragment="_details")
    where = origin(get_services(request).registry, view.tokenization, view.details.token.index)
    return render(request, "tokenize", {"view": view, "details": view.details, "origin": where}, fragment="_origin")


@router.post("/models")
def model_rows(request: Request, form: Sent) -> Response:
    """The rows of the table of models: what the text of a form takes in each."""
    services = get_services(request)
    costs = count_costs(
        services.registry,
        form.text,
        find_paid(form.get("models").split()) or list_strip_models(),
        limit=services.settings.max_text,
        recent=services.cache(RecentCounts),
        special=TokenizeParams.of(form).special,
    )
    return render(request, "tokenize", {"costs": costs}, fragment="_model_rows")


@router.post("/download")
def download(request: Request, form: Sent) -> Response:
    tokenization = tokenization_view(request, TokenizeParams.of(form)).tokenization
    kind = form.get_choice("format", ("csv", "json", *KINDS), "json")
    if kind in KINDS:
        return picture(tokens_picture([tokenization]), "tokens", kind, form)
    return as_file(tokenization_csv(tokenization) if kind == "csv" else columns(tokenization), f"tokens.{kind}")
