"""Practice for BPE by hand: which pair does the machine merge next? It follows the machine, whatever was picked.

The state is the text and the pairs that were picked, so that a link carries it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Literal, NamedTuple

from ...scratch.learn_bpe import Merged, PairCounts, iter_learning_steps
from ..option_schema import Items, Options, declare, from_mapping
from .by_hand import HandGame, HandMerge, HandOptions, HandTile, play
from .prose import SHORT_WORDS

QUESTIONS = 4
"""Merges that are asked for in one text, as far as it has so many."""
MAX_SEED = 10**6


class HandPracticeOptions(Options):
    """A text, or the number of one that is drawn, and the pairs that were picked so far."""

    text: str = declare("Text", "")
    seed: int = declare("Number of the text", 1, ge=1, le=MAX_SEED)
    picks: Items[str] = declare("Picked pairs", [], field="pick")


class HandPick(NamedTuple):
    """A pair that was picked, how often it occurred, what the machine merged then, and how many pairs equalled that."""

    pair: tuple[str, str]
    times: int
    machine: HandMerge
    equals: int

    @property
    def verdict(self) -> Literal["right", "tie", "rarer"]:
        if self.pair == self.machine.pair:
            return "right"
        return "tie" if self.times == self.machine.count else "rarer"


@dataclass(frozen=True, slots=True)
class HandPractice:
    """The text after the machine's merges, one for each pick, and what became of the picks."""

    text: str
    game: HandGame
    picks: tuple[HandPick, ...]
    questions: int

    @property
    def done(self) -> bool:
        return len(self.picks) == self.questions

    @property
    def right(self) -> int:
        return sum(pick.verdict == "right" for pick in self.picks)


def practise(options: HandPracticeOptions) -> HandPractice:
    """Return the practice after some picks. Picks that the text does not have, or that come too late, are left out.

    >>> practice = practise(HandPracticeOptions(text="low low lower", picks=["o w", "lo w"]))
    >>> [(pick.verdict, pick.machine.pair, pick.machine.count, pick.equals) for pick in practice.picks]
    [('tie', ('l', 'o'), 3, 2), ('right', ('lo', 'w'), 3, 1)]
    >>> practice.questions, practice.done
    (2, True)

    Raises what `play` raises.
    """
    text = options.text or draw_text(options.seed)
    game = play(from_mapping(HandOptions, {"text": text}))
    machine = game.machine[:QUESTIONS]
    picks: list[HandPick] = []
    for spelled in options.picks:
        if len(picks) == len(machine):
            break
        counts = _count_pairs(game)
        if spelled in counts:
            merge = machine[len(picks)]
            first, _, second = spelled.partition(" ")
            equals = sum(count == merge.count for count in counts.values())
            picks.append(HandPick((first, second), counts[spelled], merge, equals))
            merged = [" ".join(one.pair) for one in machine[: len(picks)]]
            game = play(from_mapping(HandOptions, {"text": text, "merges": merged}))
    return HandPractice(text, game, tuple(picks), len(machine))


def _count_pairs(game: HandGame) -> Mapping[str, int]:
    tiles: list[HandTile] = [tile for word in game.words for tile in word]
    return Counter(tile.pair for tile in tiles if tile.pair)


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
