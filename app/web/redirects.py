"""Addresses that pages had before: each leads for ever to where its page is now, with its query."""

from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from fastapi import Request
from starlette.responses import RedirectResponse

from ..lab.costs import find_paid
from .policy import RoutePolicy
from .routing import Router

MOVED_PAGES: Mapping[str, str] = {"/costs": "/compare"}
"""New addresses by old ones."""

router = Router(include_in_schema=False)


@RoutePolicy(run="server")
def redirect(request: Request) -> RedirectResponse:
    """Lead to the page of now. Raises `Invalid` for a model of /costs that there is none of."""
    query = urlencode([pair for one in parse_qsl(request.url.query) for pair in _translate(*one)])
    path = MOVED_PAGES[request.url.path]
    return RedirectResponse(f"{path}?{query}" if query else path, 308)


def _translate(name: str, value: str) -> list[tuple[str, str]]:
    """Return the fields of now for one of an old address: /costs had `models`, which are rows of /compare."""
    if name != "models":
        return [(name, value)]
    rows = dict.fromkeys(model.tokenizer or model.id for model in find_paid(value.split()))
    return [("tokenizer", row) for row in rows]


for _address in MOVED_PAGES:
    router.get(_address)(redirect)
