"""Answer one HTTP request of the Model Context Protocol: without sessions, so that any process may answer the next."""

from mcp.server.transport_security import TransportSecuritySettings
from starlette.types import Message, Receive, Scope

from .server import make_server
from .tools import AgentTools


async def answer(tools: AgentTools, scope: Scope, receive: Receive, *, max_body: int) -> list[Message]:
    """Return the messages of an answer, which is JSON and no stream. Raises what a tool raises that is its fault."""
    faults: list[Exception] = []
    messages: list[Message] = []
    server = make_server(tools, note=faults.append)
    hosts = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # which every request has been checked for
    server.streamable_http_app(
        json_response=True, stateless_http=True, max_request_body_size=max_body, transport_security=hosts
    )

    async def send(message: Message) -> None:
        messages.append(message)

    async with server.session_manager.run():
        await server.session_manager.handle_request(scope, receive, send)
    if faults:
        raise faults[0]
    return messages
