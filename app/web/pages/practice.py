"""GET /learn/…/practice: questions about a scene, or merges by hand, and their answers. The state is in the address."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import Request
from starlette.responses import HTMLResponse

from ...lab.learn.answers import ANSWER_SHOWN, Answer, join_values, judge
from ...lab.learn.chapters import find_page
from ...lab.learn.course import MAX_SEED, Exercise, practice, scene
from ...lab.learn.hand_practice import ask_merges, draw_text
from ...lab.learn.scene import KINDS, Kind, Scene
from ..forms import Form, read_query
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)


def read_seed(form: Form) -> int:
    return min(form.number("seed") or 1, MAX_SEED)


def respond(
    request: Request,
    id: str,
    title: str,
    exercises: Sequence[Exercise],
    asked: Scene | None = None,
    *,
    kind: Kind | None = None,
) -> HTMLResponse:
    """Return the questions with the answers that were sent; of merges those up to the first that is open."""
    form = read_query(request)
    solved = form.get_choice("answers", ("", "1"), "") == "1"
    answered: list[tuple[Exercise, Answer | None]] = []
    for number, exercise in enumerate(exercises):
        answer = judge(exercise.question, join_values(exercise.question, form.getall(f"answer-{number}")))
        answered.append((exercise, answer))
        if exercise.games and answer is None and not solved:
            break
    context = {
        "id": id,
        "title": title,
        "scene": asked,
        "seed": read_seed(form),
        "kind": kind,
        "text": form.get("text") or None,
        "exercises": answered,
        "total": len(exercises),
        "right": sum(answer is not None and answer.right for _, answer in answered),
        "solved": solved,
        "shown": Answer(ANSWER_SHOWN),
        "query": request.url.query,
    }
    return render(request, "learn", context, page="practice")


@router.get("/learn/by-hand/practice")
def hand_practice(request: Request) -> HTMLResponse:
    form = read_query(request)
    exercises = ask_merges(form.get("text") or draw_text(read_seed(form)))
    return respond(request, "by-hand", find_page("/learn/by-hand")[1].title, exercises)


@router.get("/learn/{id}/practice")
def scene_practice(request: Request, id: str) -> HTMLResponse:
    form = read_query(request)
    one = scene(id)
    kind = form.get_choice("kind", KINDS, one.kinds[0]) if "kind" in form.fields else None
    registry = get_services(request).registry
    exercises = practice(one, registry, seed=read_seed(form), kind=kind, text=form.get("text") or None)
    return respond(request, id, one.title, exercises, one, kind=kind)
