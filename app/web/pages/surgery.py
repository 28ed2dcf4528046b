"""GET and POST /surgery: operate on a copy of a tokenizer, after a preview; and the page of a job, to its report."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any
from urllib.parse import quote_plus, urlencode

from fastapi import Query, Request
from starlette.responses import HTMLResponse, Response

from ...errors import UnknownJob
from ...jobs.feed import JobUpdate
from ...jobs.job import Job
from ...lab.models import canonical
from ...lab.option_schema import from_mapping, get_option_fields
from ...lab.surgery.jobs import ARCHIVE, summarize_surgery
from ...lab.surgery.options import SurgeryOptions
from ...lab.surgery.preview import preview_operation
from ...lab.surgery.subject import load_record
from ...lab.surgery.versions import SurgeryVersion, change, headline, lines, list_versions, suggest_name
from ...serialize.templates import templates
from ...workers.process import exempt_loading
from ..api.surgery import (
    SURGERIES,
    SurgeryParam,
    check_operation,
    options_from,
    serialize_surgery,
    start_from_form,
)
from ..forms import LongForm, fold, read_query
from ..offered import list_offered, remember
from ..picker import picker_rows
from ..policy import RoutePolicy
from ..render import render, send_to
from ..routing import Router
from ..services import get_services
from ..training_form import corpus_fields, describe_start

router = Router(include_in_schema=False)
DEFAULT_TOKENIZER = "gpt2"
SAMPLE = "Hello, world! Größe, été, mañana; Привет, мир! 你好，世界。 नमस्ते दुनिया 123,456 🌍"
"""A text in several scripts, on which a preview shows what an operation gains and costs."""
SHAN = "ၵူၼ်းၵူႊၵေႃႉၼႆႉ ပဵၼ်ဢၼ်ၵိူတ်ႇမႃးလူၺ်ႈၵုင်ႇမုၼ်ဢၼ်လွတ်ႈလႅဝ်းၽဵင်ႇပဵင်းၵၼ်"
PYTHON = "def read_versions(request: Request, chosen: str) -> list[str]:\n    return [one for one in chosen if one]\n"
EXAMPLES = (
    (
        "BERT for one text",
        "keeps what the Universal Declaration in English needs",
        "tokenizer=bert-base-uncased&operation=prune&corpus=udhr:eng",
    ),
    (
        "GPT-2 with tokens for Shan",
        "learns 500 merges, and takes a fraction of the tokens",
        "tokenizer=gpt2&operation=extend&corpus=udhr:shn&tokens=500&sample=" + quote_plus(SHAN),
    ),
    (
        "GPT-2 with tokens for Python",
        "learns indentation and names from this site’s source code",
        "tokenizer=gpt2&operation=extend&corpus=source&tokens=1000&sample=" + quote_plus(PYTHON),
    ),
    (
        "Mistral padded to a multiple of 128",
        "gets one special token, and reserved ones up to the size",
        "tokenizer=mistral-v1&operation=tokens&add_tokens=%3Ctool%3E&multiple=128",
    ),
    (
        "Qwen 3 for Latin and Greek only",
        "loses the tokens of other scripts, and most rows of its embedding",
        "tokenizer=qwen3&operation=prune&by=scripts&scripts=Latin+Greek",
    ),
)
"""Examples: a title, what one sees, and the query of the form."""
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


def read_versions(request: Request, chosen: str) -> list[SurgeryVersion]:
    """Return the versions of a tokenizer that this visitor can see; none of one that is not here."""
    registry = get_services(request).registry
    return list_versions(registry, chosen, list_offered(request, [chosen])) if chosen in registry else []


@router.get("/surgery")
@RoutePolicy(run="server")
def page(request: Request, corpus: Annotated[list[str], Query()] = []) -> HTMLResponse:  # noqa: B006
    registry = get_services(request).registry
    query = read_query(request)
    chosen = canonical(registry, query.get("tokenizer") or DEFAULT_TOKENIZER)
    versions = read_versions(request, chosen)
    shown = describe_start(get_services(request).settings, options_from(query), corpus) | {
        "name": query.get("name"),
        "examples": EXAMPLES,
        "chosen": chosen,
        "sample": query.get("sample") or SAMPLE,
        "shows": bool(query.get("preview")),
        "refused": read_refusal(request, query.get("refused")),
        "versions": versions,
    }
    if versions and versions[0].id != chosen:
        shown["name"] = shown["name"] or suggest_name(registry.info(chosen).title, versions)
    return render(request, "surgery", shown | picker_rows(request, [chosen]), fragment="page")


def read_refusal(request: Request, id: str) -> Mapping[str, Any] | None:
    """Return the problem that ended a job, to be shown beside the field that caused it."""
    if not id:
        return None
    try:
        job = get_services(request).surgeries.get(id)
    except UnknownJob:  # its hour is over
        return None
    problem: Mapping[str, Any] | None = summarize_surgery(job.events())["problem"]
    return problem


@router.post("/surgery")
@RoutePolicy(run="server")
def post(request: Request, form: LongForm) -> Response:
    return send_to(request, f"/surgery/jobs/{start_from_form(request, form).id}")


@router.post("/surgery/preview")
def preview(request: Request, form: LongForm) -> HTMLResponse:
    texts, corpora = corpus_fields(form)
    options = options_from(form)
    id, named = check_operation(request, form.get("tokenizer"), texts, corpora, options)
    record = get_services(request).registry.record(id)
    with exempt_loading():
        subject = load_record(record)
    shown = preview_operation(subject, [*named.values()], options, fold(form.get("sample")) or SAMPLE)
    return render(request, "surgery", {"preview": shown, "title": record.info.title}, page="preview")


@router.get("/surgery/versions")
@RoutePolicy(run="server")
def versions(request: Request, tokenizer: str = DEFAULT_TOKENIZER) -> HTMLResponse:
    """The versions of the tokenizer that is chosen in the form."""
    chosen = canonical(get_services(request).registry, tokenizer)
    part = {"versions": read_versions(request, chosen), "chosen": chosen}
    return render(request, "surgery", part, fragment="_versions")


def job_context(job: Job, state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the context of the templates of a job in a state."""
    report = state["report"]
    shown = {
        "job": state,
        "report": report,
        "files": FILES,
        "archive": ARCHIVE,
        "fields": get_option_fields(SurgeryOptions),
        "again": make_query(state),
    }
    if report:
        shown |= {"headline": headline(report), "lines": lines(report)}
        shown["change"] = change(report["measured"]) if report["measured"] else ""
    return shown


@router.get("/surgery/jobs/{id}")
@RoutePolicy(run="server")
def job_page(request: Request, job: SurgeryParam) -> HTMLResponse:
    state = serialize_surgery(job)
    answer = render(request, "surgery", job_context(job, state), fragment="job")
    if state["kept"]:
        remember(request, answer, state["kept"])
    return answer


def draw_update(request: Request, job: Job, update: JobUpdate, new_stage: bool) -> str:
    """Return the part of the page of a job that changes, at an update."""
    shown = job_context(job, update.share("state", partial(serialize_surgery, job, update)))
    return templates.get_template("surgery/_live.html").render(shown, new_stage=new_stage)


SURGERIES.add_page_stream(
    router,
    "/surgery/jobs",
    stage=lambda update: str(summarize_surgery(update.events)["doing"]),
    draw=draw_update,
)
SURGERIES.add_cancel_page(router, "/surgery/jobs")
