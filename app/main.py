"""The app: routes, middleware, workers and error handlers are put together here, and nothing else is done."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from multiprocessing import parent_process
from typing import Any

from fastapi import FastAPI

from . import __version__
from .lab.caches import RecentTokenizations
from .lab.pipeline.cache import PipelineCache
from .lab.steps.options import RunCache
from .lab.train.jobs import Jobs
from .lab.vocabulary.recent import RecentVocabularies
from .registry import Registry
from .settings import ROOT, Settings
from .web import openapi, problems
from .web.api import analysis as analysis_api
from .web.api import chat as chat_api
from .web.api import compare as compare_api
from .web.api import detokenize, server, tokenizers, trace
from .web.api import doctor as doctor_api
from .web.api import fetches as fetches_api
from .web.api import languages as languages_api
from .web.api import pipeline as pipeline_api
from .web.api import regex as regex_api
from .web.api import surgery as surgery_api
from .web.api import tokenize as tokenize_api
from .web.api import tokenize_stream as tokenize_stream_api
from .web.api import train as train_api
from .web.api import two_vocabularies as two_api
from .web.api import vocabulary as vocabulary_api
from .web.api.beyond import actions as actions_api
from .web.api.beyond import budget as budget_api
from .web.api.beyond import bytes as bytes_api
from .web.api.beyond import concepts as concepts_api
from .web.api.beyond import parameters as parameters_api
from .web.api.beyond import pictures as pictures_api
from .web.api.beyond import sound as sound_api
from .web.api.dialects import counting, identity, llamacpp, sglang, tei, vllm
from .web.concurrency import ConcurrencyLimiter, ConcurrencyMiddleware
from .web.connections import Connections
from .web.dispatch import Dispatcher, plain_routes
from .web.job_events import JobFeeds
from .web.multiprocess_metrics import MultiprocessMetrics, RequestMetrics, numbers
from .web.pages import about, analysis, conformance, docs, doctor, embed, fetches, guides, languages, learn, steps
from .web.pages import chat as chat_page
from .web.pages import compare as compare_page
from .web.pages import kept as kept_page
from .web.pages import pipeline as pipeline_page
from .web.pages import regex as regex_page
from .web.pages import surgery as surgery_page
from .web.pages import tokenize as tokenize_page
from .web.pages import tokenizers as tokenizers_page
from .web.pages import train as train_page
from .web.pages import two_vocabularies as two_page
from .web.pages import vocabulary as vocabulary_page
from .web.pages.beyond import actions as actions_page
from .web.pages.beyond import budget as budget_page
from .web.pages.beyond import bytes as bytes_page
from .web.pages.beyond import concepts as concepts_page
from .web.pages.beyond import overview as beyond_page
from .web.pages.beyond import parameters as parameters_page
from .web.pages.beyond import pictures as pictures_page
from .web.pages.beyond import sound as sound_page
from .web.policy import RouteTable
from .web.problems import ErrorMiddleware
from .web.request_records import AccessLog, Observer, RecordingMiddleware
from .web.security import SecurityMiddleware
from .web.static_files import PageFiles
from .web.tokenizer_path import TokenizerPathMiddleware
from .web.upload_folders import sweep_uploads
from .workers import Workers
from .workers.process import share_arenas

TEXT_PAGES = (tokenize_page, embed, pipeline_page, regex_page, steps, compare_page, two_page, chat_page, languages)
PAGES = (*TEXT_PAGES, train_page, kept_page, learn)
VOCABULARY = (analysis, vocabulary_page)  # in this order, as the ids of tokenizers may contain slashes
LISTS = (fetches, tokenizers_page, doctor, surgery_page, conformance, docs, guides, about)
TEXTS = (tokenize_api, tokenize_stream_api, detokenize, trace, compare_api, chat_api, languages_api)
PATTERNS = (pipeline_api, regex_api, two_api)
VOCABULARIES = (vocabulary_api, analysis_api)  # in this order, too
DIALECTS = (vllm, sglang, tei, llamacpp, counting, identity)
BEYOND_PAGES = (bytes_page, pictures_page, sound_page, actions_page, concepts_page, parameters_page, budget_page)
BEYOND_API = (bytes_api, pictures_api, sound_api, actions_api, concepts_api, parameters_api, budget_api)
JOBS = (train_api, fetches_api, doctor_api, surgery_api, tokenizers, server)
BEYOND = (beyond_page, *BEYOND_PAGES, *BEYOND_API)
CAPABILITIES = (*PAGES, *VOCABULARY, *LISTS, *TEXTS, *PATTERNS, *VOCABULARIES, *DIALECTS, *BEYOND, *JOBS)
WORKERS_DELAY = 0.2
"""Seconds after the start of the server until it starts workers and imports numpy, so that the first page does not wait
for them."""
FETCHES = 2
"""Vocabularies that are fetched at the same time."""
ANALYSES = 2
"""Vocabularies that are analysed at the same time."""
SURGERIES = 2
"""Operations on tokenizers at the same time."""
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
    app.state.workers = Workers(settings, create_routes, SHARED) if settings.workers else None
    app.state.registry.only_store = bool(settings.workers)
    # The last that is added is the first to receive a request.
    app.add_middleware(Dispatcher, workers=app.state.workers)
    app.state.limiter = ConcurrencyLimiter(settings)
    app.add_middleware(ConcurrencyMiddleware, limiter=app.state.limiter)
    app.add_middleware(ErrorMiddleware)
    app.add_middleware(SecurityMiddleware, settings=settings)
    app.add_middleware(RecordingMiddleware, observers=observers(app, settings))
    app.add_middleware(TokenizerPathMiddleware, routes=app.state.routes)
    app.router.lifespan_context = lifespan
    return app


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    """Run the app: remove old jobs from time to time, and start the workers soon, unless a request needs them before.

    Yields the state that `LimitedProtocol` reads.
    """
    share_arenas()
    end_with_parent()
    state = app.state
    sweeping = asyncio.create_task(sweep(state.jobs, state.fetches, state.analyses, state.surgeries))
    workers: Workers | None = app.state.workers
    soon = asyncio.get_running_loop().call_later(WORKERS_DELAY, prepare, workers)
    await asyncio.to_thread(sweep_uploads)
    try:
        yield {"connections": Connections(app.state.settings)}
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


def prepare(workers: Workers | None) -> None:
    """Start the workers, and import what the first text needs: the server has answered its first /healthz without."""
    if workers:
        workers.start()
    asyncio.get_running_loop().run_in_executor(None, import_module, f"{__package__}.adapters.spans")


async def sweep(*every: Jobs) -> None:
    """Remove jobs that ended long ago, and private tokenizers whose hour is over, again and again."""
    from .lab.tokenizers.keeping import sweep as sweep_private

    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        for jobs in every:
            await asyncio.to_thread(jobs.sweep)
        await asyncio.to_thread(sweep_private, every[0].settings)


def create_routes(settings: Settings, *, registry: Registry | None = None) -> FastAPI:
    """Return an app that has only the routes, with caches of its own, and a registry unless one is passed.

    Each worker has one.
    """
    app = FastAPI(title="Tokenarium", version=__version__, openapi_url=None, redirect_slashes=False)
    app.state.settings = settings
    app.state.registry = registry or Registry(settings)
    app.state.recent = RecentTokenizations()
    app.state.followed = RunCache()
    app.state.pipelines = PipelineCache()
    app.state.vocabularies = RecentVocabularies()
    caches = (app.state.recent, app.state.followed, app.state.pipelines, app.state.vocabularies)
    app.state.registry.caches.update(caches)
    app.state.jobs = Jobs(settings)
    app.state.fetches = Jobs(settings, ".fetches", what="downloads", limit=FETCHES)
    app.state.analyses = Jobs(settings, ".analysing", what="analyses", limit=ANALYSES)
    app.state.feeds = JobFeeds()
    app.state.surgeries = Jobs(settings, ".surgeries", what="operations", limit=SURGERIES)
    for capability in CAPABILITIES:
        app.include_router(capability.router)
    app.mount("/static", PageFiles(directory=ROOT / "static"), name="static")
    app.state.routes = RouteTable(app.routes)
    problems.install(app)
    app.state.plain_routes = plain_routes(app)
    app.openapi = partial(openapi.describe, app)  # type: ignore[method-assign]
    return app


def observers(app: FastAPI, settings: Settings) -> list[Observer]:
    """Return the observers of requests: the metrics, and the log if the settings want one."""
    app.state.request_metrics = RequestMetrics()
    folder = settings.metrics
    app.state.multiprocess_metrics = MultiprocessMetrics(folder, lambda: numbers(app.state)) if folder else None
    log = AccessLog(sys.stdout) if settings.log else None
    return [one for one in (app.state.request_metrics, app.state.multiprocess_metrics, log) if one]
