"""POST /api/chunk: the chunks of a text, each of which alone has at most some tokens."""

from dataclasses import asdict

from fastapi import Request

from ...lab.chunks.chunking import MAX_CHUNKS, ChunkOptions, TextChunk, chunk
from ...lab.option_schema import with_values
from ...lab.tokenize import check_length
from ..body import JSONResponse
from ..picker import tokenizer_id
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["tokens"])


@router.post("/api/chunk", operation_id="chunk", summary="Divide a text into chunks")
@RoutePolicy(cors=True)
def post(body: ChunkOptions, request: Request) -> JSONResponse:
    """Chunks that cover the text, each of which has at most `size` tokens when it is tokenized alone, with those that
    the tokenizer adds around it, such as [CLS] and [SEP], and splits no grapheme cluster. Spans count code points;
    `overlap` are the tokens at its beginning that the chunk before has, too, `within` the tokens that the text has
    there, `differing` those of the chunk alone that the text has not. `boundary` says where it ends: where none of the
    chosen kind fits, at a finer one."""
    options = with_values(body, tokenizer=tokenizer_id(request, body.tokenizer))
    return JSONResponse({"tokenizer": options.tokenizer, "chunks": [asdict(one) for one in divide(request, options)]})


def divide(request: Request, options: ChunkOptions) -> list[TextChunk]:
    """Return the chunks of a text. Raises `Invalid`, `TooLarge` and what tokenizing raises."""
    services = get_services(request)
    check_length([options.text], limit=services.settings.max_text)
    return [*chunk(services.registry, options, limit=MAX_CHUNKS)]
