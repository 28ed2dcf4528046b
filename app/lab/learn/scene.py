"""The types of the course: a scene, its trace for a text, and the question to answer before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, Literal

from ...errors import Invalid
from ..steps.frames import Fact, Tile, TileRow
from .prose import SENTENCES, build, read_prose

if TYPE_CHECKING:
    from ...registry import Registry
    from ..steps.drawing import Drawing

MAX_TEXT = 400
"""Characters of the longest text of a scene."""
MAX_STEPS = 120
"""Steps of the longest trace; what follows them is left out."""

NUMBER = re.compile(r"\d+(?:\.\d+)?(?= |$)")
"""A label that is a number, perhaps with its unit."""

Words = tuple[str | Tile, ...]
"""A sentence, with the tokens that it mentions as tiles."""
Basis = Literal["computed", "source", "convention"]
"""What a claim rests on: the engine computes it here · a publication says it · people have agreed to do it so."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence or two that the course holds to be true, and what it rests on.

    `source` is the id of a publication, and `place` is where in it; for what is computed, `place` says by what.
    """

    text: str
    basis: Basis
    source: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class TableRow:
    """The cells of a row; `chosen` marks what the algorithm takes."""

    cells: tuple[str | Words, ...]
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class SceneTable:
    """A table beside the stage, with the number of rows that are left out."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """The stage after one step.

    `line` is the line of the teaching file that made it, as (function, line number), and `symbols` are those of the
    equation that the step is about.
    """

    text: Words
    rows: tuple[TileRow, ...] = ()
    line: tuple[str, int] = ("", 0)
    table: SceneTable | None = None
    facts: tuple[Fact, ...] = ()
    symbols: frozenset[str] = frozenset()
    figure: Drawing | None = None


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """A possible answer, and why it is right or wrong."""

    label: Words
    right: bool
    reason: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose answer the engine has computed; exactly one choice is right."""

    prompt: Words
    choices: tuple[AnswerChoice, ...]

    @property
    def answer(self) -> int:
        """The number of the right choice."""
        return next(number for number, choice in enumerate(self.choices) if choice.right)


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of a scene for one text, and the question to answer before; None if there is nothing to predict."""

    steps: Sequence[Step]
    question: Question | None = None


@dataclass(frozen=True, slots=True)
class BreakingText:
    """A text with which the idea of a scene fails, and what it shows."""

    text: str
    shows: str


@dataclass(frozen=True, slots=True)
class SceneLink:
    """A page that shows the same as a scene with all options."""

    label: str
    address: str


@dataclass(frozen=True, slots=True)
class Scene:
    """One idea: a claim, a trace of the real engine, the code that makes it, and what it rests on.

    From its file in `templates/learn/scenes`:

    - `text`: the text that it opens with; `label` says what the text is.
    - `broken`: texts with which the idea fails.
    - `opens`: the pages that show the same.

    From its module:

    - `trace`: the steps for a text. Raises `Invalid` for one that the algorithm cannot use.
    - `code`: names of functions of the teaching files, such as `bpe.iter_merges`.
    - `sample`: returns a random text for practice.
    - `needs`: ids of the scenes to see before.
    - `equation`: true if `templates/learn/equations` has its equation.
    - `rows`: lines of the text field.
    """

    id: str
    title: str
    label: str
    text: str
    claim: Claim
    explains: tuple[Claim, ...]
    broken: tuple[BreakingText, ...]
    opens: tuple[SceneLink, ...]
    trace: Callable[[str, Registry], Trace]
    code: tuple[str, ...]
    sample: Callable[[Random], str]
    needs: tuple[str, ...] = ()
    equation: bool = False
    rows: int = 2

    @property
    def sources(self) -> tuple[str, ...]:
        """The ids of the publications that it cites, in order."""
        return tuple(dict.fromkeys(claim.source for claim in (self.claim, *self.explains) if claim.source))


def build_scene(
    *,
    id: str,
    trace: Callable[[str, Registry], Trace],
    code: tuple[str, ...],
    sample: Callable[[Random], str],
    needs: tuple[str, ...] = (),
    equation: bool = False,
    rows: int = 2,
) -> Scene:
    """Return a scene with the texts of `scenes/ID.toml`.

    Raises `ValueError` that names file, table and key if a text is missing or has no place.
    """
    file = f"scenes/{id}.toml"
    table = {name: value for name, value in read_prose(file).items() if name not in SENTENCES}
    table["claim"] = build(Claim, table.get("claim", {}), f"{file}: [claim]")
    for name, kind in {"explains": Claim, "broken": BreakingText, "opens": SceneLink}.items():
        entries = enumerate(table.get(name, ()), 1)
        table[name] = tuple(build(kind, one, f"{file}: [[{name}]] {number}") for number, one in entries)
    return build(
        Scene, table, file, id=id, trace=trace, code=code, sample=sample, needs=needs, equation=equation, rows=rows
    )


def trace_scene(scene: Scene, text: str, registry: Registry) -> Trace:
    """Return the trace of a scene for a text.

    Raises `Invalid` with a pointer to the text if it is empty, too long, or nothing for this scene.
    """
    if not text.strip():
        raise Invalid("Type a text to see it here.", pointer="/text")
    if len(text) > MAX_TEXT:
        message = f"A scene plays a text of at most {MAX_TEXT} characters; this one has {len(text):,}."
        raise Invalid(message, pointer="/text", limit=MAX_TEXT)
    shown = scene.trace(text, registry)
    return replace(shown, steps=shown.steps[:MAX_STEPS])


def choices(right: Words, reason: str, wrong: Sequence[tuple[Words, str]]) -> tuple[AnswerChoice, ...]:
    """Return the choices of a question by their labels or numbers, without wrong ones that equal the right one.

    >>> [(choice.label, choice.right) for choice in choices(("3",), "", [(("10",), ""), (("3",), ""), (("1",), "")])]
    [(('1',), False), (('3',), True), (('10',), False)]
    """
    labels = {to_plain_text(right): AnswerChoice(right, True, reason)}
    for label, why in wrong:
        labels.setdefault(to_plain_text(label), AnswerChoice(label, False, why))
    numbers = {label: NUMBER.match(label.replace(",", "")) for label in labels}
    if all(numbers.values()):
        order = sorted(labels, key=lambda label: float(match[0]) if (match := numbers[label]) else 0)
    else:
        order = sorted(labels)
    return tuple(labels[label] for label in order)


def to_plain_text(words: Words) -> str:
    """Return a sentence as plain text.

    >>> to_plain_text(("the pair ", Tile("a", 0), " and ", Tile("b", 1)))
    'the pair a and b'
    """
    return "".join(part if isinstance(part, str) else part.text for part in words)
