"""The app: wires routers, static files and error handlers; nothing else."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from app import __version__
from app.lab.recent import Recent
from app.lab.steps.options import Followed
from app.lab.train.jobs import Jobs
from app.registry import Registry
from app.settings import ROOT, Settings
from app.web import problems
from app.web.access_log import AccessLog
from app.web.api import chat as chat_api
from app.web.api import compare as compare_api
from app.web.api import detokenize, health, kept, metrics, tokenizers, trace
from app.web.api import languages as languages_api
from app.web.api import tokenize as tokenize_api
from app.web.api import tokenize_stream as tokenize_stream_api
from app.web.api import train as train_api
from app.web.api.dialects import counting, llamacpp, sglang, tei, vllm
from app.web.body import StrictRoute
from app.web.crashes import Crashes
from app.web.description import describe
from app.web.exchanges import Observed, Observer
from app.web.gate import Crowd, Gate
from app.web.guard import Guard
from app.web.lanes import Lanes
from app.web.pages import chat as chat_page
from app.web.pages import compare as compare_page
from app.web.pages import conformance, docs, embed, languages, steps
from app.web.pages import kept as kept_page
from app.web.pages import tokenize as tokenize_page
from app.web.pages import train as train_page
from app.web.siblings import Siblings
from app.web.traffic import Traffic, numbers
from app.workers import Workers

PAGES = (tokenize_page, embed, steps, compare_page, chat_page, languages, train_page, kept_page, conformance, docs)
TEXTS = (tokenize_api, tokenize_stream_api, detokenize, trace, compare_api, chat_api, languages_api)
DIALECTS = (vllm, sglang, tei, llamacpp, counting)
OWN = (train_api, kept, tokenizers, health, metrics)  # an id may hold slashes, and the addresses of `kept` too
CAPABILITIES = (*PAGES, *TEXTS, *DIALECTS, *OWN)
ROUTES = [route for capability in CAPABILITIES for route in capability.router.routes]
LULL = 0.2
"""Seconds after its start in which the server has better to do than to start workers."""
SWEPT = 600
"""Seconds from one sweep to the next."""
SHARED = (
    *("app.lab.sheet", "app.lab.table", "app.lab.steps.view", "app.lab.compare.view", "app.lab.compare.many"),
    *("app.lab.steps.encode.encoding", "app.lab.steps.learn.learning", "app.lab.languages.premiums"),
    *("app.web.columns", "app.adapters.from_tiktoken", "app.adapters.from_sentencepiece"),
    *("app.adapters.from_scratch", "tiktoken", "sentencepiece", "tokenizers"),
)
"""What workers share from their start, so that they need not import it one by one."""


def create_app(settings: Settings | None = None) -> FastAPI:
    """A fresh app: the routes, workers that answer by the same routes, and what stands before both."""
    settings = settings or Settings.from_env()
    app = create_routes(settings)
    app.state.workers = Workers(settings, create_routes, SHARED) if settings.slots else None
    app.add_middleware(Lanes, workers=app.state.workers, settings=settings)
    app.state.gate = Crowd(settings.concurrency)
    app.add_middleware(Gate, crowd=app.state.gate)
    app.add_middleware(Crashes)
    app.add_middleware(Guard, settings=settings)
    app.add_middleware(Observed, observers=observers(app, settings))
    app.router.lifespan_context = lifespan
    return app


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """What sweeps; and the workers, which start once the server is there, unless they are asked for before."""
    sweeping = asyncio.create_task(sweep(app.state.jobs))
    workers: Workers | None = app.state.workers
    soon = asyncio.get_running_loop().call_later(LULL, workers.start) if workers else None
    try:
        yield
    finally:
        sweeping.cancel()
        if workers and soon:
            soon.cancel()
            await workers.stop()


async def sweep(jobs: Jobs) -> None:
    """Remove jobs that ended long ago, as long as the server runs."""
    while True:
        await asyncio.sleep(SWEPT)
        await asyncio.to_thread(jobs.sweep)


def create_routes(settings: Settings) -> FastAPI:
    """The routes with their own registry and memory."""
    app = FastAPI(title="Tokenarium", version=__version__, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.settings = settings
    app.state.registry = Registry(settings)
    app.state.recent = Recent()
    app.state.followed = Followed()
    app.state.jobs = Jobs(settings)
    for capability in CAPABILITIES:
        app.include_router(capability.router)
    app.mount("/static", StaticFiles(directory=ROOT / "static"), name="static")
    app.state.short = {route.path: route for route in ROUTES if isinstance(route, StrictRoute) and route.plain}
    problems.install(app)
    app.openapi = partial(describe, app)  # type: ignore[method-assign]
    return app


def observers(app: FastAPI, settings: Settings) -> list[Observer]:
    """Who is told of every request: what counts it, and what logs it where that is wished."""
    app.state.traffic = Traffic()
    app.state.siblings = Siblings(settings.metrics, lambda: numbers(app.state)) if settings.metrics else None
    log = AccessLog(sys.stdout) if settings.log else None
    return [observer for observer in (app.state.traffic, app.state.siblings, log) if observer]
