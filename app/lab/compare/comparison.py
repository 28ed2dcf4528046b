"""A comparison: one text through several tokenizers, each in a column of its own, also the one that fails."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from app.errors import EngineFailed, Invalid, TokenariumError
from app.lab.compare.differences import Differences, Numbers, common_edges, differences, spans_of
from app.lab.metrics import Measures, agreement, boundaries, measure
from app.lab.passage import Passage, Places
from app.lab.tokenize import Tokenization, check_length, tokenize
from app.registry import Registry
from app.types import SpecialPolicy

MOST = 8
"""Tokenizers compared at once."""

ALONE = 4_000
"""Characters up to which starting threads takes longer than they save."""


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """What one tokenizer made of the text: its tokens, their measures and boundaries."""

    done: Tokenization
    measures: Measures
    boundaries: Places

    @property
    def id(self) -> str:
        return self.done.tokenizer.info.id


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """Why a tokenizer has no tokens for the text."""

    id: str
    error: TokenariumError


@dataclass(frozen=True)
class Comparison:
    """A text in columns, in the order asked for. `spaces` says that white space at the edges of tokens counts."""

    passage: Passage
    columns: tuple[Cut | Failure, ...]
    baseline: str
    spaces: bool = False

    @cached_property
    def cuts(self) -> list[Cut]:
        """The columns that have tokens."""
        return [column for column in self.columns if isinstance(column, Cut)]

    @cached_property
    def base(self) -> Cut | None:
        """The column that others are measured against: the one named, or else the first."""
        return next((cut for cut in self.cuts if cut.id == self.baseline), self.cuts[0] if self.cuts else None)

    @cached_property
    def by_count(self) -> list[Cut]:
        """The columns that have tokens, the fewest first."""
        return sorted(self.cuts, key=lambda cut: cut.measures.tokens)

    @cached_property
    def spread(self) -> float | None:
        """The most tokens over the fewest."""
        least = self.by_count[0].measures.tokens if self.cuts else 0
        return self.by_count[-1].measures.tokens / least if least else None

    def change(self, cut: Cut) -> float | None:
        """How many tokens more than the baseline has, as a share of those; less than 0 for fewer."""
        tokens = self.base.measures.tokens if self.base else 0
        return cut.measures.tokens / tokens - 1 if tokens else None

    @cached_property
    def agreement(self) -> NDArray[np.float64]:
        """Boundary agreement of every pair of columns that have tokens."""
        matrix = np.eye(len(self.cuts))
        for row, one in enumerate(self.cuts):
            for column in range(row):
                matrix[row, column] = agreement(one.boundaries, self.cuts[column].boundaries)
        return np.maximum(matrix, matrix.T)

    @cached_property
    def edges(self) -> Numbers:
        """The byte positions at which the text can be cut without splitting a character or a token of any column."""
        spans = [spans_of(cut.done.encoding, self.passage, spaces=True) for cut in self.cuts]
        return common_edges(spans, self.passage.whole)

    @cached_property
    def differences(self) -> Differences:
        """Where the columns part."""
        return differences([cut.done.encoding for cut in self.cuts], self.passage, spaces=self.spaces)


def compare(
    registry: Registry,
    text: str,
    tokenizers: Sequence[str],
    *,
    limit: int,
    baseline: str = "",
    special: SpecialPolicy = "text",
    spaces: bool = False,
    at_once: bool | None = None,
) -> Comparison:
    """Cut a text with each tokenizer; one that fails does not keep the others from answering.

    `at_once` cuts in threads, since the libraries release the lock meanwhile; by default where there is much
    to cut and a core to spare, because on a busy machine threads only wait for each other.
    Raises `Invalid` for none or more than eight, `TooLarge` for more bytes than the limit, `LoneSurrogate`.
    """
    wanted = list(dict.fromkeys(tokenizers))
    if not 1 <= len(wanted) <= MOST:
        raise Invalid(f"Compare 1 to {MOST} tokenizers, not {len(wanted)}.", pointer="/tokenizers", limit=MOST)
    check_length([text], limit=limit)
    passage = Passage(text)
    at_once = len(text) > ALONE and _core_to_spare() if at_once is None else at_once

    def tokens(id: str) -> Tokenization | Failure:
        try:
            return tokenize(registry, text, tokenizer=id, special=special)
        except TokenariumError as error:
            return Failure(id, error)
        except Exception as error:
            return Failure(id, EngineFailed(f"The tokenizer stopped with {type(error).__name__}."))

    columns = [
        done if isinstance(done, Failure) else Cut(done, measure(done, passage), boundaries(done.encoding, passage))
        for done in _in_turn(tokens, wanted, at_once=at_once)
    ]
    return Comparison(passage, tuple(columns), baseline, spaces)


def _in_turn(
    tokens: Callable[[str], Tokenization | Failure], wanted: Sequence[str], *, at_once: bool
) -> Iterator[Tokenization | Failure]:
    if not at_once:
        yield from map(tokens, wanted)
        return
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(tokens, wanted)


def _core_to_spare() -> bool:
    return os.getloadavg()[0] < (os.cpu_count() or 1)
