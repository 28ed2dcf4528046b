"""GET /healthz, /metrics and /openapi.json: the server itself."""

from fastapi import Request
from starlette.responses import Response

from ...store import PRIVATE
from ..body import JSONResponse
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["server"])


@router.get("/healthz", summary="Check that the server answers")
@RoutePolicy(run="server", counted=False)
async def healthz(request: Request) -> JSONResponse:
    """Always 200 while the server runs; lists the tokenizers in memory, except for private ones."""
    loaded = get_services(request).registry.list_loaded()
    public = [{"tokenizer": id, "engine": engine} for id, engine in loaded if not PRIVATE.fullmatch(id)]
    return JSONResponse({"status": "ok", "loaded": public})


@router.get("/openapi.json", include_in_schema=False)
@RoutePolicy(run="server")
def openapi(request: Request) -> JSONResponse:
    return JSONResponse(request.app.openapi())


@router.get("/metrics", include_in_schema=False)
@RoutePolicy(run="server", counted=False)
def metrics(request: Request) -> Response:
    from ..exposition import CONTENT_TYPE_LATEST, exposition  # most servers are never asked for metrics

    return Response(exposition(get_services(request)), media_type=CONTENT_TYPE_LATEST)
