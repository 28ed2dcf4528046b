"""The routes of an app and the services that they share."""

from functools import partial
from importlib import import_module

from fastapi import FastAPI
from fastapi.telemetry import TelemetryConfig

from .. import __version__
from ..registry import Registry
from ..settings import ROOT, Settings
from . import openapi, problems
from .services import Services
from .static_files import PageFiles

ROUTERS = (
    # First what programs ask thousands of times: routes are tried one after another.
    "api.tokenize",
    "api.tokenize_stream",
    "api.detokenize",
    "pages.tokenize",
    "pages.embed",
    "pages.pipeline",
    "pages.regex",
    "pages.chunks",
    "pages.detokenize",
    "pages.steps",
    "pages.compare",
    "pages.two_vocabularies",
    "pages.chat",
    "pages.request",
    "pages.turns",
    "pages.folder",
    "pages.logprobs",
    "pages.languages",
    "pages.train",
    "pages.saved",
    # Before the scenes, whose ids would take their addresses.
    "pages.by_hand",
    "pages.write_it",
    "pages.at_scale",
    "pages.practice",
    "pages.learn",
    "pages.lecture",
    # In this order, as the ids of tokenizers may contain slashes.
    "pages.analysis",
    "pages.vocabulary",
    "pages.fetches",
    "pages.tokenizers",
    "pages.doctor",
    "pages.surgery",
    "pages.conformance",
    "pages.docs",
    "pages.guides",
    "pages.hall.lead",
    "pages.hall.phone",
    "pages.about",
    "pages.search",
    # After the pages: what one of them still has is not moved.
    "redirects",
    "api.steps",
    "api.compare",
    "api.conformance",
    "api.costs",
    "api.chunks",
    "api.chat",
    "api.request",
    "api.turns",
    "api.languages",
    "api.pipeline",
    "api.regex",
    "api.two_vocabularies",
    # In this order, too.
    "api.vocabulary",
    "api.analysis",
    "api.dialects.vllm",
    "api.dialects.sglang",
    "api.dialects.tei",
    "api.dialects.llamacpp",
    "api.dialects.anthropic",
    "api.dialects.gemini",
    "api.dialects.openai",
    "api.dialects.identity",
    "pages.beyond.overview",
    "pages.beyond.bytes",
    "pages.beyond.pictures",
    "pages.beyond.sound",
    "pages.beyond.actions",
    "pages.beyond.concepts",
    "pages.beyond.parameters",
    "pages.beyond.budget",
    "api.beyond.bytes",
    "api.beyond.pictures",
    "api.beyond.sound",
    "api.beyond.actions",
    "api.beyond.concepts",
    "api.beyond.parameters",
    "api.beyond.budget",
    "api.train",
    "api.fetches",
    "api.doctor",
    "api.surgery",
    "api.tokenizers",
    "api.agents",
    "api.server",
)
"""Modules with a `router`, in the order in which their routes are looked for."""
NO_TELEMETRY: TelemetryConfig = {"tracing": False, "metrics": False, "logs": False, "auto_configure": False}
"""Nothing about requests leaves the server, whatever the environment says, and none asks whether it should."""


def create_routes(settings: Settings, *, registry: Registry | None = None) -> FastAPI:
    """Return an app that has only the routes, with caches of its own, and a registry unless one is passed.

    Each worker has one.
    """
    app = FastAPI(
        title="Tokenarium",
        version=__version__,
        openapi_url=None,
        redirect_slashes=False,
        telemetry=NO_TELEMETRY,
    )
    services = Services(settings, registry or Registry(settings))
    app.state.services = services
    app.mount("/static", PageFiles(directory=ROOT / "static"), name="static")
    for name in ROUTERS:
        app.router.routes += import_module(f"{__package__}.{name}").router.routes  # included, each is matched twice
    problems.install(app)
    app.openapi = partial(openapi.describe, app)  # type: ignore[method-assign]
    return app
