"""The model of a step, for recorded algorithms, scenes, exports and phones alike, and the `Run` protocol.

A step shows tokens in rows, beside them its evidence, a table with fixed heads, and below them a sentence. A merged
tile keeps the two tiles it was merged from, so a step also shows the state before it. A run has steps 0 to `total` - 1:
step 0 shows the initial state, each later one what changed, and the last one the result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from .drawing import Drawing

Mark = Literal["", "new", "missed", "rest", "special", "unknown", "byte"]
"""State of a tile: ordinary · made by this step · looked up without success · not processed yet · a special token ·
the unknown token · a byte token of a character that is not in the vocabulary."""
Branch = Literal["learn", "encode"]


@dataclass(frozen=True, slots=True)
class Tile:
    """One symbol or token.

    `text` is what the tile shows; bytes that are not valid UTF-8 appear in hex, `f0·9f`. `key` is the id, which
    determines the colour of the tile in every step. `at` is the offset in its row. `halves` are the two symbols
    that a new tile was merged from. `shade` moves the tile to a later colour of the palette.
    """

    text: str
    key: int
    at: int = 0
    mark: Mark = ""
    halves: tuple[Tile, ...] = ()
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


Words = tuple[str | Tile, ...]
"""A sentence or the content of a cell, with the tokens that it mentions as tiles."""
Cell = str | Words


@dataclass(frozen=True, slots=True)
class Row:
    """The cells of a row; `chosen` marks what the algorithm takes, `struck` what it removes."""

    cells: tuple[Cell, ...]
    chosen: bool = False
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """The evidence of a step, with the number of rows that are left out. `code`: the last column is code, in atoms.

    >>> Table("", ("language", "speakers"), (Row(("Shan", "3 to 5 million")),)).prose
    frozenset({1})
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    left_out: int = 0
    code: bool = False

    @property
    def prose(self) -> frozenset[int]:
        """The columns that have phrases, which begin at one edge, and not numbers, which end at one."""
        cells = chain.from_iterable(enumerate(row.cells) for row in self.rows)
        return frozenset(column for column, cell in cells if isinstance(cell, str) and cell.count(" ") > 1)


def tabulate(
    title: str,
    heads: Sequence[str],
    rows: Iterable[Row | Sequence[Cell]],
    *,
    chosen: Collection[int] = (),
    most: int | None = None,
    left_out: int = 0,
) -> Table:
    """Return a table of at most `most` rows, whose further ones are counted; `chosen` are the numbers of chosen ones.

    >>> tabulate("Ranks", ("merge", "rank"), [("e s", "3"), ("l o", "5"), ("t h", "9")], chosen=(0,), most=2)
    Table(title='Ranks', heads=('merge', 'rank'), rows=(Row(cells=('e s', '3'), chosen=True, struck=False), \
Row(cells=('l o', '5'), chosen=False, struck=False)), left_out=1, code=False)
    """
    made = [row if isinstance(row, Row) else Row(tuple(row), at in chosen) for at, row in enumerate(rows)]
    shown = made[:most]
    return Table(title, tuple(heads), tuple(shown), left_out + len(made) - len(shown))


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
class Step:
    """The stage after one step of an algorithm.

    `sentence` says what happened, with the symbols it mentions as tiles. `line` is the line of the teaching file that
    made it, as (function, line number), and `symbols` are those of the equation that the step is about. `columns` says
    of each row how many tiles stand in each column, if rows share them. `around` are the pre-tokens around the one on
    stage, which is marked new. `predictable` means that an audience can be asked to choose among the rows of the table,
    which are in the order of the algorithm, best first. `learned` are the most recently learned symbols, newest last,
    and `learned_count` is the number of all of them. `number` and `stage` are its place in a run.
    """

    sentence: Words
    rows: tuple[TileRow, ...] = ()
    line: tuple[str, int] = ("", 0)
    table: Table | None = None
    facts: tuple[Fact, ...] = ()
    symbols: tuple[str, ...] = ()
    figure: Drawing | None = None
    columns: tuple[tuple[int, ...], ...] = ()
    lattice: Lattice | None = None
    rows_left_out: int = 0
    around: TileRow | None = None
    predictable: bool = False
    learned: tuple[Tile, ...] = ()
    learned_count: int = 0
    number: int = 0
    stage: str = ""

    @property
    def joined(self) -> bool:
        """True if the step merged tiles, so that the state before it can be shown."""
        return any(tile.halves for row in self.rows for tile in row.tiles)

    @property
    def stacks(self) -> list[list[tuple[Tile, ...]]]:
        """The tiles of each column, row by row; none if the rows share no columns, or one of them is cut off.

        >>> letters = TileRow((Tile("a", 0), Tile("b", 1), Tile("c", 2)))
        >>> step = Step((), (letters, TileRow((Tile("ab", 3), Tile("c", 2)))), columns=((2, 1), (1, 1)))
        >>> [["".join(tile.text for tile in tiles) for tiles in stack] for stack in step.stacks]
        [['ab', 'ab'], ['c', 'c']]
        """
        if any(len(row.tiles) != sum(counts) for row, counts in zip(self.rows, self.columns, strict=False)):
            return []
        tiles = [iter(row.tiles) for row in self.rows]
        return [
            [tuple(islice(row, count)) for row, count in zip(tiles, counts, strict=True)]
            for counts in zip(*self.columns, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class MergeTreeNode:
    """A symbol in a merge tree, the step that made it (None for an initial symbol) and the symbols it consists of."""

    tile: Tile
    step: int | None = None
    parts: tuple[MergeTreeNode, ...] = ()


@dataclass(frozen=True, slots=True)
class Boundary:
    """The reason for a boundary between two tokens, and the step that decided it, if any."""

    left: Tile | None
    right: Tile | None
    reason: tuple[str | Tile, ...]
    step: int | None = None


class Run(Protocol):
    """A trace whose steps can be computed from any step on."""

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
        """The number of steps."""

    @property
    def chart(self) -> Sequence[int]:
        """Corpus length in tokens, one value per step. Empty for an encoding."""

    def steps(self, start: int, stop: int) -> Iterator[Step]:
        """Yield the steps from `start` to `stop` (exclusive) that exist."""

    def trees(self, step: int) -> tuple[MergeTreeNode, ...]:
        """Return the merge trees of a step: of the token learned, or of the tokens of the pre-token on stage."""

    def boundaries(self, step: int) -> tuple[Boundary, ...]:
        """Return the reasons for the boundaries of the pre-token on stage, its own start first. Empty in training."""

    def data(self) -> Mapping[str, Any]:
        """Return the trace as JSON data that suffices to replay it."""
