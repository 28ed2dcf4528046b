"""What the routes and the middleware of one app share, as one typed object."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp

from ..jobs.feed import JobFeeds
from ..jobs.job import Jobs
from ..lab.caches import RecentTokenizations
from ..lab.costs import RecentCounts
from ..lab.pipeline.cache import PipelineCache
from ..lab.steps.options import RunCache
from ..lab.train.events import merge_progress
from ..lab.vocabulary.recent import RecentVocabularies
from ..registry import Registry
from ..settings import Settings

if TYPE_CHECKING:  # these read the services themselves
    from ..workers import Workers
    from .concurrency import ConcurrencyLimiter
    from .multiprocess_metrics import MultiprocessMetrics, RequestMetrics
    from .policy import RouteTable

FETCHES = 2
"""Vocabularies that are fetched at the same time."""
ANALYSES = 2
"""Vocabularies that are analysed at the same time."""
SURGERIES = 2
"""Operations on tokenizers at the same time."""


@dataclass(slots=True)
class Services:
    """The registry, caches and jobs of an app, and what its middleware brings: workers, limiter, metrics."""

    settings: Settings
    registry: Registry
    tokenizations: RecentTokenizations = field(default_factory=RecentTokenizations)
    counts: RecentCounts = field(default_factory=RecentCounts)
    runs: RunCache = field(default_factory=RunCache)
    pipelines: PipelineCache = field(default_factory=PipelineCache)
    vocabularies: RecentVocabularies = field(default_factory=RecentVocabularies)
    trainings: Jobs = field(init=False)
    fetches: Jobs = field(init=False)
    analyses: Jobs = field(init=False)
    surgeries: Jobs = field(init=False)
    job_feeds: JobFeeds = field(default_factory=JobFeeds)
    routes: RouteTable = field(init=False)
    plain_routes: dict[tuple[str, str], ASGIApp] = field(default_factory=dict)
    workers: Workers | None = None
    limiter: ConcurrencyLimiter | None = None
    request_metrics: RequestMetrics | None = None
    multiprocess_metrics: MultiprocessMetrics | None = None

    def __post_init__(self) -> None:
        self.registry.caches.update((self.tokenizations, self.runs, self.pipelines, self.vocabularies))
        self.trainings = Jobs(self.settings, merge=merge_progress)
        self.fetches = Jobs(self.settings, ".fetches", what="downloads", limit=FETCHES)
        self.analyses = Jobs(self.settings, ".analysing", what="analyses", limit=ANALYSES)
        self.surgeries = Jobs(self.settings, ".surgeries", what="operations", limit=SURGERIES)

    def all_jobs(self) -> Iterator[Jobs]:
        """Yield the jobs of each kind."""
        yield from (self.trainings, self.fetches, self.analyses, self.surgeries)


def get_services(source: HTTPConnection | FastAPI) -> Services:
    """Return the services of an app, or of the app that a request is made to."""
    app = source if isinstance(source, FastAPI) else source.app
    services: Services = app.state.services
    return services
