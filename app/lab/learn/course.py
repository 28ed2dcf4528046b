"""The course: its scenes in order, what leads to what, and practice after each."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from ...registry import Registry
from ..steps.step import Step
from .by_hand import HandGame
from .prose import find_by_id, read_prose
from .scene import Kind, Question, Scene, Trace, build_scene, trace_scene

SCENES = tuple(build_scene(id) for chapter in read_prose("chapters.toml").values() for id in chapter.get("scenes", {}))
"""All scenes, in the order of the course."""
SHEET = 3
"""Questions of a practice."""
MAX_SEED = 10**6


def scene(id: str) -> Scene:
    """Return a scene. Raises `UnknownScene`."""
    return find_by_id(SCENES, id, "scenes")


def neighbours(id: str) -> tuple[Scene | None, Scene | None]:
    """Return the scenes before and after this one.

    >>> [one and one.id for one in neighbours("ids")]
    [None, 'bytes']
    """
    at = [one.id for one in SCENES].index(id)
    return SCENES[at - 1] if at else None, SCENES[at + 1] if at + 1 < len(SCENES) else None


class Exercise(NamedTuple):
    """A question of a practice, the text that it is about, and the step that shows the answer.

    Of a merge by hand, `games` are the text before and after it.
    """

    text: str
    question: Question
    picture: Step | None = None
    games: tuple[HandGame, ...] = ()


def practice(
    one: Scene, registry: Registry, *, seed: int, kind: Kind | None = None, text: str | None = None
) -> list[Exercise]:
    """Return the questions of a practice, in one kind or in all of the scene by turns. A seed gives the same ones.

    With a text there is one question, about this text. Raises what `trace_scene` raises.
    """
    if text is not None:
        trace = trace_scene(one, text, registry, kind=kind, spread=_spread(one.id, seed))
        return [_exercise(text, trace, trace.question)] if trace.question else []
    random = Random(f"{one.id} {seed}")
    exercises: list[Exercise] = []
    texts = set[str]()
    for tries in range(20 * SHEET):
        text = one.sample(random)
        if text in texts:
            continue
        texts.add(text)
        number = (seed - 1) * SHEET + len(exercises)
        turns = 1 if kind else len(one.kinds)
        wanted = kind or one.kinds[number % turns]
        trace = trace_scene(one, text, registry, kind=wanted, spread=_spread(one.id, number // turns))
        question = trace.question
        if question and (question.kind == wanted or tries > 10 * SHEET):
            exercises.append(_exercise(text, trace, question))
        if len(exercises) == SHEET:
            break
    return exercises


def _exercise(text: str, trace: Trace, question: Question) -> Exercise:
    return Exercise(text, question, trace.steps[question.shown_at])


def _spread(id: str, number: int) -> tuple[float, float]:
    """Return where the right choice of a question stands, from 0 to 1, and its rank: each twelfth once in a dozen."""
    dozen, at = divmod(number, 12)
    place, rank = (Random(f"{id} {what} {dozen}").sample(range(12), 12)[at] for what in ("place", "rank"))
    return (place + 0.5) / 12, (rank + 0.5) / 12
