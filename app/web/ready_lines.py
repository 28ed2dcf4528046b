"""NDJSON with a line for each tokenizer, as soon as it is ready: workers compute the lines beside one another."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Send

from ..errors import TokenariumError
from ..serialize.json import dumps
from ..serialize.problem import Problem
from .concurrency import HELD, PART, Share
from .execution import run_work
from .ndjson import MEDIA
from .services import SERVICES, Services, get_services

Compute = Callable[..., dict[str, Any]]
"""Returns the line of a tokenizer: takes a registry, the id, and further arguments; a function of a module."""


class ReadyLines(StreamingResponse):
    """NDJSON with a line for each tokenizer, in the order in which they become ready."""

    media_type = MEDIA

    def __init__(self, lines: AsyncGenerator[bytes, None]) -> None:
        super().__init__(lines, headers={"X-Accel-Buffering": "no"})
        self.lines = lines

    async def stream_response(self, send: Send) -> None:
        async with aclosing(self.lines):  # also where the client leaves, so that the rest is not computed
            await super().stream_response(send)


async def compute_lines(
    request: Request, compute: Compute, ids: Sequence[str], *args: Any
) -> AsyncGenerator[bytes, None]:
    """Yield the line of each tokenizer, with its `index` among the ids, as soon as it is ready.

    No more of them wait for a worker, or to be sent, than there are workers, so that they crowd out nobody else's.
    """
    free = asyncio.Semaphore(max(1, get_services(request).settings.workers))
    held: Share = request.scope[HELD]
    line = partial(_compute_line, request, free, compute, args)
    tasks = [asyncio.create_task(line(index, id)) for index, id in enumerate(ids)]
    try:
        for ready in asyncio.as_completed(tasks):
            line_bytes, amount = await ready
            yield line_bytes
            held.give_back(amount)
            free.release()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _compute_line(
    request: Request, free: asyncio.Semaphore, compute: Compute, args: Sequence[Any], index: int, id: str
) -> tuple[bytes, int]:
    """Return one line and what it takes of the bytes, or its problem where there is no room or it exceeds a limit."""
    services = get_services(request)
    held: Share = request.scope[HELD]
    await free.acquire()
    try:
        untrusted = services.registry.is_untrusted(id)
        run = partial(run_work, services, line_in_worker, compute, index, id, args, untrusted=untrusted)
        line: bytes = await run(client=held.address, strange=SERVICES in request.scope)
        amount = max(0, len(line) - PART)
        held.take(amount)
        return line, amount
    except TokenariumError as error:
        problem = {"index": index, "tokenizer": id, "problem": Problem.of(error).members()}
        return dumps(problem) + b"\n", 0


def line_in_worker(services: Services, compute: Compute, index: int, id: str, args: Sequence[Any]) -> bytes:
    """Return the line of one tokenizer."""
    return dumps({"index": index, **compute(services.registry, id, *args)}) + b"\n"
