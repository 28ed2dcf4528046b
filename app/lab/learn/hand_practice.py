"""Questions for BPE by hand: which pair does the machine merge next? The text follows it, whatever was answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from random import Random

from ...scratch.learn_bpe import Merged, PairCounts, iter_learning_steps
from ..steps.step import Tile
from .by_hand import HandGame, HandMerge, HandOptions, play
from .course import Exercise
from .prose import SHORT_WORDS
from .scene import AnswerChoice, Question

QUESTIONS = 4
"""Merges that are asked for in one text, as far as it has so many."""


def ask_merges(text: str) -> list[Exercise]:
    """Return a question for each of the machine's first merges, with the text before and after it.

    >>> [one.question.right.reason for one in ask_merges("low low lower")][0]
    '2 pairs occur 3 times; of these, l o comes first in the text.'

    Raises what `play` raises.
    """
    game = play(HandOptions(text=text))
    machine = game.machine[:QUESTIONS]
    exercises: list[Exercise] = []
    for number, merge in enumerate(machine, 1):
        prompt = f"Merge {number} of {len(machine)}: which pair does the machine take?"
        question = Question((prompt,), _list_choices(game, merge), kind="merge")
        merges = [" ".join(one.pair) for one in machine[:number]]
        following = play(HandOptions(text=text, merges=merges))
        exercises.append(Exercise(text, question, games=(game, following)))
        game = following
    return exercises


def _list_choices(game: HandGame, merge: HandMerge) -> tuple[AnswerChoice, ...]:
    """Return the pairs in the order of the text, of which the machine's is right."""
    counts = Counter(tile.pair for word in game.words for tile in word if tile.pair)
    equals = sum(count == merge.count for count in counts.values())
    choices = []
    for pair, count in counts.items():
        first, _, second = pair.partition(" ")
        right = (first, second) == merge.pair
        times = "once" if count == 1 else f"{count} times"
        if right and equals > 1:
            reason = f"{equals} pairs occur {times}; of these, {pair} comes first in the text."
        else:
            reason = f"{pair} occurs {times}{', more often than any other pair' if right else ''}."
        label = (Tile(first, game.key(first)), " ", Tile(second, game.key(second)))
        choices.append(AnswerChoice(label, right, reason, pair))
    return tuple(choices)


def draw_text(seed: int) -> str:
    """Return a few words, some of them more than once, in which at most one of the first merges is a tie.

    >>> draw_text(3)
    'thinks pink ring sing sing'
    """
    random = Random(f"by-hand {seed}")
    while True:
        words = [word for word in random.sample(SHORT_WORDS, 4) for _ in range(random.randint(1, 3))]
        equals = [*islice(_iter_equals(Counter(words)), QUESTIONS)]
        if len(equals) == QUESTIONS and equals[0] == 1 and equals.count(1) >= QUESTIONS - 1:
            return " ".join(words)


def _iter_equals(words: Mapping[str, int]) -> Iterator[int]:
    """Yield for each merge of the machine how many pairs occur as often as the one that it takes."""
    steps = iter_learning_steps(words)
    for counted, merged in zip(steps, steps, strict=False):
        if isinstance(counted, PairCounts) and isinstance(merged, Merged):
            yield sum(count == merged.frequency for count in counted.pairs.values())
