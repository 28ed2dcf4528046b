"""GET /docs: the API, to be tried out; drawn by Swagger UI from vendored files."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from app.web.render import render

router = APIRouter(include_in_schema=False)


@router.get("/docs")
def page(request: Request) -> HTMLResponse:
    return render(request, "docs", {}, fragment="page")
