"""The frames of a word that is cut by merging: its symbols, then merge by merge, with what else could have joined."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from app.lab.steps.encode import inside
from app.lab.steps.encode.fallback import fallback
from app.lab.steps.encode.replay import Replay
from app.lab.steps.encode.tiles import MOST, part, word
from app.lab.steps.encode.values import weight
from app.lab.steps.frames import Boundary, Candidate, Fact, Frame, Node, Row, Tile
from app.types import CutWord, Trace

SHOWN = 12
"""Candidates in a frame; the others are counted."""


def reached(cut: CutWord) -> bool:
    """Whether the merges of a word that the vocabulary holds whole lead to it."""
    size = len(cut.symbols)
    return size == 1 or (bool(cut.merges) and cut.merges[-1][1::2] == (0, size))


def steps(cut: CutWord) -> int:
    """The number of frames: the beginning, the merges, and one for what merges do not explain."""
    return 1 + len(cut.merges) + (bool(cut.lacking) or (cut.whole and not reached(cut)))


class Merging:
    """A word in frames; its first one has the number `first`."""

    def __init__(self, trace: Trace, cut: CutWord, first: int) -> None:
        self.trace, self.cut, self.first = trace, cut, first
        self.total = steps(cut)
        self._ranked = isinstance(cut.symbols, bytes)

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        """The frames of the word from start to stop, counted from its own first one."""
        state = Replay(self.cut.symbols, self.trace.ranks).run(self.cut.merges, max(0, start - 1))
        for index in range(start, min(stop, self.total)):
            if index == 0:
                yield self._beginning(state)
            elif index <= len(self.cut.merges):
                yield self._merge(state, index)
            elif self.cut.lacking:
                yield fallback(self.trace, self.cut, self.first + index)
            else:
                yield self._whole(state)

    def _beginning(self, state: Replay) -> Frame:
        return Frame(
            self.first,
            "model",
            self._opening(state),
            (self._row(state, 0),),
            facts=(Fact("parts", f"{state.count:,}"),),
        )

    def _opening(self, state: Replay) -> tuple[str | Tile, ...]:
        cut, unit = self.cut, "byte" if isinstance(self.cut.symbols, bytes) else "character"
        whole, size = word(cut), len(cut.symbols)
        if size == 1:
            return (
                whole,
                f" is one {unit}, " + ("which the vocabulary lacks." if cut.lacking else "a token as it is."),
            )
        if cut.whole:
            own = f" is in the vocabulary as it stands, with rank {cut.tokens[0][0]:,}. "
            return (whole, own + f"See how the merges up to that rank make it of {size:,} {unit}s.")
        none = "" if state.pairs else " No two of them that are neighbours make a piece of the vocabulary."
        return (whole, f" begins as {size:,} {unit}s.{none}")

    def _merge(self, state: Replay, index: int) -> Frame:
        made = self.cut.merges[index - 1]
        choices = state.choices()
        chosen = next(i for i, choice in enumerate(choices) if choice[1] == made[1])
        alike = sum(1 for start, (rank, *_) in state.pairs.items() if rank == made[0])
        candidates = tuple(self._candidate(choice, made) for choice in choices[: max(SHOWN, chosen + 1)])
        halves = (self._tile(*made[1:3]), self._tile(*made[2:4]))
        state.apply(made)
        caption = self._caption(halves, made, len(choices), alike) + self._ending(state, index)
        return Frame(
            self.first + index,
            "model",
            caption,
            (self._row(state, made[1], halves),),
            heading="Pairs that could join",
            candidates=candidates,
            candidates_left_out=len(choices) - len(candidates),
            predictable=len(choices) > 1,
            facts=(Fact("parts", f"{state.count:,}", "−1"),),
        )

    def _caption(
        self, halves: tuple[Tile, Tile], made: tuple[float, int, int, int], choices: int, alike: int
    ) -> tuple[str | Tile, ...]:
        best = "lowest" if self._ranked else "highest"
        name, value = weight(self.cut.symbols, made[0]).split()
        if choices == 1:
            why = f" join: no other pair is in the vocabulary; its {name} is {value}."
        else:
            why = f" join: of {choices:,} pairs in the vocabulary this one has the {best} {name}, {value}."
        several = f" It stands at {alike:,} places; the leftmost comes first." if alike > 1 else ""
        return (halves[0], " and ", halves[1], why + several)

    def _ending(self, state: Replay, index: int) -> tuple[str | Tile, ...]:
        if index < len(self.cut.merges) or self.cut.lacking:
            return ()
        if self.cut.whole:
            return (" That is the whole word: one token.",) if state.count == 1 else ()
        if state.count == 1:
            return (" The word is one token.",)
        return (f" No two neighbours make a piece any more: {state.count:,} tokens.",)

    def _candidate(self, choice: tuple[float, int, int, int], made: tuple[float, int, int, int]) -> Candidate:
        rank, start, middle, end = choice
        chosen = (start, end) == (made[1], made[3])
        if chosen:
            note = "lowest" if self._ranked else "highest"
        else:
            note = "outranked" if start < made[3] and end > made[1] else "later"
        value = weight(self.cut.symbols, rank)
        return Candidate((self._tile(start, middle), self._tile(middle, end)), value, note, chosen)

    def _whole(self, state: Replay) -> Frame:
        parts = tuple(self._tile(*span) for span in state.parts(0, MOST))
        whole = part(self.trace, self.cut.symbols, 0, len(self.cut.symbols), mark="new", halves=parts)
        rank = f"{self.cut.tokens[0][0]:,}"
        caption = (
            f"No merge up to rank {rank} goes on from here. Still ",
            whole,
            " is taken: the vocabulary holds it.",
        )
        return Frame(
            self.first + self.total - 1,
            "model",
            caption,
            (Row((whole,)),),
            facts=(Fact("parts", "1", f"−{state.count - 1:,}"),),
        )

    def _tile(self, start: int, end: int) -> Tile:
        return part(self.trace, self.cut.symbols, start, end)

    def _row(self, state: Replay, place: int, halves: tuple[Tile, ...] = ()) -> Row:
        """The parts about a place, the one there made of halves."""
        symbols = self.cut.symbols
        ahead = len(state.parts(place, MOST // 2))
        first = state.back(place, MOST - ahead)
        tiles = tuple(
            part(self.trace, symbols, start, end, mark="new", halves=halves)
            if halves and start == place
            else self._tile(start, end)
            for start, end in state.parts(first, MOST)
        )
        before = state.before(first)
        return Row(tiles, left_out_before=before, left_out_after=state.count - before - len(tiles))

    @cached_property
    def inside(self) -> tuple[Boundary, ...]:
        """Why the word is cut within."""
        return inside.merged(self.trace, self.cut, self.first, self.total)

    def trees(self) -> tuple[Node, ...]:
        """Each finished part of the word and what it was made of, at most as many as a row shows."""
        made = {(start, end): (index, middle) for index, (_, start, middle, end) in enumerate(self.cut.merges, 1)}
        state = Replay(self.cut.symbols, self.trace.ranks, pairs=False).run(self.cut.merges, len(self.cut.merges))
        found = tuple(self._node(made, start, end) for start, end in state.parts(0, MOST))
        if self.cut.whole and len(found) > 1:
            return (
                Node(part(self.trace, self.cut.symbols, 0, len(self.cut.symbols)), self.first + self.total - 1, found),
            )
        return found

    def data(self) -> Mapping[str, Any]:
        """The merges; a token that is `whole` is taken as it stands, whatever they make of it."""
        return {"merges": [[*made] for made in self.cut.merges], **({"whole": True} if self.cut.whole else {})}

    def _node(self, made: dict[tuple[int, int], tuple[int, int]], start: int, end: int) -> Node:
        if (start, end) not in made:
            return Node(self._tile(start, end), self.first)
        index, middle = made[start, end]
        parts = (self._node(made, start, middle), self._node(made, middle, end))
        return Node(self._tile(start, end), self.first + index, parts)
