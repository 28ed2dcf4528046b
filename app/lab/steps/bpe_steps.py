"""The steps of a word that BPE tokenizes: its initial symbols, then one merge per step with the other candidates.

A trace stores only the merges. The state of the word before a step is computed again by replaying them, so that a
trace stays small and any step can be displayed.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from ...errors import plural
from ...types import EncodingTrace, Merge, Segmentation
from .boundaries import bpe_boundaries
from .step import Boundary, Fact, MergeTreeNode, Row, Step, Tile, TileRow, tabulate
from .tiles import MAX_TILES, merge_priority, symbol_tile, word_tile
from .word_steps import WordSteps, is_reached, segment_name

MAX_CANDIDATES = 12
"""Candidates in a step; the others are only counted."""


class MergeState:
    """The symbols of a word and the pairs that can merge, while merges are applied one by one.

    `pairs` maps the start of a pair to its rank, the offset between its two symbols, and its end.

    >>> state = MergeState(b"low", EncodingTrace("merges", (), ranks={b"lo": 1, b"low": 2}))
    >>> state.pairs
    {0: (1, 1, 2)}
    >>> state.apply((1, 0, 1, 2))
    >>> [*state.spans()], state.pairs
    ([(0, 2), (2, 3)], {0: (2, 2, 3)})
    """

    def __init__(self, symbols: bytes | str, trace: EncodingTrace, *, pairs: bool = True) -> None:
        """With `pairs=False` only the symbols are tracked."""
        self.symbols = symbols
        self.trace = trace
        size = len(symbols)
        # A linked list over offsets: the end of the symbol that starts at an offset (0 where none starts), and the
        # start of the symbol that ends there.
        self.end_of = list(range(1, size + 1))
        self.start_of = list(range(-1, size))
        self.count = size
        self.pairs: dict[int, tuple[float, int, int]] = {}
        self._tracks_pairs = pairs
        if pairs:
            for start in range(size - 1):
                self._update_pair(start)

    def _update_pair(self, start: int) -> None:
        middle = self.end_of[start]
        end = self.end_of[middle] if middle < len(self.symbols) else 0
        rank = self.trace.rank(self.symbols, start, middle, end) if end else None
        if rank is None:
            self.pairs.pop(start, None)
        else:
            self.pairs[start] = (rank, middle, end)

    def apply(self, merge: Merge) -> None:
        """Merge two symbols."""
        _, start, middle, end = merge
        self.end_of[start] = end
        self.end_of[middle] = 0
        self.start_of[end] = start
        self.count -= 1
        if self._tracks_pairs:
            # Only the pairs that the new symbol takes part in change.
            self.pairs.pop(middle, None)
            self._update_pair(start)
            if start:
                self._update_pair(self.start_of[start])

    def apply_all(self, merges: Sequence[Merge], stop: int) -> "MergeState":
        """Apply the merges up to `stop` (exclusive); return the state itself."""
        for merge in islice(merges, stop):
            self.apply(merge)
        return self

    def spans(self, start: int = 0, limit: int | None = None) -> list[tuple[int, int]]:
        """Return start and end of the symbols from the one at an offset on, at most `limit` of them."""
        spans: list[tuple[int, int]] = []
        while start < len(self.symbols) and (limit is None or len(spans) < limit):
            spans.append((start, self.end_of[start]))
            start = self.end_of[start]
        return spans

    def back(self, start: int, count: int) -> int:
        """Return the start of the symbol that is `count` symbols before the one at an offset, or the first one's."""
        for _ in range(count):
            if not start:
                break
            start = self.start_of[start]
        return start

    def count_before(self, start: int) -> int:
        """Return the number of symbols before an offset."""
        return sum(1 for end in self.end_of[:start] if end)

    def candidates(self) -> list[tuple[float, int, int, int]]:
        """Return the pairs that can merge as (rank, start, middle, end), best first.

        Of equal pairs only the leftmost is listed, the one that is merged first.

        >>> MergeState(b"aaab", EncodingTrace("merges", (), ranks={b"aa": 1, b"ab": 0})).candidates()
        [(0, 2, 3, 4), (1, 0, 1, 2)]
        """
        # The rank and the length of the left part identify a pair, wherever it occurs.
        leftmost: dict[tuple[float, int], int] = {}
        for start, (rank, middle, _) in self.pairs.items():
            key = (rank, middle - start)
            if leftmost.get(key, start) >= start:
                leftmost[key] = start
        return sorted((rank, start, *self.pairs[start][1:]) for (rank, _), start in leftmost.items())


