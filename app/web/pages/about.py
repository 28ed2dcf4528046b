"""GET /about: what this server runs, where everything bundled comes from, its licences, and what is collected."""

from fastapi import Request
from starlette.responses import HTMLResponse, PlainTextResponse

from ...lab.about import components, licence_text, versions
from ...settings import ROOT
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)


@router.get("/about")
def page(request: Request) -> HTMLResponse:
    store = get_services(request).settings.store
    return render(request, "about", {"versions": versions(), "components": components(store, ROOT)})


@router.get("/about/licences/{name}")
def licence(request: Request, name: str) -> PlainTextResponse:
    return PlainTextResponse(licence_text(get_services(request).settings.store, ROOT, name))
