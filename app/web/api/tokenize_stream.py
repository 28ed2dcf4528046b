"""POST /api/tokenize-stream: a corpus of any size, one text a line, answered line by line as /tokenize answers."""

from typing import Annotated

from fastapi import Query, Request

from ..body import check_media
from ..concurrency import get_client
from ..line_tokenizer import LineTokenizer, StreamOptions
from ..ndjson import ACCEPTED, MEDIA, NDJSON, describe_lines
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["tokens"])

EXAMPLE = '"Hello, 🌍!"\n{"id": "second", "text": "你好!"}\n'
ANSWER = """\
{"line":1,"tokenizer":"o200k_base","engine":"tiktoken","count":5,"characters":9,"bytes":12,"notes":[],"ids":[13225,11,\
130321,235,0]}
{"line":2,"id":"second","tokenizer":"o200k_base","engine":"tiktoken","count":2,"characters":3,"bytes":7,"notes":[],\
"ids":[177519,0]}
{"lines":2,"errors":0,"tokens":7,"bytes":19,"complete":true}
"""
BODY = {"content": {MEDIA: {"schema": {"type": "string"}, "example": EXAMPLE}}, "required": True}


@router.post(
    "/api/tokenize-stream",
    operation_id="tokenize_stream",
    summary="Tokenize a corpus of any size, line by line",
    status_code=200,
    response_class=NDJSON,
    responses=describe_lines("One line for each line.", ANSWER),
    openapi_extra={"requestBody": BODY},
)
@RoutePolicy(run="server", streamed=True, cors=True)
async def post(request: Request, options: Annotated[StreamOptions, Query()]) -> NDJSON:
    """Each line is a JSON string, or an object with a `text` and perhaps an `id`; its answer has its number as `line`,
    its id, and what /tokenize answers. A line that cannot be tokenized is answered with a problem, blank lines with
    nothing. The last line sums up `lines`, `errors`, `tokens` and `bytes`; `complete` is false, beside a problem, if
    the lines stopped coming or the answers were not read. It is missing only if the connection broke. Read the
    answers while you send the lines, as curl -T does: if none is read for a minute and lines are still to come, the
    answer ends with a problem."""
    check_media(request.headers, ACCEPTED)
    answers = LineTokenizer(get_services(request), options, client=get_client(request.scope))
    await answers.check()
    return NDJSON(answers, get_services(request).settings)
