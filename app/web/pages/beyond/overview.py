"""GET /beyond: the laboratories, each with what becomes a token in it."""

from fastapi import Request
from starlette.responses import HTMLResponse

from ....lab.beyond.laboratories import LABORATORIES
from ...policy import RoutePolicy
from ...render import render
from ...routing import Router

router = Router(include_in_schema=False)


@router.get("/beyond")
@RoutePolicy(run="server")
def page(request: Request) -> HTMLResponse:
    return render(request, "beyond", {"laboratories": LABORATORIES})
