"""Training by merges as steps: a recorded run of BPE, which scores pairs by count, or of WordPiece, by a ratio."""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from ...errors import plural
from ...scratch.learn_bpe import TieRule
from .recording import MergeRecording, MergeStep, RecordedWord
from .step import Boundary, Branch, Fact, MergeTreeNode, Row, Step, Tile, TileRow, tabulate
from .tiles import format_change, significant, spell

MAX_LEARNED = 10
"""Learned symbols that a step shows, the newest ones."""
MAX_NODES = 127
"""Symbols in a merge tree; those further down have trees of their own."""
WON: Mapping[TieRule, str] = {
    "first-seen": "this pair was seen first",
    "smallest": "this pair has the smallest ids",
    "lexicographic": "this pair is lexicographically first",
    "lexicographically-greatest": "this pair is lexicographically greatest",
}
LOST: Mapping[TieRule, str] = {
    "first-seen": "tie, seen later",
    "smallest": "tie, larger ids",
    "lexicographic": "tie, lexicographically later",
    "lexicographically-greatest": "tie, lexicographically smaller",
}
Caption = tuple[str | Tile, ...]


class PairScoring(Protocol):
    """How an algorithm scores the candidate pairs of a step."""

    heading: str
    head: str
    won: str
    """What is said of the pair that is merged."""

    def values(self, step: MergeStep) -> Iterator[str]:
        """Yield the score of each of a step's best pairs."""

    def caption(self, step: MergeStep, pair: tuple[Tile, Tile], merged: Tile, ties: TieRule) -> Caption:
        """Return the reason why a pair was merged."""


class CountScoring:
    """BPE: the score of a pair is the number of its occurrences."""

    heading = "Pairs by count"
    head = "count"
    won = "highest count, merged now"

    def values(self, step: MergeStep) -> Iterator[str]:
        return (f"{times:,}" for _, times in step.best)

    def caption(self, step: MergeStep, pair: tuple[Tile, Tile], merged: Tile, ties: TieRule) -> Caption:
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
    head = "score"
    won = "highest score, merged now"

    def values(self, step: MergeStep) -> Iterator[str]:
        for (_, count), (first, second) in zip(step.best, step.uses, strict=True):
            # The whole fraction is shown, so that an audience can check it against the counts.
            yield f"{count:,} / ({first:,} · {second:,}) = {significant(count / (first * second))}"

    def caption(self, step: MergeStep, pair: tuple[Tile, Tile], merged: Tile, ties: TieRule) -> Caption:
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


def merge_tree(
    id: int, *, parts: Callable[[int], Sequence[int]], tile: Callable[[int], Tile], step: Callable[[int], int | None]
) -> MergeTreeNode:
    """Return the tree of a symbol, filled level by level up to `MAX_NODES` nodes.

    >>> merges = {3: (0, 1), 4: (3, 2)}
    >>> root = merge_tree(
    ...     4, parts=lambda id: merges.get(id, ()), tile=lambda id: Tile(str(id), id), step=lambda id: id - 2
    ... )
    >>> root.tile.text, [node.tile.text for node in root.parts], [node.tile.text for node in root.parts[0].parts]
    ('4', ['3', '2'], ['0', '1'])
    """
    queue = deque([id])
    visited: list[tuple[int, range]] = []  # each symbol, and the indices that its parts will have in this list
    while queue:
        symbol = queue.popleft()
        known = len(visited) + 1 + len(queue)
        children = parts(symbol)
        if known + len(children) > MAX_NODES:
            children = ()
        visited.append((symbol, range(known, known + len(children))))
        queue.extend(children)
    # Nodes are immutable: parts come after their symbol in the list, so they are built in reverse.
    nodes: dict[int, MergeTreeNode] = {}
    for index in reversed(range(len(visited))):
        symbol, indices = visited[index]
        nodes[index] = MergeTreeNode(tile(symbol), step(symbol), tuple(nodes[i] for i in indices))
    return nodes[0]


