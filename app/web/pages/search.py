"""GET /search: find pages, models, scenes, terms, guides and tokens; Ctrl-K shows the results in a dialog."""

from fastapi import Request
from starlette.responses import HTMLResponse

from ...lab.site_search import search_site
from ..offered import list_offered
from ..policy import RoutePolicy
from ..render import render
from ..routing import Router
from .guides import list_headings

router = Router(include_in_schema=False)
DEFAULT_TOKENIZER = "o200k_base"


@router.get("/search")
@RoutePolicy(run="server")
def page(request: Request, q: str = "", tokenizer: str = DEFAULT_TOKENIZER) -> HTMLResponse:
    offered = list_offered(request)
    chosen = tokenizer if tokenizer in {info.id for info in offered} else DEFAULT_TOKENIZER
    return render(request, "search", {"q": q, "groups": search_site(q, list_headings(), offered, chosen)})
