"""GET /healthz: whether the server answers."""

from fastapi import APIRouter, Request

from app.web.answer import JSONResponse

router = APIRouter(tags=["server"])


@router.get("/healthz", summary="Whether the server answers")
async def healthz(request: Request) -> JSONResponse:
    """Always 200 while the server lives; says which tokenizers are in memory."""
    loaded = [{"tokenizer": id, "engine": engine} for id, engine in request.app.state.registry.loaded()]
    return JSONResponse({"status": "ok", "loaded": loaded})