def count_steps(word: Segmentation) -> int:
    """Return the number of steps: the initial symbols, the merges, and one for what merges do not explain."""
    return 1 + len(word.merges) + (bool(word.unknown_spans) or (word.whole and not is_reached(word)))


class BPESteps(WordSteps):
    """The steps of a word that is merged."""

    def __init__(self, trace: EncodingTrace, word: Segmentation, first: int) -> None:
        super().__init__(trace, word, first)
        self.total = count_steps(word)
        self._unit = "byte" if isinstance(word.symbols, bytes) else "character"
        # Models of SentencePiece merge characters by score, highest first; all others by rank, lowest first.
        self._best = "lowest" if trace.pairs or self._unit == "byte" else "highest"
        self._where = "in the list of merges" if trace.pairs else "in the vocabulary"

    def steps(self, start: int, stop: int) -> Iterator[Step]:
        state = MergeState(self.word.symbols, self.trace).apply_all(self.word.merges, max(0, start - 1))
        for index in range(start, min(stop, self.total)):
            if index == 0:
                yield self._initial_step(state)
            elif index <= len(self.word.merges):
                yield self._merge_step(state, index)
            elif self.word.unknown_spans:
                yield self._fall_back()
            else:
                yield self._whole_step(state)

    def _initial_step(self, state: MergeState) -> Step:
        facts = (Fact("symbols", f"{state.count:,}"),)
        return Step(self._initial_caption(state), (self._row(state, 0),), facts=facts)

    def _initial_caption(self, state: MergeState) -> tuple[str | Tile, ...]:
        word = self.word
        unit = self._unit
        tile = word_tile(word)
        units = plural(len(word.symbols), unit)
        if len(word.symbols) == 1:
            return (tile, f" is one {unit}, which is {'not in the vocabulary' if word.unknown_spans else 'a token'}.")
        if word.whole and self.trace.pairs:
            return (tile, f" is in the vocabulary, so it is one token at once. Its merges would begin with {units}.")
        if word.whole:
            id = word.tokens[0][0]
            return (tile, f" is a token of rank {id:,}. The merges up to that rank build it from {units}.")
        no_pair = "" if state.pairs else f" No adjacent pair is {self._where}."
        return (tile, f" starts as {units}.{no_pair}")

    def _merge_step(self, state: MergeState, index: int) -> Step:
        merge = self.word.merges[index - 1]
        pairs = state.candidates()
        chosen = next(i for i, pair in enumerate(pairs) if pair[1] == merge[1])
        occurrences = sum(1 for pair in state.pairs.values() if pair[0] == merge[0])
        priority, _ = merge_priority(self.trace, self.word.symbols, merge[0]).split()
        candidates = tabulate(
            "Candidate pairs",
            ("pair", priority, ""),
            [self._candidate(pair, merge) for pair in pairs[: max(MAX_CANDIDATES, chosen + 1)]],
            left_out=max(0, len(pairs) - max(MAX_CANDIDATES, chosen + 1)),
        )
        halves = (self._tile(*merge[1:3]), self._tile(*merge[2:4]))
        # Only now: the caption and the candidates above describe the state before the merge.
        state.apply(merge)
        return Step(
            self._merge_caption(halves, merge, len(pairs), occurrences) + self._conclusion(state, index),
            (self._row(state, merge[1], halves),),
            table=candidates,
            predictable=len(pairs) > 1,
            facts=(Fact("symbols", f"{state.count:,}", "−1"),),
        )

    def _merge_caption(
        self, halves: tuple[Tile, Tile], merge: Merge, pairs: int, occurrences: int
    ) -> tuple[str | Tile, ...]:
        name, value = merge_priority(self.trace, self.word.symbols, merge[0]).split()
        if pairs == 1:
            reason = f" merge: no other pair is {self._where}. The {name} is {value}."
        else:
            reason = f" merge: of the {pairs:,} pairs {self._where}, this one has the {self._best} {name}, {value}."
        several = f" It occurs {occurrences:,} times; the leftmost merges first." if occurrences > 1 else ""
        return (halves[0], " and ", halves[1], reason + several)

    def _conclusion(self, state: MergeState, index: int) -> tuple[str, ...]:
        """Return a last sentence for the caption of the last merge."""
        if index < len(self.word.merges) or self.word.unknown_spans:
            return ()
        if state.count == 1:
            return (f" The whole {segment_name(self.trace)} is one token.",)
        # A token that merges do not reach has a further step, which explains it.
        return () if self.word.whole else (f" No adjacent pair is {self._where} now: {state.count:,} tokens.",)

    def _candidate(self, pair: tuple[float, int, int, int], merge: Merge) -> Row:
        rank, start, middle, end = pair
        chosen = (start, end) == (merge[1], merge[3])
        overlaps = start < merge[3] and end > merge[1]
        name, value = merge_priority(self.trace, self.word.symbols, rank).split()
        now = f"{self._best} {name}, merged now"
        note = now if chosen else "overlaps the merged pair" if overlaps else "waits"
        return Row(((self._tile(start, middle), self._tile(middle, end)), value, note), chosen)

    def _whole_step(self, state: MergeState) -> Step:
        """Return the step of a token that the vocabulary contains though no merges produce it."""
        halves = tuple(self._tile(*span) for span in state.spans(0, MAX_TILES))
        whole = symbol_tile(self.trace, self.word.symbols, 0, len(self.word.symbols), mark="new", halves=halves)
        up_to = "" if self.trace.pairs else f" up to rank {self.word.tokens[0][0]:,}"
        no_merge = f"No merge{up_to} continues from here. "
        caption = (no_merge, whole, " is one token nevertheless, because the vocabulary contains it.")
        facts = (Fact("symbols", "1", f"−{state.count - 1:,}"),)
        return Step(caption, (TileRow((whole,)),), facts=facts)

    def _tile(self, start: int, end: int) -> Tile:
        return symbol_tile(self.trace, self.word.symbols, start, end)

    def _row(self, state: MergeState, position: int, halves: tuple[Tile, ...] = ()) -> TileRow:
        """Return the symbols around an offset; the one that starts there is new if it has halves."""
        # Near the end of the word fewer symbols follow, so more of those before it are shown.
        ahead = len(state.spans(position, MAX_TILES // 2))
        first = state.back(position, MAX_TILES - ahead)
        tiles = tuple(
            symbol_tile(self.trace, self.word.symbols, start, end, mark="new", halves=halves)
            if halves and start == position
            else self._tile(start, end)
            for start, end in state.spans(first, MAX_TILES)
        )
        before = state.count_before(first)
        return TileRow(tiles, left_out_before=before, left_out_after=state.count - before - len(tiles))

    @cached_property
    def inside(self) -> tuple[Boundary, ...]:
        """Reasons for the boundaries within the word."""
        return bpe_boundaries(self.trace, self.word, self.first, self.total)

    def trees(self) -> tuple[MergeTreeNode, ...]:
        """Return the merge tree of each final symbol, at most `MAX_TILES`."""
        return self._trees

    @cached_property
    def _trees(self) -> tuple[MergeTreeNode, ...]:
        steps = {(start, end): (index, middle) for index, (_, start, middle, end) in enumerate(self.word.merges, 1)}
        state = MergeState(self.word.symbols, self.trace, pairs=False)
        state.apply_all(self.word.merges, len(self.word.merges))
        nodes = tuple(self._node(steps, start, end) for start, end in state.spans(0, MAX_TILES))
        if self.word.whole and len(nodes) > 1:
            return (MergeTreeNode(self._tile(0, len(self.word.symbols)), self.first + self.total - 1, nodes),)
        return nodes

    def _node(self, steps: Mapping[tuple[int, int], tuple[int, int]], start: int, end: int) -> MergeTreeNode:
        if (start, end) not in steps:
            return MergeTreeNode(self._tile(start, end), self.first)
        index, middle = steps[start, end]
        parts = (self._node(steps, start, middle), self._node(steps, middle, end))
        return MergeTreeNode(self._tile(start, end), self.first + index, parts)

    def data(self) -> Mapping[str, Any]:
        """Return the merges; a word that is `whole` is one token, whatever they produce."""
        return {"merges": [[*merge] for merge in self.word.merges], **({"whole": True} if self.word.whole else {})}
