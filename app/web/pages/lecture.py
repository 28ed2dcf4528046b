"""GET /lecture: a lecture, edited in the browser and kept there alone; its text slides, and its handout to print."""

from dataclasses import replace
from functools import partial
from typing import Annotated, Any
from urllib.parse import parse_qs, urlsplit

from fastapi import Request
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse, Response

from ...lab.learn.answers import ANSWER_SHOWN
from ...lab.learn.course import SCENES
from ...lab.learn.notebooks import scene_sheets
from ...lab.lecture import READY, choose_steps
from ...lab.option_schema import Items
from ...lab.sheets.sheet import draw_sheets
from ...serialize.svg import collect_letters, write_svg
from ..forms import Form
from ..navigation import PLACES
from ..render import render
from ..routing import Router
from .learn import context

router = Router(include_in_schema=False)


MAX_ITEMS = 200


class HandoutItem(BaseModel):
    """A page of a lecture, from its step on or with that step alone."""

    address: str = Field(max_length=20_000)
    alone: bool = False


HandoutItems = Annotated[Items[HandoutItem], Field(max_length=MAX_ITEMS)]


@router.get("/lecture")
def page(request: Request) -> HTMLResponse:
    return render(request, "lecture", {"ready": READY, "scenes": SCENES, "pages": PLACES}, fragment="page")


@router.get("/lecture/slide")
def slide(request: Request) -> HTMLResponse:
    return render(request, "lecture", {}, fragment="slide")


@router.get("/lecture/handout")
def handout(request: Request) -> HTMLResponse:
    return render(request, "lecture", {}, fragment="handout")


@router.post("/lecture/handout")
def scenes(request: Request, items: HandoutItems) -> HTMLResponse:
    """Return what a handout shows of each item that is a scene, and a mere place for each other one."""
    shown = [_scene(request, item) for item in items]
    letters = collect_letters(text for one in shown if one for picture in one["pictures"] for text in picture.all_texts)
    write = partial(write_svg, letters=letters)
    return render(request, "lecture", {"scenes": shown, "write_svg": write}, fragment="_scenes")


@router.post("/lecture/warm")
def warm(request: Request, items: HandoutItems) -> Response:
    """Load the tokenizers and fonts that a handout needs: its lecture is on the screen, and may soon be printed."""
    for item in items:
        _scene(request, item)
    return Response(status_code=204)


def _scene(request: Request, item: HandoutItem) -> dict[str, Any] | None:
    url = urlsplit(item.address)
    one = next((scene for scene in SCENES if url.path == f"/learn/{scene.id}"), None)
    if one is None:
        return None
    fields = {"answer": [ANSWER_SHOWN], **parse_qs(url.query, keep_blank_values=True)}
    shown = context(request, one, Form(fields, fields.get("text", [""])[-1]))
    trace = shown["trace"]
    sheets = scene_sheets(one, trace)
    if trace.question and trace.question.given:
        sheets[0] = replace(sheets[0], step=trace.question.given, total=0)
    chosen = [sheets[at] for at in choose_steps(shown["at"], len(sheets), alone=item.alone)]
    return {**shown, "pictures": draw_sheets(chosen, "slide")}
