"""GET /api/tokenizers: what there is to choose from."""

from fastapi import APIRouter, Request

from app.web.answer import JSONResponse, described

router = APIRouter(prefix="/api/tokenizers", tags=["tokenizers"])


@router.get("", summary="List the tokenizers")
def index(request: Request) -> JSONResponse:
    """Every tokenizer, without loading any."""
    return JSONResponse([described(info) for info in request.app.state.registry.infos()])


@router.get("/{id:path}", summary="Describe one tokenizer")
def one(id: str, request: Request) -> JSONResponse:
    """One tokenizer, without loading it."""
    return JSONResponse(described(request.app.state.registry.info(id)))
