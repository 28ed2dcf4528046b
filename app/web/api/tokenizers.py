"""GET /api/tokenizers: what there is to choose from."""

from typing import Any

from fastapi import APIRouter, Request

from app.types import TokenizerInfo
from app.web.answer import JSONResponse

router = APIRouter(prefix="/api/tokenizers", tags=["tokenizers"])


@router.get("", summary="List the tokenizers")
def index(request: Request) -> JSONResponse:
    """Every tokenizer, without loading any."""
    return JSONResponse([described(info) for info in request.app.state.registry.infos()])


@router.get("/{id:path}", summary="Describe one tokenizer")
def one(id: str, request: Request) -> JSONResponse:
    """One tokenizer, without loading it."""
    return JSONResponse(described(request.app.state.registry.info(id)))


def described(info: TokenizerInfo) -> dict[str, Any]:
    """What is known of a tokenizer without loading it."""
    return {
        "id": info.id,
        "title": info.title,
        "family": info.family,
        "engines": info.engines,
        "models": info.models,
        "vocab_size": info.vocab_size,
        "grows": info.grows,
        "lossless": info.lossless,
        "normalization": info.normalization,
        "special_tokens": dict(info.special_tokens),
        "prefix": info.prefix,
        "suffix": info.suffix,
        "trained": info.trained,
        "source": {"package": info.source.package, "version": info.source.version, "licence": info.source.licence},
    }
