"""The course to take along: a notebook of each chapter and of the exercises, and the steps of a scene as sheets."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from html import escape
from typing import Any, Literal

from ... import __version__
from ..sheets.sheet import Sheet
from .chapters import CHAPTERS, Chapter, Lesson
from .code import read_source
from .exercises import EXERCISES
from .prose import SOURCES, find_by_id
from .scene import Claim, Scene, Trace, choose_scene_regions

PLAY = '''\
import doctest

from tokenarium.lab.learn.course import scene
from tokenarium.lab.learn.scene import to_plain_text, trace_scene
from tokenarium.notebook import registry


def ask(id, text):
    """Print the question of a scene and its choices."""
    question = trace_scene(scene(id), text, registry()).question
    if question:
        print(to_plain_text(question.prompt))
        for choice in question.choices:
            print("-", to_plain_text(choice.label))


def play(id, text):
    """Print the steps of a scene, and the answer to its question."""
    trace = trace_scene(scene(id), text, registry())
    for number, step in enumerate(trace.steps):
        print(number, to_plain_text(step.sentence))
        for row in step.rows:
            print("   ", row.label, *(tile.text for tile in row.tiles))
    if trace.question:
        print("The answer:", to_plain_text(trace.question.right.label), trace.question.right.reason)
'''
CHECK = '''\
from tokenarium.lab.learn.exercises import find_exercise


def check(id):
    """Say for each check of an exercise whether your program returns what it should."""
    exercise = find_exercise(id)
    exec(exercise.around, globals())
    for one in exercise.checks:
        try:
            found = repr(eval(one.call, globals()))
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        wrong = f" {one.call} is {found}, not {one.wanted}"
        print(f"right  {one.shows}" if found == one.wanted else f"WRONG  {one.shows}{wrong}")
'''
INSTALL = "The cells need Tokenarium: install its wheel first."
Cell = tuple[Literal["markdown", "code"], str]


def scene_sheets(scene: Scene, trace: Trace) -> list[Sheet]:
    """Return the steps of a scene as sheets, whose source line has the publications that the scene cites."""
    cited = "; ".join(SOURCES[id].short for id in scene.sources)
    source = f"Made with Tokenarium {__version__}" + (f", after {cited}" if cited else "")
    regions, total = choose_scene_regions(trace), len(trace.steps)
    return [Sheet(scene.title, step, regions, number, total, source=source) for number, step in enumerate(trace.steps)]


def find_chapter(id: str) -> Chapter:
    """Return a chapter. Raises `UnknownScene`."""
    return find_by_id(CHAPTERS, id, "notebooks")


def build_notebook(chapter: Chapter) -> dict[str, Any]:
    """Return a chapter as a notebook of format 4.5, whose cells run wherever Tokenarium is installed.

    >>> notebook = build_notebook(find_chapter("bpe"))
    >>> notebook["nbformat"], notebook["cells"][0]["source"].splitlines()[0]
    (4, '# BPE')
    """
    return _join_cells(chapter.id, _iter_cells(chapter))


def build_exercise_notebook() -> dict[str, Any]:
    """Return all exercises as a notebook of format 4.5.

    >>> build_exercise_notebook()["cells"][2]["source"].splitlines()[0]
    '## Train BPE'
    """
    return _join_cells("exercises", _iter_exercise_cells())


def _join_cells(name: str, told: Iterator[Cell]) -> dict[str, Any]:
    cells = [_cell(name, number, kind, source) for number, (kind, source) in enumerate(told)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _iter_exercise_cells() -> Iterator[Cell]:
    yield "markdown", f"# Exercises\n\nComplete each program, and run the next cell, which checks it. {INSTALL}"
    yield "code", CHECK
    for exercise in EXERCISES:
        hints = "".join(
            f"<details><summary>Hint {n}</summary>{escape(hint)}</details>\n"
            for n, hint in enumerate(exercise.hints, 1)
        )
        yield "markdown", f"## {exercise.title}\n\n{exercise.text}\n\n{hints}"
        yield "code", exercise.starter.strip()
        yield "code", f"check({exercise.id!r})"


def _cell(chapter: str, number: int, kind: str, source: str) -> dict[str, Any]:
    cell = {"cell_type": kind, "id": sha256(f"{chapter} {number}".encode()).hexdigest()[:8], "metadata": {}}
    return {**cell, "source": source} | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _iter_cells(chapter: Chapter) -> Iterator[Cell]:
    yield "markdown", f"# {chapter.title}\n\n{chapter.text} {INSTALL}"
    yield "code", PLAY
    for lesson in chapter.lessons:
        yield from _iter_lesson_cells(lesson)


def _iter_lesson_cells(lesson: Lesson) -> Iterator[Cell]:
    """Yield the cells of a scene: what it claims, its question, its steps, and each function with its example."""
    scene = lesson.scene
    claims = "\n\n".join(f"{claim.text} *{_basis(claim)}*" for claim in (scene.claim, *scene.explains))
    yield "markdown", f"## {scene.title}\n\n{claims}\n\nAfter this scene you can {lesson.able}."
    yield "code", f"text = {scene.text!r}\nask({scene.id!r}, text)"
    yield "code", f"play({scene.id!r}, text)"
    yield "markdown", f"{_breaks(scene)}\n\nThe code, to change: its example runs below, and says where it fails."
    for name in scene.code:
        module, _, function = name.partition(".")
        imported = f"from tokenarium.scratch.{module} import *"
        example = f"doctest.run_docstring_examples({function}, globals())"
        yield "code", f"{imported}\n\n\n{read_source(name)[0]}\n\n{example}"
    answer = f"<details><summary>Answer</summary>{escape(scene.transfer.answer)}</details>"
    yield "markdown", f"**Elsewhere:** {scene.transfer.question}\n\n{answer}\n\n{lesson.onward}"


def _basis(claim: Claim) -> str:
    if claim.basis != "source":
        return {"computed": "Computed here.", "convention": "By convention."}[claim.basis]
    source = SOURCES[claim.source]
    return f"{source.short}, {source.title}, {source.identifier}{f', {claim.place}' if claim.place else ''}."


def _breaks(scene: Scene) -> str:
    broken = "\n".join(f"- `{one.text!r}`: {one.shows}" for one in scene.broken)
    return f"Other texts to play:\n\n{broken}"