@dataclass(frozen=True)
class MergeRun:
    """A recorded run of a learner of merges as steps; implements `Run`.

    `base_unit` describes the initial symbols, `raw` means that symbols are bytes, and `options` are the options that
    the trace repeats.
    """

    recording: MergeRecording
    scoring: PairScoring
    title: str
    base_unit: str
    options: Mapping[str, Any]
    notes: Sequence[str] = ()
    raw: bool = False
    branch: Branch = "learn"
    tokenizer: str = ""

    @property
    def total(self) -> int:
        """The number of steps: the initial state, and one step per merge."""
        return len(self.recording.steps) + 1

    @cached_property
    def chart(self) -> Sequence[int]:
        """Corpus length in tokens, one value per step."""
        return [self.recording.size, *(step.size for step in self.recording.steps)]

    def steps(self, start: int, stop: int) -> Iterator[Step]:
        """Yield the steps from `start` to `stop` (exclusive) that exist."""
        for number in range(max(start, 0), min(stop, self.total)):
            yield self._merge_step(number) if number else self._initial_step()

    def boundaries(self, step: int) -> tuple[Boundary, ...]:
        """Return nothing: training tokenizes no text."""
        return ()

    def trees(self, step: int) -> tuple[MergeTreeNode, ...]:
        """Return the merge tree of the symbol that a step made."""
        first = self.recording.symbols
        corpus = self.recording.corpus
        if not 0 < step < self.total:
            return ()
        root = merge_tree(
            first + step - 1,
            parts=lambda id: [*map(ord, corpus.made_of.get(chr(id), ""))],
            tile=self._tile,
            step=lambda id: id - first + 1 if id >= first else None,
        )
        return (root,)

    def data(self) -> Mapping[str, Any]:
        """Return the initial symbols and words, and the merges, which suffice to replay the run."""
        first = self.recording.symbols
        counts = self.recording.corpus.counts
        words = zip(self.recording.initial, counts, strict=True)
        return {
            "branch": self.branch,
            **self.options,
            "notes": [*self.notes],
            "symbols": self._texts[:first],
            "words": [{"symbols": [*map(ord, word)], "count": count} for word, count in words],
            "merges": [self._merge_data(step, id) for id, step in enumerate(self.recording.steps, first)],
        }

    def _merge_data(self, step: MergeStep, id: int) -> Mapping[str, Any]:
        return {
            "pair": [*map(ord, step.pair)],
            "becomes": id,
            "text": self._texts[id],
            "count": step.times,
            "ties": step.tied,
            "tokens": step.size,
            "in_use": step.in_use,
        }

    @cached_property
    def _texts(self) -> list[str]:
        """The text of each symbol, by id."""
        spellings = self.recording.corpus.spellings
        return [spell(spelling.encode("latin-1")) if self.raw else spell(spelling) for spelling in spellings]

    @cached_property
    def _lengths(self) -> list[int]:
        """The number of initial symbols in each symbol, by id."""
        lengths = [1] * self.recording.symbols
        for step in self.recording.steps:
            lengths.append(lengths[ord(step.pair[0])] + lengths[ord(step.pair[1])])
        return lengths

    def _tile(self, id: int, at: int = 0) -> Tile:
        return Tile(self._texts[id], id, at)

    def _learned_tile(self, id: int) -> Tile:
        """Return a learned symbol; over bytes with its id, as the ids below it are those of the bytes."""
        return Tile(f"{self._texts[id]}→{id}", id) if self.raw else self._tile(id)

    def _pair(self, pair: str, at: int = 0) -> tuple[Tile, Tile]:
        first = ord(pair[0])
        second = ord(pair[1])
        return self._tile(first, at), self._tile(second, at + self._lengths[first])

    def _initial_step(self) -> Step:
        record = self.recording
        distinct = f"{record.in_use:,} of them distinct" if record.in_use > 1 else "all the same"
        return Step(
            (f"At the start, each token is {self.base_unit}: {plural(record.size, 'token')}, {distinct}.",),
            tuple(map(self._row, record.first)),
            rows_left_out=len(record.initial) - len(record.first),
            facts=self._facts(0),
            stage="corpus",
        )

    def _merge_step(self, number: int) -> Step:
        record = self.recording
        step = self.recording.steps[number - 1]
        id = record.symbols + number - 1
        newest = range(max(record.symbols, id + 1 - MAX_LEARNED), id + 1)
        return Step(
            self.scoring.caption(step, self._pair(step.pair), self._tile(id), self.options["ties"]),
            tuple(self._row(word, step.pair, id) for word in step.words),
            rows_left_out=step.left_out,
            table=tabulate(
                self.scoring.heading,
                ("pair", self.scoring.head, ""),
                self._candidates(step),
                left_out=step.pairs - len(step.best),
            ),
            predictable=len(step.best) > 1 and not step.tied,
            learned=tuple(map(self._learned_tile, newest)),
            learned_count=number,
            facts=self._facts(number),
            number=number,
            stage="merge",
        )

    def _candidates(self, step: MergeStep) -> Iterator[Row]:
        for place, ((pair, _), value) in enumerate(zip(step.best, self.scoring.values(step), strict=True)):
            note = "waits" if place > step.tied else LOST[self.options["ties"]] if place else self.scoring.won
            yield Row((self._pair(pair), value, note), chosen=place == 0)

    def _facts(self, number: int) -> tuple[Fact, ...]:
        """Return the figures after a step, with their changes."""
        after = self._figures(number)
        before = self._figures(number - 1) if number else after
        # Symbols in use can shrink while the vocabulary grows: a merge may use up both of its parts.
        names = ("corpus length in tokens", "symbols in use", "vocabulary size")
        return tuple(
            Fact(name, f"{value:,}", format_change(value - previous) if number else "")
            for name, value, previous in zip(names, after, before, strict=True)
        )

    def _figures(self, number: int) -> tuple[int, int, int]:
        """Return corpus length, symbols in use and vocabulary size after a step."""
        record = self.recording
        state = record.steps[number - 1] if number else record
        return state.size, state.in_use, record.symbols + number

    def _row(self, word: RecordedWord, pair: str = "", merged: int = 0) -> TileRow:
        """Return a word as a row, with the occurrences of a pair merged into a symbol."""
        # Symbols are characters in a string, so the merge is replayed by searching for a substring of two.
        tiles: list[Tile] = []
        index = at = 0
        while index < len(word.symbols):
            if pair and word.symbols.startswith(pair, index):
                tile = Tile(self._texts[merged], merged, at, "new", self._pair(pair, at))
            else:
                tile = self._tile(ord(word.symbols[index]), at)
            tiles.append(tile)
            at += self._lengths[tile.key]
            index += 2 if tile.halves else 1
        count = self.recording.corpus.counts[word.word]
        return TileRow(tuple(tiles), f"×{count:,}" if count > 1 else "", word.before, word.after)
