"""Compare the segmentations of one text by several tokenizers. A tokenizer that fails keeps its column."""

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from ...errors import EngineFailed, Invalid, TokenariumError
from ...registry import Registry
from ...types import SpecialPolicy
from ..metrics import Measures, boundaries, boundary_agreement, measure
from ..models import canonical, resolve_model
from ..text_index import Places, TextIndex
from ..tokenize import Tokenization, check_length, tokenize, utf8_length
from .causes import FIRST, Explanation, explain
from .differences import Differences, differences

MAX_TOKENIZERS = 8
"""Number of tokenizers in one comparison."""
MIN_PARALLEL = 4_000
"""Characters from which on threads save more time than it takes to start them."""


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredTokenization:
    """How one tokenizer segments the text: the tokenization, its metrics and its token boundaries."""

    tokenization: Tokenization
    measures: Measures
    boundaries: Places

    @property
    def id(self) -> str:
        return self.tokenization.tokenizer.info.id


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """A tokenizer that could not tokenize the text, and its error."""

    id: str
    error: TokenariumError


@dataclass(frozen=True)
class Comparison:
    """A text and its tokenizations, in the order of the request.

    `baseline` is the id of the tokenizer that the others are compared with. `spaces` counts leading and trailing
    whitespace of a token when looking for differences.
    """

    index: TextIndex
    columns: tuple[MeasuredTokenization | Failure, ...]
    baseline: str
    spaces: bool = False

    @cached_property
    def tokenizations(self) -> list[MeasuredTokenization]:
        """The columns that did not fail."""
        return [column for column in self.columns if isinstance(column, MeasuredTokenization)]

    @cached_property
    def base(self) -> MeasuredTokenization | None:
        """The column of the baseline; the first that did not fail if it is not in the comparison."""
        tokenizations = self.tokenizations
        return next((one for one in tokenizations if one.id == self.baseline), next(iter(tokenizations), None))

    @cached_property
    def by_count(self) -> list[MeasuredTokenization]:
        """The columns that did not fail, the fewest tokens first."""
        return sorted(self.tokenizations, key=lambda one: one.measures.tokens)

    @cached_property
    def spread(self) -> float | None:
        """The number of tokens of the longest segmentation divided by that of the shortest."""
        fewest = self.by_count[0].measures.tokens if self.tokenizations else 0
        return self.by_count[-1].measures.tokens / fewest if fewest else None

    def change(self, column: MeasuredTokenization) -> float | None:
        """Return tokens / baseline tokens − 1: 0.5 is half as many again as the baseline has, negative is fewer."""
        tokens = self.base.measures.tokens if self.base else 0
        return column.measures.tokens / tokens - 1 if tokens else None

    @cached_property
    def agreement(self) -> NDArray[np.float64]:
        """The boundary agreement of every pair, a symmetric matrix of shape (tokenizations, tokenizations)."""
        # Symmetric with a diagonal of 1, so that half of the pairs are computed.
        matrix = np.eye(len(self.tokenizations))
        for row, one in enumerate(self.tokenizations):
            for column in range(row):
                matrix[row, column] = boundary_agreement(one.boundaries, self.tokenizations[column].boundaries)
        return np.maximum(matrix, matrix.T)

    def explain(self, column: MeasuredTokenization, *, first: int = FIRST) -> Explanation:
        """Return why a column has more or fewer tokens than the baseline, with the `first` places of each cause."""
        base = (self.base or column).tokenization.encoding
        return explain(base, column.tokenization.encoding, self.index, first=first)

    @cached_property
    def differences(self) -> Differences:
        """Where the segmentations differ."""
        encodings = [one.tokenization.encoding for one in self.tokenizations]
        return differences(encodings, self.index, spaces=self.spaces)


