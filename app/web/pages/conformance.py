"""GET and POST /conformance: whether both engines agree on a text, and on how many generated ones they did."""

from itertools import islice
from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse

from ...lab.agreement import MAX_TEXT
from ...lab.conformance import ConformanceResult, comparable, engine_results, load_results, texts
from ...lab.tokenize import check_length
from ..forms import AskedForm, Form
from ..picker import picker_rows, tokenizer_id
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)

MAX_IDS = 200
"""Number of ids of each engine that are shown."""
SAMPLES = [text for text in islice(texts(seed=0), 60) if 3 < len(text) < 60][:8]
"""Some of the generated texts that have no parts of a vocabulary."""


def context(request: Request, form: Form) -> dict[str, Any]:
    """Return the context of the templates: the record and, with a text, the verdict on each engine."""
    registry = get_services(request).registry
    check_length([form.text], limit=get_services(request).settings.max_text)
    chosen = tokenizer_id(request, form.get("tokenizer") or "o200k_base")
    verdicts = list(engine_results(registry, form.text, tokenizer=chosen)) if form.text else []
    shared = {"chosen": chosen, "text": form.text, "shown": MAX_IDS, "verdicts": verdicts, "max_text": MAX_TEXT}
    return shared | picker_rows(request, [chosen]) | {"rows": list_rows(request), "samples": SAMPLES}


def list_rows(request: Request) -> list[tuple[str, bool, ConformanceResult | None]]:
    """Return the tokenizers with two engines, or with a record, each with whether it has two and its record."""
    record = {row.tokenizer: row for row in load_results(get_services(request).settings.store)}
    pairs = comparable(get_services(request).registry)
    return [(id, id in pairs, record.get(id)) for id in sorted({*pairs, *record})]


@router.post("/conformance")
@router.get("/conformance")
def page(request: Request, form: AskedForm) -> HTMLResponse:
    return render(request, "conformance", context(request, form))
