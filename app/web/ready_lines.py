"""NDJSON with a line for each tokenizer, as soon as it is ready: workers compute the lines beside one another."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Send

from ..errors import TokenariumError
from ..serialize.json import dumps
from ..serialize.problem import Problem
from .concurrency import get_client
from .execution import run_work
from .ndjson import MEDIA
from .services import SERVICES, Services, get_services

Compute = Callable[..., dict[str, Any]]
"""Returns the line of a tokenizer: takes a registry, the id, and further arguments; a function of a module."""


class ReadyLines(StreamingResponse):
    """NDJSON with a line for each tokenizer, in the order in which they become ready."""

    media_type = MEDIA

    def __init__(self, lines: AsyncGenerator[dict[str, Any], None]) -> None:
        super().__init__(_encode(lines), headers={"X-Accel-Buffering": "no"})
        self.lines = lines

    async def stream_response(self, send: Send) -> None:
        async with aclosing(self.lines):  # also where the client leaves, so that the rest is not computed
            await super().stream_response(send)


async def _encode(lines: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    async for line in lines:
        yield dumps(line) + b"\n"


async def compute_lines(
    request: Request, compute: Compute, ids: Sequence[str], *args: Any
) -> AsyncGenerator[dict[str, Any], None]:
    """Yield the line of each tokenizer, with its `index` among the ids, as soon as it is ready.

    No more of them wait for a worker than there are workers, so that they crowd out nobody else's.
    """
    free = asyncio.Semaphore(max(1, get_services(request).settings.workers))
    line = partial(_compute_line, request, free, compute, args)
    tasks = [asyncio.create_task(line(index, id)) for index, id in enumerate(ids)]
    try:
        for ready in asyncio.as_completed(tasks):
            yield await ready
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _compute_line(
    request: Request, free: asyncio.Semaphore, compute: Compute, args: Sequence[Any], index: int, id: str
) -> dict[str, Any]:
    """Return one line, or its problem where no worker is free or it exceeds a limit."""
    services = get_services(request)
    try:
        async with free:
            untrusted = services.registry.is_untrusted(id)
            run = partial(run_work, services, line_in_worker, compute, id, args, untrusted=untrusted)
            line = await run(client=get_client(request.scope), strange=SERVICES in request.scope)
    except TokenariumError as error:
        line = {"tokenizer": id, "problem": Problem.of(error).members()}
    return {"index": index, **line}


def line_in_worker(services: Services, compute: Compute, id: str, args: Sequence[Any]) -> dict[str, Any]:
    """Return the line of one tokenizer."""
    return compute(services.registry, id, *args)
