"""Learning by merges as it is seen: the frames of a recorded run of BPE or WordPiece, built when asked for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from app.lab.steps.frames import Boundary, Branch, Candidate, Fact, Frame, Node, Row, Tile
from app.lab.steps.learn.recording import Kept, Recording, Step
from app.lab.steps.learn.tree import tree
from app.lab.steps.learn.weighing import LOST, Weighing, signed
from app.lab.steps.spelling import spelled

NEWEST = 10
"""Symbols learned that a frame shows."""


@dataclass(frozen=True)
class MergeRun:
    """A recorded run of a learner of merges. Implements `Run`.

    `made_of` says what a token is in the beginning, `raw` that symbols are bytes, and `options` what the run was asked
    for.
    """

    recording: Recording
    weighing: Weighing
    title: str
    made_of: str
    options: Mapping[str, Any]
    notes: Sequence[str] = ()
    raw: bool = False
    branch: Branch = "learn"

    @property
    def total(self) -> int:
        """A frame for the beginning, and one for each merge."""
        return len(self.recording.steps) + 1

    @cached_property
    def chart(self) -> Sequence[int]:
        """Tokens in the corpus, frame by frame."""
        return [self.recording.size, *(step.size for step in self.recording.steps)]

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        """The frames from start to stop, those that there are."""
        for number in range(max(start, 0), min(stop, self.total)):
            yield self._merged(number) if number else self._beginning()

    def boundaries(self, step: int) -> tuple[Boundary, ...]:
        """None: where a vocabulary is learned, nothing is cut."""
        return ()

    def trees(self, step: int) -> tuple[Node, ...]:
        """The tree of the symbol that a frame made."""
        first, made_of = self.recording.symbols, self.recording.corpus.made_of
        if not 0 < step < self.total:
            return ()
        top = tree(
            first + step - 1,
            parts=lambda id: [*map(ord, made_of.get(chr(id), ""))],
            tile=self._tile,
            step=lambda id: id - first + 1 if id >= first else None,
        )
        return (top,)

    def data(self) -> Mapping[str, Any]:
        """The symbols and the words there were, and the merges: what replays the run."""
        first, counts = self.recording.symbols, self.recording.corpus.counts
        words = zip(self.recording.initial, counts, strict=True)
        return {
            "branch": self.branch,
            **self.options,
            "notes": [*self.notes],
            "symbols": self._texts[:first],
            "words": [{"symbols": [*map(ord, word)], "count": count} for word, count in words],
            "merges": [self._merge(step, id) for id, step in enumerate(self.recording.steps, first)],
        }

    def _merge(self, step: Step, id: int) -> Mapping[str, Any]:
        pair = [*map(ord, step.pair)]
        told = {"pair": pair, "becomes": id, "text": self._texts[id], "count": step.times, "ties": step.tied}
        return {**told, "tokens": step.size, "in_use": step.in_use}

    @cached_property
    def _texts(self) -> list[str]:
        """What is shown of each symbol, by id."""
        spellings = self.recording.corpus.spellings
        return [spelled(spelling.encode("latin-1")) if self.raw else spelled(spelling) for spelling in spellings]

    @cached_property
    def _lengths(self) -> list[int]:
        """By id, of how many of the first symbols each was made."""
        lengths = [1] * self.recording.symbols
        for step in self.recording.steps:
            lengths.append(lengths[ord(step.pair[0])] + lengths[ord(step.pair[1])])
        return lengths

    def _tile(self, id: int, at: int = 0) -> Tile:
        return Tile(self._texts[id], id, at)

    def _pair(self, pair: str, at: int = 0) -> tuple[Tile, Tile]:
        first, second = ord(pair[0]), ord(pair[1])
        return self._tile(first, at), self._tile(second, at + self._lengths[first])

    def _beginning(self) -> Frame:
        record = self.recording
        kinds = f"{record.in_use:,} different ones" if record.in_use > 1 else "all the same"
        tokens = f"{record.size:,} tokens" if record.size > 1 else "1 token"
        return Frame(
            0,
            "corpus",
            (f"To begin with, each token is {self.made_of}: {tokens}, {kinds}.",),
            tuple(map(self._row, record.first)),
            rows_left_out=len(record.initial) - len(record.first),
            facts=self._facts(0),
        )

    def _merged(self, number: int) -> Frame:
        record, step = self.recording, self.recording.steps[number - 1]
        made = record.symbols + number - 1
        newest = range(max(record.symbols, made + 1 - NEWEST), made + 1)
        caption = self.weighing.caption(step, self._pair(step.pair), self._tile(made), self.options["ties"])
        return Frame(
            number,
            "merge",
            caption,
            tuple(self._row(kept, step.pair, made) for kept in step.kept),
            rows_left_out=step.left_out,
            heading=self.weighing.heading,
            candidates=tuple(self._candidates(step)),
            candidates_left_out=step.pairs - len(step.best),
            predictable=len(step.best) > 1,
            learned=tuple(map(self._tile, newest)),
            learned_count=number,
            facts=self._facts(number),
        )

    def _candidates(self, step: Step) -> Iterator[Candidate]:
        for place, ((pair, _), value) in enumerate(zip(step.best, self.weighing.values(step), strict=True)):
            note = LOST[self.options["ties"]] if 0 < place <= step.tied else ""
            yield Candidate(self._pair(pair), value, note, chosen=place == 0)

    def _facts(self, number: int) -> tuple[Fact, ...]:
        """What there is after a frame, and what it changed."""
        record = self.recording
        states = [(record.size, record.in_use, record.symbols)]
        for at in range(max(number - 1, 1), number + 1) if number else ():
            step = record.steps[at - 1]
            states.append((step.size, step.in_use, record.symbols + at))
        now, before = states[-1], states[-2] if number else states[-1]
        names = ("tokens in the corpus", "symbols in use", "vocabulary")
        return tuple(
            Fact(name, f"{value:,}", signed(value - was) if number else "")
            for name, value, was in zip(names, now, before, strict=True)
        )

    def _row(self, kept: Kept, pair: str = "", made: int = 0) -> Row:
        """A word, with the pair merged where it stands."""
        tiles: list[Tile] = []
        here = at = 0
        while here < len(kept.symbols):
            if pair and kept.symbols.startswith(pair, here):
                tile = Tile(self._texts[made], made, at, "new", self._pair(pair, at))
            else:
                tile = self._tile(ord(kept.symbols[here]), at)
            tiles.append(tile)
            at += self._lengths[tile.key]
            here += 2 if tile.halves else 1
        count = self.recording.corpus.counts[kept.word]
        return Row(tuple(tiles), f"×{count:,}" if count > 1 else "", kept.before, kept.after)
