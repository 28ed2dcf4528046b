"""Addresses that pages had before: each leads for ever to where its page is now, with its query."""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import RedirectResponse

from .policy import RoutePolicy
from .routing import Router

MOVED_PAGES: Mapping[str, str] = {"/costs": "/compare"}
"""New addresses by old ones. A route that still has an old address comes before."""

router = Router(include_in_schema=False)


@RoutePolicy(run="server")
def redirect(request: Request) -> RedirectResponse:
    path, query = MOVED_PAGES[request.url.path], request.url.query
    return RedirectResponse(f"{path}?{query}" if query else path, 308)


for _address in MOVED_PAGES:
    router.get(_address)(redirect)
