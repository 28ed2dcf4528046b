"""The pipelines that were used last."""

from __future__ import annotations

from ...registry import Registry
from ..caches import LRUCache
from .sources import PipelineSource, source


class PipelineCache:
    """The pipelines of two tokenizers, which take as long to read as tokenizers do."""

    def __init__(self) -> None:
        self._sources = LRUCache["PipelineSource"](entries=2, max_bytes=1, size=lambda source: 0)

    def get(self, registry: Registry, id: str) -> PipelineSource:
        """Return the pipeline of a tokenizer. Raises `UnknownTokenizer`, `Invalid`, and what loading it raises."""
        registry.get(id)  # checks that it may be used here, and that the library can read it
        return self._sources.get_or_create(id, lambda: source(registry.record(id)))

    def forget(self, tokenizer: str) -> None:
        """Drop the pipeline of a tokenizer."""
        self._sources.discard(lambda source: source.id == tokenizer)
