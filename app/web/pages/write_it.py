"""GET and POST /learn/write-it: the two functions of BPE, written by the learner and checked in the learner's browser.

The teaching file stands beside them only once the learner asks, which sends the program.
"""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse

from ...errors import Invalid
from ...lab.learn.chapters import find_page
from ...lab.learn.write_it import STARTER, TEACHING_FILE, TRAINING, compare_functions, list_checks
from ...serialize.problem import Problem
from ..forms import SentForm, fold
from ..policy import RoutePolicy, always
from ..render import render
from ..routing import Router
from ..static_files import PYTHON_WORKER

router = Router(include_in_schema=False)
ADDRESS = "/learn/write-it"
PYTHON_MEGABYTES = 6.3
"""What a browser loads for Python, compressed."""


def respond(request: Request, program: str, problem: Problem | None = None, **shown: Any) -> HTMLResponse:
    """Return the page with a program, and its lines beside those of the teaching file if they were asked for."""
    chapter, page = find_page(ADDRESS)
    context: dict[str, Any] = {
        "checks": list_checks(),
        "program": program,
        "training": TRAINING,
        "chapter": chapter,
        "page": page,
        "worker": PYTHON_WORKER,
        "megabytes": PYTHON_MEGABYTES,
        "functions": (),
        "problem": problem,
        "teaching_file": TEACHING_FILE,
    }
    return render(request, "learn", context | shown, page="write_it", status=problem.status if problem else 200)


@router.get(ADDRESS)
def page(request: Request) -> HTMLResponse:
    return respond(request, STARTER)


@router.post(ADDRESS)
@RoutePolicy(untrusted=always)
def post(request: Request, form: SentForm) -> HTMLResponse:
    program = fold(form.get("program"))
    try:
        return respond(request, program, functions=compare_functions(program))
    except Invalid as error:
        return respond(request, program, Problem.of(error))
