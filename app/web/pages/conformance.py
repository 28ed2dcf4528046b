"""GET and POST /conformance: how many texts both engines agreed on, and a form to compare them on any text."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse

from ...lab.conformance import engine_results, load_results
from ...lab.tokenize import check_length
from ..forms import Form, read_form
from ..picker import picker_rows
from ..render import render
from ..services import get_services

router = APIRouter(include_in_schema=False)

MAX_IDS = 200
"""Number of ids of each engine that are shown."""


def context(request: Request, form: Form) -> dict[str, Any]:
    """Return the context of the templates: the record and, with a text, the verdict on each engine."""
    registry = get_services(request).registry
    check_length([form.text], limit=get_services(request).settings.max_text)
    chosen = form.get("tokenizer", "o200k_base")
    verdicts = list(engine_results(registry, form.text, tokenizer=chosen)) if form.text else []
    shared = {"chosen": chosen, "text": form.text, "shown": MAX_IDS, "verdicts": verdicts}
    return shared | picker_rows(request, [chosen]) | {"record": load_results(get_services(request).settings.store)}


@router.get("/conformance")
def page(request: Request, tokenizer: str = "") -> HTMLResponse:
    form = Form({"tokenizer": [tokenizer]} if tokenizer else {})
    return render(request, "conformance", context(request, form))


@router.post("/conformance")
def post(request: Request, form: Annotated[Form, Depends(read_form)]) -> HTMLResponse:
    return render(request, "conformance", context(request, form))
