"""NDJSON in, NDJSON out: the lines of a request answered while they come, none read before the last are answered.

A client reads while it writes. One that writes first and reads afterwards is served as long as its answers fit on
the way between; then neither end moves, and after `Settings.idle` seconds the rest of its lines is dropped.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Protocol

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from app.errors import NotRead, TokenariumError, TooSlow
from app.lab.lines import Line, Lines, batches
from app.settings import Settings

MEDIA = "application/x-ndjson"
ACCEPTED = (MEDIA, "application/jsonl", "application/jsonlines")

BATCH = 65_536
"""Bytes of lines that are answered at once: much next to the way to a worker, little next to the memory there is."""


class Answers(Protocol):
    """What answers the lines of one stream."""

    async def of(self, lines: Sequence[Line]) -> bytes:
        """The answers to some lines."""

    def summary(self) -> bytes:
        """The last line of a whole answer."""

    def ending(self, error: TokenariumError, line: int) -> bytes:
        """The last line of an answer that ends before this line."""


class NDJSON(Response):
    """An answer that is written while the request is read."""

    media_type = MEDIA

    def __init__(self, answers: Answers, settings: Settings) -> None:
        self.answers = answers
        self.lines = Lines(limit=settings.max_text)
        self.idle = settings.idle
        self.more = True
        self.status_code = 200
        self.background = None
        self.init_headers({"Cache-Control": "no-store", "X-Accel-Buffering": "no"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        answered = 0
        try:
            async for batch in self._batches(receive):
                await self._write(send, await self.answers.of(batch))
                answered = batch[-1].number
            last = self.answers.summary()
        except ClientDisconnect:
            return
        except (TooSlow, NotRead) as error:
            last = self.answers.ending(error, answered + 1)
            if isinstance(error, NotRead):
                await self._drop(receive)
        with suppress(ClientDisconnect, NotRead):
            await self._write(send, last, more=False)

    async def _batches(self, receive: Receive) -> AsyncIterator[list[Line]]:
        """The lines that have come, as soon as they have."""
        while self.more:
            found = self.lines.feed(await self._read(receive))
            for batch in batches(found if self.more else chain(found, self.lines.end()), size=BATCH):
                yield batch

    async def _read(self, receive: Receive) -> bytes:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        self.more = message.get("more_body", False)
        body: bytes = message.get("body", b"")
        return body

    async def _write(self, send: Send, body: bytes, *, more: bool = True) -> None:
        """Send a part of the answer, once what was sent before is on its way; while more lines come, not for ever."""
        try:
            async with asyncio.timeout(self.idle if self.more else None):
                await send({"type": "http.response.body", "body": body, "more_body": more})
        except TimeoutError:
            raise NotRead(
                f"No answer was read for {self.idle:g} seconds, and the rest of the lines was dropped: "
                "read the answers while you send the lines."
            ) from None
        except OSError:
            raise ClientDisconnect from None

    async def _drop(self, receive: Receive) -> None:
        """Read what is left of the request, so that its client comes to read."""
        with suppress(ClientDisconnect, TooSlow):
            while self.more:
                await self._read(receive)
