"""GET and POST /beyond/bytes: a text as bytes, how hard each is to predict, and the patches that follow from it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, Response

from ....errors import EngineFailed, Invalid, TooLarge
from ....lab.beyond.texts import BYTE_EXAMPLES
from ....lab.examples import get_example
from ....serialize.problem import Problem
from ...body import JSONResponse
from ...forms import Form, read_form, read_query
from ...picker import picker_rows, tokenizer_id
from ...render import picture, render
from ...services import get_services
from .overview import laboratories

if TYPE_CHECKING:
    from ....lab.beyond.bytes import PatchOptions, Rule, Typo

router = APIRouter(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]
OPENING = ("o200k_base",)
MAX_LINK = 6_000
"""Characters of the longest address that carries the state of the page."""
MAX_DRAWN = 480
"""Bytes of a text that the chart shows."""
RULES: tuple[Rule, ...] = ("monotonic", "global", "combined", "size")
TYPOS: tuple[Typo, ...] = ("", "swap", "drop", "double")


@dataclass(frozen=True)
class BytesParams:
    """Parameters of the page, with the defaults of a first visit; numbers are as in `lab.beyond.bytes.Question`."""

    text: str = BYTE_EXAMPLES[0].text
    rule: Rule = "monotonic"
    threshold: float = 2.4
    rise: float = 0.5
    size: float = 4.5
    stride: int = 8
    tokenizers: tuple[str, ...] = OPENING
    typo: Typo = ""
    at: int | None = None
    after: int | None = None
    guess: int | None = None

    @classmethod
    def of(cls, form: Form) -> BytesParams:
        """Return the parameters in a form or an address. Raises `Invalid` with a pointer to the field."""

        def amount(name: Literal["threshold", "rise", "size"]) -> float:
            value = form.amount(name)
            default: float = getattr(cls, name)
            return default if value is None else value

        ids = tuple(dict.fromkeys(id for id in form.getall("tokenizer") if id))
        return cls(
            text=form.text if "text" in form.fields or form.file_name else cls.text,
            rule=form.get_choice("rule", RULES, "monotonic"),
            threshold=amount("threshold"),
            rise=amount("rise"),
            size=amount("size"),
            stride=8 if (stride := form.number("stride")) is None else stride,
            tokenizers=ids if "text" in form.fields or ids else OPENING,
            typo=form.get_choice("typo", TYPOS, ""),
            at=form.number("at"),
            after=form.number("after"),
            guess=form.number("guess"),
        )

    @property
    def question(self) -> PatchOptions:
        """What the page asks of the laboratory."""
        from ....lab.beyond.bytes import PatchOptions

        names = ("text", "rule", "threshold", "rise", "size", "stride", "tokenizers", "typo", "at")
        return PatchOptions(**{name: getattr(self, name) for name in names})

    def address(self, **changes: Any) -> str:
        """Return the address of the page with these parameters and changes; empty if it is too long."""
        target = replace(self, **changes)
        plain = BytesParams()
        names = ("rule", "threshold", "rise", "size", "stride", "typo", "at", "after", "guess")
        values = [(name, getattr(target, name)) for name in names if getattr(target, name) != getattr(plain, name)]
        tokenizers = [("tokenizer", id) for id in target.tokenizers]
        address = "/beyond/bytes?" + urlencode([("text", target.text), *tokenizers, *values])
        return address if len(address) <= MAX_LINK else ""


def resolve_params(request: Request, params: BytesParams) -> BytesParams:
    """Return the parameters with ids in place of names of models. Raises `UnknownTokenizer`."""
    return replace(params, tokenizers=tuple(tokenizer_id(request, name) for name in params.tokenizers))


def respond(request: Request, params: BytesParams) -> HTMLResponse:
    """Return the page; an error is part of it, so that nothing that was typed is lost."""
    from ....lab.beyond import byte_model
    from ....lab.beyond.bytes import LARGE, LAYERS, count_operations, study
    from ....lab.beyond.bytes_view import character_cells, curve, prediction, readable
    from ....lab.pipeline.view import direction

    services = get_services(request)
    shown = problem = predicted = None
    languages: list[byte_model.Figures] = []
    try:
        languages = byte_model.select_figures(byte_model.load_figures(services.settings.store))
        params = resolve_params(request, params)
        shown = study(services.registry, services.settings.store, params.question)
    except (Invalid, TooLarge, EngineFailed) as error:
        problem = Problem.of(error)
    cells = character_cells(shown, MAX_DRAWN) if shown else []
    if shown and params.after is not None:
        predicted = prediction(shown, cells, params.after, params.guess)
    context: dict[str, Any] = {
        "params": params,
        "shown": shown,
        "problem": problem,
        "cells": cells,
        "predicted": predicted,
        "direction": direction(params.text),
        "large": LARGE,
        "layers": LAYERS,
        "operations_of": count_operations,
        "readable": readable,
        "curve": curve(shown) if shown else None,
        "languages": languages,
        "examples": BYTE_EXAMPLES,
        "max_drawn": MAX_DRAWN,
        **laboratories(request),
    }
    context |= picker_rows(request, params.tokenizers)
    return render(request, "beyond/bytes", context, status=problem.status if problem else 200)


@router.get("/beyond/bytes")
def page(request: Request, example: str = "", language: str = "") -> HTMLResponse:
    from ....lab.beyond.byte_model import unseen

    params = BytesParams.of(read_query(request))
    if language:
        params = replace(params, text=unseen(get_services(request).settings.store, language))
    if example:
        params = replace(params, text=get_example(example, BYTE_EXAMPLES).text)
    return respond(request, params)


@router.post("/beyond/bytes")
def post(request: Request, form: Sent) -> HTMLResponse:
    return respond(request, BytesParams.of(form))


@router.post("/beyond/bytes/download")
def download(request: Request, form: Sent) -> Response:
    """All of the page as JSON, the entropies of all bytes as CSV, or those of the first as a picture."""
    from ....lab.beyond.bytes import study
    from ....lab.beyond.bytes_export import drawing, table
    from ....serialize.patches import serialize_study

    kind = form.get_choice("format", ("csv", "svg", "json"), "csv")
    params = BytesParams.of(form)
    services = get_services(request)
    shown = study(services.registry, services.settings.store, resolve_params(request, params).question)
    if kind == "svg":
        return picture(drawing(shown), "entropies")
    if kind == "json":
        return JSONResponse(
            serialize_study(shown), headers={"Content-Disposition": 'attachment; filename="patches.json"'}
        )
    headers = {"Content-Disposition": 'attachment; filename="entropies.csv"'}
    return Response(table(shown), media_type="text/csv; charset=utf-8", headers=headers)
