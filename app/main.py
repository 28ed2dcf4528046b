"""The app: routes, middleware, workers and error handlers are put together here, and nothing else is done."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from multiprocessing import parent_process
from typing import Any

from fastapi import FastAPI
from starlette.middleware import Middleware

from .registry import Registry
from .settings import Settings
from .web.concurrency import ConcurrencyLimiter, ConcurrencyMiddleware
from .web.connections import Connections
from .web.dispatch import Dispatcher
from .web.multiprocess_metrics import MultiprocessMetrics, RequestMetrics, numbers
from .web.problems import ErrorMiddleware
from .web.request_records import AccessLog, Observer, RecordingMiddleware
from .web.routes import create_routes
from .web.security import SecurityMiddleware
from .web.services import Services, get_services
from .web.sharing import OWN_BYTES, calls_from_start, create_worker_app
from .web.tokenizer_path import TokenizerPathMiddleware
from .web.upload_folders import sweep_uploads
from .workers import Workers
from .workers.process import share_arenas

WORKERS_DELAY = 0.2
"""Seconds after the start of the server until it starts workers and imports numpy, so that the first page does not wait
for them."""
SWEEP_SECONDS = 600
"""Seconds between two removals of old training jobs."""
SHARED = (
    *(
        f"{__package__}.{module}"
        for module in (
            "lab.tokenization_view",
            "serialize.tables",
            "lab.steps.view",
            "lab.compare.view",
            "lab.compare.texts",
            "lab.steps.encoding",
            "lab.steps.learning",
            "lab.languages.premiums",
            "serialize.columns",
            "adapters.from_tiktoken",
            "adapters.from_sentencepiece",
            "adapters.from_scratch",
        )
    ),
    *("tiktoken", "sentencepiece", "tokenizers"),
)
"""Modules that workers share from their start, so that not each of them imports them."""


def create_app(settings: Settings | None = None, *, registry: Registry | None = None) -> FastAPI:
    """Return a new app: the routes, workers that have the same routes, and the middleware before both.

    Apps in one process can share a `registry`; workers have registries of their own.
    """
    settings = settings or Settings.from_env()
    app = create_routes(settings, registry=registry)
    services = get_services(app)
    services.workers = Workers(settings, create_worker_app, SHARED) if settings.workers else None
    services.limiter = ConcurrencyLimiter(settings)
    if settings.workers:
        services.registry.only_store = True
        services.registry.limit_own(OWN_BYTES)
    # In the order in which a request meets them.
    app.user_middleware = [
        Middleware(TokenizerPathMiddleware, routes=services.routes),
        Middleware(RecordingMiddleware, observers=observers(services)),
        Middleware(SecurityMiddleware, settings=settings),
        Middleware(ErrorMiddleware),
        Middleware(ConcurrencyMiddleware, limiter=services.limiter),
        Middleware(Dispatcher, workers=services.workers),
    ]
    app.router.lifespan_context = lifespan
    return app


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
    soon = asyncio.get_running_loop().call_later(WORKERS_DELAY, prepare, services)
    await asyncio.to_thread(sweep_uploads)
    try:
        yield {"connections": Connections(services.settings)}
    finally:
        sweeping.cancel()
        soon.cancel()
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


def prepare(services: Services) -> None:
    """Start the workers, and import what the first text needs: the server has answered its first /healthz without."""
    if services.workers:
        services.workers.prepare_later([*calls_from_start(services.registry)])
    asyncio.get_running_loop().run_in_executor(None, import_module, f"{__package__}.adapters.spans")


async def sweep(services: Services) -> None:
    """Remove jobs that ended long ago, and private tokenizers whose hour is over, again and again."""
    from .lab.tokenizers.saving import sweep as sweep_private

    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        for jobs in services.all_jobs():
            await asyncio.to_thread(jobs.sweep)
        await asyncio.to_thread(sweep_private, services.settings)


def observers(services: Services) -> list[Observer]:
    """Return the observers of requests: the metrics, and the log if the settings want one."""
    settings = services.settings
    found: list[Observer] = []
    services.request_metrics = RequestMetrics()
    found.append(services.request_metrics)
    if settings.metrics:
        services.multiprocess_metrics = MultiprocessMetrics(settings.metrics, lambda: numbers(services))
        found.append(services.multiprocess_metrics)
    if settings.log:
        found.append(AccessLog(sys.stdout))
    return found
