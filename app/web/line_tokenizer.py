"""Tokenize the lines of a stream in a worker, and answer each as /tokenize answers a text."""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field

from ..errors import Invalid, Overloaded, TokenariumError, TooLarge
from ..lab.lines import NumberedLine
from ..lab.models import resolve_model
from ..lab.tokenize import Tokenization, tokenize, utf8_length
from ..serialize.columns import TokenColumn, columns
from ..serialize.json import parse
from ..serialize.problem import Problem
from ..types import SpecialPolicy
from .execution import run_work
from .services import Services

RETRY_SECONDS = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0)
"""Seconds after which a stream that found too many requests waiting for a worker tries again, 16 in all."""
SEPARATORS = {char.encode(): f"\\u{ord(char):04x}".encode() for char in "\x85\u2028\u2029"}
"""Characters that clients may take for the end of a line, and their escapes in JSON."""


class StreamOptions(BaseModel):
    """How to tokenize every line."""

    model_config = ConfigDict(extra="forbid")

    tokenizer: str = Field(description="An id from /api/tokenizers, or the name of a model.")
    engine: str = Field("reference", description="`reference`, `scratch`, or an engine by name.")
    special: SpecialPolicy = Field(
        "text", description="Special tokens in the input: treat as text, recognize (`parse`) or reject (`refuse`)."
    )
    template: bool = Field(False, description="Add special tokens around each text, such as [CLS] … [SEP].")
    include: Annotated[
        list[TokenColumn], Field(description="The columns beside the counts; `counts` for no column.")
    ] = ["ids"]


class LineTokenizer:
    """Answers the lines of one stream, in a worker if there are any, and keeps their sums."""

    def __init__(
        self,
        services: Services,
        options: StreamOptions,
        *,
        client: Hashable = None,
        retry_seconds: Sequence[float] = RETRY_SECONDS,
    ) -> None:
        self.services = services
        self.options = options
        self.client = client
        self.retry_seconds = retry_seconds
        self.sums: Counter[str] = Counter(lines=0, errors=0, tokens=0, bytes=0)

    async def check(self) -> None:
        """Load the tokenizer. Raises `UnknownTokenizer`, `UnknownEngine`, `Unavailable`, `Overloaded`."""
        id = resolve_model(self.services.registry, self.options.tokenizer, pointer="/tokenizer")
        self.options = self.options.model_copy(update={"tokenizer": id})
        await self._work(load)

    async def answer(self, lines: Sequence[NumberedLine]) -> bytes:
        """Return the answers to some lines. If together they exceed a limit, each is answered alone.

        If too many requests wait for a worker for too long, each line is answered with that problem.
        """
        try:
            answers: bytes
            answers, sums = await self._work_when_free(lines)
        except Overloaded as error:
            self.sums.update(lines=len(lines), errors=len(lines))
            return b"".join(_problem(error, line.number) for line in lines)
        except TokenariumError as error:
            if len(lines) > 1:
                return b"".join([await self.answer([line]) for line in lines])
            self.sums.update(lines=1, errors=1)
            return _problem(error, lines[0].number)
        self.sums.update(sums)
        return answers

    async def _work_when_free(self, lines: Sequence[NumberedLine]) -> Any:
        """Tokenize lines in a worker. A stream waits while too many requests wait; others are refused at once.

        Raises `Overloaded` after the last of its attempts.
        """
        for seconds in self.retry_seconds:
            try:
                return await self._work(tokenize_lines, lines)
            except Overloaded:
                await asyncio.sleep(seconds)
        return await self._work(tokenize_lines, lines)

    async def _work(self, function: Callable[..., Any], *args: Any) -> Any:
        untrusted = self.services.registry.is_untrusted(self.options.tokenizer)
        work = partial(run_work, self.services, function, self.options, *args)
        return await work(client=self.client, untrusted=untrusted)

    def summary(self) -> bytes:
        """Return the last line of a complete answer."""
        return _json_line({**self.sums, "complete": True})

    def error(self, error: TokenariumError, line: int) -> bytes:
        """Return the last line of an answer that ends before a line: the problem, and the sums until there."""
        return _json_line({"line": line, **Problem.of(error).members(), **self.sums, "complete": False})


def _problem(error: TokenariumError, line: int) -> bytes:
    """Return the line that answers a line with a problem."""
    return _json_line({"line": line} | Problem.of(error).members())


def load(services: Services, options: StreamOptions) -> None:
    """Load a tokenizer in a worker, which returns nothing."""
    services.registry.get(options.tokenizer, options.engine)


def tokenize_lines(
    services: Services, options: StreamOptions, lines: Sequence[NumberedLine]
) -> tuple[bytes, Counter[str]]:
    """Return the answers to the lines that are not blank, and their sums; runs in a worker."""
    chosen = options.model_dump(exclude={"include", "template"})
    tokenize_text = partial(tokenize, services.registry, add_special_tokens=options.template, **chosen)
    limit = services.settings.max_text
    sums = Counter[str]()
    # A line without data was too long to be kept.
    filled = [line for line in lines if line.data is None or line.data.strip()]
    answers = (_answer(line, tokenize_text, options.include, limit=limit, sums=sums) for line in filled)
    return b"".join(map(_json_line, answers)), sums


def _answer(
    line: NumberedLine,
    tokenize_text: Callable[[str], Tokenization],
    include: Sequence[str],
    *,
    limit: int,
    sums: Counter[str],
) -> dict[str, Any]:
    """Return the answer to a line, and add it to the sums."""
    answer: dict[str, Any] = {"line": line.number}
    sums["lines"] += 1
    try:
        counted = columns(tokenize_text(_text(line, answer, limit)), include)
    except TokenariumError as error:
        sums["errors"] += 1
        return answer | Problem.of(error).members()
    sums["tokens"] += counted["count"]
    sums["bytes"] += counted["bytes"]
    return answer | counted


def _text(line: NumberedLine, answer: dict[str, Any], limit: int) -> str:
    """Return the text of a line, and put its id into the answer, also of one that is then refused.

    Raises `TooLarge`, `Invalid`, `LoneSurrogate`, and what `parse` raises.
    """
    if line.data is None:
        raise TooLarge(f"The line is longer than {limit:,} bytes.", limit=limit)
    value = parse(line.data, part="line")
    if isinstance(value, dict):
        if "id" in value:
            answer["id"] = _id(value["id"])
        value = value.get("text")
    if not isinstance(value, str):
        raise Invalid("A line is a JSON string, or an object with a string as text.", pointer="/text")
    return value


def _id(value: Any) -> str | int:
    """Return an id that can be written as JSON. Raises `Invalid`, `LoneSurrogate`."""
    if isinstance(value, str):
        utf8_length(value, pointer="/id")
        return value
    if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**64:
        raise Invalid("An id is a string, or a whole number of 64 bits.", pointer="/id")
    return value


def _json_line(value: dict[str, Any]) -> bytes:
    """Return a value as a line of JSON, without characters that other programs take for the end of a line."""
    line = orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE)
    for separator, escaped in SEPARATORS.items():
        line = line.replace(separator, escaped)
    return line
