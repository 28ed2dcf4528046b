"""Tokenizers of the store are loaded once for all workers, by the process that forks them."""

from collections.abc import Iterator
from functools import partial

from fastapi import FastAPI

from ..registry import Registry
from ..settings import Settings
from ..types import Engine
from ..workers.forking import Call
from ..workers.process import exempt_loading, need
from .routes import create_routes
from .services import get_services

OWN_BYTES = 120_000_000
"""Memory of the tokenizers that a process loads for itself beside the shared ones: in a worker those that users added,
in the server those that answer short texts."""
FROM_START = ("o200k_base", "cl100k_base", "mistral-v1", "bert-base-uncased")
"""Tokenizers that the pages open with, which workers share soon after their start."""


def create_worker_app(settings: Settings) -> FastAPI:
    """Return the app of all workers, whose registry has tokenizers of the store shared instead of loading them."""
    app = create_routes(settings)
    registry = get_services(app).registry
    registry.loading = exempt_loading
    registry.need = partial(need, share)
    registry.limit_own(OWN_BYTES)
    return app


def share(app: FastAPI, id: str, engine: Engine) -> None:
    """Load a tokenizer in the process that forks the workers."""
    get_services(app).registry.share(id, engine)


def calls_from_start(registry: Registry) -> Iterator[Call]:
    """Yield the calls that load what workers share soon after their start."""
    for id in FROM_START:
        if id in registry:
            yield share, (id, registry.info(id).engines[0])
