"""Server-sent events that viewers share."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from fastapi.sse import format_sse_event
from starlette.responses import StreamingResponse
from starlette.types import Message, Send

from .concurrency import send_parts

KEEPALIVE = b": keepalive\n\n"
"""A comment of a stream, which shows whether the client is still there."""


class EventStream(StreamingResponse):
    """Server-sent events that are encoded already, so that viewers share them."""

    media_type = "text/event-stream"

    def __init__(self, parts: AsyncGenerator[bytes, None]) -> None:
        super().__init__(parts, headers={"Cache-Control": "no-cache", "X-Accel-Buffering": "no"})
        self.parts = parts

    async def stream_response(self, send: Send) -> None:
        async def send_in_parts(message: Message) -> None:  # of which a viewer who does not read holds one
            if message["type"] == "http.response.body":
                await send_parts(send, message["body"], more=message["more_body"])
            else:
                await send(message)

        async with aclosing(self.parts):  # also where the client leaves, so that the viewer is not woken any more
            await super().stream_response(send_in_parts)


def encode_events(events: Sequence[tuple[str, bytes]], end: int) -> bytes:
    """Return events, each a kind and its data, in the format of server-sent events; the last one has the offset as id.

    >>> encode_events([("doing", b"{}"), ("note", b"1")], 7)
    b'event: doing\\ndata: {}\\n\\nevent: note\\ndata: 1\\nid: 7\\n\\n'
    """
    ids = [None] * (len(events) - 1) + [str(end)]
    lines = (
        format_sse_event(event=kind, data_str=data.decode(), id=id)
        for (kind, data), id in zip(events, ids, strict=False)
    )
    return b"".join(lines) or KEEPALIVE
