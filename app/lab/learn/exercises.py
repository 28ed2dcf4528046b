"""The exercises: programs to complete, and the calls that check them; a file in `templates/learn/exercises` each.

The browser of the learner runs the program, in the worker static/js/learn/python.js, or a notebook does (`notebooks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from .prose import FOLDER, build, find_by_id, read_prose


@dataclass(frozen=True, slots=True)
class ProgramCheck:
    """What a call shows, the call as Python spells it, and how it spells what the call should return."""

    shows: str
    call: str
    wanted: str


@dataclass(frozen=True, slots=True)
class ProgramExercise:
    """A program to complete.

    - `starter` is what the learner begins with, and `around` the code that is run after it, which the calls may use.
    - `teaching` has for each function to write those of the teaching files that together do the same, and `differs`
      says what these do otherwise. `done` is said once all checks are right, and `note` stands before the code around.
    """

    id: str
    place: int
    title: str
    text: str
    starter: str
    done: str
    checks: tuple[ProgramCheck, ...]
    around: str
    teaching: Mapping[str, list[str]] = field(default_factory=dict)
    differs: str = ""
    note: str = ""
    hints: list[str] = field(default_factory=list)


def _build_exercises() -> Iterator[ProgramExercise]:
    for path in (FOLDER / "exercises").glob("*.toml"):
        place = f"exercises/{path.name}"
        table = dict(read_prose(place))
        checks = tuple(build(ProgramCheck, check, f"{place}: [[checks]]") for check in table.pop("checks"))
        yield build(ProgramExercise, table, place, id=path.stem, checks=checks)


EXERCISES = tuple(sorted(_build_exercises(), key=lambda exercise: exercise.place))
"""All exercises, in their order."""


def find_exercise(id: str) -> ProgramExercise:
    """Return an exercise. Raises `UnknownScene`."""
    return find_by_id(EXERCISES, id, "exercises")
