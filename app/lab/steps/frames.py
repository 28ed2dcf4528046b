"""Data types of a step-by-step view: frames, what a frame shows, and the `Run` protocol.

The types are the same for every algorithm, so that one template draws them all. A run has frames 0 to `total` - 1.
Frame 0 shows the initial state and each later frame shows what one step changed. A merged tile keeps the two tiles
it was merged from, so a frame also shows the state before its step. The last frame shows the result: the encoding,
or the trained vocabulary.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

Mark = Literal["", "new", "missed", "rest", "special", "unknown", "byte"]
"""State of a tile: ordinary · made by this step · looked up without success · not processed yet · a special token ·
the unknown token · a byte token of a character that is not in the vocabulary."""
Branch = Literal["learn", "encode"]


@dataclass(frozen=True, slots=True)
class Tile:
    """One symbol or token.

    `text` is what the tile shows; bytes that are not valid UTF-8 appear in hex, `f0·9f`. `key` is the id, which
    determines the colour of the tile in every frame. `at` is the offset in its row. `halves` are the two symbols
    that a new tile was merged from. `shade` moves the tile to a later colour of the palette.
    """

    text: str
    key: int
    at: int = 0
    mark: Mark = ""
    halves: tuple["Tile", ...] = ()
    shade: int = 0


@dataclass(frozen=True, slots=True)
class TileRow:
    """A line of tiles, usually one word.

    `label` is the count of the word in the corpus (`×5`). Long rows omit tiles at either end and count them.
    """

    tiles: tuple[Tile, ...]
    label: str = ""
    left_out_before: int = 0
    left_out_after: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action the algorithm considered in this step: its parts, its value (`11`, `rank 262`) and a short note."""

    parts: tuple[Tile, ...]
    value: str
    note: str = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure beside the stage, with its change in this step: `Fact("symbols in use", "12", "+1")`."""

    name: str
    value: str
    change: str = ""


@dataclass(frozen=True, slots=True)
class Arc:
    """A token in a lattice, from position `start` to `end`.

    `value` is its score. `best` marks arcs of the best path, `new` marks arcs that this step added.
    """

    start: int
    end: int
    tile: Tile
    value: str
    best: bool = False
    new: bool = False


@dataclass(frozen=True, slots=True)
class Lattice:
    """All segmentations of a word: its characters, the tokens that match, and the best sum of scores per position.

    `sums` has one entry more than `characters`; an entry is empty where no path has reached the position yet.
    """

    characters: tuple[str, ...]
    arcs: tuple[Arc, ...]
    sums: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """One step as it is displayed.

    `caption` describes the step in a sentence, with the symbols it mentions as tiles. `around` are the pre-tokens
    around the one on stage, which is marked new. `candidates` are in the order of the algorithm, best first;
    `predictable` means that an audience can be asked to choose among them. `learned` are the most recently learned
    symbols, newest last, and `learned_count` is the number of all of them.
    """

    step: int
    stage: str
    caption: tuple[str | Tile, ...]
    rows: tuple[TileRow, ...]
    rows_left_out: int = 0
    around: TileRow | None = None
    heading: str = ""
    candidates: tuple[Candidate, ...] = ()
    candidates_left_out: int = 0
    predictable: bool = False
    learned: tuple[Tile, ...] = ()
    learned_count: int = 0
    facts: tuple[Fact, ...] = ()
    lattice: Lattice | None = None


@dataclass(frozen=True, slots=True)
class MergeTreeNode:
    """A symbol in a merge tree, the frame that made it (None for an initial symbol) and the symbols it consists of."""

    tile: Tile
    step: int | None = None
    parts: tuple["MergeTreeNode", ...] = ()


@dataclass(frozen=True, slots=True)
class Boundary:
    """The reason for a boundary between two tokens, and the frame that decided it, if any."""

    left: Tile | None
    right: Tile | None
    reason: tuple[str | Tile, ...]
    step: int | None = None


class Run(Protocol):
    """A trace whose frames can be computed from any step on."""

    @property
    def branch(self) -> Branch: ...

    @property
    def tokenizer(self) -> str:
        """The id of the tokenizer that is kept in memory with the run, or "" if it is a training."""

    @property
    def title(self) -> str:
        """One line that names the algorithm or the tokenizer."""

    @property
    def notes(self) -> Sequence[str]:
        """Messages about the run, such as fewer merges than requested."""

    @property
    def total(self) -> int:
        """The number of frames."""

    @property
    def chart(self) -> Sequence[int]:
        """Corpus length in tokens, one value per frame. Empty for an encoding."""

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        """Yield the frames from `start` to `stop` (exclusive) that exist."""

    def trees(self, step: int) -> tuple[MergeTreeNode, ...]:
        """Return the merge trees of a frame: of the token learned, or of the tokens of the pre-token on stage."""

    def boundaries(self, step: int) -> tuple[Boundary, ...]:
        """Return the reasons for the boundaries of the pre-token on stage, its own start first. Empty in training."""

    def data(self) -> Mapping[str, Any]:
        """Return the trace as JSON data that suffices to replay it."""
