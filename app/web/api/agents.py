"""POST /mcp: the tools for agents over the Model Context Protocol, without those that read files."""

import asyncio
from typing import Any

from fastapi import Request
from starlette.responses import Response
from starlette.types import Message

from ...agents import load_module
from ..concurrency import replay_body
from ..execution import restore_response, run_for
from ..policy import RoutePolicy
from ..routing import CarriedRequest, Router
from ..services import Services

router = Router(include_in_schema=False)


@router.post("/mcp")
@RoutePolicy(run="server", cors=True)
async def post(request: Request) -> Response:
    """Answer one request alone. Raises `Unavailable` without the SDK."""
    body = await request.body()
    return restore_response(*await run_for(request, answer_agent, CarriedRequest.of(request), body, untrusted=True))


def answer_agent(services: Services, carried: CarriedRequest, body: bytes) -> tuple[int, list[Any], bytes]:
    """Return status, header fields and body of the answer to a request of an agent; runs in a worker."""
    answer = load_module("http").answer  # no other request needs the SDK
    tools = load_module("tools").AgentTools(services.registry, services.settings)
    receive = replay_body(body, wait_for_ever)
    start, *parts = asyncio.run(answer(tools, dict(carried.scope), receive, max_body=services.settings.max_body))
    return start["status"], start["headers"], b"".join(part.get("body", b"") for part in parts)


async def wait_for_ever() -> Message:
    """Receive nothing: the server notices when the client disconnects, and stops the worker."""
    await asyncio.Event().wait()
    return {"type": "http.disconnect"}
