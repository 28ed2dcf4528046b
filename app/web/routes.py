"""The routes of an app, listed by capability, and the services that they share."""

from functools import partial

from fastapi import FastAPI

from .. import __version__
from ..registry import Registry
from ..settings import ROOT, Settings
from . import openapi, problems
from .api import analysis as analysis_api
from .api import chat as chat_api
from .api import compare as compare_api
from .api import costs as costs_api
from .api import detokenize, server, tokenizers
from .api import doctor as doctor_api
from .api import fetches as fetches_api
from .api import languages as languages_api
from .api import pipeline as pipeline_api
from .api import regex as regex_api
from .api import steps as trace
from .api import surgery as surgery_api
from .api import tokenize as tokenize_api
from .api import tokenize_stream as tokenize_stream_api
from .api import train as train_api
from .api import two_vocabularies as two_api
from .api import vocabulary as vocabulary_api
from .api.beyond import actions as actions_api
from .api.beyond import budget as budget_api
from .api.beyond import bytes as bytes_api
from .api.beyond import concepts as concepts_api
from .api.beyond import parameters as parameters_api
from .api.beyond import pictures as pictures_api
from .api.beyond import sound as sound_api
from .api.dialects import anthropic, gemini, identity, llamacpp, openai, sglang, tei, vllm
from .dispatch import plain_routes
from .pages import about, analysis, conformance, docs, doctor, embed, fetches, guides, languages, learn, steps
from .pages import chat as chat_page
from .pages import compare as compare_page
from .pages import costs as costs_page
from .pages import pipeline as pipeline_page
from .pages import regex as regex_page
from .pages import saved as kept_page
from .pages import search as search_page
from .pages import surgery as surgery_page
from .pages import tokenize as tokenize_page
from .pages import tokenizers as tokenizers_page
from .pages import train as train_page
from .pages import two_vocabularies as two_page
from .pages import vocabulary as vocabulary_page
from .pages.beyond import actions as actions_page
from .pages.beyond import budget as budget_page
from .pages.beyond import bytes as bytes_page
from .pages.beyond import concepts as concepts_page
from .pages.beyond import overview as beyond_page
from .pages.beyond import parameters as parameters_page
from .pages.beyond import pictures as pictures_page
from .pages.beyond import sound as sound_page
from .policy import RouteTable
from .services import Services
from .static_files import PageFiles

TEXT_PAGES = (tokenize_page, embed, pipeline_page, regex_page, steps, compare_page, two_page, chat_page, languages)
PAGES = (*TEXT_PAGES, costs_page, train_page, kept_page, learn)
VOCABULARY = (analysis, vocabulary_page)  # in this order, as the ids of tokenizers may contain slashes
LISTS = (search_page, fetches, tokenizers_page, doctor, surgery_page, conformance, docs, guides, about)
TEXTS = (tokenize_api, tokenize_stream_api, detokenize, trace, compare_api, costs_api, chat_api, languages_api)
PATTERNS = (pipeline_api, regex_api, two_api)
VOCABULARIES = (vocabulary_api, analysis_api)  # in this order, too
DIALECTS = (vllm, sglang, tei, llamacpp, anthropic, gemini, openai, identity)
BEYOND_PAGES = (bytes_page, pictures_page, sound_page, actions_page, concepts_page, parameters_page, budget_page)
BEYOND_API = (bytes_api, pictures_api, sound_api, actions_api, concepts_api, parameters_api, budget_api)
JOBS = (train_api, fetches_api, doctor_api, surgery_api, tokenizers, server)
BEYOND = (beyond_page, *BEYOND_PAGES, *BEYOND_API)
CAPABILITIES = (*PAGES, *VOCABULARY, *LISTS, *TEXTS, *PATTERNS, *VOCABULARIES, *DIALECTS, *BEYOND, *JOBS)


def create_routes(settings: Settings, *, registry: Registry | None = None) -> FastAPI:
    """Return an app that has only the routes, with caches of its own, and a registry unless one is passed.

    Each worker has one.
    """
    app = FastAPI(title="Tokenarium", version=__version__, openapi_url=None, redirect_slashes=False)
    services = Services(settings, registry or Registry(settings))
    app.state.services = services
    for capability in CAPABILITIES:
        app.include_router(capability.router)
    app.mount("/static", PageFiles(directory=ROOT / "static"), name="static")
    services.routes = RouteTable(app.routes)
    problems.install(app)
    services.plain_routes = plain_routes(app)
    app.openapi = partial(openapi.describe, app)  # type: ignore[method-assign]
    return app
