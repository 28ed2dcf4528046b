"""The types of the course: a scene, its trace for a text, and the question to answer before."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import import_module
from importlib.util import find_spec
from itertools import groupby
from random import Random
from typing import Any, Literal, get_args

from ...errors import Invalid
from ...registry import Registry
from ..steps.choosing import choose_regions, measure_question
from ..steps.drawing import Drawing
from ..steps.regions import Regions
from ..steps.step import Step, Table, Tile, TileRow, Words
from .prose import FOLDER, SENTENCES, build, read_prose, say

MAX_TEXT = 400
"""Characters of the longest text of a scene."""
MAX_STEPS = 120
"""Steps of the longest trace; what follows them is left out."""

NUMBER = re.compile(r"\d+(?:\.\d+)?(?= |$)")
"""A label that is a number, perhaps with its unit."""
VARIES = re.compile(r"\d[\d,.]*")
"""What differs between sentences that say the same of other numbers."""
MOST_ALIKE = 3
"""Steps beside each other that say the same of other tokens and numbers."""
MOST_CHOICES = 4
TOO_LOW = "That is too low."
TOO_HIGH = "That is too high."

Kind = Literal["choose", "type", "estimate", "mark", "order", "merge"]
"""How a question is asked: choose an answer · type it · type a number that comes near · mark the boundaries between
letters · put parts in their order."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Basis = Literal["computed", "source", "convention"]
"""What a claim rests on: the engine computes it here · a publication says it · people have agreed to do it so."""
Mathematics = Literal["none", "counting", "fractions and powers", "logarithms", "probabilities", "vectors"]
"""The most that a reader of a scene must know."""
LEVELS = ("for everybody", "with some practice", "for those who go on")
"""How difficult a scene is, from 1."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A sentence or two that the course holds to be true, and what it rests on.

    `source` is the id of a publication, and `place` is where in it; for what is computed, `place` says by what.
    A claim that could be doubted has a review: for what it holds, what speaks against it, what would decide, and when
    the authors of this course last looked at it.
    """

    text: str
    basis: Basis
    source: str = ""
    place: str = ""
    scope: str = ""
    caveat: str = ""
    resolves: str = ""
    reviewed: str = ""


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """A possible answer, why it is right or wrong, and what a form sends for it, by default its number."""

    label: Words
    right: bool
    reason: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question whose answer the engine has computed; exactly one choice is right.

    `given` is what must be known to answer; it stands on the stage as long as the question is open, by default with
    the sentence and the picture of the first step. `shown_at` is the number of the step that shows the answer, from
    the end if negative. With `near`, further numbers near the right one can be among the choices. What is not chosen
    but typed, marked or ordered is compared with the choices: the wrong ones are the misconceptions that are answered
    by name. `parts` are the letters between which boundaries are marked, or what is put in order. `hints` come one
    after the other.
    """

    prompt: Words
    choices: tuple[AnswerChoice, ...]
    given: Step | None = None
    shown_at: int = 1
    near: bool = True
    kind: Kind = "choose"
    parts: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    @property
    def answer(self) -> int:
        """The number of the right choice."""
        return next(number for number, choice in enumerate(self.choices) if choice.right)

    @property
    def right(self) -> AnswerChoice:
        return self.choices[self.answer]

    @property
    def unit(self) -> str:
        """What follows the number of the answer; "" if the answer is no number."""
        label = to_plain_text(self.right.label)
        match = NUMBER.match(label.replace(",", ""))
        return label.replace(",", "")[match.end() :].strip() if match else ""

    @property
    def id(self) -> str:
        """A name that no other question has, nor this one with other choices or in another order.

        >>> Question(("How many?",), choices(("3",), "", [(("10",), "")])).id
        'e2162a4d9e'
        """
        texts = [to_plain_text(self.prompt), *(to_plain_text(choice.label) for choice in self.choices), *self.parts]
        texts += [] if self.kind == "choose" else [self.kind]
        given = [] if self.given is None else [to_plain_text(self.given.sentence), repr(self.given.rows)]
        return sha256("\0".join(texts + given).encode()).hexdigest()[:10]


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of a scene for one text, and the question to answer before; None if there is nothing to predict.

    `further` are questions of other kinds, and `kinds` are all in which this text can be asked about.
    """

    steps: Sequence[Step]
    question: Question | None = None
    further: tuple[Question, ...] = ()
    kinds: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class BreakingText:
    """A text with which the idea of a scene fails, and what it shows."""

    text: str
    shows: str


