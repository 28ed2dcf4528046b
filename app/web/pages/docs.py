"""GET /docs: the API reference with a form for each operation. It loads nothing from another site."""

from fastapi import Request
from starlette.responses import HTMLResponse

from ..api_reference import operations
from ..policy import RoutePolicy
from ..render import render
from ..routing import Router
from .guides import list_guides

router = Router(include_in_schema=False)


@router.get("/docs")
@RoutePolicy(run="server")
def page(request: Request) -> HTMLResponse:
    return render(
        request,
        "docs",
        {"operations": list(operations(request.app.openapi())), "guides": list_guides()},
        fragment="page",
    )
