"""How each kind of model is shown at work on one word."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from app.lab.steps.encode import matching, merging, paths
from app.lab.steps.encode.matching import Matching
from app.lab.steps.encode.merging import Merging
from app.lab.steps.encode.paths import Options, Paths
from app.lab.steps.encode.units import Single
from app.lab.steps.frames import Boundary, Frame, Node
from app.types import CutWord, Trace


class Play(Protocol):
    """A word in frames."""

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        """The frames from start to stop, counted from the word's own first one."""

    @property
    def inside(self) -> tuple[Boundary, ...]:
        """Why it is cut within, at most as often as a row shows."""

    def trees(self) -> tuple[Node, ...]:
        """How its tokens came about, at most as many as a row shows."""

    def data(self) -> Mapping[str, Any]:
        """What replays it."""


def length(trace: Trace, cut: CutWord, options: Options) -> int:
    """The number of frames of a word."""
    if cut.special or trace.method == "units":
        return 1
    if trace.method == "attempts":
        return matching.steps(cut)
    if trace.method == "lattice":
        return paths.steps(cut, options)
    return merging.steps(cut)


def play(trace: Trace, cut: CutWord, first: int, options: Options) -> Play:
    """A word in frames, the first of which has a number."""
    if cut.special or trace.method == "units":
        return Single(trace, cut, first)
    if trace.method == "attempts":
        return Matching(trace, cut, first)
    if trace.arcs:
        return Paths(trace, trace.arcs, cut, first, options)
    return Merging(trace, cut, first)
