"""NDJSON in, NDJSON out: the lines of a request are answered while they arrive, so that no body is held as a whole.

A client must read answers while it sends lines. If it does not, the buffers between fill up until neither end can go
on; after `Settings.stream_timeout` seconds the rest of its lines is dropped.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Protocol

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ..errors import NotRead, Overloaded, TokenariumError, TooSlow
from ..lab.lines import LineSplitter, NumberedLine, batches
from ..settings import Settings
from .concurrency import HELD, PART, Share, cancel_on_disconnect

MEDIA = "application/x-ndjson"
ACCEPTED = (MEDIA, "application/jsonl", "application/jsonlines")

BATCH = 65_536
"""Bytes of lines that are answered at once: enough to outweigh the way to a worker, little beside its memory."""


def describe_lines(description: str, example: str) -> dict[int | str, dict[str, Any]]:
    """Return the description of an answer in lines."""
    return {200: {"description": description, "content": {MEDIA: {"schema": {"type": "string"}, "example": example}}}}


class Answers(Protocol):
    """Answers the lines of one stream."""

    async def answer(self, lines: Sequence[NumberedLine]) -> bytes:
        """Return the answers to some lines. It is cancelled where the client has sent all lines and leaves."""

    def summary(self) -> bytes:
        """Return the last line of a complete answer."""

    def error(self, error: TokenariumError, line: int) -> bytes:
        """Return the last line of an answer that is incomplete: it ends with an error before a line."""


class NDJSON(Response):
    """A response that is written while the request is read."""

    media_type = MEDIA

    def __init__(self, answers: Answers, settings: Settings) -> None:
        self.answers = answers
        self.lines = LineSplitter(limit=settings.max_text)
        self.timeout = settings.stream_timeout
        self.more = True
        self.status_code = 200
        self.background = None
        self.init_headers({"X-Accel-Buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        answered = 0
        held: Share = scope[HELD]
        try:
            async for batch in self._batches(receive):
                work = self.answers.answer(batch)
                body = await (work if self.more else cancel_on_disconnect(receive, work))
                before = held.amount
                held.take(max(0, len(body) - PART))
                await self._write(send, body)  # once what is before it is read
                held.give_back(before)
                answered = batch[-1].number
            last = self.answers.summary()
        except ClientDisconnect:
            return
        except (TooSlow, NotRead, Overloaded) as error:
            last = self.answers.error(error, answered + 1)
            if not isinstance(error, TooSlow):
                await self._drop(receive)
        with suppress(ClientDisconnect, NotRead):
            await self._write(send, last, more=False)

    async def _batches(self, receive: Receive) -> AsyncIterator[list[NumberedLine]]:
        """Yield the lines in batches, as soon as they have arrived."""
        while self.more:
            lines = self.lines.feed(await self._read(receive))
            for batch in batches(lines if self.more else chain(lines, self.lines.end()), size=BATCH):
                yield batch

    async def _read(self, receive: Receive) -> bytes:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        self.more = message.get("more_body", False)
        body: bytes = message.get("body", b"")
        return body

    async def _write(self, send: Send, body: bytes, *, more: bool = True) -> None:
        """Send a part of the answer, once the client has read enough of the parts before.

        Raises `NotRead` if it does not, while more of its lines are to come; `ClientDisconnect`.
        """
        try:
            async with asyncio.timeout(self.timeout if self.more else None):
                await send({"type": "http.response.body", "body": body, "more_body": more})
        except TimeoutError:
            raise NotRead(
                f"No answer was read for {self.timeout:g} seconds, and the rest of the lines was dropped: "
                "read the answers while you send the lines."
            ) from None
        except OSError:
            raise ClientDisconnect from None

    async def _drop(self, receive: Receive) -> None:
        """Read the rest of the request, so that its client gets to reading the answer."""
        with suppress(ClientDisconnect, TooSlow):
            while self.more:
                await self._read(receive)
