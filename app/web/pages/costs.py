"""The strip of costs of the playground, and where the page of costs went."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Request
from starlette.responses import RedirectResponse, Response

from ...lab.costs import RecentCounts, count_costs, find_paid, get_request_name, list_strip_models
from ..forms import Form, read_form, read_query
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)


@router.get("/costs")
def redirect(request: Request) -> Response:
    """The columns of the table of /compare are what this page was; `models` are rows there."""
    fields = read_query(request).fields
    models = find_paid(" ".join(fields.get("models", ())).split())
    chosen = [("tokenizer", model.tokenizer or model.id) for model in models]
    pairs = [(name, value) for name, values in fields.items() if name != "models" for value in values]
    query = urlencode([*pairs, *dict.fromkeys(chosen)])
    return RedirectResponse(f"/compare?{query}" if query else "/compare", 308)


@router.post("/costs/strip")
def strip(request: Request, form: Annotated[Form, Depends(read_form)]) -> Response:
    """The strip of the playground for the text of a form."""
    services = get_services(request)
    chosen = find_paid(form.get("models").split()) or list_strip_models()
    costs = count_costs(
        services.registry, form.text, chosen, limit=services.settings.max_text, recent=services.cache(RecentCounts)
    )
    return render(request, "costs", {"costs": costs, "request_name": get_request_name}, fragment="_strip")