@dataclass(frozen=True, slots=True)
class Transfer:
    """A question that takes the idea of a scene elsewhere: to another text, or to a decision at work; its answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class SceneLink:
    """A page that shows the same as a scene with all options."""

    label: str
    address: str


@dataclass(frozen=True, slots=True)
class Scene:
    """One idea: a claim, a trace of the real engine, the code that makes it, and what it rests on.

    All of it is in its file in `templates/learn/scenes`; functions are named as `module.function`:

    - `text`: the text that it opens with; `label` says what the text is.
    - `trace`: the steps for a text. Raises `Invalid` for one that the algorithm cannot use.
    - `sample`: returns a random text for practice.
    - `code`: names of functions of the teaching files.
    - `needs`: ids of the scenes to see before.
    - `broken`: texts with which the idea fails.
    - `transfer`: what to ask when the scene has been seen.
    - `opens`: the pages that show the same.
    - `kinds`: how its questions are asked, the first one by default.
    - `hints`: one to three, of which each says more.
    - `rows`: lines of the text field.
    - `every_step`: true if no step is left out, as each makes what the next one needs; see `join_repeats`.
    - `level`: how difficult it is, from 1 to 3; `mathematics`: what it takes.
    """

    id: str
    title: str
    label: str
    text: str
    claim: Claim
    explains: tuple[Claim, ...]
    broken: tuple[BreakingText, ...]
    transfer: Transfer
    opens: tuple[SceneLink, ...]
    trace: Callable[[str, Registry], Trace]
    sample: Callable[[Random], str]
    code: tuple[str, ...]
    hints: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ("choose",)
    needs: tuple[str, ...] = ()
    rows: int = 2
    every_step: bool = False
    level: int = 0
    mathematics: str = ""

    @property
    def demands(self) -> str:
        """How difficult it is and the mathematics that it takes, in words.

        >>> build_scene("unigram").demands
        'Level 2 of 3, with some practice. Mathematics: logarithms.'
        """
        level = f"Level {self.level} of {len(LEVELS)}, {LEVELS[self.level - 1]}"
        return f"{level}. Mathematics: {self.mathematics}."

    @property
    def equation(self) -> bool:
        """True if `templates/learn/equations` has its equation."""
        return (FOLDER / "equations" / f"{self.id}.html").exists()

    @property
    def sources(self) -> tuple[str, ...]:
        """The ids of the publications that it cites, in order."""
        return tuple(dict.fromkeys(claim.source for claim in (self.claim, *self.explains) if claim.source))


def build_scene(id: str) -> Scene:
    """Return the scene of `scenes/ID.toml`.

    >>> build_scene("bpe").trace.__name__
    'trace_bpe'

    Raises `ValueError` that names file, table and key if a text is missing or has no place, or a function is unknown.
    """
    file = f"scenes/{id}.toml"
    table = {name: value for name, value in read_prose(file).items() if name not in SENTENCES}
    for name, kind in {"claim": Claim, "transfer": Transfer}.items():
        table[name] = build(kind, table.get(name, {}), f"{file}: [{name}]")
    for name, kind in {"explains": Claim, "broken": BreakingText, "opens": SceneLink}.items():
        entries = enumerate(table.get(name, ()), 1)
        table[name] = tuple(build(kind, one, f"{file}: [[{name}]] {number}") for number, one in entries)
    table |= {name: tuple(value) for name, value in table.items() if isinstance(value, list)}
    table |= {name: _find_function(table[name], file) for name in ("trace", "sample") if name in table}
    return build(Scene, table, file, id=id)


def _find_function(name: str, file: str) -> Callable[..., Any]:
    module, _, function = name.partition(".")
    found: Callable[..., Any] | None = None
    if find_spec(f".{module}", __package__):
        found = getattr(import_module(f".{module}", __package__), function, None)
    if found is None:
        raise ValueError(f"{file} names the function {name}, which is not in app/lab/learn.")
    return found


def trace_scene(
    scene: Scene, text: str, registry: Registry, *, kind: Kind | None = None, spread: tuple[float, float] | None = None
) -> Trace:
    """Return the trace of a scene for a text, with its question in one kind.

    By default, or if this text has no question of the kind, it is the first kind of the scene that the text has.
    Its choices are some of those that there are, in an order drawn from the text; `spread` is that of `draw_choices`.
    Raises `Invalid` with a pointer to the text if it is empty, too long, or nothing for this scene.
    """
    if not text.strip():
        raise Invalid("Type a text to see it here.", pointer="/text")
    if len(text) > MAX_TEXT:
        message = f"A scene plays a text of at most {MAX_TEXT} characters; this one has {len(text):,}."
        raise Invalid(message, pointer="/text", limit=MAX_TEXT)
    shown = scene.trace(text, registry)
    kept = [*range(len(shown.steps))] if scene.every_step else join_repeats(shown.steps)
    kept = kept[:MAX_STEPS]
    steps = [shown.steps[number] for number in kept]
    asked = {one: question for one in scene.kinds if (question := ask_as(one, shown))}
    if not asked:
        return Trace(steps)
    question = asked.get(kind or scene.kinds[0], next(iter(asked.values())))
    if question.kind == "choose":
        question = draw_choices(question, Random(f"{scene.id}\n{text}"), spread)
    given = question.given or Step(steps[0].sentence)
    if not (given.rows or given.figure or given.lattice):  # the picture is that of the text
        given = replace(given, rows=steps[0].rows, figure=steps[0].figure, lattice=steps[0].lattice)
    wanted = question.shown_at if question.shown_at >= 0 else max(0, len(shown.steps) + question.shown_at)
    shown_at = min(bisect_left(kept, wanted), len(kept) - 1)
    question = replace(question, given=given, shown_at=shown_at, hints=scene.hints)
    return Trace(steps, question, kinds=tuple(asked))


def limit_text(size: int, most: int, unit: str) -> None:
    """Raise `Invalid` if a text has more than a scene plays of a unit, such as characters."""
    if size > most:
        raise Invalid(f"This scene plays at most {most} {unit}; this text has {size}.", pointer="/text", limit=most)


def join_repeats(steps: Sequence[Step]) -> list[int]:
    """Return the numbers of the steps to show: of a long run that says the same again, the first two and the last.

    >>> join_repeats([Step((f"Draw {number}.",)) for number in range(1, 21)] + [Step(("The end.",))])
    [0, 1, 19, 20]
    """
    kept = list[int]()
    alike = groupby(range(len(steps)), key=lambda number: VARIES.sub("", _without_tokens(steps[number].sentence)))
    for _, run in alike:
        numbers = [*run]
        kept += numbers if len(numbers) <= MOST_ALIKE else [*numbers[:2], numbers[-1]]
    return kept


def _without_tokens(words: Words) -> str:
    return " ".join(part for part in words if isinstance(part, str))


def ask_as(kind: Kind, trace: Trace) -> Question | None:
    """Return the question of a trace in a kind: one that the scene has made, or a number to type in place of choices.

    >>> question = Question(("How many?",), choices(("3 dB",), "", [(("10 dB",), "")]))
    >>> ask_as("estimate", Trace((), question)).kind, ask_as("mark", Trace((), question))
    ('estimate', None)
    """
    question = trace.question
    made = next((one for one in trace.further if one.kind == kind), question if kind == "choose" else None)
    if not made and question and (kind == "type" or (kind == "estimate" and _measure([question.right]))):
        return replace(question, kind=kind)
    return made


def choices(right: Words, reason: str, wrong: Sequence[tuple[Words, str]]) -> tuple[AnswerChoice, ...]:
    """Return all choices that a question can have, the right one first, without wrong ones that equal it or another.

    >>> [(choice.label, choice.right) for choice in choices(("3",), "", [(("10",), ""), (("3",), ""), (("1",), "")])]
    [(('3',), True), (('10',), False), (('1',), False)]
    """
    labels = {to_plain_text(right): AnswerChoice(right, True, reason)}
    for label, why in wrong:
        labels.setdefault(to_plain_text(label), AnswerChoice(label, False, why))
    return tuple(labels.values())


Label = int | str | Tile | Words
Wrong = tuple[Label, str] | tuple[Label, str, Mapping[str, object]]
"""A wrong answer, the key of the sentence that says why, and what that sentence alone has in its places."""


def ask(
    name: str,
    right: Label,
    wrong: Iterable[Wrong],
    rows: tuple[TileRow, ...] = (),
    /,
    *,
    given: Step | None = None,
    table: Table | None = None,
    figure: Drawing | None = None,
    shown_at: int = 1,
    near: bool = True,
    kind: Kind = "choose",
    prompt: str = "prompt",
    reason: str = "reason",
    because: str = "",
    **values: object,
) -> Question:
    """Return a question with the sentences of a table of a scene: prompt, reason, given, and those of wrong answers.

    `values` are in the places of all of them. What is given has rows, a table or a figure, or is a step.
    `prompt` and `reason` are keys of the table; `because` is a reason that has been filled already.

    >>> question = ask("bpe.question", "as", [("se", "higher", {"rank": 325})], lowest=292)
    >>> question.choices[1].reason
    'Its rank is 325; 292 is lower.'
    """

    def put(key: str, more: Mapping[str, object] = values) -> Words:
        return say(f"{name}.{key}", **{**values, **more})

    others = [(_as_words(label), to_plain_text(put(key, *more))) for label, key, *more in wrong]
    answers = choices(_as_words(right), because or to_plain_text(put(reason)), others)
    if not given and (rows or table or figure):
        given = Step(put("given"), rows, table=table, figure=figure)
    return Question(put(prompt), answers, given, shown_at, near, kind)


def _as_words(label: Label) -> Words:
    return label if isinstance(label, tuple) else (label if isinstance(label, Tile) else f"{label}",)


def draw_choices(question: Question, random: Random, spread: tuple[float, float] | None = None) -> Question:
    """Return a question with at most `MOST_CHOICES` of its choices, in an order that says nothing.

    The right one has each place equally often. It also has each rank by value, or by length where the labels are no
    numbers, as far as there are wrong ones on both sides of it; numbers get further ones near the right one. `spread`
    are its place and its rank, from 0 to 1.

    >>> question = Question(("How many?",), choices(("3",), "", [(("10",), ""), (("1",), "")]))
    >>> [[choice.label[0] for choice in draw_choices(question, Random(seed)).choices] for seed in range(3)]
    [['10', '1', '2', '3'], ['3', '10', '2', '1'], ['2', '10', '1', '3']]
    """
    right = question.right
    wrong = [choice for choice in question.choices if not choice.right]
    place, rank = spread or (random.random(), random.random())
    sizes = _measure([right, *wrong])
    if sizes is not None and question.near:
        wrong += _near(right, {to_plain_text(choice.label) for choice in wrong}, random)
        sizes = _measure([right, *wrong])
    keys = sizes or [len(to_plain_text(choice.label)) for choice in (right, *wrong)]
    size = min(MOST_CHOICES, 1 + len(wrong))
    before = [choice for choice, key in zip(wrong, keys[1:], strict=True) if key < keys[0]]
    behind = [choice for choice, key in zip(wrong, keys[1:], strict=True) if key >= keys[0]]
    lower = max(min(int(rank * size), len(before)), size - 1 - len(behind))
    drawn = before[:lower] + behind[: size - 1 - lower]
    random.shuffle(drawn)
    drawn.insert(int(place * size), right)
    return replace(question, choices=tuple(drawn))


def _measure(offered: Sequence[AnswerChoice]) -> list[float] | None:
    """Return the numbers that labels are; None if one is none."""
    found = [NUMBER.match(to_plain_text(choice.label).replace(",", "")) for choice in offered]
    return [float(match[0]) for match in found if match] if all(found) else None


def _near(right: AnswerChoice, taken: set[str], random: Random) -> list[AnswerChoice]:
    """Return choices of numbers below and above the right one, in its format."""
    label = to_plain_text(right.label)
    match = NUMBER.match(label.replace(",", ""))
    assert match is not None
    unit = label.replace(",", "")[match.end() :]
    decimals = len(match[0].partition(".")[2])
    value = float(match[0])
    near = [value + step for step in (1, 2, 3, -1, -2, -3)]
    if decimals or value > 12:
        shares = [random.uniform(low, low + 0.1) for low in (1.1, 1.3, 1.6, 0.8, 0.6, 0.4)]
        near = [value * share for share in shares]
    found = list[AnswerChoice]()
    for number in near:
        text = f"{number:,.{decimals}f}{unit}"
        if number > 0 and text != label and text not in taken:
            taken.add(text)
            found.append(AnswerChoice((text,), False, TOO_HIGH if number > value else TOO_LOW))
    return found


def to_plain_text(words: Words) -> str:
    """Return a sentence as plain text.

    >>> from ..steps.step import Tile
    >>> to_plain_text(("the pair ", Tile("a", 0), " and ", Tile("b", 1)))
    'the pair a and b'
    """
    return "".join(part if isinstance(part, str) else part.text for part in words)


def choose_scene_regions(trace: Trace) -> Regions:
    """Return the regions of a scene: those of its steps and of its question, with the longest verdict on an answer."""
    question = trace.question
    if not question:
        return choose_regions(trace.steps)
    reasons = max(len(choice.reason) for choice in question.choices) + len(question.right.reason)
    longest = reasons + len(to_plain_text(question.right.label)) + len("Not this one. The answer is .")
    given = question.given or trace.steps[0]
    longest = max(longest, len(to_plain_text(given.sentence)))
    offered = [choice.label for choice in question.choices]
    return choose_regions([given, *trace.steps], measure_question(question.prompt, offered, longest))
