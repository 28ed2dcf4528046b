"""GET /beyond: the laboratories, each with what becomes a token in it."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from ....lab.beyond.laboratories import LABORATORIES, Laboratory
from ...policy import RoutePolicy
from ...render import render
from ...route_table import NO_ROUTE
from ...services import get_services

router = APIRouter(include_in_schema=False)


def laboratories(request: Request) -> dict[str, tuple[Laboratory, ...]]:
    """Return what every page below `/beyond` needs for its links: the laboratories that this app has."""
    find = get_services(request).routes.find
    return {"laboratories": tuple(one for one in LABORATORIES if find("GET", one.address).template != NO_ROUTE)}


@router.get("/beyond")
@RoutePolicy(run="server")
def page(request: Request) -> HTMLResponse:
    context: dict[str, Any] = laboratories(request)
    return render(request, "beyond", context)
