"""The steps of one word: the protocol, and the frames that do not depend on the algorithm.

`bpe_steps`, `wordpiece_steps` and `unigram_steps` implement the protocol for the algorithms.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from ...types import Segmentation, Trace
from .frames import Boundary, Fact, Frame, Node, Tile
from .tiles import NO_ID, enumeration, spelled, token_row, token_tile, word_tile

MAX_NAMED = 5
"""Characters or tokens that a caption lists."""


class WordSteps(Protocol):
    """The frames of one word, numbered from `first` on in the run and from 0 within the word."""

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        """Yield the word's frames from `start` to `stop` (exclusive) that exist."""

    @property
    def inside(self) -> tuple[Boundary, ...]:
        """Reasons for the boundaries within the word, at most as many as a row has tiles."""

    def trees(self) -> tuple[Node, ...]:
        """Return the merge trees of the tokens, at most as many as a row has tiles."""

    def data(self) -> Mapping[str, Any]:
        """Return the JSON data that suffices to replay the word."""


class UnitSteps:
    """The single frame of a word that is one token without any algorithm: a special token, a character, a byte."""

    inside: tuple[Boundary, ...] = ()

    def __init__(self, trace: Trace, word: Segmentation, first: int) -> None:
        self.trace, self.word, self.first = trace, word, first

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        """Yield the frame if it is in the range."""
        if start <= 0 < stop:
            row = token_row(self.trace, self.word)
            yield Frame(self.first, "model", self._caption(), (row,), facts=(token_count(self.trace, self.word),))

    def _caption(self) -> tuple[str | Tile, ...]:
        tile, id = token_tile(self.trace, self.word, 0), self.word.tokens[0][0]
        if self.word.special:
            return (tile, f" is a special token, id {id:,}: it is matched before anything else reads the text.")
        if self.trace.pattern:
            return (tile, f" occurs for the first time and gets the next id, {id:,}.")
        return (tile, f" is a token, id {id:,}.")

    def trees(self) -> tuple[Node, ...]:
        """Return the token as a tree of one node."""
        return (Node(token_tile(self.trace, self.word, 0), self.first),)

    def data(self) -> Mapping[str, Any]:
        """Return whether it is a special token."""
        return {"special": True} if self.word.special else {}


def segment_name(trace: Trace) -> str:
    """Return the name of a trace's words: pre-tokens, or segments where the tokenizer has no pre-tokenizer.

    >>> segment_name(Trace("merges", (), pattern="a|b")), segment_name(Trace("lattice", ()))
    ('pre-token', 'segment')
    """
    return "pre-token" if trace.pattern or trace.method == "attempts" else "segment"


def token_count(trace: Trace, word: Segmentation) -> Fact:
    """Return the number of tokens of a word as a fact."""
    return Fact(f"tokens in this {segment_name(trace)}", f"{len(word.tokens):,}")


def repeated(trace: Trace, word: Segmentation, step: int) -> Frame:
    """Return the frame of a word that occurred before: its tokens are the same, so the steps are not repeated."""
    row = token_row(trace, word)
    if len(word.tokens) == 1:
        caption: tuple[str | Tile, ...] = (word_tile(word), " occurred before: it is the same token again.")
    else:
        ending = " …" if len(word.tokens) > MAX_NAMED else "."
        tokens = enumeration(row.tiles[:MAX_NAMED])
        caption = (word_tile(word), " occurred before and has the same tokens again: ", *tokens, ending)
    return Frame(step, "model", caption, (row,), facts=(token_count(trace, word),))


def fallback(trace: Trace, word: Segmentation, step: int) -> Frame:
    """Return the frame in which characters outside the vocabulary become byte tokens or the unknown token."""
    count = len(word.unknown_spans)
    characters = [Tile(spelled(word.symbols[start:end]), NO_ID, start) for start, end in word.unknown_spans[:MAX_NAMED]]
    more = f" and {count - MAX_NAMED:,} more" if count > MAX_NAMED else ""
    if not trace.byte_ids:
        outcome = "Characters outside the vocabulary become the unknown token."
    elif count > 1:
        outcome = "Byte fallback: each becomes the tokens of its UTF-8 bytes."
    else:
        outcome = "Byte fallback: it becomes the tokens of its UTF-8 bytes."
    caption = (*enumeration(characters), f"{more} {'are' if count > 1 else 'is'} not in the vocabulary. {outcome}")
    return Frame(step, "model", caption, (token_row(trace, word),), facts=(token_count(trace, word),))
