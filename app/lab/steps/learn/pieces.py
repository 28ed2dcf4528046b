"""Learning a unigram vocabulary as it is seen: pieces in plenty, then by turns their estimation and their pruning."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import exp, inf
from typing import Any

from app.lab.steps.frames import Arc, Boundary, Branch, Candidate, Fact, Frame, Lattice, Node, Row, Tile
from app.lab.steps.learn.piece_recording import Moment, PieceRecording
from app.lab.steps.learn.recording import CANDIDATES
from app.lab.steps.learn.weighing import Words, decimal, signed
from app.lab.steps.spelling import spelled
from app.scratch.learn_unigram import Estimated, Finished, Pruned, Seeded

NAMED = 3
"""Removed pieces that a caption names."""
STAGES = {Seeded: "seed", Estimated: "estimate", Pruned: "prune", Finished: "finish"}


@dataclass(frozen=True)
class PieceRun:
    """A recorded run of the learner of pieces. Implements `Run`; `options` are what the run was asked for."""

    recording: PieceRecording
    options: Mapping[str, Any]
    notes: Sequence[str] = ()
    title: str = "Learning a unigram vocabulary"
    branch: Branch = "learn"

    @property
    def total(self) -> int:
        """A frame for each step: the pieces to begin with, the rounds of estimation, the prunings, the end."""
        return len(self.recording.moments)

    @cached_property
    def chart(self) -> Sequence[int]:
        """Tokens in the corpus, frame by frame, each word in its best cut."""
        return [moment.tokens for moment in self.recording.moments]

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        """The frames from start to stop, those that there are."""
        for number in range(max(start, 0), min(stop, self.total)):
            yield self._frame(number)

    def trees(self, step: int) -> tuple[Node, ...]:
        """None: no piece is made of others."""
        return ()

    def boundaries(self, step: int) -> tuple[Boundary, ...]:
        """None: where a vocabulary is learned, nothing is cut."""
        return ()

    def data(self) -> Mapping[str, Any]:
        """The words, the pieces to begin with, what each step found, and the pieces that are left."""
        record = self.recording
        return {
            "branch": self.branch,
            **self.options,
            "notes": [*self.notes],
            "words": [{"text": word, "count": count} for word, count in record.counts.items()],
            "pieces": [{"text": piece, "count": count} for piece, count in record.seeds.items()],
            "steps": [_told(moment) for moment in record.moments[1:]],
            "vocabulary": [{"text": piece, "log_probability": score} for piece, score in record.scores.items()],
        }

    def _tile(self, piece: str, at: int = 0, *, new: bool = False) -> Tile:
        return Tile(spelled(piece), self.recording.ids[piece], at, "new" if new else "")

    def _frame(self, number: int) -> Frame:
        moment = self.recording.moments[number]
        before = self.recording.moments[number - 1] if number else moment
        heading, candidates = self._weighed(moment)
        return Frame(
            number,
            STAGES[moment.kind],
            self._caption(moment),
            tuple(self._row(place, moment, before) for place in range(len(moment.cuts))),
            rows_left_out=len(self.recording.counts) - len(moment.cuts),
            heading=heading,
            candidates=tuple(candidates),
            candidates_left_out=moment.others,
            facts=tuple(_facts(moment, before, first=not number)),
            lattice=self._lattice(moment) if moment.arcs else None,
        )

    def _weighed(self, moment: Moment) -> tuple[str, Iterator[Candidate]]:
        """The pieces that a step is about, and by what it weighs them."""
        if moment.kind is Seeded:
            values = ((piece, f"{count:,} × {len(piece)} = {count * len(piece):,}") for piece, count in moment.weighed)
            return "Pieces by count × length", (Candidate((self._tile(piece),), value) for piece, value in values)
        if moment.kind is Pruned:
            told = [(*found, True) for found in moment.removed] + [(*found, False) for found in moment.weighed]
            return "Pieces by the log-likelihood lost with them", (
                Candidate((self._tile(piece),), number(loss), "" if gone else "stays", gone)
                for piece, loss, gone in told[:CANDIDATES]
            )
        shares = ((piece, share(exp(score))) for piece, score in moment.weighed)
        return "Pieces by probability", (Candidate((self._tile(piece),), value) for piece, value in shares)

    def _caption(self, moment: Moment) -> Words:
        if moment.kind is Seeded:
            most = "every character, and the substrings with the most characters in the corpus"
            return (f"To begin with, there are pieces in plenty: {most}, {moment.pieces:,} in all.",)
        if moment.kind is Estimated:
            told = (
                f"The log-likelihood of the corpus is {number(moment.likelihood or 0.0)}. Each piece gets a new "
                "probability: its share in all cuts of all words, the likelier a cut the more it counts; a rare one "
                "gets a little less.",
            )
            rare = " is expected less than half a time and goes", " are expected less than half a time and go"
            return told + ((" ", *self._gone(moment, *rare)) if moment.removed else ())
        if not moment.removed:
            return (f"Every piece stays, {moment.pieces:,} in all.",)
        if moment.kind is Pruned:
            return self._gone(moment, " is missed least and goes", " are missed least and go")
        why = "in no best cut, or of the lowest probability"
        return self._gone(moment, f" is {why}, and goes", f" are {why}, and go")

    def _gone(self, moment: Moment, one: str, several: str) -> Words:
        """Which pieces went, what is said of one or of several, and how many are left."""
        named = [part for piece, _ in moment.removed[:NAMED] for part in (", ", self._tile(piece))][1:]
        more = len(moment.removed) - NAMED
        said = several if named[1:] else one
        return (*named, f"{f' and {more:,} more' * (more > 0)}{said}: {moment.pieces:,} pieces are left.")

    def _row(self, place: int, moment: Moment, before: Moment) -> Row:
        """A word in its best cut; what was cut in another way before is new."""
        cut, left_out = moment.cuts[place]
        old = _placed(before.cuts[place][0])
        tiles = tuple(self._tile(piece, at, new=(at, piece) not in old) for at, piece in _placed(cut))
        count = self.recording.counts[self.recording.words[place]]
        return Row(tiles, f"×{count:,}" if count > 1 else "", 0, left_out)

    def _lattice(self, moment: Moment) -> Lattice:
        """All cuts of the example."""
        word = self.recording.example
        sums = [0.0] + [-inf] * len(word)
        for start, end, _, score in moment.arcs:
            sums[end] = max(sums[end], sums[start] + score)
        cut, _ = moment.cuts[self.recording.words.index(word)]
        best = {*_placed(cut)}
        arcs = (
            Arc(start, end, self._tile(piece, start), number(score), best=(start, piece) in best)
            for start, end, piece, score in moment.arcs
        )
        return Lattice(tuple(word), tuple(arcs), tuple(map(number, sums)))


def _placed(cut: Sequence[str]) -> list[tuple[int, str]]:
    """Pieces with where each begins."""
    return [*zip(accumulate(map(len, cut), initial=0), cut, strict=False)]


def _facts(moment: Moment, before: Moment, *, first: bool) -> Iterator[Fact]:
    for name, value, was in (
        ("tokens in the corpus", moment.tokens, before.tokens),
        ("pieces", moment.pieces, before.pieces),
    ):
        yield Fact(name, f"{value:,}", "" if first else signed(value - was))
    if moment.likelihood is not None:
        change = moment.likelihood - (moment.likelihood if before.likelihood is None else before.likelihood)
        yield Fact("log-likelihood", number(moment.likelihood), number(change, sign="+") if change else "")


def _told(moment: Moment) -> Mapping[str, Any]:
    """A step for a trace."""
    if moment.kind is Pruned:
        return {"kind": "prune", "removed": [{"text": piece, "loss": loss} for piece, loss in moment.removed]}
    removed = [{"text": piece} for piece, _ in moment.removed]
    if moment.kind is Finished:
        return {"kind": "finish", "removed": removed}
    return {"kind": "estimate", "log_likelihood": moment.likelihood, "tokens": moment.tokens, "removed": removed}


def share(probability: float) -> str:
    """A probability to three digits, or that it is very small.

    >>> share(0.25), share(1e-9)
    ('0.25', '< 0.0001')
    """
    return decimal(probability) if probability >= 0.0001 else "< 0.0001"


def number(value: float, *, sign: str = "") -> str:
    """A number with two decimals.

    >>> number(-1234.5), number(0.25, sign="+"), number(-0.0001)
    ('−1,234.50', '+0.25', '0.00')
    """
    rounded = round(value, 2) + 0.0
    return f"{rounded:{sign},.2f}".replace("-", "−")
