"""GET /tokenizers/fetch: the licence of a vocabulary, and a form to accept it; then the page of the fetch."""

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse

from ...lab.tokenizers.catalogue import get_catalogue
from ..api.fetches import FETCHES, FetchParam, serialize_fetch, start_fetch
from ..forms import SentForm
from ..policy import RoutePolicy
from ..render import render, wants_fragment
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)


@router.get("/tokenizers/fetch")
@RoutePolicy(run="server")
def page(request: Request, name: str = "") -> HTMLResponse:
    settings = get_services(request).settings
    shown = {"wanted": get_catalogue(settings).find(name), "may_fetch": settings.may_fetch}
    return render(request, "tokenizers", shown, fragment="_request" if wants_fragment(request) else "licence")


@router.post("/tokenizers/fetch")
@RoutePolicy(run="server")
def post(request: Request, form: SentForm) -> RedirectResponse:
    job = start_fetch(request, form.get("name").strip(), accepted=bool(form.get("accept_licence")))
    return RedirectResponse(f"/tokenizers/fetch/{job.id}", 303)


@router.get("/tokenizers/fetch/{id}")
@RoutePolicy(run="server")
def job_page(request: Request, job: FetchParam) -> HTMLResponse:
    return render(request, "tokenizers", {"fetch": serialize_fetch(job)}, fragment="fetch")


FETCHES.add_cancel_page(router, "/tokenizers/fetch")
