"""Why a pair was merged, in numbers and in words: by its count, or by WordPiece's score."""

from collections.abc import Iterator
from typing import Protocol

from app.lab.faces import clipped
from app.lab.steps.frames import Ties, Tile
from app.lab.steps.recording import Step

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
            why = f"{times}, as {others(step.tied)}; {WON[ties]}. It becomes "
        return pair[0], " and ", pair[1], why, made, "."


def often(times: int) -> str:
    """A number of times, in words where there is one.

    >>> often(1), often(1200)
    ('once', '1,200 times')
    """
    return "once" if times == 1 else f"{times:,} times"


def others(number: int) -> str:
    """Other pairs that do the same.

    >>> others(1), others(3)
    ('does another pair', 'do 3 other pairs')
    """
    return "does another pair" if number == 1 else f"do {number:,} other pairs"


def signed(change: int) -> str:
    """A change with its sign.

    >>> signed(1), signed(0), signed(-1200)
    ('+1', '0', '−1,200')
    """
    return f"{change:+,}".replace("-", "−") if change else "0"


def shown(raw: bytes) -> str:
    r"""Bytes as their text, or as hex where they are none.

    >>> shown(b" the"), shown(b"\xf0\x9f")
    (' the', 'f0 9f')
    """
    try:
        return clipped(raw.decode())
    except UnicodeDecodeError:
        return clipped(raw.hex(" "))
