"""GET /lecture: a lecture, edited in the browser and kept there alone; its text slides, and its handout to print."""

from fastapi import Request
from starlette.responses import HTMLResponse

from ...lab.learn.course import SCENES
from ...lab.lecture import READY
from ..navigation import PLACES
from ..render import render
from ..routing import Router

router = Router(include_in_schema=False)


@router.get("/lecture")
def page(request: Request) -> HTMLResponse:
    return render(request, "lecture", {"ready": READY, "scenes": SCENES, "pages": PLACES}, fragment="page")


@router.get("/lecture/slide")
def slide(request: Request) -> HTMLResponse:
    return render(request, "lecture", {}, fragment="slide")


@router.get("/lecture/handout")
def handout(request: Request) -> HTMLResponse:
    return render(request, "lecture", {}, fragment="handout")
