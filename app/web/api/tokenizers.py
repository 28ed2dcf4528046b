"""GET /api/tokenizers: the tokenizers to choose from. Also the files of those trained here, and how to delete them."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...types import TokenizerInfo
from ..body import JSONResponse
from ..policy import RoutePolicy

router = APIRouter(prefix="/api/tokenizers", tags=["tokenizers"])
# The server process alone knows at once what was trained or deleted, and describing a tokenizer loads none.
POLICY = RoutePolicy(run="server")


@router.get("", summary="List the tokenizers")
@POLICY
def index(request: Request) -> JSONResponse:
    """Every tokenizer, without loading any."""
    return JSONResponse([description(info) for info in request.app.state.registry.infos()])


# Before the routes of `{id:path}`, which match this path too, as the id of a tokenizer may contain slashes.
@router.get("/{id}/download/{name}", summary="Download a file of a trained tokenizer", response_class=Response)
@POLICY
def download(id: str, name: str, request: Request) -> Response:
    """One file of a tokenizer that was trained here: `tokenizer.json`, `sentencepiece.model`, `ranks.tiktoken` and
    `minbpe.model`, where the format can express it, and `README.md`, which explains how to load each."""
    from ...lab.train.exports import MEDIA_TYPES
    from ...lab.train.keeping import file

    data = file(request.app.state.registry, id, name)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(data, media_type=MEDIA_TYPES[name], headers=headers)


@router.delete("/{id:path}", status_code=204, summary="Delete a trained tokenizer", response_class=Response)
@POLICY
def delete(id: str, request: Request) -> Response:
    """Deletes a tokenizer that was trained here; others cannot be deleted."""
    from ...lab.train.keeping import delete

    delete(request.app.state.settings, id)
    return Response(status_code=204)


@router.get("/{id:path}", summary="Describe one tokenizer")
@POLICY
def one(id: str, request: Request) -> JSONResponse:
    """One tokenizer, without loading it."""
    return JSONResponse(description(request.app.state.registry.info(id)))


def description(info: TokenizerInfo) -> dict[str, Any]:
    """Return what is known of a tokenizer without loading it."""
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
