"""The steps of a word whose tokens are longest matches: one step per lookup, from the longest candidate down.

WordPiece looks up characters, and a word may have no segmentation. A walk through a trie of bytes ends where no token
begins with more, so that its candidates are the bytes on its way; every byte is a token.
"""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice, takewhile
from typing import Any

from ...errors import plural
from ...types import EncodingTrace, Segmentation
from .boundaries import longest_match_boundaries
from .step import Boundary, Fact, Mark, MergeTreeNode, Row, Step, Tile, TileRow, tabulate
from .tiles import MAX_TILES, NO_ID, spell, token_tile
from .word_steps import WordSteps

MAX_CANDIDATES = 12
"""Lookups in a step."""


def count_steps(word: Segmentation) -> int:
    """Return the number of steps: one per lookup, and one more if the word becomes the unknown token.

    >>> count_steps(Segmentation("playing", [(0, 0, 4), (1, 4, 7)], attempts=[(0, 7, 4, 0), (4, 7, 7, 1)]))
    5
    """
    return sum(longest - last + 1 for _, longest, last, _ in word.attempts) + (not is_matched(word))


def is_matched(word: Segmentation) -> bool:
    """True if tokens matched up to the end of the word."""
    return bool(word.attempts) and word.attempts[-1][3] is not None


class LongestMatchSteps(WordSteps):
    """The steps of a word that is looked up."""

    def __init__(self, trace: EncodingTrace, word: Segmentation, first: int) -> None:
        super().__init__(trace, word, first)
        self.symbols = word.symbols
        # (start, end, id) of each candidate; the id is None where the vocabulary does not contain it.
        self.lookups = [
            (start, end, id if end == last else None)
            for start, longest, last, id in word.attempts
            for end in range(longest, last - 1, -1)
        ]
        self.matches = [index for index, (*_, id) in enumerate(self.lookups) if id is not None]
        self.total = count_steps(word)

    def _show(self, index: int) -> Step:
        return self._lookup_step(index) if index < len(self.lookups) else self._unknown_step()

    def _lookup_step(self, index: int) -> Step:
        _, end, id = self.lookups[index]
        previous = [self._tile(match, "") for match in self.matches[: bisect_left(self.matches, index)]]
        # The rest of the word is not looked up yet, so it has no id.
        rest = (Tile(spell(self.symbols[end:]), NO_ID, end, "rest"),) if end < len(self.symbols) else ()
        omitted = max(0, len(previous) - MAX_TILES)
        return Step(
            self._caption(index),
            (TileRow((*previous[omitted:], self._tile(index), *rest), left_out_before=omitted),),
            table=tabulate("Lookups, newest first", ("candidate", ""), self._candidates(index)),
            facts=(Fact("lookups", f"{index + 1:,}"), Fact("matches", f"{len(previous) + (id is not None):,}")),
        )

    def _candidates(self, index: int) -> Iterator[Row]:
        """Yield the lookups at the position of one, up to it."""
        start = self.lookups[index][0]
        for one in islice(takewhile(lambda i: self.lookups[i][0] == start, range(index, -1, -1)), MAX_CANDIDATES):
            chosen = self.lookups[one][2] is not None
            note = "in the vocabulary, taken now" if chosen else "not in the vocabulary"
            yield Row(((self._tile(one, ""),), note), chosen)

    def _tile(self, index: int, mark: Mark = "new") -> Tile:
        """Return the tile of a lookup's candidate, with the mark if it matched."""
        start, end, id = self.lookups[index]
        text = (self.trace.prefix if start else "") + spell(self.symbols[start:end])
        return Tile(text, NO_ID if id is None else id, start, "missed" if id is None else mark)

    def _caption(self, index: int) -> tuple[str | Tile, ...]:
        start, end, id = self.lookups[index]
        tile = self._tile(index)
        word = "word" if self.trace.method == "attempts" else "segment"
        if id is not None and end == len(self.symbols):
            complete = f", and the {word} is complete." if start else f" as a whole {word}."
            return (tile, f" is in the vocabulary{complete}")
        if id is not None:
            return (tile, f" is in the vocabulary: the longest match at this position. Next is the rest of the {word}.")
        if self.trace.method == "walks":
            return self._walk_caption(index)
        if end - start > 1:
            return (tile, " is not in the vocabulary; the next candidate is one character shorter.")
        return (tile, " is not in the vocabulary either: no token matches at this position.")

    def _walk_caption(self, index: int) -> tuple[str | Tile, ...]:
        start, end, _ = self.lookups[index]
        tile = self._tile(index)
        shorter = " is no token itself; the next candidate is one byte shorter."
        if index and self.lookups[index - 1][0] == start:
            return (tile, shorter)
        # The walk stopped at the end of the segment, or where no token goes on with the next byte.
        stop = "" if end == len(self.symbols) else ", and no longer token does"
        return (
            f"The walk through the trie reads {plural(end - start, 'byte')}: a token begins with ",
            tile,
            f"{stop}. It",
            shorter,
        )

    def _unknown_step(self) -> Step:
        unknown = Tile("[UNK]", self.trace.unknown, 0, "unknown")
        word = Tile(spell(self.symbols), NO_ID)
        # A word longer than the limit of the tokenizer is unknown without any lookup.
        reason = " has no segmentation" if self.lookups else f" is too long, with {len(self.symbols):,} characters"
        caption = (word, f"{reason}: the whole word becomes ", unknown, ".")
        return Step(caption, (TileRow((unknown,)),), facts=(Fact("matches", "0"),))

    @cached_property
    def inside(self) -> tuple[Boundary, ...]:
        """Reasons for the boundaries within the word."""
        return longest_match_boundaries(self.trace, self.word, [self.first + match for match in self.matches])

    def trees(self) -> tuple[MergeTreeNode, ...]:
        """Return the tokens, each with the step that found it."""
        # A word without a segmentation has one token, the unknown one, which the last step introduces.
        steps = self.matches if is_matched(self.word) else [self.total - 1]
        shown = range(min(MAX_TILES, len(self.word.tokens)))
        return tuple(MergeTreeNode(token_tile(self.trace, self.word, i), self.first + steps[i]) for i in shown)

    def data(self) -> Mapping[str, Any]:
        """Return the lookups per position: its offset, the ends of the longest and the last candidate, the id found."""
        return {"attempts": [[*attempt] for attempt in self.word.attempts]}
