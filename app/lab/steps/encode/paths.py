"""The frames of a word that a unigram model cuts: its lattice from the left, place by place, the way back from the
end, the best cuts, and one that is drawn."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import exp
from random import Random
from typing import Any

from app.lab.steps.encode import inside
from app.lab.steps.encode.fallback import fallback
from app.lab.steps.encode.tiles import MOST, part, quoted, token, window, word
from app.lab.steps.encode.values import number, percent
from app.lab.steps.frames import Arc, Boundary, Candidate, Fact, Frame, Lattice, Node, Row, Tile
from app.scratch.lattice import Cut, forward, likelihood, n_best, sample, sums_before
from app.types import Arcs, CutWord, Trace

LONG = 1_000
"""Characters up to which the best cuts of a word are listed, and one is drawn."""
NAMED = 10
"""Tiles that a caption names."""


@dataclass(frozen=True, slots=True)
class Options:
    """How many of the best cuts are listed, and how one is drawn, if it is."""

    paths: int = 5
    temperature: float | None = None
    seed: int = 0


def steps(cut: CutWord, options: Options) -> int:
    """The number of frames: one a place, the way back, a draw, and what becomes of what the vocabulary lacks.

    >>> steps(CutWord("the", [(0, 0, 3)]), Options())
    4
    """
    size = len(cut.symbols)
    return (size + 1 + _drawn(cut, options) if size > 1 else 1) + bool(cut.lacking)


def _drawn(cut: CutWord, options: Options) -> bool:
    return options.temperature is not None and len(cut.symbols) <= LONG


class Paths:
    """A word in frames; its first one has the number `first`."""

    def __init__(self, trace: Trace, model: Arcs, cut: CutWord, first: int, options: Options) -> None:
        self.trace, self.model, self.cut, self.first, self.options = trace, model, cut, first, options
        self.word = str(cut.symbols)
        self.total = steps(cut, options)

    @cached_property
    def arrived(self) -> list[tuple[int, int, float]]:
        """How the model reached each place, in its own sums."""
        return forward(self.model, self.word, self.cut.sum)

    @cached_property
    def sums(self) -> list[float]:
        """The best sum to each place, from 0."""
        return sums_before(self.model, self.word)

    @cached_property
    def path(self) -> Cut:
        """The cut that the model gives."""
        found, end = [], len(self.word)
        while end:
            start, id, _ = self.arrived[end - 1]
            found.append((id, end - start))
            end = start
        return found[::-1]

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        """The frames of the word from start to stop, counted from its own first one."""
        size = len(self.word)
        for index in range(start, min(stop, self.total)):
            if self.cut.lacking and index == self.total - 1:
                yield fallback(self.trace, self.cut, self.first + index)
            elif size == 1:
                yield self._single()
            elif index < size:
                yield self._place(index)
            elif index == size:
                yield self._back()
            else:
                yield self._draw()

    def _single(self) -> Frame:
        how = "which the vocabulary lacks." if self.cut.lacking else "a token as it is."
        caption = (word(self.cut), f" is one character, {how}")
        return Frame(self.first, "model", caption, (Row((self._tile(0, 1),)),))

    def _place(self, place: int) -> Frame:
        shown = window(len(self.word), place)
        new = [*self.model.edges(self.word, place)]
        best = self._upto(place - 1)
        candidates = tuple(self._candidate(place, end, score, best.get(end)) for end, score, _ in sorted(new)[:MOST])
        tiles = [self._tile(place, end) for end, *_ in sorted(new)]
        more = " …" if len(tiles) > NAMED else ""
        here = f"From place {place:,}, reached with {number(self.sums[place])}," if place else "From the beginning,"
        pieces = f" {len(tiles):,} piece{'s' * (len(tiles) != 1)}: "
        return Frame(
            self.first + place,
            "model",
            (here + pieces, *quoted(tiles[:NAMED]), more + "."),
            (),
            heading="Pieces that begin here",
            candidates=candidates,
            facts=(self._shown(shown), Fact("place", f"{place:,} of {len(self.word):,}")),
            lattice=self._lattice(shown, place, {}),
        )

    def _candidate(self, place: int, end: int, score: float, best: float | None) -> Candidate:
        sum_ = self.sums[place] + score
        where = f"place {end:,}"
        if best is None:
            note = f"reaches {where} with {number(sum_)}"
        elif sum_ > best:
            note = f"reaches {where} better: {number(sum_)}"
        else:
            note = f"{where} is reached better, with {number(best)}"
        return Candidate((self._tile(place, end),), number(score), note)

    def _upto(self, last: int) -> dict[int, float]:
        """The best sums to the places behind one, by pieces that begin no later than there."""
        best: dict[int, float] = {}
        for start in range(max(0, last + 1 - self.model.longest), last + 1):
            for end, score, _ in self.model.edges(self.word, start):
                if end > last:
                    best[end] = max(best.get(end, float("-inf")), self.sums[start] + score)
        return best

    def _lattice(self, shown: range, place: int, path: Mapping[int, int]) -> Lattice:
        """The places shown, with the pieces that begin up to a place; with a `path`, by the place each of its pieces
        begins at, nothing is new any more."""
        arcs = []
        for start in range(shown.start, min(shown.stop, place + 1)):
            for end, score, _ in self.model.edges(self.word, start):
                if end <= shown.stop:
                    marks = (path.get(start) == end, start == place and not path)
                    where = (start - shown.start, end - shown.start)
                    arcs.append(Arc(*where, self._tile(start, end), number(score), *marks))
        reached = self._upto(place)
        sums = [self.sums[i] if i <= place else reached.get(i) for i in range(shown.start, shown.stop + 1)]
        texts = tuple("" if sum_ is None else number(sum_) for sum_ in sums)
        return Lattice(tuple(self.word[shown.start : shown.stop]), tuple(arcs), texts)

    def _back(self) -> Frame:
        tiles = self._tiles(self.path)
        shown = window(len(self.word), len(self.word))
        path, here = {}, 0
        for _, size in self.path:
            path[here] = here = here + size
        listed, left_out = self._best_cuts()
        caption = ("Back from the end by the best ways: ", *quoted(tiles[:NAMED]), " …" if len(tiles) > NAMED else "")
        total = number(self.sums[-1])
        return Frame(
            self.first + len(self.word),
            "model",
            (*caption, f". Their sum, {total}, is the highest of all cuts.{left_out}"),
            (Row(tuple(tiles[:MOST]), left_out_after=max(0, len(tiles) - MOST)),),
            heading="The best cuts",
            candidates=listed,
            facts=(self._shown(shown), Fact("sum", total)),
            lattice=self._lattice(shown, len(self.word) - 1, path),
        )

    def _best_cuts(self) -> tuple[tuple[Candidate, ...], str]:
        if len(self.word) > LONG:
            return (), f" Other cuts are listed for up to {LONG:,} characters."
        found = n_best(self.model, self.word, self.options.paths)
        all_ = likelihood(self.model, self.word)
        return tuple(
            Candidate(tuple(self._tiles(cut)), percent(exp(score - all_)), f"sum {number(score)}", cut == self.path)
            for score, cut in found
        ), ""

    def _draw(self) -> Frame:
        temperature = self.options.temperature or 0.0
        source = Random(f"{self.options.seed} {self.first}")
        cut = sample(self.model, self.word, temperature=temperature, source=source)
        tiles = self._tiles(cut)
        how = f"Drawn with temperature {temperature:g} and seed {self.options.seed}: "
        end = ". This is a draw among all cuts, not the encoding."
        return Frame(
            self.first + len(self.word) + 1,
            "model",
            (how, *quoted(tiles[:NAMED]), (" …" if len(tiles) > NAMED else "") + end),
            (Row(tuple(tiles[:MOST]), "drawn", left_out_after=max(0, len(tiles) - MOST)),),
        )

    def _shown(self, shown: range) -> Fact:
        return Fact("characters", f"{shown.start + 1:,} to {shown.stop:,} of {len(self.word):,}")

    def _tile(self, start: int, end: int) -> Tile:
        unknown = end == start + 1 and self.word[start:end] not in self.trace.ids
        return part(self.trace, self.word, start, end, mark="unknown" if unknown else "")

    def _tiles(self, cut: Cut) -> list[Tile]:
        ends = [*accumulate(size for _, size in cut)]
        return [self._tile(end - size, end) for (_, size), end in zip(cut, ends, strict=True)]

    @cached_property
    def inside(self) -> tuple[Boundary, ...]:
        """Why the word is cut within."""
        steps = (self.first + len(self.word), self.first + self.total - 1)
        return inside.scored(self.trace, self.model, self.cut, self.sums, steps)

    def trees(self) -> tuple[Node, ...]:
        """The tokens; the way back found them all."""
        step = self.first + self.total - 1 if self.cut.lacking or len(self.word) == 1 else self.first + len(self.word)
        return tuple(Node(token(self.trace, self.cut, i), step) for i in range(min(MOST, len(self.cut.tokens))))

    def data(self) -> Mapping[str, Any]:
        """How each place behind the first is best reached: where the last piece begins, its id, the sum."""
        return {"lattice": {"sum": self.cut.sum, "arrived": [[*way] for way in self.arrived]}}
