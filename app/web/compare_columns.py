"""The columns of a comparison, each as soon as it is ready: workers compute them beside one another."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any
from zlib import crc32

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Send

from ..errors import TokenariumError
from ..lab.compare.comparison import compare_column
from ..registry import NeedsUntrusted, trusted_only
from ..serialize.comparison import column_alone
from ..serialize.json import dumps
from ..serialize.problem import Problem
from ..types import SpecialPolicy
from .concurrency import get_client
from .execution import one_request
from .ndjson import MEDIA
from .services import get_services

UNTRUSTED = "untrusted"
"""What a worker yields instead of a column that runs what a user wrote."""


class ColumnStream(StreamingResponse):
    """NDJSON with a line for each column, in the order in which they become ready."""

    media_type = MEDIA

    def __init__(self, columns: AsyncGenerator[dict[str, Any], None]) -> None:
        super().__init__(_lines(columns), headers={"X-Accel-Buffering": "no"})
        self.columns = columns

    async def stream_response(self, send: Send) -> None:
        async with aclosing(self.columns):  # also where the client leaves, so that the rest is not computed
            await super().stream_response(send)


async def _lines(columns: AsyncIterator[dict[str, Any]]) -> AsyncIterator[bytes]:
    async for column in columns:
        yield dumps(column) + b"\n"


async def compute_columns(
    request: Request, text: str, ids: Sequence[str], *, special: SpecialPolicy, include: Sequence[str]
) -> AsyncGenerator[dict[str, Any], None]:
    """Yield the column of each tokenizer as plain data, with its `index` in the request, as soon as it is ready."""
    compute = partial(_compute, request, text, special=special, include=tuple(include))
    tasks = [asyncio.create_task(compute(index, id)) for index, id in enumerate(ids)]
    try:
        for ready in asyncio.as_completed(tasks):
            yield await ready
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _compute(
    request: Request, text: str, index: int, id: str, *, special: SpecialPolicy, include: tuple[str, ...]
) -> dict[str, Any]:
    """Return one column, or its problem where no worker is free or it exceeds a limit."""
    workers = get_services(request).workers
    arguments = (text, id, special, include)
    try:
        if workers is None:
            (column,) = await run_in_threadpool(lambda: [*column_in_worker(request.app, *arguments, True)])
        else:
            run = partial(workers.run, column_in_worker, prefer=crc32(id.encode()), client=get_client(request.scope))
            (column,) = await run(*arguments)
            if column == UNTRUSTED:
                (column,) = await run(*arguments, True, untrusted=True)
    except TokenariumError as error:
        column = {"tokenizer": id, "problem": Problem.of(error).members()}
    return {"index": index, **column}


def column_in_worker(
    app: FastAPI, text: str, id: str, special: SpecialPolicy, include: Sequence[str], untrusted: bool = False
) -> Iterator[Any]:
    """Yield the column of one tokenizer, or `UNTRUSTED` if it takes an untrusted turn."""
    token = trusted_only.set(not untrusted)
    try:
        with one_request(app):
            column = compare_column(get_services(app).registry, text, id, special=special)
            yield column_alone(column, include)
    except NeedsUntrusted:
        yield UNTRUSTED
    finally:
        trusted_only.reset(token)