def compare(
    registry: Registry,
    text: str,
    tokenizers: Sequence[str],
    *,
    limit: int,
    baseline: str = "",
    special: SpecialPolicy = "text",
    spaces: bool = False,
    parallel: bool | None = None,
) -> Comparison:
    """Tokenize a text with each tokenizer and compare the results; a failure does not affect the other columns.

    `limit` is the maximum length of the text in bytes. `parallel` uses threads, since the libraries release the GIL; by
    default if the text is long and a core is idle, because on a busy machine threads only wait for each other.

    Raises `Invalid` for no tokenizers or more than `MAX_TOKENIZERS`, `TooLarge`, `LoneSurrogate`.
    """
    ids = check_comparison(registry, text, tokenizers, limit=limit)
    index = TextIndex(text)
    if parallel is None:
        parallel = len(text) > MIN_PARALLEL and os.getloadavg()[0] < (os.cpu_count() or 1)
    tokenize_with = partial(_tokenize_with, registry, text, special)
    if parallel:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = [*pool.map(tokenize_with, ids)]
    else:
        results = [*map(tokenize_with, ids)]
    columns = tuple(_measured(result, index) for result in results)
    return Comparison(index, columns, canonical(registry, baseline) if baseline else "", spaces)


def check_comparison(registry: Registry, text: str, tokenizers: Sequence[str], *, limit: int) -> list[str]:
    """Return the ids of the tokenizers of a comparison without duplicates, in order.

    Raises `Invalid` for none or more than `MAX_TOKENIZERS`, `TooLarge`, `LoneSurrogate`.
    """
    names = [*dict.fromkeys(tokenizers)]
    if not 1 <= len(names) <= MAX_TOKENIZERS:
        detail = f"Compare 1 to {MAX_TOKENIZERS} tokenizers, not {len(names)}."
        raise Invalid(detail, pointer="/tokenizers", limit=MAX_TOKENIZERS)
    for name in names:
        utf8_length(name, pointer=f"/tokenizers/{tokenizers.index(name)}")  # an unknown name is part of the answer
    check_length([text], limit=limit)
    return list(dict.fromkeys(canonical(registry, name) for name in names))


def compare_column(
    registry: Registry, text: str, id: str, *, special: SpecialPolicy = "text"
) -> MeasuredTokenization | Failure:
    """Return the column of one tokenizer: it needs no other, so that each can be shown as soon as it is ready."""
    return _measured(_tokenize_with(registry, text, special, id), TextIndex(text))


def _tokenize_with(registry: Registry, text: str, special: SpecialPolicy, id: str) -> Tokenization | Failure:
    try:
        return tokenize(registry, text, tokenizer=resolve_model(registry, id, pointer=None), special=special)
    except TokenariumError as error:
        return Failure(id, error)
    except Exception as error:  # an error in a library must not lose the other columns
        return Failure(id, EngineFailed(f"The tokenizer failed with {type(error).__name__}."))


def _measured(result: Tokenization | Failure, index: TextIndex) -> MeasuredTokenization | Failure:
    if isinstance(result, Failure):
        return result
    return MeasuredTokenization(result, measure(result, index), boundaries(result.encoding, index))


@dataclass(frozen=True, slots=True)
class TextCounts:
    """A text of a set: its bytes, and its tokens by tokenizer, None for one that failed."""

    name: str
    bytes: int
    tokens: Mapping[str, int | None]


def count_texts(
    registry: Registry, texts: Mapping[str, str], tokenizers: Sequence[str], *, limit: int
) -> Iterable[TextCounts]:
    """Yield the counts of each text as soon as they are known. Raises what `compare` raises."""
    for name, text in texts.items():
        comparison = compare(registry, text, tokenizers, limit=limit)
        tokens = {
            column.id: column.measures.tokens if isinstance(column, MeasuredTokenization) else None
            for column in comparison.columns
        }
        yield TextCounts(name, len(comparison.index.data), tokens)


def total(rows: Sequence[TextCounts]) -> TextCounts:
    """Return the sums of counts; None for a tokenizer that failed on any text.

    >>> total([TextCounts("a", 3, {"x": 1, "y": 2}), TextCounts("b", 2, {"x": 4, "y": None})])
    TextCounts(name='All', bytes=5, tokens={'x': 5, 'y': None})
    """
    sums: dict[str, int | None] = {}
    for id in rows[0].tokens if rows else ():
        counts = [row.tokens[id] for row in rows]
        sums[id] = None if None in counts else sum(count for count in counts if count is not None)
    return TextCounts("All", sum(row.bytes for row in rows), sums)
