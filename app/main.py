"""The app: routes, middleware, workers and error handlers are put together here, and nothing else is done."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from multiprocessing import parent_process
from typing import Any

from fastapi import FastAPI
from starlette.middleware import Middleware

from .lab.tokenizers import saving
from .registry import Registry
from .settings import Settings
from .temporary_folders import sweep_folders
from .web.concurrency import ConcurrencyLimiter
from .web.connections import Connections
from .web.execution import forget_deleted
from .web.metrics import Metrics
from .web.problems import ErrorMiddleware
from .web.request_records import AccessLog, Observer, RecordingMiddleware
from .web.routes import create_routes
from .web.security import SecurityMiddleware
from .web.services import Services, get_services
from .web.tokenizer_path import TokenizerPathMiddleware
from .workers import Workers
from .workers.process import exempt_loading, share_arenas

WORKERS_DELAY = 0.2
"""Seconds after the start of the server until it starts workers, so that the first /healthz does not wait for them."""
OWN_BYTES = 120_000_000
"""Memory of the tokenizers with which the server itself answers short texts."""
SWEEP_SECONDS = 600
"""Seconds between two removals of old training jobs."""
PRELOADED = f"{__package__}.web.preload"
"""The module that the process imports from which workers are forked."""


def create_app(settings: Settings | None = None, *, registry: Registry | None = None) -> FastAPI:
    """Return a new app: the routes, workers, and the middleware before the routes.

    Apps in one process can share a `registry`; workers have registries of their own.
    """
    settings = settings or Settings.from_env()
    app = create_routes(settings, registry=registry)
    services = get_services(app)
    services.workers = Workers(settings, create_worker_services, [PRELOADED]) if settings.workers else None
    services.limiter = ConcurrencyLimiter(settings)
    services.registry.reads_files = not settings.workers
    services.registry.limit_own(OWN_BYTES if settings.workers else settings.max_loaded)
    services.observers = observers(services)
    # In the order in which a request meets them.
    app.user_middleware = [
        Middleware(TokenizerPathMiddleware),
        Middleware(RecordingMiddleware, observers=services.observers),
        Middleware(SecurityMiddleware, settings=settings),
        Middleware(ErrorMiddleware),
    ]
    app.router.lifespan_context = lifespan
    return app


def create_worker_services(settings: Settings) -> Services:
    """Return the services of a worker, whose registry shares some tokenizers of the store with other workers."""
    preload = sys.modules.get(PRELOADED)
    registry = Registry(settings)
    registry.loading = exempt_loading
    registry.limit_own(settings.max_loaded // (settings.workers + 1))
    if preload is not None and settings.store == preload.STORE:
        registry.preloaded = preload.TOKENIZERS
    return Services(settings, registry)


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    """Run the app: remove old jobs from time to time, and start the workers soon, unless a request needs them before.

    Yields the state that `LimitedProtocol` reads.
    """
    share_arenas()
    end_with_parent()
    services = get_services(app)
    workers = services.workers
    sweeping = asyncio.create_task(sweep(services))
    starting = asyncio.create_task(start_workers(services))
    await asyncio.to_thread(sweep_folders)
    try:
        yield {"connections": Connections(services.settings)}
    finally:
        sweeping.cancel()
        starting.cancel()
        await services.halls.close()
        if workers:
            await workers.stop()


def end_with_parent() -> None:
    """Of several processes that listen, end this one, its requests answered, once the one that started it is gone."""
    parent = parent_process()
    loop = asyncio.get_running_loop()
    if parent is not None:

        def end() -> None:
            loop.remove_reader(parent.sentinel)
            os.kill(os.getpid(), signal.SIGTERM)

        loop.add_reader(parent.sentinel, end)


async def start_workers(services: Services) -> None:
    """Start the workers soon."""
    await asyncio.sleep(WORKERS_DELAY)
    if services.workers:
        services.workers.start()


async def sweep(services: Services) -> None:
    """Remove jobs that ended long ago, private tokenizers whose hour is over, and old halls, again and again.

    Idle workers, which have no request to notice it, then drop what was deleted.
    """
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        for jobs in services.all_jobs():
            await asyncio.to_thread(jobs.sweep)
        await asyncio.to_thread(saving.sweep, services.settings)
        await services.halls.sweep()
        if services.workers:
            await services.workers.visit(forget_deleted)


def observers(services: Services) -> list[Observer]:
    """Return the observers of requests: the metrics, and the log if the settings want one."""
    found: list[Observer] = [Metrics(services)]
    if services.settings.log:
        found.append(AccessLog(sys.stdout))
    return found
