"""The routes of an app, listed by capability, and the services that they share."""

from collections.abc import Mapping
from functools import partial

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig

from .. import __version__
from ..registry import Registry
from ..settings import ROOT, Settings
from . import openapi, problems
from .late_routes import LateRoutes
from .services import Services
from .static_files import PageFiles

CAPABILITIES: Mapping[str, tuple[str, ...]] = {
    "pages.tokenize": ("/", "/window", "/token", "/download"),
    "pages.embed": ("/embed",),
    "pages.pipeline": ("/pipeline",),
    "pages.regex": ("/regex",),
    "pages.chunks": ("/chunks",),
    "pages.steps": ("/steps",),
    "pages.compare": ("/compare",),
    "pages.costs": ("/costs",),
    "pages.two_vocabularies": ("/compare/vocabularies",),
    "pages.chat": ("/chat",),
    "pages.request": ("/request",),
    "pages.folder": ("/folder",),
    "pages.languages": ("/languages",),
    "pages.train": ("/train",),
    "pages.saved": ("/train/delete",),
    # Before the scenes, whose ids would take their addresses.
    "pages.by_hand": ("/learn/by-hand",),
    "pages.write_it": ("/learn/write-it",),
    "pages.learn": ("/learn",),
    "pages.lecture": ("/lecture",),
    # In this order, as the ids of tokenizers may contain slashes.
    "pages.analysis": ("/vocabulary",),
    "pages.vocabulary": ("/vocabulary",),
    "pages.fetches": ("/tokenizers/fetch",),
    "pages.tokenizers": ("/tokenizers",),
    "pages.doctor": ("/doctor",),
    "pages.surgery": ("/surgery",),
    "pages.conformance": ("/conformance",),
    "pages.docs": ("/docs",),
    "pages.guides": ("/docs", "/llms.txt"),
    "pages.hall.lead": ("/hall",),
    "pages.hall.phone": ("/h", "/hall"),
    "pages.about": ("/about",),
    "pages.search": ("/search",),
    "api.tokenize": ("/tokenize",),
    "api.tokenize_stream": ("/api/tokenize-stream",),
    "api.detokenize": ("/detokenize",),
    "api.steps": ("/api/trace",),
    "api.compare": ("/api/compare",),
    "api.conformance": ("/api/conformance",),
    "api.costs": ("/api/costs",),
    "api.chunks": ("/api/chunk",),
    "api.chat": ("/api/chat",),
    "api.request": ("/api/request",),
    "api.languages": ("/api/languages",),
    "api.pipeline": ("/api/pipeline",),
    "api.regex": ("/api/regex",),
    "api.two_vocabularies": ("/api/compare/vocabularies",),
    # In this order, too.
    "api.vocabulary": ("/api/vocabulary",),
    "api.analysis": ("/api/vocabulary",),
    "api.dialects.vllm": ("/compat/vllm", "/tokenizer_info"),
    "api.dialects.sglang": ("/compat/sglang", "/v1"),
    "api.dialects.tei": ("/compat/tei", "/decode"),
    "api.dialects.llamacpp": ("/compat/llamacpp", "/apply-template"),
    "api.dialects.anthropic": ("/v1/messages",),
    "api.dialects.gemini": ("/v1/models", "/v1beta/models"),
    "api.dialects.openai": ("/v1/responses",),
    "api.dialects.identity": (
        *("/v1", "/health", "/version", "/ping", "/load", "/get_model_info", "/model_info", "/info", "/props"),
        "/slots",
    ),
    "pages.beyond.overview": ("/beyond",),
    "pages.beyond.bytes": ("/beyond/bytes",),
    "pages.beyond.pictures": ("/beyond/pictures",),
    "pages.beyond.sound": ("/beyond/sound",),
    "pages.beyond.actions": ("/beyond/actions",),
    "pages.beyond.concepts": ("/beyond/concepts",),
    "pages.beyond.parameters": ("/beyond/parameters",),
    "pages.beyond.budget": ("/beyond/budget",),
    "api.beyond.bytes": ("/api/beyond/bytes",),
    "api.beyond.pictures": ("/api/beyond/pictures",),
    "api.beyond.sound": ("/api/beyond/sound",),
    "api.beyond.actions": ("/api/beyond/actions",),
    "api.beyond.concepts": ("/api/beyond/concepts",),
    "api.beyond.parameters": ("/api/beyond/parameters",),
    "api.beyond.budget": ("/api/budget",),
    "api.train": ("/api/train", "/api/jobs"),
    "api.fetches": ("/api/fetches",),
    "api.doctor": ("/api/doctor",),
    "api.surgery": ("/api/surgery",),
    "api.tokenizers": ("/api/tokenizers",),
    "api.agents": ("/mcp",),
    "api.server": ("/healthz", "/openapi.json", "/metrics"),
}
"""Modules with the prefixes of their routes (see `late_routes`)."""
NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""Nothing about requests leaves the server, whatever the environment says, and none asks whether it should."""


def create_routes(settings: Settings, *, registry: Registry | None = None) -> FastAPI:
    """Return an app that has only the routes, with caches of its own, and a registry unless one is passed.

    Each worker has one.
    """
    app = FastAPI(
        title="Tokenarium", version=__version__, openapi_url=None, redirect_slashes=False, telemetry=NO_TELEMETRY
    )
    services = Services(settings, registry or Registry(settings))
    app.state.services = services
    app.mount("/static", PageFiles(directory=ROOT / "static"), name="static")
    services.routes = LateRoutes(app, CAPABILITIES)
    services.routes.load("/healthz")  # so that a path of one segment without a route has no dialect from the start
    problems.install(app)
    app.openapi = partial(openapi.describe, app)  # type: ignore[method-assign]
    return app
