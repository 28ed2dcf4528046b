"""Why a word is cut within: no merge, a merge that was outranked, the longest match, a sum that is lower otherwise.

`boundaries` says why a word begins where it does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.lab.steps.encode.tiles import MOST, OUTSIDE, part, token
from app.lab.steps.encode.values import number, weight
from app.lab.steps.frames import Boundary, Tile
from app.lab.steps.spelling import spelled
from app.scratch.lattice import sums_behind
from app.types import Arcs, CutWord, Merge, Trace

Why = Callable[[int, Tile, Tile], Boundary]
"""Explains the boundary at a place between two tokens."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A pair that could have joined over a place, with its rank, and the merge that took one of its parts."""

    rank: float
    start: int
    end: int
    index: int
    taken_by: Merge


def each(trace: Trace, cut: CutWord, why: Why, *, fallback: int) -> tuple[Boundary, ...]:
    """The boundaries between the first tokens of a word; about what the vocabulary lacks one frame has decided."""
    found = []
    for index in range(min(MOST, len(cut.tokens)) - 1):
        left, right = (token(trace, cut, i) for i in (index, index + 1))
        lacking = next((i for i, tile in ((index, left), (index + 1, right)) if tile.mark in ("byte", "unknown")), None)
        if lacking is None:
            found.append(why(cut.tokens[index + 1][1], left, right))
        else:
            _, start, end = cut.tokens[lacking]
            char = Tile(spelled(cut.symbols[start:end]), OUTSIDE, start)
            found.append(Boundary(left, right, (char, _lacks(trace)), fallback))
    return tuple(found)


def _lacks(trace: Trace) -> str:
    what = "the tokens for its bytes join" if trace.byte_ids else "the unknown token joins"
    return f" is not in the vocabulary; {what} with nothing."


def merged(trace: Trace, cut: CutWord, first: int, total: int) -> tuple[Boundary, ...]:
    """Why the parts that are left do not join."""
    lost = lost_pairs(trace, cut, [start for _, start, _ in cut.tokens[1:MOST]])

    def why(place: int, left: Tile, right: Tile) -> Boundary:
        if place not in lost:
            return Boundary(left, right, ("No merge makes ", left, " and ", right, " one."))
        pair = lost[place]
        return Boundary(left, right, _outranked(trace, cut, place, pair), first + pair.index)

    return each(trace, cut, why, fallback=first + total - 1)


def lost_pairs(trace: Trace, cut: CutWord, places: Sequence[int]) -> dict[int, Lost]:
    """By place, the last pair that could have joined over it.

    >>> word = CutWord(b"abc", [(1, 0, 2), (2, 2, 3)], [(5, 0, 1, 2)])
    >>> lost_pairs(Trace("merges", (), ranks={b"ab": 5, b"bc": 7}), word, [2])[2].rank
    7
    """
    left = {place: place - 1 for place in places}
    right = {place: place + 1 for place in places}
    found: dict[int, Lost] = {}
    for index, made in enumerate(cut.merges, 1):
        _, start, _, end = made
        for place, side, edge in ((end, left, start), (start, right, end)):
            if place in side:
                rank = trace.ranks.get(cut.symbols[left[place] : right[place]])
                if rank is not None:
                    found[place] = Lost(rank, left[place], right[place], index, made)
                side[place] = edge
    return found


def _outranked(trace: Trace, cut: CutWord, place: int, pair: Lost) -> tuple[str | Tile, ...]:
    def tile(start: int, end: int) -> Tile:
        return part(trace, cut.symbols, start, end)

    rank, start, middle, end = pair.taken_by
    return (
        tile(pair.start, place),
        " and ",
        tile(place, pair.end),
        f" could have joined, {weight(cut.symbols, pair.rank)}, but ",
        tile(start, middle),
        " and ",
        tile(middle, end),
        f" came first, {weight(cut.symbols, rank)}.",
    )


def matched(trace: Trace, cut: CutWord, steps: Sequence[int]) -> tuple[Boundary, ...]:
    """Why WordPiece ends its pieces where it does; `steps` are the frames that found them."""
    found = []
    for index in range(min(MOST, len(cut.tokens)) - 1):
        left, right = (token(trace, cut, i) for i in (index, index + 1))
        reason = (left, " is the longest piece from its place that the vocabulary holds.")
        found.append(Boundary(left, right, reason, steps[index]))
    return tuple(found)


def scored(
    trace: Trace, model: Arcs, cut: CutWord, sums: Sequence[float], steps: tuple[int, int]
) -> tuple[Boundary, ...]:
    """Why no piece reaches over a place: none does, or the best sum with one is lower. `steps` are the frames of the
    way back and of what the vocabulary lacks."""
    word = str(cut.symbols)
    behind = sums_behind(model, word)

    def why(place: int, left: Tile, right: Tile) -> Boundary:
        across = [
            (sums[start] + score + behind[end], start, end)
            for start in range(max(0, place - model.longest), place)
            for end, score, _ in model.edges(word, start)
            if end > place
        ]
        if not across:
            return Boundary(left, right, ("No piece of the vocabulary reaches over this place.",))
        best, start, end = max(across)
        with_, less = number(best), number(sums[-1] - best)
        reason = ("With ", part(trace, word, start, end), f" over this place the best sum is {with_}, {less} lower.")
        return Boundary(left, right, reason, steps[0])

    return each(trace, cut, why, fallback=steps[1])
