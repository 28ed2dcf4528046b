"""The app: wires routers, static files and error handlers; nothing else."""

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from app import __version__
from app.lab.recent import Recent
from app.lab.steps.options import Followed
from app.registry import Registry
from app.settings import ROOT, Settings
from app.web import problems
from app.web.api import compare as compare_api
from app.web.api import detokenize, health, tokenizers, trace
from app.web.api import languages as languages_api
from app.web.api import tokenize as tokenize_api
from app.web.api import tokenize_stream as tokenize_stream_api
from app.web.api.dialects import counting, llamacpp, sglang, tei, vllm
from app.web.guard import Guard
from app.web.pages import compare as compare_page
from app.web.pages import conformance, docs, languages, steps
from app.web.pages import tokenize as tokenize_page


def create_app(settings: Settings | None = None) -> FastAPI:
    """A fresh app with its own registry."""
    settings = settings or Settings.from_env()
    app = FastAPI(title="Tokenarium", version=__version__, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.state.settings = settings
    app.state.registry = Registry(settings)
    app.state.recent = Recent()
    app.state.followed = Followed()
    pages = (tokenize_page, steps, compare_page, languages, conformance, docs)
    apis = (tokenize_api, tokenize_stream_api, detokenize, tokenizers, trace, compare_api, languages_api, health)
    dialects = (vllm, sglang, tei, llamacpp, counting)
    for capability in (*pages, *apis, *dialects):
        app.include_router(capability.router)
    app.mount("/static", StaticFiles(directory=ROOT / "static"), name="static")
    app.add_middleware(Guard, settings=settings)
    problems.install(app)
    return app
