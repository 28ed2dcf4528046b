"""Events that viewers share are sent in parts: who does not read holds one part, and not the whole event."""

import asyncio

from tokenarium.web.concurrency import PART
from tokenarium.web.event_stream import EventStream


def test_a_large_event_is_sent_in_parts_and_whole():
    event = b"data: " + b"x" * 5 * PART + b"\n\n"
    sent = []

    async def events():
        yield event
        yield b"data: 1\n\n"

    async def receive():
        await asyncio.Event().wait()

    async def send(message):
        sent.append(message.get("body", b""))

    asyncio.run(EventStream(events())({"type": "http", "asgi": {"spec_version": "2.4"}}, receive, send))
    assert max(map(len, sent)) <= PART
    assert b"".join(sent) == event + b"data: 1\n\n"
