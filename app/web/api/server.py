"""GET /healthz, /metrics and /openapi.json: the server itself."""

from fastapi import Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from ...store import PRIVATE
from ..body import JSONResponse
from ..metrics import Metrics
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["server"])


@router.get("/healthz", operation_id="check_health", summary="Check that the server answers")
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
    found = next(one for one in get_services(request).observers if isinstance(one, Metrics))
    return Response(found.expose(), media_type=CONTENT_TYPE_LATEST)
