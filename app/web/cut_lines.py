"""The lines of a stream cut in a worker, and answered one by one as /tokenize answers a text."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any
from zlib import crc32

import orjson
from anyio import to_thread
from fastapi import FastAPI

from app.errors import Invalid, Overloaded, TokenariumError, TooLarge
from app.web.body import parse
from app.web.problems import Problem

if TYPE_CHECKING:
    from app.lab.lines import Line
    from app.lab.tokenize import Tokenization
    from app.web.api.tokenize_stream import StreamOptions

PART = 2**18
"""Bytes of answers that come from a worker at once."""
AGAIN = 0.1
"""Seconds after which a stream asks for a turn again."""
SEPARATORS = {char.encode(): f"\\u{ord(char):04x}".encode() for char in "\x85\u2028\u2029"}
"""Characters that clients take for the end of a line where they read text, and how JSON escapes them."""


class CutLines:
    """The answers to the lines of one stream, from a worker where there are any, and their sums."""

    def __init__(self, app: FastAPI, options: StreamOptions) -> None:
        self.app = app
        self.options = options
        self.sums: Counter[str] = Counter(lines=0, errors=0, tokens=0, bytes=0)

    async def check(self) -> None:
        """Load the tokenizer. Raises `UnknownTokenizer`, `UnknownEngine`, `Unavailable`, `Overloaded`."""
        await self._work(load)

    async def of(self, lines: Sequence[Line]) -> bytes:
        """The answers to some lines. Where they are too much, each is answered alone."""
        try:
            *parts, sums = await self._patiently(lines)
        except TokenariumError as error:
            if len(lines) > 1:
                return b"".join([await self.of([line]) for line in lines])
            self.sums.update(lines=1, errors=1)
            return self.ending(error, lines[0].number)
        self.sums.update(sums)
        return b"".join(parts)

    async def _patiently(self, lines: Sequence[Line]) -> list[Any]:
        """What comes of the lines, once there is a turn for them: a stream waits where others are refused."""
        while True:
            try:
                return await self._work(cut, lines)
            except Overloaded:
                await asyncio.sleep(AGAIN)

    async def _work(self, function: Callable[..., Iterator[Any]], *args: Any) -> list[Any]:
        workers = self.app.state.workers
        if workers is None:
            return await to_thread.run_sync(lambda: list(function(self.app, self.options, *args)))
        found: list[Any] = await workers.run(
            function, self.options, *args, prefer=crc32(self.options.tokenizer.encode())
        )
        return found

    def summary(self) -> bytes:
        return _line(dict(self.sums))

    def ending(self, error: TokenariumError, line: int) -> bytes:
        return _line({"line": line} | Problem.of(error).members())


def load(app: FastAPI, options: StreamOptions) -> Iterator[Any]:
    """Load a tokenizer, of which nothing is told."""
    app.state.registry.get(options.tokenizer, options.engine)
    return iter(())


def cut(app: FastAPI, options: StreamOptions, lines: Sequence[Line]) -> Iterator[Any]:
    """The answers to lines that are not blank, in parts, and then their sums."""
    from app.lab.tokenize import tokenize

    cutter = partial(tokenize, app.state.registry, **options.model_dump(exclude={"include"}))
    limit, sums = app.state.settings.max_text, Counter[str]()
    asked = [line for line in lines if line.data is None or line.data.strip()]
    told = b"".join(_line(_answer(line, cutter, options.include, limit=limit, sums=sums)) for line in asked)
    yield from (told[start : start + PART] for start in range(0, len(told), PART))
    yield sums


def _answer(
    line: Line, cutter: Callable[[str], Tokenization], include: Sequence[str], *, limit: int, sums: Counter[str]
) -> dict[str, Any]:
    """The answer to a line, which is added to the sums."""
    from app.web.columns import columns

    told: dict[str, Any] = {"line": line.number}
    sums["lines"] += 1
    try:
        answer = columns(cutter(_text(line, told, limit)), include)
    except TokenariumError as error:
        sums["errors"] += 1
        return told | Problem.of(error).members()
    sums["tokens"] += answer["count"]
    sums["bytes"] += answer["bytes"]
    return told | answer


def _text(line: Line, told: dict[str, Any], limit: int) -> str:
    """The text of a line; its id is told as soon as it is known. Raises what is wrong with the line."""
    if line.data is None:
        raise TooLarge(f"The line is longer than {limit:,} bytes.", limit=limit)
    value = parse(line.data, part="line")
    if isinstance(value, dict):
        if "id" in value:
            told["id"] = _id(value["id"])
        value = value.get("text")
    if not isinstance(value, str):
        raise Invalid("A line is a JSON string, or an object with a string as text.", pointer="/text")
    return value


def _id(value: Any) -> str | int:
    """An id that JSON can give back. Raises `Invalid`, `LoneSurrogate`."""
    from app.lab.tokenize import utf8_length

    if isinstance(value, str):
        utf8_length(value, pointer="/id")
        return value
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**64:
        raise Invalid("An id is a string, or a whole number of 64 bits.", pointer="/id")
    return value


def _line(told: dict[str, Any]) -> bytes:
    """A line of JSON in which nothing else can be taken for the end of a line."""
    line = orjson.dumps(told, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE)
    for separator, escaped in SEPARATORS.items():
        line = line.replace(separator, escaped)
    return line
