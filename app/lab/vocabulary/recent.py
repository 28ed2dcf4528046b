"""The columns of the last few vocabularies, and the rows of the last few searches through them."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from ...registry import Registry
from ..caches import LRUCache, key_of

if TYPE_CHECKING:  # a server that starts does not wait for numpy
    from .columns import VocabularyColumns
    from .search import Query, Rows

MAX_VOCABULARIES, MAX_SEARCHES = 2, 8


@dataclass(frozen=True, slots=True)
class _Columns:
    tokenizer: str
    columns: VocabularyColumns


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
        self._found = LRUCache[_Found](
            entries=MAX_SEARCHES, max_bytes=max_bytes // 8, size=lambda value: value.rows.nbytes
        )

    def forget(self, tokenizer: str) -> None:
        """Drop what was made of a tokenizer, which may have been replaced by another of its name."""
        self._columns.discard(lambda value: value.tokenizer == tokenizer)
        self._found.discard(lambda value: value.tokenizer == tokenizer)

    def columns(self, registry: Registry, id: str) -> VocabularyColumns:
        """Return the columns of a tokenizer. Raises what `Registry.get_once` and `columns_of` raise."""
        from .columns import columns_of

        registry.info(id)  # raises UnknownTokenizer, and drops what was made of one that is gone
        return self._columns.get_or_create(id, lambda: _Columns(id, columns_of(registry.get_once(id)))).columns

    def search(self, registry: Registry, id: str, query: Query) -> tuple[VocabularyColumns, Rows]:
        """Return the columns of a tokenizer and the rows that a query finds. Raises what `search` raises."""
        from .search import search

        columns = self.columns(registry, id)
        key = key_of(query.q, id, *map(repr, astuple(query)[1:]))
        return columns, self._found.get_or_create(key, lambda: _Found(id, search(columns, query))).rows
