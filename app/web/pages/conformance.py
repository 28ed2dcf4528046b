"""GET and POST /conformance: which engines were compared on how many texts, and a box to compare them on one's own."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse

from app.web.forms import Form, read_form
from app.web.render import render

router = APIRouter(include_in_schema=False)

SHOWN = 200
"""So many ids of each engine are shown."""


def context(request: Request, form: Form) -> dict[str, Any]:
    """What the templates need: the record, and the verdicts on a text if there is one."""
    from app.lab.agreement import agreement
    from app.lab.record import recorded
    from app.lab.tokenize import check_length

    registry = request.app.state.registry
    check_length([form.text], limit=request.app.state.settings.max_text)
    chosen = form.get("tokenizer", "o200k_base")
    verdicts = list(agreement(registry, form.text, tokenizer=chosen)) if form.text else []
    shared = {"chosen": chosen, "text": form.text, "shown": SHOWN, "verdicts": verdicts}
    return shared | {"infos": registry.infos(), "record": recorded(request.app.state.settings.store)}


@router.get("/conformance")
def page(request: Request) -> HTMLResponse:
    return render(request, "conformance", context(request, Form({})))


@router.post("/conformance")
def post(request: Request, form: Annotated[Form, Depends(read_form)]) -> HTMLResponse:
    return render(request, "conformance", context(request, form))
