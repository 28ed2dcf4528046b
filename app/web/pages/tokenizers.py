"""GET and POST /tokenizers: a table of every tokenizer and its figures; add one, delete one. Each has a card."""

from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ...lab.languages.atlas import add_trained_columns, read_atlas
from ...lab.models import resolve_model
from ...lab.tokenizers import saving
from ...lab.tokenizers.card import (
    CHEAP,
    KINDS,
    RISING,
    SORT_KEYS,
    TokenizerCard,
    as_markdown,
    build_card,
    in_order,
    summaries,
)
from ..body import JSONResponse
from ..downloads import as_file
from ..forms import Form, SentForm, read_query
from ..offered import list_offered, private_infos, remember
from ..policy import RoutePolicy
from ..render import render
from ..routing import Router
from ..services import get_services
from ..uploads import add_upload

router = Router(include_in_schema=False)
PAGES = {
    "/": "the playground",
    "/steps": "steps",
    "/compare": "the comparison",
    "/chat": "chat",
    "/conformance": "conformance",
    "/surgery": "surgery",
}
"""The pages that have a picker, with which a tokenizer that was added can be opened."""
ORDERS = ("rising", "falling")
ORIGINS = {
    "bundled": "with Tokenarium",
    "configured": "from a folder that this server's settings name",
    "trained": "from a training on this server",
    "added": "from files that were added here",
    "fetched": "from its package, fetched here",
    "private": "from files that were added for an hour",
}


def context(request: Request, form: Form) -> dict[str, Any]:
    """Return the context of the templates; `added` in the form is the id of one just added, `back` the page before."""
    services = get_services(request)
    registry = services.registry
    infos = [*registry.infos(), *private_infos(request)]
    sort = form.get_choice("sort", SORT_KEYS, "origin")
    rising = form.get_choice("order", ORDERS, "rising" if sort in RISING else "falling") == "rising"
    atlas = add_trained_columns(read_atlas(services.settings.store), registry)
    added = form.get("added")
    back = form.get("back")
    new = next((info for info in list_offered(request, [added]) if info.id == added), None)
    return {
        "q": form.get("q"),
        "rows": in_order(summaries(services.settings, registry, atlas, infos), sort, rising=rising),
        "sort": sort,
        "rising": rising,
        "rising_first": RISING,
        "damaged": registry.list_damaged(),
        "added": new,
        "added_size": registry.size(new.id) if new else None,
        "back": back if back in PAGES else "",
        "pages": PAGES,
        "may_keep": services.settings.keep,
        "limit": services.settings.max_upload,
        "here": {info.id for info in infos},
        "may_fetch": services.settings.may_fetch,
    }


@router.get("/tokenizers")
@RoutePolicy(run="server")
def page(request: Request) -> HTMLResponse:
    return render(request, "tokenizers", context(request, read_query(request)), fragment="page")


@router.post("/tokenizers")
@RoutePolicy(run="server", upload=True)
async def post(request: Request) -> Response:
    added, fields = await add_upload(request)
    query = urlencode({"added": added.info.id, "back": fields.get("back", "")})
    if fields.get("script"):  # the page shows the result itself
        described = {"id": added.info.id, "title": added.info.title, "place": f"/tokenizers?{query}"}
        response: Response = JSONResponse(described, 201)
    else:
        response = RedirectResponse(f"/tokenizers?{query}", 303)
    remember(request, response, added.info.id)
    return response


@router.post("/tokenizers/delete")
@RoutePolicy(run="server")
def delete(request: Request, form: SentForm) -> RedirectResponse:
    saving.delete(get_services(request).settings, form.get("id"))
    return RedirectResponse("/tokenizers", 303)


# Before the page of a card, whose id may contain slashes.
@router.get("/tokenizers/{id:path}/card.md")
def markdown(id: str, request: Request) -> Response:
    """The card as Markdown, to put beside a model."""
    return as_file(as_markdown(card(request, id)), f"{id}.md")


@router.get("/tokenizers/{id:path}")
def sheet(id: str, request: Request) -> HTMLResponse:
    """The card of a tokenizer: everything about it on one sheet."""
    context = {"card": card(request, id), "kinds": KINDS, "cheap": f"{CHEAP:g}", "origins": ORIGINS}
    return render(request, "tokenizers", context, fragment="card")


def card(request: Request, id: str) -> TokenizerCard:
    """Return the card of a tokenizer or of that of a model. Raises `UnknownTokenizer`."""
    services = get_services(request)
    atlas = add_trained_columns(read_atlas(services.settings.store), services.registry)
    return build_card(services.settings, services.registry, atlas, resolve_model(services.registry, id, pointer=None))
