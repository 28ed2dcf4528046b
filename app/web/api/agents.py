"""POST /mcp: the tools for agents over the Model Context Protocol, without those that read files."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from ...agents import load_module
from ..policy import RoutePolicy
from ..services import get_services

router = APIRouter(include_in_schema=False)


@router.post("/mcp")
@RoutePolicy(cors=True, same_worker=True)
async def post(request: Request) -> Response:
    """Answer one request alone. Raises `Unavailable` without the SDK."""
    services = get_services(request)
    answer = load_module("http").answer  # no other request needs the SDK
    tools = load_module("tools").AgentTools(services.registry, services.settings)
    start, *parts = await answer(tools, request.scope, request.receive, max_body=services.settings.max_body)
    response = Response(b"".join(part.get("body", b"") for part in parts), start["status"])
    response.raw_headers = start["headers"]
    return response
