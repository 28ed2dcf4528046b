"""POST /api/tokenize-stream: a corpus of any size, a text a line, each answered on a line as /tokenize answers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import orjson
from anyio import to_thread
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from app.errors import Invalid, TokenariumError, TooLarge
from app.types import SpecialPolicy
from app.web.api.tokenize import Part
from app.web.body import check_media, parse
from app.web.ndjson import ACCEPTED, MEDIA, NDJSON
from app.web.problems import Problem

if TYPE_CHECKING:
    from app.lab.lines import Line
    from app.registry import Registry

router = APIRouter(tags=["tokens"])

EXAMPLE = '"Hello, 🌍!"\n{"id": "second", "text": "你好!"}\n'
ANSWER = """\
{"line":1,"tokenizer":"o200k_base","engine":"tiktoken","count":5,"characters":9,"bytes":12,"notes":[],"ids":[13225,11,\
130321,235,0]}
{"line":2,"id":"second","tokenizer":"o200k_base","engine":"tiktoken","count":2,"characters":3,"bytes":7,"notes":[],\
"ids":[177519,0]}
{"lines":2,"errors":0,"tokens":7,"bytes":19}
"""
SEPARATORS = {char.encode(): f"\\u{ord(char):04x}".encode() for char in "\x85\u2028\u2029"}
"""Characters that clients take for the end of a line where they read text, and how JSON escapes them."""
BODY = {"content": {MEDIA: {"schema": {"type": "string"}, "example": EXAMPLE}}, "required": True}


class StreamOptions(BaseModel):
    """How to tokenize every line."""

    model_config = ConfigDict(extra="forbid")

    tokenizer: str = Field(description="An id from /api/tokenizers.")
    engine: str = Field("reference", description="`reference`, `scratch`, or an engine by name.")
    special: SpecialPolicy = Field("text", description="Special tokens spelled in a text: what to do.")
    template: bool = Field(False, description="Add the special tokens that models expect around a text.")
    include: Annotated[list[Part], Field(description="The columns beside the counts; `counts` for no column.")] = [
        "ids"
    ]


@router.post(
    "/api/tokenize-stream",
    summary="Cut a corpus of any size, line by line",
    status_code=200,
    response_class=NDJSON,
    responses={
        200: {"description": "A line a line.", "content": {MEDIA: {"schema": {"type": "string"}, "example": ANSWER}}}
    },
    openapi_extra={"requestBody": BODY},
)
async def post(request: Request, options: Annotated[StreamOptions, Query()]) -> NDJSON:
    """Each line is a JSON string, or an object with a `text` and perhaps an `id`; its answer has its number as `line`,
    its id, and what /tokenize answers. A line that cannot be cut is answered with a problem, blank lines with nothing;
    the last line sums up `lines`, `errors`, `tokens` and `bytes`, and is missing where the answer is not whole. Read
    the answers while you send the lines, as curl -T does: where none is read for a minute and lines are still to come,
    the answer ends with a problem."""
    check_media(request.headers, ACCEPTED)
    settings, registry = request.app.state.settings, request.app.state.registry
    await to_thread.run_sync(registry.get, options.tokenizer, options.engine)
    return NDJSON(CutLines(registry, options, limit=settings.max_text), settings)


class CutLines:
    """The answers to the lines of one stream, and their sums."""

    def __init__(self, registry: Registry, options: StreamOptions, *, limit: int) -> None:
        self.registry = registry
        self.options = options.model_dump(exclude={"include"})
        self.include = frozenset(options.include)
        self.limit = limit
        self.sums = {"lines": 0, "errors": 0, "tokens": 0, "bytes": 0}

    def of(self, lines: Sequence[Line]) -> bytes:
        """A line of JSON for each that is not blank."""
        return b"".join(_line(self._answer(line)) for line in lines if line.data is None or line.data.strip())

    def _answer(self, line: Line) -> dict[str, Any]:
        told: dict[str, Any] = {"line": line.number}
        self.sums["lines"] += 1
        try:
            return told | self._cut(_text(line, told, self.limit))
        except TokenariumError as error:
            self.sums["errors"] += 1
            return told | Problem.of(error).members()

    def _cut(self, text: str) -> dict[str, Any]:
        from app.lab.tokenize import tokenize
        from app.web.columns import columns

        answer = columns(tokenize(self.registry, text, **self.options), self.include)
        self.sums["tokens"] += answer["count"]
        self.sums["bytes"] += answer["bytes"]
        return answer

    def summary(self) -> bytes:
        return _line(self.sums)

    def ending(self, error: TokenariumError, line: int) -> bytes:
        return _line({"line": line} | Problem.of(error).members())


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
