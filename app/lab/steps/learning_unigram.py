"""Unigram training as steps: a seed vocabulary, then expectation-maximization and pruning in turns (Kudo 2018)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import exp, inf
from typing import Any

from ...scratch.fast.unigram.learn import EstimationStep, PruningStep, SeedStep
from .recording import MAX_CANDIDATES, UnigramRecording, UnigramStep
from .step import Arc, Boundary, Branch, Fact, Lattice, MergeTreeNode, Row, Step, Table, Tile, TileRow, tabulate
from .tiles import enumeration, format_change, significant, spell, two_decimals

MAX_NAMED = 3
"""Removed tokens that a caption lists."""
STAGES = {SeedStep: "seed", EstimationStep: "estimate", PruningStep: "prune"}
Caption = tuple[str | Tile, ...]


@dataclass(frozen=True)
class UnigramRun:
    """A recorded run of the unigram learner as steps; implements `Run`.

    `options` are the options that the trace repeats.
    """

    recording: UnigramRecording
    options: Mapping[str, Any]
    notes: Sequence[str] = ()
    title: str = "Training a unigram vocabulary"
    branch: Branch = "learn"
    tokenizer: str = ""

    @property
    def total(self) -> int:
        """The number of steps: the seed vocabulary, the EM rounds and the prunings."""
        return len(self.recording.steps)

    @cached_property
    def chart(self) -> Sequence[int]:
        """Corpus length in tokens with each word in its best segmentation, one value per step."""
        return [step.tokens for step in self.recording.steps]

    def steps(self, start: int, stop: int) -> Iterator[Step]:
        """Yield the steps from `start` to `stop` (exclusive) that exist."""
        for number in range(max(start, 0), min(stop, self.total)):
            yield self._step(number)

    def trees(self, step: int) -> tuple[MergeTreeNode, ...]:
        """Return nothing: tokens of a unigram vocabulary are not merges of others."""
        return ()

    def boundaries(self, step: int) -> tuple[Boundary, ...]:
        """Return nothing: training tokenizes no text."""
        return ()

    def data(self) -> Mapping[str, Any]:
        """Return the words, the seed vocabulary, what each step changed, and the final vocabulary."""
        record = self.recording
        return {
            "branch": self.branch,
            **self.options,
            "notes": [*self.notes],
            "words": [{"text": word, "count": count} for word, count in record.counts.items()],
            "pieces": [{"text": token, "count": count} for token, count in record.seeds.items()],
            # The first step is the seed vocabulary, which "pieces" already lists.
            "steps": [_step_data(step) for step in record.steps[1:]],
            "vocabulary": [{"text": token, "log_probability": score} for token, score in record.scores.items()],
        }

    def _tile(self, token: str, at: int = 0, *, new: bool = False) -> Tile:
        return Tile(spell(token), self.recording.ids[token], at, "new" if new else "")

    def _step(self, number: int) -> Step:
        step = self.recording.steps[number]
        previous = self.recording.steps[number - 1] if number else step
        return Step(
            self._caption(step),
            tuple(self._row(index, step, previous) for index in range(len(step.segmentations))),
            rows_left_out=len(self.recording.counts) - len(step.segmentations),
            table=self._tabulate(step),
            facts=tuple(_facts(step, previous, first=not number)),
            lattice=self._lattice(step) if step.arcs else None,
            number=number,
            stage=STAGES[step.kind],
        )

    def _tabulate(self, step: UnigramStep) -> Table:
        """Return the tokens that a step compares, by the value it compares them by."""
        if step.kind is SeedStep:
            title, heads = "Tokens by count × length", ["token", "count × length"]
            rows = [
                Row(((self._tile(token),), f"{count:,} × {len(token)} = {count * len(token):,}"))
                for token, count in step.candidates
            ]
        elif step.kind is PruningStep:
            title, heads = "Tokens by the log-likelihood lost without them", ["token", "estimate"]
            rows = [
                Row(((self._tile(token),), two_decimals(loss)), struck=at < len(step.removed))
                for at, (token, loss) in enumerate([*step.removed, *step.candidates][:MAX_CANDIDATES])
            ]
        else:
            title, heads = "Tokens by probability", ["token", "probability"]
            rows = [Row(((self._tile(token),), probability(exp(score)))) for token, score in step.candidates]
        return tabulate(title, heads, rows, left_out=step.others)

    def _caption(self, step: UnigramStep) -> Caption:
        if step.kind is SeedStep:
            substrings = "every character, and the substrings with the highest count × length"
            return (f"The seed vocabulary has {step.vocabulary:,} tokens: {substrings}.",)
        if step.kind is EstimationStep:
            last = " No pruning follows: these are the final probabilities." if step is self.recording.steps[-1] else ""
            return (
                "Each token is counted in all segmentations, weighted by their probability; its share of all counts is "
                f"its new probability. The log-likelihood becomes {two_decimals(step.likelihood)}.{last}",
            )
        if not step.removed:
            return (f"All {step.vocabulary:,} tokens are kept.",)
        estimate = (
            "A loss is an estimate: the best split replaces each use of the token; everything else stays as it is."
        )
        example: Caption = ()
        if one := step.estimate:
            value = write_loss(one.uses, one.total, one.parts)
            example = (" For ", self._tile(one.token), f", it is {value} = {two_decimals(one.loss)}.")
        return (*self._describe_removed(step), " ", estimate, *example)

    def _describe_removed(self, step: UnigramStep) -> Caption:
        """Return which tokens were removed, and how many remain."""
        named = enumeration([self._tile(token) for token, _ in step.removed[:MAX_NAMED]])
        more = len(step.removed) - MAX_NAMED
        others = f" and {more:,} more" if more > 0 else ""
        predicate = "costs the least and is removed" if len(step.removed) == 1 else "cost the least and are removed"
        return (*named, f"{others} {predicate}: {step.vocabulary:,} tokens remain.")

    def _row(self, index: int, step: UnigramStep, previous: UnigramStep) -> TileRow:
        """Return a word in its best segmentation; tokens that the previous one did not have are new."""
        path, omitted = step.segmentations[index]
        # A token at another offset is new too: the word around it was segmented differently.
        old = _add_offsets(previous.segmentations[index][0])
        tiles = tuple(self._tile(token, at, new=(at, token) not in old) for at, token in _add_offsets(path))
        count = self.recording.counts[self.recording.words[index]]
        return TileRow(tiles, f"×{count:,}" if count > 1 else "", 0, omitted)

    def _lattice(self, step: UnigramStep) -> Lattice:
        """Return the lattice of the example word."""
        word = self.recording.example
        # Arcs are in the order of their starts, so the sum at a start is final before it is used.
        sums = [0.0] + [-inf] * len(word)
        for start, end, _, score in step.arcs:
            sums[end] = max(sums[end], sums[start] + score)
        path, _ = step.segmentations[self.recording.words.index(word)]
        best = {*_add_offsets(path)}
        arcs = (
            Arc(start, end, self._tile(token, start), two_decimals(score), best=(start, token) in best)
            for start, end, token, score in step.arcs
        )
        return Lattice(tuple(word), tuple(arcs), tuple(map(two_decimals, sums)))


def _add_offsets(path: Sequence[str]) -> list[tuple[int, str]]:
    """Return the tokens of a segmentation with their offsets."""
    # accumulate yields one offset more than there are tokens, the end: hence strict=False.
    return [*zip(accumulate(map(len, path), initial=0), path, strict=False)]


def _facts(step: UnigramStep, previous: UnigramStep, *, first: bool) -> Iterator[Fact]:
    """Yield the figures after a step, with their changes."""
    for name, value, before in (
        ("corpus length in tokens", step.tokens, previous.tokens),
        ("vocabulary size", step.vocabulary, previous.vocabulary),
    ):
        yield Fact(name, f"{value:,}", "" if first else format_change(value - before))
    change = step.likelihood - previous.likelihood
    likelihood = "…" if step.kind is PruningStep else two_decimals(step.likelihood)  # the next round computes it
    yield Fact("log-likelihood", likelihood, two_decimals(change, sign="+") if change else "")


def _step_data(step: UnigramStep) -> Mapping[str, Any]:
    """Return a step as JSON data."""
    if step.kind is PruningStep:
        return {"kind": "prune", "removed": [{"text": token, "loss": loss} for token, loss in step.removed]}
    return {"kind": "estimate", "log_likelihood": step.likelihood, "tokens": step.tokens}


def write_loss(uses: int, total: int, parts: Sequence[int]) -> str:
    """Return the estimate of a loss with its numbers: see `estimate_loss` of `scratch.learn_unigram`.

    >>> write_loss(9, 10, [1, 0])
    '9 · (log 9/10 − log 10/19 − log 9/19)'
    """
    grown = total + uses * (len(parts) - 1)
    logs = (f"log {part + uses:,}/{grown:,}" for part in parts)
    return f"{uses:,} · ({' − '.join((f'log {uses:,}/{total:,}', *logs))})"


def probability(value: float) -> str:
    """Return a probability with three significant digits, or that it is very small.

    >>> probability(0.25), probability(1e-9)
    ('0.25', '< 0.0001')
    """
    return significant(value) if value >= 0.0001 else "< 0.0001"
