"""Two vocabularies side by side: the tokens that they share by their bytes, ids that moved, special tokens.

Special tokens are compared by their spelling, all others by their bytes. Where two tokens of one vocabulary have equal
bytes, such as `A` and `<0x41>` of SentencePiece, the one that is no byte token counts, or else the first.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...errors import Invalid, join_names
from ..vocabulary.columns import KINDS, SCRIPTS, VocabularyColumns

Rows = NDArray[np.int32]
SPECIAL = KINDS.index("special")
BYTE = KINDS.index("byte")
LENGTHS = (1, 2, 3, 4, 5, 7, 9, 13, 17, 33)
"""The lengths in bytes at which the classes begin that tokens are counted in."""


@dataclass(frozen=True, slots=True)
class ShiftedRun:
    """Shared tokens that follow one another in the first vocabulary, whose ids are all moved by the same number."""

    first: int
    last: int
    shift: int
    count: int


@dataclass(frozen=True, slots=True)
class ClassCount:
    """The tokens of a class: those of the first, those of the second, and those that both have."""

    name: str
    a: int
    b: int
    shared: int


@dataclass(frozen=True, slots=True)
class SpecialPair:
    """A special token with its id in each vocabulary that has it, and there is one as another type of token, or not."""

    token: str
    a: int | None
    b: int | None


@dataclass(frozen=True, eq=False)
class TwoVocabularies:
    """Two vocabularies. `rows_a` and `rows_b` are the rows of the tokens that both have, in the order of the first;
    `only_a` and `only_b` those of the others. Special tokens are in none of them, nor are repeated bytes.
    """

    a: VocabularyColumns
    b: VocabularyColumns
    rows_a: Rows
    rows_b: Rows
    only_a: Rows
    only_b: Rows

    @cached_property
    def shifts(self) -> NDArray[np.int64]:
        """By shared token, its id in the second vocabulary minus that in the first."""
        return self.b.ids[self.rows_b].astype(np.int64) - self.a.ids[self.rows_a].astype(np.int64)

    @property
    def moved(self) -> int:
        """The number of shared tokens whose ids differ."""
        return int(np.count_nonzero(self.shifts))

    @property
    def share(self) -> float:
        """Shared tokens by those of both together, from 0 to 1: the Jaccard index; 1 for two empty vocabularies."""
        together = len(self.rows_a) + len(self.only_a) + len(self.only_b)
        return len(self.rows_a) / together if together else 1.0

    @cached_property
    def runs(self) -> list[ShiftedRun]:
        """The runs of shared tokens with a constant shift that is not 0, the longest first."""
        shifts = self.shifts
        ids = self.a.ids[self.rows_a]
        if not len(shifts):
            return []
        starts = np.flatnonzero(np.diff(shifts, prepend=shifts[0] - 1))
        ends = np.append(starts[1:], len(shifts))
        bounds = zip(starts.tolist(), ends.tolist(), strict=True)
        made = [
            ShiftedRun(int(ids[start]), int(ids[end - 1]), int(shifts[start]), end - start)
            for start, end in bounds
            if shifts[start]
        ]
        return sorted(made, key=lambda run: (-run.count, run.first))

    @cached_property
    def scripts(self) -> list[ClassCount]:
        """The tokens by script, the most frequent first."""
        found = self._count_classes(self.a.scripts, self.b.scripts, len(SCRIPTS))
        rows = [ClassCount(name, *counts) for name, counts in zip(SCRIPTS, found, strict=True) if any(counts)]
        return sorted(rows, key=lambda row: -max(row.a, row.b))

    @cached_property
    def lengths(self) -> list[ClassCount]:
        """The tokens by length in bytes."""
        a, b = (np.searchsorted(LENGTHS, columns.lengths, side="right") for columns in (self.a, self.b))
        found = self._count_classes(a, b, len(LENGTHS) + 1)
        ends = [end - 1 for end in LENGTHS[1:]]
        names = [f"{low}" if low == high else f"{low}–{high}" for low, high in zip(LENGTHS, ends, strict=False)]
        return [ClassCount(name, *counts) for name, counts in zip([*names, f"{LENGTHS[-1]}+"], found[1:], strict=True)]

    def _count_classes(self, a: NDArray[np.integer], b: NDArray[np.integer], size: int) -> list[tuple[int, int, int]]:
        """Return by class the tokens of the first, of the second, and those that both have."""
        rows = ((a, self.rows_a), (a, self.only_a), (b, self.only_b))
        shared, only_a, only_b = (np.bincount(classes[some], minlength=size) for classes, some in rows)
        return [*zip((shared + only_a).tolist(), (shared + only_b).tolist(), shared.tolist(), strict=True)]

    @cached_property
    def specials(self) -> list[SpecialPair]:
        """The special tokens of both, in the order of ids; the id of a token of that spelling of another type, too."""
        sides = [_specials(columns) for columns in (self.a, self.b)]
        names = list(dict.fromkeys([*sides[0], *sides[1]]))
        others = [_map_ids(columns, {*names} - {*side}) for columns, side in zip((self.a, self.b), sides, strict=True)]
        ids = [{**other, **side} for other, side in zip(others, sides, strict=True)]
        return [SpecialPair(name, ids[0].get(name), ids[1].get(name)) for name in names]

    def select_rows(self, side: str, script: str = "") -> Rows:
        """Return the rows that only one side, "a" or "b", has; of one script, if one is named.

        Raises `Invalid` for a script that neither vocabulary has.
        """
        columns, rows = (self.a, self.only_a) if side == "a" else (self.b, self.only_b)
        if not script:
            return rows
        names = [row.name for row in self.scripts]
        if script not in names:
            raise Invalid(f"script is one of {join_names(names)}.", pointer="/script")
        chosen: Rows = rows[columns.scripts[rows] == SCRIPTS.index(script)]
        return chosen


def compare_columns(a: VocabularyColumns, b: VocabularyColumns) -> TwoVocabularies:
    """Compare two vocabularies.

    >>> from tokenarium.registry import Registry
    >>> from tokenarium.settings import Settings
    >>> from tokenarium.lab.vocabulary.columns import load_columns
    >>> registry = Registry(Settings())
    >>> both = compare_columns(load_columns(registry.get("r50k_base")), load_columns(registry.get("p50k_base")))
    >>> len(both.rows_a), len(both.only_a), both.moved
    (50256, 0, 0)
    >>> [both.b.raws[row] for row in both.only_b[:2]]
    [b'  ', b'   ']
    """
    left = _rows_by_bytes(a)
    right = _rows_by_bytes(b)
    shared = [(row, other) for raw, row in left.items() if (other := right.get(raw)) is not None]
    rows = np.array(shared, np.int32).reshape(-1, 2)
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    only_a = sorted(row for raw, row in left.items() if raw not in right)
    only_b = sorted(row for raw, row in right.items() if raw not in left)
    return TwoVocabularies(
        a=a,
        b=b,
        rows_a=rows[:, 0],
        rows_b=rows[:, 1],
        only_a=np.array(only_a, np.int32),
        only_b=np.array(only_b, np.int32),
    )


def _rows_by_bytes(columns: VocabularyColumns) -> dict[bytes, int]:
    """Return the row of each bytes, without special tokens."""
    raws = columns.raws
    found = dict[bytes, int]()
    for kinds in ((columns.kinds == BYTE), (columns.kinds != BYTE) & (columns.kinds != SPECIAL)):
        for row in np.flatnonzero(kinds)[::-1].tolist():  # the last that is written stays: the first of no byte token
            found[raws[row]] = row
    return found


def _specials(columns: VocabularyColumns) -> dict[str, int]:
    rows = np.flatnonzero(columns.kinds == SPECIAL).tolist()
    return {columns.pieces[row]: int(columns.ids[row]) for row in rows}


def _map_ids(columns: VocabularyColumns, pieces: set[str]) -> dict[str, int]:
    """Return the ids of tokens with these spellings."""
    if not pieces:
        return {}
    return {piece: int(columns.ids[row]) for row, piece in enumerate(columns.pieces) if piece in pieces}
