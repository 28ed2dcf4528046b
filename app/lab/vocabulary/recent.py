"""The columns of the last few vocabularies, and the rows of the last few searches through them."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import Invalid
from ...registry import Registry
from ..caches import LRUCache, hash_text
from .columns import VocabularyColumns, load_columns
from .merges import Merges, load_merges
from .search import Query, Rows, search

MAX_VOCABULARIES = 2
MAX_SEARCHES = 8
MAX_TOKENS = 600_000
"""The largest vocabulary that is looked through: one of all characters would take the memory of a whole worker."""


@dataclass(frozen=True, slots=True)
class _Columns:
    tokenizer: str
    columns: VocabularyColumns


@dataclass(frozen=True, slots=True)
class _Merges:
    tokenizer: str
    merges: Merges


@dataclass(frozen=True, slots=True)
class _Found:
    tokenizer: str
    rows: Rows


class RecentVocabularies:
    """Caches bounded by bytes, so that the next page of a search takes neither the vocabulary nor the search again."""

    def __init__(self, *, max_bytes: int = 80_000_000) -> None:
        self._columns = LRUCache[_Columns](
            entries=MAX_VOCABULARIES, max_bytes=max_bytes, size=lambda value: value.columns.nbytes
        )
        self._merges = LRUCache[_Merges](entries=1, max_bytes=max_bytes, size=lambda value: value.merges.nbytes)
        self._found = LRUCache[_Found](
            entries=MAX_SEARCHES, max_bytes=max_bytes // 8, size=lambda value: value.rows.nbytes
        )

    def forget(self, tokenizer: str) -> None:
        """Drop what was made of a tokenizer, which may have been replaced by another of its name."""
        self._columns.discard(lambda value: value.tokenizer == tokenizer)
        self._merges.discard(lambda value: value.tokenizer == tokenizer)
        self._found.discard(lambda value: value.tokenizer == tokenizer)

    def columns(self, registry: Registry, id: str) -> VocabularyColumns:
        """Return the columns of a tokenizer.

        Raises `Invalid` for one that is too large, and what `Registry.get_once` and `columns_of` raise.
        """
        size = registry.info(id).vocab_size or 0  # raises UnknownTokenizer, and drops what was made of one that is gone
        if size > MAX_TOKENS:
            detail = f"{id} has {size:,} tokens; vocabularies of at most {MAX_TOKENS:,} can be looked through."
            raise Invalid(detail, pointer="/tokenizer", limit=MAX_TOKENS)
        return self._columns.get_or_create(id, lambda: _Columns(id, load_columns(registry.get_once(id)))).columns

    def merges(self, registry: Registry, id: str) -> Merges:
        """Return the merges of a tokenizer. Raises what `columns` and `load_merges` raise."""
        columns = self.columns(registry, id)
        return self._merges.get_or_create(id, lambda: _Merges(id, load_merges(registry.record(id), columns))).merges

    def search(
        self, registry: Registry, id: str, query: Query, classes: NDArray[np.uint8] | None = None
    ) -> tuple[VocabularyColumns, Rows]:
        """Return the columns of a tokenizer and the rows that a query finds. Raises what `search` raises."""
        columns = self.columns(registry, id)
        key = hash_text(query.q, id, *map(repr, astuple(query)[1:]))
        return columns, self._found.get_or_create(key, lambda: _Found(id, search(columns, query, classes))).rows
