"""Render templates: a whole page, or only its fragment for a request of htmx."""

from collections.abc import Iterator, Mapping
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from .. import __version__
from ..lab.steps.drawing import Drawing, lattice, tile_tone, tone
from ..lab.steps.tiles import visible
from ..settings import ROOT
from .navigation import find_page, places
from .services import get_services

templates = Environment(
    loader=FileSystemLoader(ROOT / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
templates.globals.update(version=__version__, find_page=find_page)
templates.filters.update(visible=visible, lattice=lattice, tile_tone=tile_tone, tone=tone)


def wants_fragment(request: Request) -> bool:
    """True for a request of htmx, which replaces a part of the page."""
    return request.headers.get("hx-request") == "true"


def render(
    request: Request, name: str, context: Mapping[str, Any], *, fragment: str | None = None, status: int = 200
) -> HTMLResponse:
    """Return `templates/<name>/page.html`; for htmx `_fragment.html`; or the template named by `fragment`."""
    part = fragment or ("_fragment" if wants_fragment(request) else "page")
    shared = {"path": request.url.path, "posted": request.method == "POST", "places": places(request)}
    settings = get_services(request).settings
    # Share cards need whole addresses, which only a server that knows its public name can give.
    shared |= {"site": str(request.base_url) if settings.allowed_hosts else "", "may_save": settings.keep}
    body = templates.get_template(f"{name}/{part}.html").render(context, **shared)
    return HTMLResponse(body, status, headers={"Vary": "HX-Request"})


def picture(drawing: Drawing, name: str) -> Response:
    """Return a drawing as an SVG file to be saved."""
    body = templates.get_template("picture.html").render({"picture": drawing})
    headers = {"Content-Disposition": f'attachment; filename="{name}.svg"'}
    return Response(body, media_type="image/svg+xml", headers=headers)


def stream(name: str, context: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text of a template in parts, so that a long one is never whole in memory."""
    return templates.get_template(name).generate(context)
