"""The scene about rows that training never touches: tokens that later merges take over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from ...errors import plural
from ...scratch.bpe import encode_by_pairs
from ...scratch.learn_bpe import learn
from ...scratch.untrained_rows import RowMoves, Rows, alike, iter_moves
from ..steps.drawing import Drawing
from ..steps.frames import Fact, Tile, TileRow
from ..steps.tiles import MAX_TILES, two_decimals, visible
from .code import trace_lines
from .prose import fill
from .samples import LONG_WORDS
from .scene import Question, SceneTable, Step, TableRow, Trace, Words, build_scene, choices
from .texts import draw_bars

if TYPE_CHECKING:
    from ...registry import Registry

MERGES = 6
"""Merges that are learned at most."""
SHOWN_ROUNDS = (1, 10, 60)
"""Readings of the text after which the rows are shown."""


@dataclass(frozen=True, slots=True)
class LearnedText:
    """A vocabulary that BPE has learned from a text, the letters first, and the ids of the text."""

    vocabulary: tuple[str, ...]
    letters: int
    ids: tuple[int, ...]

    @property
    def unused(self) -> list[int]:
        """The ids that the text does not have."""
        return [id for id in range(len(self.vocabulary)) if id not in self.ids]


def learn_text(text: str) -> LearnedText:
    """Return the vocabulary of a text and its ids.

    >>> learned = learn_text("these theses")
    >>> [learned.vocabulary[id] for id in learned.ids], [learned.vocabulary[id] for id in learned.unused]
    (['thes', 'e', 'thes', 'es'], ['h', 's', 't', 'th'])
    """
    words = text.split()
    merges = [(first, second) for first, second, _ in learn(Counter(words), MERGES)]
    letters = sorted({*"".join(words)})
    vocabulary = tuple(dict.fromkeys([*letters, *(first + second for first, second in merges)]))
    ids = tuple(vocabulary.index(token) for word in words for token in encode_by_pairs([*word], merges))
    return LearnedText(vocabulary, len(letters), ids)


def trace_untrained(text: str, registry: Registry) -> Trace:
    """Trace how BPE learns a vocabulary from a text, and how a small model then trains its rows on the same text."""
    learned = learn_text(text)
    known, unused = learned.vocabulary, learned.unused
    vocabulary = _row(range(len(known)), learned, "vocabulary")
    merges = plural(len(known) - learned.letters, "merge")
    steps = [Step((fill("untrained.steps.start", merges=merges, tokens=plural(len(known), "token")),), (vocabulary,))]
    rows = (vocabulary, _row(learned.ids, learned, "text"))
    steps.append(Step((fill("untrained.steps.cut", tokens=plural(len(learned.ids), "token")),), rows))
    rows = (_row(range(len(known)), learned, "vocabulary", unused), rows[1])
    sentence = fill("untrained.steps.all")
    if unused:
        sentence = fill("untrained.steps.unused", unused=plural(len(unused), "token"))
    steps.append(Step((sentence,), rows, table=_count(learned)))
    traced = trace_lines("untrained_rows.iter_moves", iter_moves([*learned.ids, learned.ids[0]], len(known)))
    for line, step in traced:
        if step.rounds in SHOWN_ROUNDS:
            sentence = fill("untrained.steps.rounds", rounds=plural(step.rounds, "time"))
            steps.append(Step((sentence,), (), line, table=_count(learned), figure=_draw(learned, step.read)))
    if unused:
        facts = _directions(step, learned)
        sentence = fill("untrained.steps.predict")
        steps.append(Step((sentence,), (), line, _count(learned), facts, figure=_draw(learned, step.predict)))
    return Trace(steps, _ask_unused(learned))


def _row(ids: Sequence[int], learned: LearnedText, label: str, missed: Sequence[int] = ()) -> TileRow:
    tiles = (
        Tile(learned.vocabulary[id], id, at, "missed" if id in missed else "") for at, id in enumerate(ids[:MAX_TILES])
    )
    return TileRow(tuple(tiles), label, left_out_after=max(0, len(ids) - MAX_TILES))


def _name_shown(learned: LearnedText) -> list[int]:
    """Return the ids that table and picture show: those that were learned, and one letter that the text still has."""
    used = [id for id in range(learned.letters) if id not in learned.unused]
    return [*used[:1], *range(learned.letters, len(learned.vocabulary))]


def _count(learned: LearnedText) -> SceneTable:
    counts = Counter(learned.ids)
    shown = _name_shown(learned)
    rows = tuple(
        TableRow(((Tile(learned.vocabulary[id], id),), f"{counts[id]}"), chosen=not counts[id]) for id in shown
    )
    return SceneTable(
        "How often the text has each token", ("token", "times"), rows, len(learned.vocabulary) - len(rows)
    )


def _draw(learned: LearnedText, moves: Rows) -> Drawing:
    lengths = np.linalg.norm(moves, axis=1)
    values = {visible(learned.vocabulary[id]): float(lengths[id]) for id in _name_shown(learned)}
    unused = {visible(learned.vocabulary[id]) for id in learned.unused}
    return draw_bars(values, "By how much each row has moved", ".2f", unused)


def _directions(step: RowMoves, learned: LearnedText) -> tuple[Fact, ...]:
    used = [*dict.fromkeys(learned.ids)]
    return (
        Fact("cosine between rows of unused tokens", two_decimals(alike(step.predict[learned.unused]))),
        Fact("cosine between rows of used tokens", two_decimals(alike(step.predict[used]))),
    )


def _ask_unused(learned: LearnedText) -> Question:
    """Return the question how many tokens of the vocabulary the text does not have."""
    unused = learned.unused
    merged = [id for id in unused if id >= learned.letters]
    reason = fill("untrained.question.reason", tokens=", ".join(visible(learned.vocabulary[id]) for id in unused))
    wrong: list[tuple[Words, str]] = [
        ((f"{len(merged)}",), fill("untrained.question.merged")),
        ((f"{len(unused) - len(merged)}",), fill("untrained.question.letters")),
        (("0",), fill("untrained.question.none")),
        ((f"{len(learned.vocabulary) - len(unused)}",), fill("untrained.question.used")),
    ]
    rows = (_row(range(len(learned.vocabulary)), learned, "vocabulary"), _row(learned.ids, learned, "text"))
    given = Step((fill("untrained.question.given"),), rows)
    right: Words = (f"{len(unused)}",)
    return Question((fill("untrained.question.prompt"),), choices(right, reason, wrong), given, shown_at=2)


def sample_repeated(random: Random) -> str:
    """Return two long words, each some times, and a third one."""
    first, second, third = random.sample(LONG_WORDS, 3)
    words = [first, second] * random.randint(1, 2) + [first, third]
    random.shuffle(words)
    return " ".join(words)


UNTRAINED = build_scene(
    id="untrained",
    trace=trace_untrained,
    code=("untrained_rows.iter_moves", "untrained_rows.alike"),
    sample=sample_repeated,
    needs=("learn-bpe", "glitch"),
    rows=3,
)
