"""POST /api/doctor: what is wrong with the files of a tokenizer."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from pydantic import JsonValue

from ...serialize.diagnosis import report_of
from ..body import JSONResponse
from ..policy import RoutePolicy
from ..uploads import examine_upload

router = APIRouter(prefix="/api", tags=["tokenizers"])
FIELDS: dict[str, Any] = {
    "file": {
        "type": "array",
        "items": {"type": "string", "format": "binary"},
        "description": "The files of one model, or a zip of them: a tokenizer, or several that should be equal.",
    },
    "text": {"type": "string", "default": "", "description": "A text of your own beside the nasty ones."},
    "pattern": {"type": "string", "default": "", "description": "The pre-tokenization pattern of tiktoken ranks."},
}
FORM: dict[str, JsonValue] = {
    "required": True,
    "content": {"multipart/form-data": {"schema": {"type": "object", "required": ["file"], "properties": FIELDS}}},
}


@router.post("/doctor", summary="Examine the files of a tokenizer", openapi_extra={"requestBody": FORM})
@RoutePolicy(run="server", upload=True)
async def post(request: Request) -> JSONResponse:
    """Reads the files with every engine that can, compares these on nasty texts and on yours, and answers with
    findings, each with its severity (error, warning, note) and a remedy, the worst first. Nothing is kept."""
    report, _ = await examine_upload(request)
    return JSONResponse(report_of(report))
