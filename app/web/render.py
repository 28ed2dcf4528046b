"""Templates: a whole page, or only its fragment where htmx asks for one."""

from collections.abc import Iterator, Mapping
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from app import __version__
from app.lab.steps.drawing import tone
from app.lab.steps.pictures import lattice
from app.lab.steps.spelling import visible
from app.settings import ROOT

NAVIGATION = (
    ("/", "Playground"),
    ("/steps", "Steps"),
    ("/compare", "Compare"),
    ("/chat", "Chat"),
    ("/languages", "Languages"),
    ("/train", "Train"),
    ("/conformance", "Conformance"),
    ("/docs", "API"),
)

templates = Environment(
    loader=FileSystemLoader(ROOT / "templates"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
templates.globals.update(version=__version__, navigation=NAVIGATION)
templates.filters.update(visible=visible, lattice=lattice, tone=tone)


def wants_fragment(request: Request) -> bool:
    """Whether htmx asks, and so wants no page around the answer."""
    return request.headers.get("hx-request") == "true"


def render(
    request: Request, name: str, context: Mapping[str, Any], *, fragment: str | None = None, status: int = 200
) -> HTMLResponse:
    """`templates/<name>/page.html`, or its `_fragment.html` for htmx, or the one named."""
    part = fragment or ("_fragment" if wants_fragment(request) else "page")
    body = templates.get_template(f"{name}/{part}.html").render(context, path=request.url.path)
    return HTMLResponse(body, status, headers={"Vary": "HX-Request"})


def stream(name: str, context: Mapping[str, Any]) -> Iterator[str]:
    """A template in parts, each as soon as it is known."""
    return templates.get_template(name).generate(context)
