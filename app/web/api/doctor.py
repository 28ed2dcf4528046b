"""POST /api/doctor: what is wrong with the files of a tokenizer."""

from base64 import b64encode
from typing import Any

from fastapi import Request
from starlette.responses import Response

from ...lab.doctor.conversion import TARGETS
from ...serialize.diagnosis import serialize_report
from ..body import JSONResponse
from ..forms import describe_form
from ..policy import RoutePolicy
from ..routing import Router
from ..uploads import Upload, answer_upload, convert_upload, examine_upload

router = Router(prefix="/api", tags=["tokenizers"])
FIELDS: dict[str, Any] = {
    "file": {
        "type": "array",
        "items": {"type": "string", "format": "binary"},
        "description": "The files of one model, or a zip of them: a tokenizer, or several that should be equal.",
    },
    "text": {"type": "string", "default": "", "description": "A text of your own beside the difficult ones."},
    "pattern": {"type": "string", "default": "", "description": "The pre-tokenization pattern of tiktoken ranks."},
}
TO: dict[str, Any] = {
    "type": "string",
    "enum": [*TARGETS],
    "description": "The format to convert to.",
}


FORM = describe_form(required=["file"], properties=FIELDS)
CONVERSION = {"file": FIELDS["file"], "to": TO, "pattern": FIELDS["pattern"]}
CONVERSION_FORM = describe_form(required=["file", "to"], properties=CONVERSION)


@router.post(
    "/doctor",
    operation_id="examine_files",
    summary="Examine the files of a tokenizer",
    openapi_extra={"requestBody": FORM},
)
@RoutePolicy(run="server", upload=True)
async def post(request: Request) -> Response:
    """Reads the files with every engine that can, compares these on difficult texts and on yours, and answers with
    findings, each with its severity (error, warning, note) and a remedy, the worst first. Nothing is kept."""
    return await answer_upload(request, report)


def report(request: Request, upload: Upload) -> JSONResponse:
    return JSONResponse(serialize_report(examine_upload(upload)))


@router.post(
    "/doctor/convert",
    operation_id="convert_files",
    summary="Convert a tokenizer",
    openapi_extra={"requestBody": CONVERSION_FORM},
)
@RoutePolicy(run="server", upload=True)
async def convert(request: Request) -> Response:
    """Converts the first tokenizer of the files as far as the format can say what it does. Answers with the new files
    in base64 once they give the same ids for 10,000 generated texts, and refuses with the reason otherwise."""
    return await answer_upload(request, conversion)


def conversion(request: Request, upload: Upload) -> JSONResponse:
    result = convert_upload(upload)
    files = {name: b64encode(data).decode() for name, data in result.files.items()}
    return JSONResponse({"files": files, "pattern": result.pattern, "proven": result.proven})
