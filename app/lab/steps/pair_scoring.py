"""Scores of pairs while a vocabulary is trained, in numbers and in words: BPE's count, and WordPiece's ratio."""

from collections.abc import Iterator
from typing import Protocol

from .frames import Ties, Tile
from .recording import MergeStep
from .tiles import significant

WON = {
    "first-seen": "this pair was seen first",
    "smallest": "this pair has the smallest ids",
    "lexicographic": "this pair is lexicographically first",
}
LOST = {
    "first-seen": "tie, seen later",
    "smallest": "tie, larger ids",
    "lexicographic": "tie, lexicographically later",
}
Caption = tuple[str | Tile, ...]


class PairScoring(Protocol):
    """How an algorithm scores the candidate pairs of a step."""

    heading: str

    def values(self, step: MergeStep) -> Iterator[str]:
        """Yield the score of each of a step's best pairs."""

    def caption(self, step: MergeStep, pair: tuple[Tile, Tile], merged: Tile, ties: Ties) -> Caption:
        """Return the reason why a pair was merged."""


class CountScoring:
    """BPE: the score of a pair is the number of its occurrences."""

    heading = "Pairs by count"

    def values(self, step: MergeStep) -> Iterator[str]:
        return (f"{times:,}" for _, times in step.best)

    def caption(self, step: MergeStep, pair: tuple[Tile, Tile], merged: Tile, ties: Ties) -> Caption:
        occurrences = f" occur together {times(step.times)}"
        if step.pairs == 1:
            reason = f"{occurrences} and are the only pair"
        elif not step.tied:
            reason = f"{occurrences}, more than any other pair"
        else:
            rivals = "does another pair" if step.tied == 1 else f"do {step.tied:,} other pairs"
            reason = f"{occurrences}, as {rivals}; {WON[ties]}"
        return pair[0], " and ", pair[1], f"{reason}. They are merged into ", merged, "."


class RatioScoring:
    """WordPiece: the score of a pair is its count divided by the product of its parts' counts."""

    heading = "Pairs by score"

    def values(self, step: MergeStep) -> Iterator[str]:
        for (_, count), (first, second) in zip(step.best, step.uses, strict=True):
            # The whole fraction is shown, so that an audience can check it against the counts.
            yield f"{count:,} / ({first:,} · {second:,}) = {significant(count / (first * second))}"

    def caption(self, step: MergeStep, pair: tuple[Tile, Tile], merged: Tile, ties: Ties) -> Caption:
        first, second = step.uses[0]
        counts = f" occur together {times(step.times)}; in all they occur {first:,} and {second:,} times"
        score = f"The score {next(self.values(step))}"
        if not step.tied:
            reason = f"{score} is the highest."
        else:
            rivals = "another pair" if step.tied == 1 else f"{step.tied:,} other pairs"
            reason = f"{score} is shared with {rivals}; {WON[ties]}."
        return pair[0], " and ", pair[1], f"{counts}. {reason} They are merged into ", merged, "."


def times(count: int) -> str:
    """Return how often something occurs.

    >>> times(1), times(1200)
    ('once', '1,200 times')
    """
    return "once" if count == 1 else f"{count:,} times"
