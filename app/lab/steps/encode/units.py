"""The one frame of a word that is not cut at all: a token by name, a character, a byte, a whole word."""

from collections.abc import Iterator, Mapping
from typing import Any

from app.lab.steps.encode.fallback import tokens
from app.lab.steps.encode.tiles import token
from app.lab.steps.frames import Boundary, Fact, Frame, Node, Tile
from app.types import CutWord, Trace


class Single:
    """A word in one frame."""

    def __init__(self, trace: Trace, cut: CutWord, first: int) -> None:
        self.trace, self.cut, self.first = trace, cut, first

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        """The frame, if it is among those asked for."""
        if start <= 0 < stop:
            facts = (Fact("tokens of the piece", f"{len(self.cut.tokens):,}"),)
            yield Frame(self.first, "model", self._caption(), (tokens(self.trace, self.cut),), facts=facts)

    def _caption(self) -> tuple[str | Tile, ...]:
        tile, id = token(self.trace, self.cut, 0), self.cut.tokens[0][0]
        if self.cut.special:
            return (tile, f" is a token by name, id {id:,}: it is found before anything else looks at the text.")
        if self.trace.pattern:
            return (tile, f" is met for the first time and gets the next id, {id:,}.")
        return (tile, f" is a token as it is, id {id:,}.")

    inside: tuple[Boundary, ...] = ()

    def trees(self) -> tuple[Node, ...]:
        """The token."""
        return (Node(token(self.trace, self.cut, 0), self.first),)

    def data(self) -> Mapping[str, Any]:
        """Nothing was done."""
        return {"special": True} if self.cut.special else {}
