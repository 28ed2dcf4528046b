"""GET and POST /steps: training and encoding, step by step.

Also the parts that the page fetches: frames ahead of the current step, the merge tree with the reasons for each
boundary, and downloads.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Request
from starlette.responses import HTMLResponse, Response

from ...lab.examples import HELLO, get_example
from ...lab.option_schema import get_option_fields, with_values
from ...lab.steps.encoding import MAX_CHARACTERS
from ...lab.steps.examples import EXAMPLES, StepsExample
from ...lab.steps.learning import is_table
from ...lab.steps.options import StepsOptions
from ...lab.steps.runs import RunCache, StepsView
from ..compression import compress
from ..downloads import as_file
from ..forms import Form, read_form, read_query
from ..option_models import read_options
from ..picker import picker_rows, tokenizer_id
from ..pictures import STEP_KINDS, step_picture
from ..render import render, stream
from ..routing import Router
from ..services import get_services
from ..standalone_html import parts

router = Router(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]

FORMATS = (*STEP_KINDS, "html", "json")
CORPUS_FORMATS = {"detect": "detect from its lines", "1": "words with counts", "0": "running text"}
CHOICES = {
    "fields": get_option_fields(StepsOptions),
    "examples": EXAMPLES,
    "corpus_formats": CORPUS_FORMATS,
    "max_characters": MAX_CHARACTERS,
}


def read_form_options(form: Form) -> StepsOptions:
    """Return the options in a form. Raises `Invalid` with a pointer to the field."""
    form.get_choice("temperature", ("", *map(str, get_option_fields(StepsOptions)["temperature"].presets)), "")
    corpus = form.get("table")  # in older links also "on", as of a checkbox
    table = _is_table(form.text) if corpus == "detect" else corpus not in ("", "0")
    options = read_options(form, StepsOptions, text=form.text, table=table)
    # A corpus in which nothing can be learned has a button that encodes it instead.
    return with_values(options, branch="encode", tokenizer=form.get("encode")) if form.get("encode") else options


def _is_table(text: str) -> bool:
    return is_table(text)


def view(request: Request, options: StepsOptions, step: int) -> StepsView:
    """Return the view of a run from this step on, from the cache where it is there."""
    key, run = get_services(request).cache(RunCache).follow(get_services(request).registry, options)
    return StepsView(key, run, step, options)


def view_form(request: Request, form: Form) -> StepsView:
    """Return the view that a form asks for. Raises what `read_form_options` and `view` raise."""
    return view(request, read_form_options(form), form.number("step") or 0)


def context(
    request: Request, shown: StepsView, chosen: StepsExample | None = None, *, corpus: str = "detect"
) -> dict[str, Any]:
    """Return the context of the templates."""
    return {
        **CHOICES,
        "view": shown,
        "params": shown.options,
        "chosen": chosen,
        "corpus_format": corpus,
        **picker_rows(request, [shown.options.tokenizer] if shown.options else []),
    }


@router.get("/steps")
def page(request: Request) -> HTMLResponse:
    """An example, the options of an address, or a text to encode with the tokenizer of an address."""
    form = read_query(request)
    tokenizer = form.get("tokenizer")
    chosen = None
    if "text" in form.fields:
        branch = {} if "branch" in form.fields or not tokenizer else {"branch": ["encode"]}
        options = read_form_options(Form({"table": ["detect"], **form.fields, **branch}, form.text))
    elif tokenizer:
        options = StepsOptions(text=HELLO, branch="encode", tokenizer=tokenizer_id(request, tokenizer))
    else:
        chosen = get_example(form.get("example") or "sennrich", EXAMPLES)
        options = chosen.options
    return render(request, "steps", context(request, view(request, options, form.number("step") or 0), chosen))


@router.post("/steps")
def post(request: Request, form: Sent) -> HTMLResponse:
    shown = view_form(request, form)
    return render(request, "steps", context(request, shown, corpus=form.get("table") or "0"))


@router.post("/steps/window")
def window(request: Request, form: Sent) -> Response:
    # The frames of a window resemble each other, so that little remains of them.
    return compress(render(request, "steps", {"view": view_form(request, form)}, fragment="_window"), request.headers)


@router.post("/steps/about")
def about(request: Request, form: Sent) -> Response:
    return render(request, "steps", {"view": view_form(request, form)}, fragment="_about")


@router.post("/steps/download")
def download(request: Request, form: Sent) -> Response:
    kind = form.get_choice("format", FORMATS, "html")
    shown = view_form(request, form)
    if kind not in ("html", "json"):
        return step_picture(shown.sheet, lambda: shown.sheets, "steps", kind, form)
    content = shown.run.data() if kind == "json" else stream("steps/takeaway.html", parts(shown))
    return as_file(content, f"steps.{kind}")
