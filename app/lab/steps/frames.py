"""What is seen of one step: plain data, the same for every algorithm, so that one template draws them all.

A run has frames 0 to `total` - 1. Frame 0 shows what there is to begin with; each frame behind it shows what one step
made, and, as a new tile keeps its halves, what there was before it. The last frame is the outcome: the encoding, or
the vocabulary that was learned.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Mark = Literal["", "new", "missed", "rest", "special", "unknown", "byte"]
"""A tile is ordinary · made by this step · looked up in vain · not reached yet · a special token · an unknown one ·
one byte of a character that the vocabulary lacks."""
Branch = Literal["learn", "encode"]
Ties = Literal["first-seen", "smallest", "lexicographic"]
"""Which of the pairs with the highest count wins: the one first seen in the corpus · that of the smallest ids, as
Hugging Face's trainer has it · the first by spelling."""


@dataclass(frozen=True, slots=True)
class Tile:
    """One symbol. `key` is its id, which gives it its colour in every frame; `at` is where in its row it begins.

    `text` is what is shown: bytes that are no text as hex, `f0·9f`. `halves` are what a new tile was
    made of.
    """

    text: str
    key: int
    at: int = 0
    mark: Mark = ""
    halves: tuple["Tile", ...] = ()


@dataclass(frozen=True, slots=True)
class Row:
    """Tiles beside each other: a word. `label` says how often it comes: `×5`. Tiles are left out at the ends."""

    tiles: tuple[Tile, ...]
    label: str = ""
    left_out_before: int = 0
    left_out_after: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """What could have been done: its parts, the value it was weighed by (`11`, `rank 262`), and a word on it."""

    parts: tuple[Tile, ...]
    value: str
    note: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A small number beside the stage: `Fact("symbols in use", "12", "+1")`."""

    name: str
    value: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class Arc:
    """A piece in a lattice, between two places. `best` is on the best path, `new` was added by this step."""

    start: int
    end: int
    tile: Tile
    value: str
    best: bool = False
    new: bool = False


@dataclass(frozen=True, slots=True)
class Lattice:
    """All the ways to cut a word: its characters, the pieces that fit, the best sum to each place reached so far."""

    characters: tuple[str, ...]
    arcs: tuple[Arc, ...]
    sums: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """One step as it is seen.

    `caption` says in words what happens, with the symbols it speaks of as tiles. `around` are the pieces of the text
    about the one on stage, the one itself marked new. `candidates` stand in the order of the algorithm, the best
    first; `predictable` says that an audience can be asked which of them it will be. `learned` are the newest symbols,
    the last one last.
    """

    step: int
    stage: str
    caption: tuple[str | Tile, ...]
    rows: tuple[Row, ...]
    rows_left_out: int = 0
    around: Row | None = None
    heading: str = ""
    candidates: tuple[Candidate, ...] = ()
    candidates_left_out: int = 0
    predictable: bool = False
    learned: tuple[Tile, ...] = ()
    learned_count: int = 0
    facts: tuple[Fact, ...] = ()
    lattice: Lattice | None = None


@dataclass(frozen=True, slots=True)
class Node:
    """A symbol in a tree of merges: the frame that made it, or None, and what it was made of."""

    tile: Tile
    step: int | None = None
    parts: tuple["Node", ...] = ()


@dataclass(frozen=True, slots=True)
class Boundary:
    """Why two tokens are not one: `reason` in words, and the frame that decided it, if one did."""

    left: Tile | None
    right: Tile | None
    reason: tuple[str | Tile, ...]
    step: int | None = None


class Run(Protocol):
    """A trace that can be looked at from any step."""

    @property
    def branch(self) -> Branch: ...

    @property
    def title(self) -> str:
        """What is being followed, in a line."""

    @property
    def notes(self) -> Sequence[str]:
        """What a reader must know: a size that was capped, a piece that no merge reaches."""

    @property
    def total(self) -> int:
        """The number of frames."""

    @property
    def chart(self) -> Sequence[int]:
        """The size of the corpus in tokens, frame by frame; empty for an encoding."""

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        """The frames from start to stop, those that there are."""

    def trees(self, step: int) -> tuple[Node, ...]:
        """How the symbols on stage at a frame came about: of the token that was learned, or of the piece encoded."""

    def boundaries(self, step: int) -> tuple[Boundary, ...]:
        """Why the piece on stage at a frame is cut where it is, its own beginning first; none for learning."""

    def data(self) -> Mapping[str, Any]:
        """The trace itself, for JSON: what replays it."""
