"""GET and POST /learn/write-it: the two functions of BPE, written by the learner and checked in a limited worker.

The teaching file stands beside them only once the learner asks.
"""

from __future__ import annotations

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse

from ...errors import NotAllowed
from ...lab.learn.chapters import find_page
from ...lab.learn.programs.exercise import STARTER, TEACHING_FILE, check_program, compare_functions
from ...lab.learn.programs.interpreter import MAX_PROGRAM, MAX_STEPS
from ...lab.learn.programs.values import ProgramFault
from ..forms import SentForm, fold
from ..policy import RoutePolicy, always
from ..render import render
from ..routing import Router
from ..services import get_services

router = Router(include_in_schema=False)
ADDRESS = "/learn/write-it"


def respond(request: Request, program: str, **shown: Any) -> HTMLResponse:
    """Return the page with a program, and its checks if it was run."""
    chapter, page = find_page(ADDRESS)
    context: dict[str, Any] = {
        "checks": (),
        "program": program,
        "chapter": chapter,
        "page": page,
        "may_run": get_services(request).settings.may_run,
        "most_steps": MAX_STEPS,
        "most_letters": MAX_PROGRAM,
        "functions": (),
        "fault": None,
        "teaching_file": TEACHING_FILE,
    }
    return render(request, "learn", context | shown, page="write_it")


@router.get(ADDRESS)
def page(request: Request) -> HTMLResponse:
    return respond(request, STARTER)


@router.post(ADDRESS)
@RoutePolicy(untrusted=always)
def post(request: Request, form: SentForm) -> HTMLResponse:
    if not get_services(request).settings.may_run:
        raise NotAllowed("This server runs no programs of visitors; TOKENARIUM_PROGRAMS=on would allow it.")
    program = fold(form.get("program"))
    shown: dict[str, Any] = {"checks": check_program(program)}
    if form.get_choice("compare", ("", "1"), ""):
        try:
            shown["functions"] = compare_functions(program)
        except ProgramFault as fault:
            shown["fault"] = fault
    return respond(request, program, **shown)
