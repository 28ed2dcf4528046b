"""GET and POST /beyond/bytes: a text as bytes, how hard each is to predict, and the patches that follow from it."""

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ....errors import EngineFailed, Invalid, TooLarge
from ....lab.beyond import byte_model
from ....lab.beyond.byte_model import unseen
from ....lab.beyond.bytes import LARGE, LAYERS, MAX_BYTES, MAX_TOKENIZERS, PatchOptions, count_operations, study
from ....lab.beyond.bytes_view import character_cells, curve, draw_entropies, prediction, readable, table
from ....lab.beyond.laboratories import LABORATORIES
from ....lab.beyond.texts import BYTE_EXAMPLES
from ....lab.examples import get_example
from ....lab.option_schema import Items, declare, declare_tokenizers, get_option_fields, with_values
from ....lab.pipeline.view import direction
from ....serialize.beyond import serialize_study
from ....serialize.problem import Problem
from ...downloads import as_file
from ...forms import SentForm, read_query
from ...option_models import read_options
from ...page_params import drop_long_address, write_address
from ...picker import list_tokenizer_ids, picker_rows
from ...pictures import KINDS, picture
from ...render import render
from ...routing import Router
from ...services import get_services

router = Router(include_in_schema=False)
MAX_DRAWN = 480
"""Bytes of a text that the chart shows."""


class BytesParams(PatchOptions):
    """Parameters of the page, with the defaults of a first visit."""

    text: str = declare("Text", BYTE_EXAMPLES[0].text)
    tokenizers: Items[str] = declare_tokenizers("Compare with the tokens of", ["o200k_base"], max_length=MAX_TOKENIZERS)
    after: int | None = declare("Bytes before the one to predict", None)
    guess: int | None = declare("Answer", None)

    def address(self, **changes: Any) -> str:
        """Return the address of the page with these parameters and changes; empty if it is too long."""
        target = with_values(self, **changes)
        return drop_long_address(write_address("/beyond/bytes", target, always=("text", "tokenizers")))


def respond(request: Request, params: BytesParams) -> HTMLResponse:
    """Return the page; an error is part of it, so that nothing that was typed is lost."""
    services = get_services(request)
    shown = problem = predicted = None
    languages: list[byte_model.Figures] = []
    try:
        languages = byte_model.select_figures(byte_model.load_figures(services.settings.store))
        params = with_values(params, tokenizers=list_tokenizer_ids(request, params.tokenizers))
        shown = study(services.registry, services.settings.store, params)
    except (Invalid, TooLarge, EngineFailed) as error:
        problem = Problem.of(error)
    cells = character_cells(shown, MAX_DRAWN) if shown else []
    if shown and params.after is not None:
        predicted = prediction(shown, cells, params.after, params.guess)
    context: dict[str, Any] = {
        "params": params,
        "fields": get_option_fields(BytesParams),
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
        "max_bytes": MAX_BYTES,
        "laboratories": LABORATORIES,
    }
    context |= picker_rows(request, params.tokenizers)
    return render(request, "beyond/bytes", context, status=problem.status if problem else 200)


@router.get("/beyond/bytes")
def page(request: Request, example: str = "", language: str = "") -> HTMLResponse:
    params = read_options(read_query(request), BytesParams, posted=True)
    if language:
        params = with_values(params, text=unseen(get_services(request).settings.store, language))
    if example:
        params = with_values(params, text=get_example(example, BYTE_EXAMPLES).text)
    return respond(request, params)


@router.post("/beyond/bytes")
def post(request: Request, form: SentForm) -> HTMLResponse:
    return respond(request, read_options(form, BytesParams, posted=True))


@router.post("/beyond/bytes/download")
def download(request: Request, form: SentForm) -> Response:
    """All of the page as JSON, the entropies of all bytes as CSV, or those of the first as a picture."""
    kind = form.get_choice("format", ("csv", "json", *KINDS), "csv")
    params = read_options(form, BytesParams, posted=True)
    params = with_values(params, tokenizers=list_tokenizer_ids(request, params.tokenizers))
    services = get_services(request)
    shown = study(services.registry, services.settings.store, params)
    if kind in KINDS:
        return picture(draw_entropies(shown), "entropies", kind, form)
    if kind == "json":
        return as_file(serialize_study(shown), "patches.json")
    return as_file(table(shown), "entropies.csv")
