"""POST /api/tokenize-stream: a corpus of any size, a text a line, each answered on a line as /tokenize answers it."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, ConfigDict, Field

from app.types import SpecialPolicy
from app.web.api.tokenize import Part
from app.web.body import check_media
from app.web.cut_lines import CutLines
from app.web.ndjson import ACCEPTED, MEDIA, NDJSON

router = APIRouter(tags=["tokens"])

EXAMPLE = '"Hello, 🌍!"\n{"id": "second", "text": "你好!"}\n'
ANSWER = """\
{"line":1,"tokenizer":"o200k_base","engine":"tiktoken","count":5,"characters":9,"bytes":12,"notes":[],"ids":[13225,11,\
130321,235,0]}
{"line":2,"id":"second","tokenizer":"o200k_base","engine":"tiktoken","count":2,"characters":3,"bytes":7,"notes":[],\
"ids":[177519,0]}
{"lines":2,"errors":0,"tokens":7,"bytes":19}
"""
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
    answers = CutLines(request.app, options)
    await answers.check()
    return NDJSON(answers, request.app.state.settings)
