"""Render templates: a whole page, or only its fragment for a request of htmx."""

from collections.abc import Iterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ..lab.tokenizers.catalogue import get_catalogue
from ..serialize.templates import templates
from .compression import compress
from .navigation import PLACES, find_page
from .services import get_services
from .static_files import versioned

templates.globals.update(find_page=find_page, places=PLACES, static=versioned.address)


def wants_fragment(request: Request) -> bool:
    """True for a request of htmx, which replaces a part of the page."""
    return request.headers.get("hx-request") == "true"


def send_to(request: Request, place: str) -> Response:
    """Return the answer that leads a browser to a page, also from a request of htmx."""
    if wants_fragment(request):
        return Response(status_code=204, headers={"HX-Redirect": place})
    return RedirectResponse(place, 303)


def render(
    request: Request,
    name: str,
    context: Mapping[str, Any],
    *,
    page: str | None = None,
    fragment: str | None = None,
    status: int = 200,
) -> HTMLResponse:
    """Return `templates/<name>/page.html`, or `<page>.html`; for htmx `_fragment.html`, or `_<page>.html`.

    A `fragment` is the template for both.

    A form of htmx shows what it is refused as its answer: 413 and 422 become 200, which a browser does not write to
    its console as an error.
    """
    whole, part = (page, f"_{page}") if page else ("page", "_fragment")
    path = f"{name}/{fragment or (part if wants_fragment(request) else whole)}.html"
    shared: dict[str, Any] = {"path": request.url.path, "posted": request.method == "POST"}
    settings = get_services(request).settings
    # Share cards need whole addresses, which only a server that knows its public name can give.
    shared |= {"site": str(request.base_url) if settings.allowed_hosts else "", "may_save": settings.keep}
    shared |= {"offers": get_catalogue(settings)}
    # A page with a shorter limit for its text says so in its own context.
    body = templates.get_template(path).render({"max_text": settings.max_text, **context, **shared})
    shown = status in (413, 422) and "hx-request-type" in request.headers
    answer = HTMLResponse(body, 200 if shown else status, headers={"Vary": "HX-Request"})
    # What a cookie names may be secret, and the size of a compressed page could tell a stranger who chooses its text.
    public = path.endswith("/page.html") and request.method == "GET" and not request.cookies
    return compress(answer, request.headers) if public else answer


def stream(name: str, context: Mapping[str, Any]) -> Iterator[str]:
    """Yield the text of a template in parts, so that a long one is never whole in memory."""
    return templates.get_template(name).generate(context)
