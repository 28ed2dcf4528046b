"""GET /learn: the course. A scene traces a text and has a question before it."""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ...csv_text import csv_text
from ...lab.learn.answers import ANSWER_SHOWN, Answer, join_values, judge
from ...lab.learn.calculators import CALCULATORS, calculator
from ...lab.learn.chapters import CHAPTERS, FAILURES, draw_map, find_lesson, introduce
from ...lab.learn.code import read_listing
from ...lab.learn.course import SCENES, neighbours, scene
from ...lab.learn.glossary import TERMS, find_terms, term
from ...lab.learn.notebooks import build_exercise_notebook, build_notebook, find_chapter, scene_sheets
from ...lab.learn.prose import SOURCES
from ...lab.learn.scene import KINDS, Kind, Question, Scene, choose_scene_regions, trace_scene
from ...lab.option_schema import get_option_fields
from ..downloads import as_file
from ..forms import Form, SentForm, read_query
from ..option_models import read_options
from ..pictures import STEP_KINDS, step_picture
from ..render import render, stream
from ..routing import Router
from ..services import get_services
from ..standalone_html import scene_parts

router = Router(include_in_schema=False)


def context(request: Request, one: Scene, form: Form, *, kind: Kind | None = None) -> dict[str, Any]:
    """Return the context of the templates: the trace of a scene at a step, with the answer that was given, if any.

    A question is asked before the first step: whoever goes on without an answer is asked once more, and the answer is
    shown if they go on again. A link to a step shows the step.
    """
    text = form.get("example") or (form.text if "text" in form.fields else one.text)
    wanted = kind or form.get_choice("kind", KINDS, one.kinds[0])
    trace = trace_scene(one, text, get_services(request).registry, kind=wanted)
    at = form.number("step") if "step" in form.fields else form.number("at")
    at = min(at or 0, len(trace.steps) - 1)
    chapter, lesson = find_lesson(one.id)
    question = trace.question
    answer = _read_answer(form, question)
    urged = False
    if question and answer is None:
        if at and (request.method == "GET" or form.get("urged") == question.id):
            answer = Answer(ANSWER_SHOWN)
            at = at if request.method == "GET" else 0
        else:
            urged, at = at > 0, 0
    # What is given stays beside the question and its answer, until Next.
    step = question.given if question and question.given and not at else trace.steps[at]
    return {
        "scene": one,
        "regions": choose_scene_regions(trace),
        "chapter": chapter,
        "lesson": lesson,
        "scenes": SCENES,
        "text": text,
        "trace": trace,
        "at": at,
        "step": step,
        "answer": answer,
        "urged": urged,
        "listings": [read_listing(name) for name in one.code],
        "sources": SOURCES,
        "neighbours": neighbours(one.id),
        "find_terms": partial(find_terms, seen=set()),
    }


def _read_answer(form: Form, question: Question | None) -> Answer | None:
    """Return the answer that was given now, or to the same question before. Raises `Invalid`."""
    values = form.getall("answer")
    if question and form.get("asked", question.id) != question.id:
        values = []  # it was typed before the text was changed
    sent = join_values(question, values)
    if (not question or question.kind == "choose") and ANSWER_SHOWN not in values:
        form.number("answer")
    id, _, before = form.get("answered").partition(":")
    return judge(question, sent or (before if question and id == question.id else ""))


@router.get("/learn")
def page(request: Request) -> HTMLResponse:
    shared = {"scenes": SCENES, "chapters": CHAPTERS, "failures": FAILURES, "map": draw_map()}
    return render(request, "learn", shared)


@router.get("/learn/introduction")
def introduction_page(request: Request) -> HTMLResponse:
    registry = get_services(request).registry
    shared = {"scenes": SCENES, "chapters": CHAPTERS, "failures": FAILURES, "introduction": introduce(registry)}
    return render(request, "learn", shared, fragment="introduction")


@router.get("/learn/glossary")
def glossary_page(request: Request) -> HTMLResponse:
    shared = {"terms": TERMS, "sources": SOURCES, "registry": get_services(request).registry}
    return render(request, "learn", shared, fragment="glossary")


@router.get("/learn/glossary/{id}")
def glossary_term(request: Request, id: str) -> HTMLResponse:
    shared = {"term": term(id), "sources": SOURCES, "registry": get_services(request).registry}
    return render(request, "learn", shared, fragment="_term")


@router.get("/learn/calculators")
def calculators_page(request: Request) -> HTMLResponse:
    return render(request, "learn", {"calculators": CALCULATORS}, fragment="calculators")


@router.get("/learn/calculators/{id}")
def calculator_page(request: Request, id: str) -> Response:
    form = read_query(request)
    one = calculator(id)
    options: Any = read_options(form, one.schema)
    result = one.result(options, get_services(request).settings)
    if form.get_choice("format", ("", "csv"), "") == "csv":
        return as_file(csv_text([result.heads, *result.rows]), f"{id}.csv")
    shared = {
        "calculator": one,
        "calculators": CALCULATORS,
        "options": options,
        "fields": get_option_fields(one.schema),
    }
    query = {name: value for name in get_option_fields(one.schema) if (value := getattr(options, name)) is not False}
    shared |= {"result": result, "sources": SOURCES, "query": urlencode(query)}
    return render(request, "learn", shared, page="calculator")


@router.get("/learn/{id}.ipynb")
def notebook(id: str) -> Response:
    built = build_exercise_notebook() if id == "exercises" else build_notebook(find_chapter(id))
    return as_file(built, f"{id}.ipynb")


@router.get("/learn/{id}")
def scene_page(request: Request, id: str) -> HTMLResponse:
    return render(request, "learn", context(request, scene(id), read_query(request)), fragment="scene")


@router.post("/learn/{id}")
def post(request: Request, id: str, form: SentForm) -> HTMLResponse:
    return render(request, "learn", context(request, scene(id), form), page="scene")


@router.post("/learn/{id}/download")
def download(request: Request, id: str, form: SentForm) -> Response:
    kind = form.get_choice("format", (*STEP_KINDS, "html"), "html")
    shown = context(request, scene(id), form, kind="choose" if kind == "html" else None)
    if kind != "html":
        sheets = scene_sheets(shown["scene"], shown["trace"])
        return step_picture(sheets[shown["at"]], lambda: sheets, id, kind, form)
    return as_file(stream("learn/takeaway.html", scene_parts(shown)), f"{id}.html")
