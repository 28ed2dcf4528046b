"""The steps of a word that a unigram model tokenizes.

The lattice grows from left to right, one position per step. Then the best path is traced back from the end and
compared with the next best ones; with a temperature, one more segmentation is sampled.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import exp
from random import Random
from typing import Any

from ...errors import plural
from ...scratch.fast.unigram.lattice import Path, likelihood, n_best, sample, sums_before
from ...types import EncodingTrace, Segmentation, UnigramLattice
from .boundaries import unigram_boundaries
from .step import Arc, Boundary, Fact, Lattice, MergeTreeNode, Row, Step, Table, Tile, TileRow, tabulate
from .tiles import MAX_TILES, enumeration, log_score, percent, symbol_tile, token_tile, window, word_tile
from .word_steps import WordSteps

MAX_SAMPLED = 1_000
"""Characters of the longest word whose segmentations are listed and sampled."""
MAX_NAMED = 10
"""Tokens that a caption lists."""


@dataclass(frozen=True, slots=True)
class SegmentationOptions:
    """How many of the best segmentations are listed, and how one is sampled, if `temperature` is not None."""

    paths: int = 5
    temperature: float | None = None
    seed: int = 0


def count_steps(word: Segmentation, options: SegmentationOptions) -> int:
    """Return the number of steps: one per position, the best path, a sample, and byte fallback.

    >>> count_steps(Segmentation("the", [(0, 0, 3)]), SegmentationOptions())
    4
    """
    size = len(word.symbols)
    samples = options.temperature is not None and size <= MAX_SAMPLED
    return (size + 1 + samples if size > 1 else 1) + bool(word.unknown_spans)


class UnigramSteps(WordSteps):
    """The steps of a word in a lattice."""

    def __init__(
        self, trace: EncodingTrace, model: UnigramLattice, word: Segmentation, first: int, options: SegmentationOptions
    ) -> None:
        super().__init__(trace, word, first)
        self.model = model
        self.options = options
        self.text = str(word.symbols)
        self.total = count_steps(word, options)

    @cached_property
    def arrivals(self) -> list[tuple[int, int, float]]:
        """The last token of the best path to each position after 0: its start, its id and the sum.

        The sums are in the model's own precision, so that the path is exactly the one that the model chooses.
        """
        sums = self.model.forward(self.text, self.word.initial_score)
        arrivals = zip(sums.starts[1:], sums.best[1:], strict=True)
        return [(start, self._id(start, end), total) for end, (start, total) in enumerate(arrivals, 1)]

    def _id(self, start: int, end: int) -> int:
        return next(id for last, _, id in self.model.edges(self.text, start) if last == end)

    @cached_property
    def sums(self) -> list[float]:
        """The best sum of scores to each position, beginning with 0."""
        return sums_before(self.model, self.text)

    @cached_property
    def best_path(self) -> Path:
        """The segmentation that the model chooses."""
        path = []
        end = len(self.text)
        while end:
            start, id, _ = self.arrivals[end - 1]
            path.append((id, end - start))
            end = start
        return path[::-1]

    def _show(self, index: int) -> Step:
        size = len(self.text)
        if self.word.unknown_spans and index == self.total - 1:
            return self._fall_back()
        if size == 1:
            return self._single_step()
        if index < size:
            return self._position_step(index)
        return self._best_path_step() if index == size else self._sample_step()

    def _single_step(self) -> Step:
        status = "not in the vocabulary" if self.word.unknown_spans else "a token"
        caption = (word_tile(self.word), f" is one character, which is {status}.")
        return Step(caption, (TileRow((self._tile(0, 1),)),))

    def _position_step(self, position: int) -> Step:
        shown = window(len(self.text), position)
        edges = sorted(self.model.edges(self.text, position))
        # Before this position: what its tokens have to improve on.
        previous = self._best_sums(position - 1)
        candidates = [self._candidate(position, end, score, previous.get(end)) for end, score, _ in edges[:MAX_TILES]]
        tiles = [self._tile(position, end) for end, *_ in edges]
        verb = "begins" if len(tiles) == 1 else "begin"
        place = (
            f"At position {position:,}, reached with a sum of {log_score(self.sums[position])}"
            if position
            else "At the start"
        )
        caption = (f"{place}, {plural(len(tiles), 'token')} {verb}: ", *self._enumerate_tiles(tiles), ".")
        return Step(
            caption,
            table=tabulate("Tokens that begin here", ("token", "score", ""), candidates),
            facts=(self._range_fact(shown), Fact("position", f"{position:,} of {len(self.text):,}")),
            lattice=self._lattice(shown, position, {}),
        )

    def _candidate(self, position: int, end: int, score: float, previous: float | None) -> Row:
        """Return a token and how its path compares with the previous best path to its end."""
        total = self.sums[position] + score
        if previous is None:
            note = f"reaches position {end:,} with {log_score(total)}"
        elif total > previous:
            note = f"improves position {end:,} to {log_score(total)}"
        else:
            note = f"position {end:,} has a better sum, {log_score(previous)}"
        return Row(((self._tile(position, end),), log_score(score), note))

    def _best_sums(self, last: int) -> dict[int, float]:
        """Return the best sums to the positions after `last`, by tokens that begin no later than at `last`."""
        best: dict[int, float] = {}
        for start in range(max(0, last + 1 - self.model.longest), last + 1):
            for end, score, _ in self.model.edges(self.text, start):
                if end > last:
                    best[end] = max(best.get(end, float("-inf")), self.sums[start] + score)
        return best

    def _lattice(self, shown: range, position: int, path: Mapping[int, int]) -> Lattice:
        """Return the part of the lattice in a range, with the tokens that begin up to a position.

        `path` maps the starts of the best path's tokens to their ends; with it, no arc is new.
        """
        arcs = []
        for start in range(shown.start, min(shown.stop, position + 1)):
            for end, score, _ in self.model.edges(self.text, start):
                if end <= shown.stop:
                    best = path.get(start) == end
                    new = start == position and not path
                    span = (start - shown.start, end - shown.start)
                    arcs.append(Arc(*span, self._tile(start, end), log_score(score), best, new))
        # Sums after the position may still improve: show what the tokens up to here reach.
        reached = self._best_sums(position)
        sums = [self.sums[i] if i <= position else reached.get(i) for i in range(shown.start, shown.stop + 1)]
        texts = tuple("" if value is None else log_score(value) for value in sums)
        return Lattice(tuple(self.text[shown.start : shown.stop]), tuple(arcs), texts)

    def _best_path_step(self) -> Step:
        tiles = self._tiles(self.best_path)
        shown = window(len(self.text), len(self.text))
        table, omitted = self._best_segmentations()
        total = log_score(self.sums[-1])
        conclusion = f". The sum of its scores, {total}, is the highest of all segmentations.{omitted}"
        return Step(
            ("The best path, traced back from the end: ", *self._enumerate_tiles(tiles), conclusion),
            (self._row(tiles),),
            table=table,
            facts=(self._range_fact(shown), Fact("sum", total)),
            lattice=self.final_lattice,
        )

    @cached_property
    def final_lattice(self) -> Lattice:
        """The whole lattice, or its end if it is long, with the best path."""
        path = {}
        start = 0
        for _, size in self.best_path:
            path[start] = start + size
            start += size
        return self._lattice(window(len(self.text), len(self.text)), len(self.text) - 1, path)

    def _best_segmentations(self) -> tuple[Table | None, str]:
        """Return the best segmentations with their probabilities, or a sentence that the word is too long for them."""
        if len(self.text) > MAX_SAMPLED:
            return None, f" Other segmentations are listed for words of up to {MAX_SAMPLED:,} characters."
        # Divided by the sum over all segmentations, a probability is that of the segmentation given the text.
        all_ = likelihood(self.model, self.text)
        rows = [
            Row((tuple(self._tiles(path)), percent(exp(score - all_)), log_score(score)), path == self.best_path)
            for score, path in n_best(self.model, self.text, self.options.paths)
        ]
        return tabulate("Best segmentations", ("segmentation", "probability", "sum"), rows), ""

    def _sample_step(self) -> Step:
        temperature = self.options.temperature or 0.0
        # The number of the step is part of the seed: otherwise equal words would share one random state.
        source = Random(f"{self.options.seed} {self.first}")
        tiles = self._tiles(sample(self.model, self.text, temperature=temperature, source=source))
        how = f"Sampled with temperature {temperature:g} and seed {self.options.seed}: "
        caption = (how, *self._enumerate_tiles(tiles), ". This is a random segmentation, not the encoding.")
        return Step(caption, (self._row(tiles, "sampled"),))

    def _enumerate_tiles(self, tiles: list[Tile]) -> tuple[str | Tile, ...]:
        return (*enumeration(tiles[:MAX_NAMED]), *([" …"] if len(tiles) > MAX_NAMED else []))

    def _row(self, tiles: list[Tile], label: str = "") -> TileRow:
        return TileRow(tuple(tiles[:MAX_TILES]), label, left_out_after=max(0, len(tiles) - MAX_TILES))

    def _range_fact(self, shown: range) -> Fact:
        return Fact("characters", f"{shown.start + 1:,} to {shown.stop:,} of {len(self.text):,}")

    def _tile(self, start: int, end: int) -> Tile:
        # Every single character has an arc, even those outside the vocabulary, so that a path always exists.
        unknown = end == start + 1 and self.text[start:end] not in self.trace.ids
        return symbol_tile(self.trace, self.text, start, end, mark="unknown" if unknown else "")

    def _tiles(self, path: Path) -> list[Tile]:
        ends = [*accumulate(size for _, size in path)]
        return [self._tile(end - size, end) for (_, size), end in zip(path, ends, strict=True)]

    @cached_property
    def inside(self) -> tuple[Boundary, ...]:
        """Reasons for the boundaries within the word."""
        best_step = self.first + len(self.text)
        last = self.first + self.total - 1
        return unigram_boundaries(self.trace, self.model, self.word, self.sums, best_step=best_step, fallback_step=last)

    def trees(self) -> tuple[MergeTreeNode, ...]:
        """Return the tokens, which the step of the best path or of byte fallback introduced."""
        # One character has no path to trace back, and byte fallback adds a step after it.
        ends_otherwise = self.word.unknown_spans or len(self.text) == 1
        step = self.first + (self.total - 1 if ends_otherwise else len(self.text))
        shown = range(min(MAX_TILES, len(self.word.tokens)))
        return tuple(MergeTreeNode(token_tile(self.trace, self.word, index), step) for index in shown)

    def data(self) -> Mapping[str, Any]:
        """Return the last token of the best path to each position after 0: its start, its id and the sum."""
        return {"lattice": {"sum": self.word.initial_score, "arrived": [[*arrival] for arrival in self.arrivals]}}
