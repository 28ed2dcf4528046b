"""What the routes and the middleware of one app share, as one typed object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import TypeVar

from fastapi import FastAPI
from starlette.requests import HTTPConnection
from starlette.types import Scope

from ..hall.halls import Halls
from ..jobs.feed import JobFeeds
from ..jobs.job import Jobs
from ..lab.train.events import merge_progress
from ..registry import Registry, TokenizerCache
from ..settings import Settings
from ..workers import Workers
from .concurrency import ConcurrencyLimiter
from .request_records import Observer

FETCHES = 2
"""Vocabularies that are fetched at the same time."""
ANALYSES = 2
"""Vocabularies that are analysed at the same time."""
SURGERIES = 2
"""Operations on tokenizers at the same time."""
SERVICES = "tokenarium.services"
"""Key in the scope of a request that gets other services than those of its app."""

Cache = TypeVar("Cache", bound=TokenizerCache)


@dataclass(slots=True)
class Services:
    """The registry, caches, jobs and halls of an app, and what its middleware brings: workers, limiter,
    observers."""

    settings: Settings
    registry: Registry
    trainings: Jobs = field(init=False)
    fetches: Jobs = field(init=False)
    analyses: Jobs = field(init=False)
    surgeries: Jobs = field(init=False)
    halls: Halls = field(init=False)
    job_feeds: JobFeeds = field(default_factory=JobFeeds)
    workers: Workers | None = None
    limiter: ConcurrencyLimiter | None = None
    observers: Sequence[Observer] = ()
    _caches: dict[type[TokenizerCache], TokenizerCache] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.halls = Halls(self.settings)
        self.trainings = Jobs(self.settings, merge=merge_progress)
        self.fetches = Jobs(self.settings, ".fetches", what="downloads", limit=FETCHES)
        self.analyses = Jobs(self.settings, ".analysing", what="analyses", limit=ANALYSES)
        self.surgeries = Jobs(self.settings, ".surgeries", what="operations", limit=SURGERIES)

    def cache(self, kind: type[Cache]) -> Cache:
        """Return the cache of a kind, which is made when it is first asked for: capabilities bring their kinds."""
        if (cache := self._caches.get(kind)) is None:
            cache = self._caches.setdefault(kind, kind())
            self.registry.add_cache(cache)
        assert isinstance(cache, kind)
        return cache

    def for_strangers(self) -> Services:
        """Return the services for a page of another origin, for which only the tokenizers of the store exist."""
        services = copy(self)
        services.registry = self.registry.bundled_only()
        return services

    def all_jobs(self) -> Iterator[Jobs]:
        """Yield the jobs of each kind."""
        yield from (self.trainings, self.fetches, self.analyses, self.surgeries)


def get_services(source: HTTPConnection | Scope | FastAPI) -> Services:
    """Return the services of an app, or those of a request to it."""
    if isinstance(source, FastAPI):
        services: Services = source.state.services
        return services
    scope = source.scope if isinstance(source, HTTPConnection) else source
    return scope.get(SERVICES) or get_services(scope["app"])
