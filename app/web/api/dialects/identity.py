"""What other servers say of themselves and of their model, which clients ask before they send anything."""

from typing import Any

from fastapi import APIRouter, Request

from .... import __version__
from ...body import JSONResponse, StrictRoute
from ...policy import RoutePolicy
from .common import requested_tokenizer

router = APIRouter(route_class=StrictRoute, tags=["dialects"])


@router.get("/health", summary="Check that the server answers, as other servers do")
@RoutePolicy(run="server", counted=False, cors=True, dialect="llamacpp")
async def health() -> JSONResponse:
    """Always 200 while the server runs."""
    return JSONResponse({"status": "ok"})


@router.get("/v1/models", summary="List the tokenizers as OpenAI lists models")
@RoutePolicy(run="inline", cors=True, dialect="openai")
def models(request: Request) -> JSONResponse:
    """Every tokenizer, or the one of the path. A tokenizer has no date: `created` is 0."""
    registry, name = request.app.state.registry, request.scope.get("tokenarium.tokenizer")
    ids = [info.id for info in registry.infos()] if name is None else [requested_tokenizer(request, None)]
    rows = [{"id": id, "object": "model", "created": 0, "owned_by": "tokenarium"} for id in ids]
    return JSONResponse({"object": "list", "data": rows})


@router.get("/info", summary="Describe the model as text-embeddings-inference does")
@RoutePolicy(run="inline", cors=True, dialect="tei")
def info(request: Request) -> JSONResponse:
    """The tokenizer of the path or the server’s default, and the limits. There is no model: its fields are null."""
    from .tei import MAX_INPUTS

    settings = request.app.state.settings
    answer: dict[str, Any] = {
        "model_id": requested_tokenizer(request, None),
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
@RoutePolicy(run="inline", cors=True, dialect="llamacpp")
def props(request: Request) -> JSONResponse:
    """The tokenizer of the path or the server’s default, with its chat template; nothing is generated here."""
    from ....lab.special_roles import special_roles

    registry, settings = request.app.state.registry, request.app.state.settings
    id = requested_tokenizer(request, None)
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
