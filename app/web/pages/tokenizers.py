"""GET and POST /tokenizers: every tokenizer by its origin, with size and licence; add one, delete one."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ...types import TokenizerInfo
from ..body import JSONResponse
from ..forms import Form, read_form
from ..offered import offered, private_infos, remember
from ..policy import RoutePolicy
from ..render import render
from ..uploads import add_upload

router = APIRouter(include_in_schema=False)
Sent = Annotated[Form, Depends(read_form)]
PAGES = {
    "/": "the playground",
    "/steps": "steps",
    "/compare": "the comparison",
    "/chat": "chat",
    "/conformance": "conformance",
    "/surgery": "surgery",
}
"""The pages that have a picker, with which a tokenizer that was added can be opened."""


def context(request: Request, added: str = "", back: str = "") -> dict[str, Any]:
    """Return the context of the templates; `added` is the id of one that was just added from the page `back`."""
    from ...lab.tokenizers.catalogue import catalogue_of

    state = request.app.state
    registry, private = state.registry, private_infos(request)
    infos = registry.infos()
    groups: dict[str, list[TokenizerInfo]] = {
        "private": private,
        **{origin: [info for info in infos if info.origin == origin] for origin in ("added", "fetched", "trained")},
        "bundled": [info for info in infos if info.origin in ("bundled", "configured")],
    }
    return {
        "groups": groups,
        "sizes": {info.id: registry.size(info.id) for info in (*infos, *private)},
        "damaged": registry.damaged(),
        "added": next((info for info in offered(request, [added]) if info.id == added), None),
        "back": back if back in PAGES else "",
        "pages": PAGES,
        "may_keep": state.settings.keep,
        "limit": state.settings.max_upload,
        "offers": catalogue_of(state.settings),
        "may_fetch": state.settings.may_fetch,
    }


@router.get("/tokenizers")
@RoutePolicy(run="server")
def page(request: Request, added: str = "", back: str = "") -> HTMLResponse:
    return render(request, "tokenizers", context(request, added, back), fragment="page")


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
def delete(request: Request, form: Sent) -> RedirectResponse:
    from ...lab.tokenizers.keeping import delete

    delete(request.app.state.settings, form.get("id"))
    return RedirectResponse("/tokenizers", 303)
