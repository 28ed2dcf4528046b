"""GET /search: find a page, a model, a tokenizer, a scene, a term or a token; Ctrl-K shows its results in a dialog."""

from fastapi import Request
from starlette.responses import HTMLResponse

from ...lab.site_search import search_site
from ..navigation import PLACES, SITE_PAGES
from ..offered import list_offered
from ..policy import RoutePolicy
from ..render import render
from ..routing import Router

router = Router(include_in_schema=False)
DEFAULT_TOKENIZER = "o200k_base"


@router.get("/search")
@RoutePolicy(run="server")
def page(request: Request, q: str = "", tokenizer: str = DEFAULT_TOKENIZER) -> HTMLResponse:
    offered = list_offered(request)
    pages = [(address, title, place.label) for place in PLACES for address, title in place.all_pages]
    pages += [(address, title, "Site") for address, title in SITE_PAGES]
    chosen = tokenizer if tokenizer in {info.id for info in offered} else DEFAULT_TOKENIZER
    return render(request, "search", {"q": q, "groups": search_site(q, pages, offered, chosen)})
