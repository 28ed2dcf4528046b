"""The scene about a prompt of several kinds: text, images and sound in one context."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING

from ...errors import Invalid, plural
from ...scratch.budget import iter_shares
from ..beyond.budget import MAX_SECONDS, Image, Prompt, PromptBudget, budget, budget_model
from ..beyond.image_tokens import LARGEST_SIDE
from ..steps.frames import Fact, Tile, TileRow
from ..steps.tiles import NO_ID, percent
from .code import trace_lines
from .prose import fill
from .scene import Question, SceneTable, Step, TableRow, Trace, Words, build_scene, choices

if TYPE_CHECKING:
    from ...registry import Registry

SIZE = re.compile(r"([0-9]{1,6})\s*[×xX*]\s*([0-9]{1,6})")
SECONDS = re.compile(r"([0-9]{1,5}(?:\.[0-9]+)?) ?s")
SHOWN = "gemini-3"
OTHER = "gpt-4o"
WINDOW = 128_000
"""The window that the shares are of, that of GPT-4o."""
MAX_PARTS = 12


def trace_budget(text: str, registry: Registry) -> Trace:
    """Trace the parts of a prompt into one context, and say how another model counts them."""
    prompt = parse_prompt(text)
    counted = budget(registry, budget_model(SHOWN), prompt)
    other = budget(registry, budget_model(OTHER), prompt)
    sentence = fill("budget.steps.start", parts=plural(len(counted.parts), "part"), window=f"{WINDOW:,}")
    whole = tuple(TileRow((Tile(part.kind, NO_ID + at),), part.name) for at, part in enumerate(counted.parts))
    steps = [Step((sentence,), whole)]
    parts = [(part.name, part.tokens or 0) for part in counted.parts]
    rows: list[TileRow] = []
    for at, (line, step) in enumerate(trace_lines("budget.iter_shares", iter_shares(parts, WINDOW))):
        part = counted.parts[at]
        rows.append(TileRow((Tile(f"{step.tokens:,}", NO_ID + at),), step.name))
        sentence = f"{step.name[0].upper()}{step.name[1:]}: {part.formula.removesuffix('.')}."
        facts = (Fact("tokens", f"{step.total:,}", f"+{step.tokens:,}"), Fact("of the context", percent(step.share)))
        symbols = frozenset({part.kind if part.kind in ("text", "image", "sound") else "sound"})
        steps.append(Step((sentence,), (*rows,), line, facts=facts, symbols=symbols))
    sentence = fill("budget.steps.other")
    steps.append(Step((sentence,), (*rows,), table=_table(counted, other)))
    return Trace(steps, _question(counted, whole))


def parse_prompt(text: str) -> Prompt:
    """Return the prompt that lines describe: a size in pixels is an image, seconds are sound, all else is text.

    >>> parse_prompt("Hello\\n1024 × 768\\n30 s").images, parse_prompt("Hello\\n30 s").audio_seconds
    ([Image(width=1024, height=768, detail='')], 30.0)

    Raises `Invalid`.
    """
    words = []
    images = []
    seconds = 0.0
    for line in text.splitlines():
        if size := SIZE.fullmatch(line.strip()):
            images.append(Image(int(size[1]), int(size[2])))
        elif sound := SECONDS.fullmatch(line.strip()):
            seconds += float(sound[1])
        elif line.strip():
            words.append(line)
    sides = [side for image in images for side in (image.width, image.height)]
    if len(images) > MAX_PARTS or seconds > MAX_SECONDS or not all(1 <= side <= LARGEST_SIDE for side in sides):
        message = (
            f"A scene shows at most {MAX_PARTS} images, of 1 to {LARGEST_SIDE:,} pixels a side, and a day of sound."
        )
        raise Invalid(message, pointer="/text", limit=MAX_PARTS)
    if not (words or images or seconds):
        raise Invalid("Type a text, the size of an image such as 640 × 480, or seconds of sound.", pointer="/text")
    return Prompt("\n".join(words), images, seconds)


def _table(counted: PromptBudget, other: PromptBudget) -> SceneTable:
    rows = [
        TableRow((mine.name, _format_tokens(mine.tokens), _format_tokens(theirs.tokens)))
        for mine, theirs in zip(counted.parts, other.parts, strict=True)
    ]
    rows.append(
        TableRow(("all that is known", _format_tokens(counted.tokens), _format_tokens(other.tokens)), chosen=True)
    )
    return SceneTable("Tokens by model", ("", counted.model.name, other.model.name), tuple(rows))


def _format_tokens(tokens: int | None) -> str:
    return "not known" if tokens is None else f"{tokens:,}"


def _question(counted: PromptBudget, rows: tuple[TileRow, ...]) -> Question | None:
    """Return the question for the tokens of pictures and sound together; None without one of them."""
    tokens = {kind: [part.tokens or 0 for part in counted.parts if part.kind == kind] for kind in ("image", "sound")}
    if not (tokens["image"] and tokens["sound"]):
        return None
    images = sum(tokens["image"])
    sound = sum(tokens["sound"])
    parts = [part for part in counted.parts if part.kind != "text"]
    table = SceneTable(counted.model.name, ("", "rule"), tuple(TableRow((part.name, part.formula)) for part in parts))
    given = Step((fill("budget.question.given"),), rows, table=table)
    reason = fill("budget.question.reason", images=f"{images:,}", sound=f"{sound:,}")
    wrong: list[tuple[Words, str]] = [
        ((f"{sound:,}",), fill("budget.question.sound")),
        ((f"{images:,}",), fill("budget.question.image")),
        ((f"{images + sound * 25 // 32:,}",), fill("budget.question.older")),
    ]
    prompt = fill("budget.question.prompt", model=counted.model.name)
    return Question((prompt,), choices((f"{images + sound:,}",), reason, wrong), given, shown_at=-2)


def sample_prompt(random: Random) -> str:
    """Return a random prompt of a text, an image and a sound.

    >>> len(sample_prompt(Random(1)).splitlines())
    3
    """
    text = random.choice(("Describe this.", "What is said here, and who says it?", "Write a caption for the picture."))
    side = random.choice((320, 640, 1024, 1920))
    return f"{text}\n{side} × {side * 3 // 4}\n{random.randint(2, 120)} s"


BUDGET = build_scene(
    id="budget",
    trace=trace_budget,
    code=("budget.iter_shares", "budget.count_media_tokens"),
    sample=sample_prompt,
    needs=("ids",),
    equation=True,
    rows=4,
)
