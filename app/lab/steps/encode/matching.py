"""The frames of a word that WordPiece cuts: one for each piece that is looked up, from the longest down."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from app.lab.steps.encode import inside
from app.lab.steps.encode.tiles import MOST, OUTSIDE, token
from app.lab.steps.frames import Boundary, Fact, Frame, Mark, Node, Row, Tile
from app.lab.steps.spelling import spelled
from app.types import CutWord, Trace


def steps(cut: CutWord) -> int:
    """The number of frames: one for each piece looked up, and one more for a word that is unknown.

    >>> steps(CutWord("playing", [(0, 0, 4), (1, 4, 7)], attempts=[(0, 7, 4, 0), (4, 7, 7, 1)]))
    5
    """
    return sum(longest - last + 1 for _, longest, last, _ in cut.attempts) + (not found(cut))


def found(cut: CutWord) -> bool:
    """Whether pieces were found up to the end of the word."""
    return bool(cut.attempts) and cut.attempts[-1][3] is not None


class Matching:
    """A word in frames; its first one has the number `first`."""

    def __init__(self, trace: Trace, cut: CutWord, first: int) -> None:
        self.trace, self.cut, self.first = trace, cut, first
        self.word = str(cut.symbols)
        self.tries = [
            (start, end, id if end == last else None)
            for start, longest, last, id in cut.attempts
            for end in range(longest, last - 1, -1)
        ]
        self.hits = [index for index, (*_, id) in enumerate(self.tries) if id is not None]
        self.total = steps(cut)

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        """The frames of the word from start to stop, counted from its own first one."""
        for index in range(start, min(stop, self.total)):
            yield self._try(index) if index < len(self.tries) else self._unknown()

    def _try(self, index: int) -> Frame:
        _, end, id = self.tries[index]
        before = [self._piece(hit, "") for hit in self.hits[: bisect_left(self.hits, index)]]
        rest = (Tile(spelled(self.word[end:]), OUTSIDE, end, "rest"),) if end < len(self.word) else ()
        left_out = max(0, len(before) - MOST)
        return Frame(
            self.first + index,
            "model",
            self._caption(index),
            (Row((*before[left_out:], self._piece(index), *rest), left_out_before=left_out),),
            facts=(Fact("looked up", f"{index + 1:,}"), Fact("found", f"{len(before) + (id is not None):,}")),
        )

    def _piece(self, index: int, found: Mark = "new") -> Tile:
        """The piece of a try."""
        start, end, id = self.tries[index]
        text = (self.trace.prefix if start else "") + spelled(self.word[start:end])
        return Tile(text, OUTSIDE if id is None else id, start, "missed" if id is None else found)

    def _caption(self, index: int) -> tuple[str | Tile, ...]:
        start, end, id = self.tries[index]
        tile = self._piece(index)
        if id is not None and end == len(self.word):
            return (
                tile,
                " is in the vocabulary, and the word is at its end." if start else " is in the vocabulary whole.",
            )
        if id is not None:
            return (tile, " is in the vocabulary: the longest piece from here. On with the rest.")
        if end - start > 1:
            return (tile, " is not in the vocabulary: one character less.")
        return (tile, " is not in the vocabulary either: nothing begins here.")

    def _unknown(self) -> Frame:
        tile = Tile("[UNK]", self.trace.unknown, 0, "unknown")
        word = Tile(spelled(self.word), OUTSIDE)
        why = " cannot be finished: " if self.tries else f" is too long, with {len(self.word):,} characters: "
        caption = (word, why, tile, " stands for the whole word.")
        return Frame(self.first + self.total - 1, "model", caption, (Row((tile,)),), facts=(Fact("found", "0"),))

    def found_in(self, index: int) -> int:
        """The frame in which a token was found, or given up."""
        return self.first + (self.hits[index] if found(self.cut) else self.total - 1)

    @cached_property
    def inside(self) -> tuple[Boundary, ...]:
        """Why the word is cut within."""
        return inside.matched(self.trace, self.cut, [self.first + hit for hit in self.hits])

    def trees(self) -> tuple[Node, ...]:
        """The tokens, each with the frame that found it."""
        shown = range(min(MOST, len(self.cut.tokens)))
        return tuple(Node(token(self.trace, self.cut, index), self.found_in(index)) for index in shown)

    def data(self) -> Mapping[str, Any]:
        """What was looked up: the place, the ends of the longest piece and of the last, and the id of the last."""
        return {"attempts": [[*tried] for tried in self.cut.attempts]}
