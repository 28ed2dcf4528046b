"""POST /api/chunk: the chunks of a text, each of which alone has at most some tokens."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import Request

from ...lab.chunks.chunking import MAX_CHUNKS, ChunkOptions, chunk
from ...lab.models import resolve_model
from ...lab.option_schema import with_values
from ...lab.tokenize import check_length
from ..body import JSONResponse
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services

router = Router(tags=["tokens"])


@router.post("/api/chunk", operation_id="chunk", summary="Divide a text into chunks")
@RoutePolicy(cors=True)
def post(body: ChunkOptions, request: Request) -> JSONResponse:
    """Chunks that cover the text, each of which has at most `size` tokens when it is tokenized alone, and splits no
    grapheme cluster. Spans count code points; `overlap` are the tokens at its beginning that the chunk before has, too,
    `within` the tokens that the text has there, `differing` those of the chunk alone that the text has not. `boundary`
    says where it ends: where none of the chosen kind fits, at a finer one."""
    registry = get_services(request).registry
    id = resolve_model(registry, body.tokenizer, pointer="/tokenizer")
    check_length([body.text], limit=get_services(request).settings.max_text)
    chunks = [asdict(one) for one in chunk(registry, with_values(body, tokenizer=id), limit=MAX_CHUNKS)]
    return JSONResponse({"tokenizer": id, "chunks": chunks})
