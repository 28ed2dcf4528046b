"""A scene about what follows from a cut: the next token of a model of counts, with a space, half a word or digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING

from ...errors import plural
from ...scratch.next_token import Followers, back_off, count_followers
from ...settings import Settings
from ...types import Tokenizer
from ..languages.declarations import declarations
from ..steps.frames import Fact, Tile, TileRow
from ..steps.tiles import percent
from .code import trace_lines
from .prose import fill, fill_words
from .scene import Question, SceneTable, Step, TableRow, Trace, build_scene, choices

if TYPE_CHECKING:
    from ...registry import Registry

MODEL = "gpt2"
ORDER = 2
"""Tokens that the model looks at."""
MOST_NEXT = 8
"""Tokens that the table of predictions shows."""


def trace_next_token(text: str, registry: Registry) -> Trace:
    """Trace the prediction of the token after a text, by the counts of the English declaration of human rights."""
    tokenizer = registry.get(MODEL, "scratch")
    learned: list[int] = tokenizer.encode(training_text()).ids.tolist()
    counts = _count(tuple(learned))
    ids: list[int] = tokenizer.encode(text).ids.tolist()
    start = Step((fill("next-token.steps.start", tokens=plural(len(ids), "token")),), (_row(ids, 0, tokenizer),))
    steps = [start]
    for line, (context, followed) in trace_lines("next_token.back_off", back_off(ids, counts, order=ORDER)):
        rows = (_row(ids, len(context), tokenizer),)
        last = "token" if len(context) == 1 else plural(len(context), "token")
        if not followed:
            steps.append(Step((fill("next-token.steps.unseen", tokens=last),), rows, line))
            continue
        total = sum(followed.values())
        table = _predictions(followed, tokenizer)
        best = max(followed, key=followed.__getitem__)
        next_token, share = _tile(best, 0, tokenizer), percent(followed[best] / total)
        if context:
            times = plural(total, "time")
            sentence = fill_words("next-token.steps.seen", tokens=last, times=times, next=next_token, share=share)
        else:
            sentence = fill_words("next-token.steps.nothing", next=next_token, share=share)
        facts = (Fact("tokens looked at", f"{len(context)}"), Fact("seen in training", f"{total:,}"))
        steps.append(Step(sentence, rows, line, table=table, facts=facts))
    return Trace(steps, _ask_length(ids, counts, len(learned), len(context), tokenizer))


def training_text() -> str:
    """Return the declaration in English, in one line.

    >>> training_text()[:24]
    'Article 1 All human bein'
    """
    return " ".join(declarations(Settings().store)["eng"].text.split())


@lru_cache(maxsize=1)
def _count(ids: tuple[int, ...]) -> Followers:
    return count_followers(ids, order=ORDER)


def _tile(id: int, at: int, tokenizer: Tokenizer) -> Tile:
    return Tile(tokenizer.entry(id).piece, id, at)


def _row(ids: Sequence[int], last: int, tokenizer: Tokenizer) -> TileRow:
    """Return the last tokens of a text, the `last` of them marked."""
    shown = ids[-60:]
    tiles = (
        Tile(tokenizer.entry(id).piece, id, at, "new" if at >= len(shown) - last else "") for at, id in enumerate(shown)
    )
    return TileRow(tuple(tiles), left_out_before=len(ids) - len(shown))


def _predictions(followed: Mapping[int, int], tokenizer: Tokenizer) -> SceneTable:
    total = sum(followed.values())
    order = sorted(followed.items(), key=lambda item: -item[1])
    rows = tuple(
        TableRow(((_tile(id, 0, tokenizer),), f"{count:,}", percent(count / total)), chosen=not at)
        for at, (id, count) in enumerate(order[:MOST_NEXT])
    )
    return SceneTable(
        "What followed in training", ("next token", "times", "share"), rows, max(0, len(order) - MOST_NEXT)
    )


def _ask_length(ids: Sequence[int], counts: Followers, learned: int, right: int, tokenizer: Tokenizer) -> Question:
    """Return the question how many of the last tokens the model can use."""
    contexts = [tuple(ids[len(ids) - length :]) for length in range(min(ORDER, len(ids)), 0, -1)]
    rows = tuple(
        TableRow((tuple(_tile(id, at, tokenizer) for at, id in enumerate(one)), f"{sum(counts.get(one, {}).values())}"))
        for one in contexts
    )
    unseen, shorter = fill("next-token.question.unseen"), fill("next-token.question.shorter")
    wrong = [((f"{length}",), unseen if length > right else shorter) for length in range(ORDER + 1) if length != right]
    given = Step(
        (fill("next-token.question.given", tokens=f"{learned:,}"),),
        (_row(ids, 0, tokenizer),),
        table=SceneTable("In the training text", ("context", "times"), rows),
    )
    answers = choices((f"{right}",), fill("next-token.question.reason"), wrong)
    return Question((fill("next-token.question.prompt"),), answers, given, shown_at=-1, near=False)


def sample_prompt(random: Random) -> str:
    """Return some words of the declaration: as they are, with another last word, or with an end that is cut."""
    words = training_text().split()
    at = random.randrange(len(words) - 9)
    text = " ".join(words[at : at + random.randint(3, 8)])
    kind = random.choice(("whole", "swapped", "cut"))
    if kind == "whole":
        return text
    if kind == "swapped":
        return f"{text} {random.choice(words)}"
    return random.choice((f"{text} ", f"{text} {random.randint(31, 999)}", text[: -random.randint(1, 3)]))


NEXT_TOKEN = build_scene(
    id="next-token",
    trace=trace_next_token,
    code=("next_token.back_off", "next_token.count_followers"),
    sample=sample_prompt,
    needs=("special-tokens",),
)
