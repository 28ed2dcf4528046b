"""GET /docs: the API, described and to be tried out, without a file from elsewhere."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.web.reference import operations
from app.web.render import render

router = APIRouter(include_in_schema=False)


@router.get("/docs")
def page(request: Request) -> HTMLResponse:
    return render(request, "docs", {"operations": list(operations(request.app.openapi()))}, fragment="page")
