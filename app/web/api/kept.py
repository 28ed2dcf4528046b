"""What was trained here, as a program takes it away or deletes it."""

from fastapi import APIRouter, Request
from starlette.responses import Response

router = APIRouter(prefix="/api/tokenizers", tags=["tokenizers"])


@router.get("/{id}/download/{name}", summary="Take away a trained tokenizer", response_class=Response)
def download(id: str, name: str, request: Request) -> Response:
    """One file of a tokenizer that was trained here: `tokenizer.json`, `sentencepiece.model`, `ranks.tiktoken` and
    `minbpe.model` where they can say it, and `README.md`, which tells how each is loaded."""
    from app.lab.train.formats import MEDIA_TYPES
    from app.lab.train.keeping import file

    found = file(request.app.state.registry, id, name)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(found, media_type=MEDIA_TYPES[name], headers=headers)


@router.delete("/{id:path}", status_code=204, summary="Delete a trained tokenizer", response_class=Response)
def delete(id: str, request: Request) -> Response:
    """Only what was trained here can be deleted, and only where the server keeps such tokenizers."""
    from app.lab.train.keeping import delete

    delete(request.app.state.settings, id)
    return Response(status_code=204)
