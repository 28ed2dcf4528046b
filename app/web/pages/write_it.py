"""GET and POST /learn/write-it and its exercises: programs that the learner writes and the learner's browser checks.

The teaching file stands beside a program only once the learner asks, which sends the program.
"""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse

from ...errors import Invalid
from ...lab.learn.chapters import find_page
from ...lab.learn.exercises import EXERCISES, find_exercise
from ...lab.learn.write_it import compare_functions
from ...serialize.problem import Problem
from ..forms import SentForm, fold
from ..policy import RoutePolicy, always
from ..render import render
from ..routing import Router
from ..static_files import PYTHON_WORKER

router = Router(include_in_schema=False)
ADDRESS = "/learn/write-it"
FIRST = EXERCISES[0].id
PYTHON_MEGABYTES = 6.3
"""What a browser loads for Python, compressed."""


@router.get(ADDRESS)
@router.get(f"{ADDRESS}/{{id}}")
def page(request: Request, id: str = FIRST) -> HTMLResponse:
    return respond(request, id, find_exercise(id).starter)


@router.post(ADDRESS)
@router.post(f"{ADDRESS}/{{id}}")
@RoutePolicy(untrusted=always)
def post(request: Request, form: SentForm, id: str = FIRST) -> HTMLResponse:
    program = fold(form.get("program"))
    try:
        return respond(request, id, program, functions=compare_functions(program, find_exercise(id)))
    except Invalid as error:
        return respond(request, id, program, Problem.of(error))


def respond(request: Request, id: str, program: str, problem: Problem | None = None, **shown: Any) -> HTMLResponse:
    """Return an exercise with a program, and its lines beside those of the teaching file if they were asked for."""
    chapter, listed = find_page(ADDRESS)
    context: dict[str, Any] = {
        "exercise": find_exercise(id),
        "exercises": EXERCISES,
        "program": program,
        "chapter": chapter,
        "page": listed,
        "worker": PYTHON_WORKER,
        "megabytes": PYTHON_MEGABYTES,
        "functions": (),
        "problem": problem,
    }
    return render(request, "learn", context | shown, page="write_it", status=problem.status if problem else 200)
