"""GET and POST /surgery: operate on a copy of a tokenizer; and the page of a job, which ends in its report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ...lab.option_schema import from_mapping, get_option_fields
from ...lab.surgery.options import SurgeryOptions
from ...lab.surgery.summary import change, headline, lines
from ..api.surgery import ARCHIVE, SURGERIES, Sent, SurgeryParam, options_from, serialize_surgery, start_from_form
from ..forms import read_query
from ..offered import remember
from ..picker import picker_rows
from ..policy import RoutePolicy
from ..render import render, wants_fragment
from ..services import get_services

router = APIRouter(include_in_schema=False)
DEFAULT = "gpt2"
EXAMPLES = (
    ("GPT-2 with tokens for Shan", "tokenizer=gpt2&operation=extend&corpus=udhr:shn&tokens=500"),
    ("GPT-2 with tokens for Python", "tokenizer=gpt2&operation=extend&corpus=source&tokens=1000"),
    ("Qwen 3 for Latin and Greek only", "tokenizer=qwen3&operation=prune&by=scripts&scripts=Latin+Greek"),
    ("BERT for one text", "tokenizer=bert-base-uncased&operation=prune&corpus=udhr:eng"),
    ("Mistral padded to a multiple of 128", "tokenizer=mistral-v1&operation=tokens&add_tokens=%3Ctool%3E&multiple=128"),
)
FILES = {
    "tokenizer.json": "the new tokenizer",
    "tokenizer_config.json": "for transformers",
    "chat_template.jinja": "the chat template",
    "ids.csv": "each token with its old and its new id",
    "ids.json": "the same for programs",
    "embeddings.py": "moves the rows of an embedding matrix; needs numpy only",
    "report.json": "this report",
}


def make_query(state: Mapping[str, Any]) -> str:
    """Return the query of the form with the settings of a job; a corpus is not stored, and must be given again."""
    values = [("tokenizer", state["tokenizer"]), ("name", state["name"]), ("sent", "1")]
    options = from_mapping(SurgeryOptions, state["options"] or {})
    for one in get_option_fields(SurgeryOptions).values():
        value = getattr(options, one.name)
        if one.kind == "list":
            value = " ".join(value)
        elif one.percent:
            value = f"{100 * value:g}"
        if value not in (None, False, ""):
            values.append((one.name, "1" if value is True else str(value)))
    return urlencode(values)


@router.get("/surgery")
@RoutePolicy(run="server")
def page(request: Request, corpus: Annotated[list[str], Query()] = []) -> HTMLResponse:  # noqa: B006
    from ...lab.languages.declarations import declarations
    from ...lab.models import canonical

    settings = get_services(request).settings
    registry = get_services(request).registry
    query = read_query(request)
    chosen = canonical(registry, query.get("tokenizer") or DEFAULT)
    shown: dict[str, Any] = {
        "fields": get_option_fields(SurgeryOptions),
        "params": options_from(query),
        "corpora": corpus,
        "name": query.get("name"),
        "languages": sorted(declarations(settings.store).values(), key=lambda language: language.name),
        "examples": EXAMPLES,
        "limit": settings.max_corpus,
        "may_keep": settings.keep,
        "chosen": chosen,
    }
    return render(request, "surgery", shown | picker_rows(request, [chosen]), fragment="page")


@router.post("/surgery")
@RoutePolicy(run="server")
def post(request: Request, form: Sent) -> Response:
    place = f"/surgery/jobs/{start_from_form(request, form).id}"
    if wants_fragment(request):
        return Response(status_code=204, headers={"HX-Redirect": place})
    return RedirectResponse(place, 303)


@router.get("/surgery/jobs/{id}")
@RoutePolicy(run="server")
def job_page(request: Request, job: SurgeryParam) -> HTMLResponse:
    state = serialize_surgery(job)
    report = state["report"]
    shown = {
        "job": state,
        "report": report,
        "files": FILES,
        "archive": ARCHIVE,
        "fields": get_option_fields(SurgeryOptions),
    }
    shown["again"] = make_query(state)
    if report:
        shown |= {"headline": headline(report), "lines": lines(report)}
        shown["change"] = change(report["measured"]) if report["measured"] else ""
    answer = render(request, "surgery", shown, fragment="job")
    if state["kept"]:
        remember(request, answer, state["kept"])
    return answer


SURGERIES.add_cancel_page(router, "/surgery/jobs")
