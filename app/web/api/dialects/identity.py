"""What other servers say of themselves and of their model, which clients ask before they send anything."""

from typing import Any

from fastapi import Request
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match
from starlette.types import Scope

from .... import __version__
from ....lab.chat.templates import special_roles
from ...body import JSONResponse
from ...policy import RoutePolicy
from ...request_records import METHODS
from ...routing import Route, Router
from ...services import get_services
from .anthropic import ANTHROPIC
from .common import get_requested_tokenizer
from .dialect import Dialect
from .gemini import GEMINI
from .llamacpp import LLAMACPP
from .openai import OPENAI
from .sglang import SGLANG
from .tei import MAX_INPUTS, TEI
from .vllm import VLLM

router = Router(tags=["dialects"])


class NameConvertor(Convertor[str]):
    """Any name in a path. Starlette's `path` matches no line feed, and the answer would not be in the dialect."""

    regex = "(?s:.*)"

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


register_url_convertor("name", NameConvertor())


@router.get("/health", summary="Check that the server answers, as other servers do")
@RoutePolicy(run="server", counted=False, cors=True, dialect=LLAMACPP)
async def health() -> JSONResponse:
    """Always 200 while the server runs."""
    return JSONResponse({"status": "ok"})


@router.get("/v1/models", summary="List the tokenizers as OpenAI lists models")
@RoutePolicy(run="inline", cors=True, dialect=OPENAI)
def models(request: Request) -> JSONResponse:
    """Every tokenizer, or the one of the path. A tokenizer has no date: `created` is 0."""
    registry = get_services(request).registry
    name = request.scope.get("tokenarium.tokenizer")
    ids = [info.id for info in registry.infos()] if name is None else [get_requested_tokenizer(request, None)]
    return JSONResponse({"object": "list", "data": [_model(id) for id in ids]})


@router.get("/v1/models/{model:name}", summary="Describe a tokenizer as OpenAI describes a model")
@RoutePolicy(run="inline", cors=True, dialect=OPENAI)
def one_model(model: str, request: Request) -> JSONResponse:
    """The model under the name that was sent, if its tokenizer is here."""
    get_requested_tokenizer(request, model)
    return JSONResponse(_model(model))


def _model(id: str) -> dict[str, Any]:
    return {"id": id, "object": "model", "created": 0, "owned_by": "tokenarium"}


@router.get("/version", summary="The version of the server, as vLLM tells it")
@RoutePolicy(run="server", counted=False, cors=True, dialect=VLLM)
async def version() -> JSONResponse:
    """The version of Tokenarium."""
    return JSONResponse({"version": __version__})


@router.get("/ping", summary="Check that the server answers, as vLLM does", response_class=Response)
@router.post(
    "/ping", operation_id="ping_post", summary="Check that the server answers, as vLLM does", response_class=Response
)
@RoutePolicy(run="server", counted=False, cors=True, dialect=VLLM)
async def ping() -> Response:
    """Always 200 while the server runs, without a body."""
    return Response()


@router.get("/load", summary="Count the requests under way, as vLLM does")
@RoutePolicy(run="server", counted=False, cors=True, dialect=VLLM)
async def load(request: Request) -> JSONResponse:
    """`server_load`: the requests that are being answered, without this one."""
    limiter = get_services(request).limiter
    return JSONResponse({"server_load": limiter.places.total if limiter else 0})


@router.get("/model_info", summary="Describe the model as SGLang does")
@router.get("/get_model_info", summary="Describe the model as SGLang does")
@RoutePolicy(run="inline", cors=True, dialect=SGLANG)
def model_info(request: Request) -> JSONResponse:
    """The tokenizer of the path or the server’s default. There is no model, which would generate."""
    id = get_requested_tokenizer(request, None)
    answer = {
        "model_path": id,
        "tokenizer_path": id,
        "is_generation": False,
        "preferred_sampling_params": None,
        "weight_version": __version__,
        "has_image_understanding": False,
        "has_audio_understanding": False,
        "model_type": None,
        "architectures": None,
    }
    return JSONResponse(answer)


@router.get("/info", summary="Describe the model as text-embeddings-inference does")
@RoutePolicy(run="inline", cors=True, dialect=TEI)
def info(request: Request) -> JSONResponse:
    """The tokenizer of the path or the server’s default, and the limits. There is no model: its fields are null."""
    settings = get_services(request).settings
    answer: dict[str, Any] = {
        "model_id": get_requested_tokenizer(request, None),
        **dict.fromkeys(("model_sha", "model_dtype", "model_type", "sha", "docker_label")),
        "max_concurrent_requests": settings.concurrency,
        "max_input_length": settings.max_text,
        "max_batch_tokens": settings.max_text,
        "max_batch_requests": None,
        "max_client_batch_size": MAX_INPUTS,
        "auto_truncate": False,
        "tokenization_workers": settings.workers,
        "version": __version__,
    }
    return JSONResponse(answer)


@router.get("/props", summary="Describe the model as llama.cpp’s server does")
@RoutePolicy(run="inline", cors=True, dialect=LLAMACPP)
def props(request: Request) -> JSONResponse:
    """The tokenizer of the path or the server’s default, with its chat template; nothing is generated here."""
    registry = get_services(request).registry
    settings = get_services(request).settings
    id = get_requested_tokenizer(request, None)
    template = registry.chat_template(id)
    roles = special_roles(registry.info(id), template)
    answer = {
        "default_generation_settings": {},
        "total_slots": settings.workers,
        "model_path": id,
        "chat_template": template.text if template else "",
        "bos_token": roles.get("bos_token", ""),
        "eos_token": roles.get("eos_token", ""),
        "build_info": f"tokenarium {__version__}",
    }
    return JSONResponse(answer)


@router.get("/slots", summary="List the slots as llama.cpp’s server does")
@RoutePolicy(run="server", counted=False, cors=True, dialect=LLAMACPP)
async def slots(request: Request) -> JSONResponse:
    """A slot for each worker, and whether it is at work. `n_ctx` is the length of the longest text in bytes."""
    services = get_services(request)
    settings = get_services(request).settings
    busy = services.workers.busy if services.workers else 0
    rows = [
        {"id": number, "n_ctx": settings.max_text, "speculative": False, "is_processing": number < busy}
        for number in range(settings.workers)
    ]
    return JSONResponse(rows)


UNKNOWN = (
    *(("/compat/vllm", VLLM), ("/compat/sglang", SGLANG), ("/compat/tei", TEI), ("/compat/llamacpp", LLAMACPP)),
    *(("/v1/messages", ANTHROPIC), ("/v1/responses", OPENAI), ("/v1beta/models", GEMINI)),
)
"""Folders whose addresses without a route answer in a dialect."""


class CatchAll(Route):
    """A route that is taken where no other has the address, not even for another method."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        match, child_scope = super().matches(scope)
        return Match.PARTIAL if match == Match.FULL else match, child_scope


def add_unknown(folder: str, dialect: Dialect) -> None:
    """Have an address below a folder that no route has answer in a dialect."""

    @RoutePolicy(run="server", cors=True, dialect=dialect)
    def unknown(rest: str) -> Response:
        raise HTTPException(404)

    options: dict[str, Any] = {"include_in_schema": False, "route_class_override": CatchAll}
    router.add_api_route(f"{folder}/{{rest:path}}", unknown, methods=[*METHODS], **options)


for folder, dialect in UNKNOWN:
    add_unknown(folder, dialect)
