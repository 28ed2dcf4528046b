"""Why a pair was merged, in numbers and in words: by its count, or by WordPiece's score."""

from collections.abc import Iterator
from math import floor, log10
from typing import Protocol

from app.lab.steps.frames import Ties, Tile
from app.lab.steps.learn.recording import Step

WON = {
    "first-seen": "this one was seen first",
    "smallest": "this one has the smallest ids",
    "lexicographic": "this one is the first by spelling",
}
LOST = {"first-seen": "tie, seen later", "smallest": "tie, larger ids", "lexicographic": "tie, later by spelling"}
Words = tuple[str | Tile, ...]


class Weighing(Protocol):
    """How the candidates of a step are weighed."""

    heading: str

    def values(self, step: Step) -> Iterator[str]:
        """What each of a step's best pairs is weighed by."""

    def caption(self, step: Step, pair: tuple[Tile, Tile], made: Tile, ties: Ties) -> Words:
        """Why this pair, in a sentence."""


class ByCount:
    """BPE's: how often a pair stands together."""

    heading = "Pairs by count"

    def values(self, step: Step) -> Iterator[str]:
        return (f"{times:,}" for _, times in step.best)

    def caption(self, step: Step, pair: tuple[Tile, Tile], made: Tile, ties: Ties) -> Words:
        times = f" stand together {often(step.times)}"
        if step.pairs == 1:
            why = f"{times} and are the only pair there is: they become "
        elif not step.tied:
            why = f"{times}, more than any other pair: they become "
        else:
            why = f"{times}, as {others(step.tied, 'does', 'do')}; {WON[ties]}. It becomes "
        return pair[0], " and ", pair[1], why, made, "."


class ByScore:
    """WordPiece's: how often a pair stands together, against how often its parts come."""

    heading = "Pairs by score"

    def values(self, step: Step) -> Iterator[str]:
        for (_, times), (first, second) in zip(step.best, step.uses, strict=True):
            yield f"{times:,} / ({first:,} · {second:,}) = {decimal(times / (first * second))}"

    def caption(self, step: Step, pair: tuple[Tile, Tile], made: Tile, ties: Ties) -> Words:
        first, second = step.uses[0]
        value = next(self.values(step))
        times = f" stand together {often(step.times)} and come {often(first)} and {often(second)}: {value}"
        if not step.tied:
            why = f"{times}, the highest score. They become "
        else:
            rivals = "another pair reaches" if step.tied == 1 else f"{step.tied:,} other pairs reach"
            why = f"{times}, a score that {rivals}, too; {WON[ties]}. It becomes "
        return pair[0], " and ", pair[1], why, made, "."


def decimal(value: float) -> str:
    """A positive number to three digits.

    >>> decimal(0.05), decimal(1 / 36), decimal(0.000012345), decimal(1)
    ('0.05', '0.0278', '0.0000123', '1')
    """
    return f"{value:.{max(0, 2 - floor(log10(value)))}f}".rstrip("0").removesuffix(".")


def often(times: int) -> str:
    """A number of times, in words where there is one.

    >>> often(1), often(1200)
    ('once', '1,200 times')
    """
    return "once" if times == 1 else f"{times:,} times"


def others(number: int, one: str, many: str) -> str:
    """Other pairs that do the same.

    >>> others(1, "does", "do"), others(3, "does", "do")
    ('does another pair', 'do 3 other pairs')
    """
    return f"{one} another pair" if number == 1 else f"{many} {number:,} other pairs"


def signed(change: int) -> str:
    """A change with its sign.

    >>> signed(1), signed(0), signed(-1200)
    ('+1', '0', '−1,200')
    """
    return f"{change:+,}".replace("-", "−") if change else "0"
