"""Answers that a browser saves as files."""

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

from starlette.responses import FileResponse, Response, StreamingResponse

from ..serialize.json import dumps

MEDIA_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".html": "text/html",
    ".ipynb": "application/x-ipynb+json",
    ".jinja": "text/plain; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".md": "text/markdown",
    ".py": "text/x-python; charset=utf-8",
    ".tiktoken": "text/plain; charset=utf-8",
    ".zip": "application/zip",
}


def as_file(content: Any, name: str, media_type: str | None = None) -> Response:
    """Return an answer that is saved under a name, whose ending tells the type unless it is given.

    An iterator and the file of a path are sent part by part, and plain data as JSON.

    >>> answer = as_file({"tokens": 3}, "tokens.json")
    >>> answer.body, answer.headers["content-type"], answer.headers["content-disposition"]
    (b'{"tokens":3}', 'application/json', 'attachment; filename="tokens.json"')
    >>> as_file("", "café.csv").headers["content-disposition"]
    "attachment; filename*=UTF-8''caf%C3%A9.csv"
    """
    media_type = media_type or MEDIA_TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")
    safe = quote(name, safe="")
    named = f'filename="{name}"' if safe == name else f"filename*=UTF-8''{safe}"
    headers = {"Content-Disposition": f"attachment; {named}"}
    if isinstance(content, Path):
        response = FileResponse(content, media_type=media_type, headers=headers)
        response.chunk_size = 2**19  # each is read on a thread, and to go there and back takes longer than to read
        return response
    if isinstance(content, Iterator):
        return StreamingResponse(content, media_type=media_type, headers=headers)
    body = content if isinstance(content, str | bytes) else dumps(content)
    return Response(body, media_type=media_type, headers=headers)
