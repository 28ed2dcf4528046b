"""GET and POST /api/tokenizers: the tokenizers to choose from, and files of one to add to them.

Also the files of those trained here, and how to delete what was trained, added or fetched.
"""

from dataclasses import asdict
from typing import Any

from fastapi import Request
from starlette.responses import Response

from ...lab.models import resolve_model
from ...lab.tokenizers import saving
from ...lab.tokenizers.adding import AddedTokenizer
from ...lab.train.exports import MEDIA_TYPES
from ...lab.train.saving import file
from ...serialize.tokenizers import serialize_facts, serialize_tokenizer
from ...store import PRIVATE_SECONDS
from ..body import JSONResponse
from ..downloads import as_file
from ..forms import describe_form
from ..pages.tokenizers import card as card_of
from ..policy import RoutePolicy
from ..routing import Router
from ..services import get_services
from ..uploads import add_upload

router = Router(prefix="/api/tokenizers", tags=["tokenizers"])
# The server process alone knows at once what was trained or deleted, and describing a tokenizer loads none.
POLICY = RoutePolicy(run="server")
FORM = describe_form(
    required=["file"],
    properties={
        "file": {
            "type": "array",
            "items": {"type": "string", "format": "binary"},
            "description": "The files of one tokenizer, or a zip of them.",
        },
        "name": {"type": "string", "default": "", "description": "A title; else the name of the file."},
        "keep": {
            "type": "string",
            "default": "1",
            "description": "0 makes it private: it lives for an hour and is not listed.",
        },
        "pattern": {
            "type": "string",
            "default": "",
            "description": "The pre-tokenization pattern of tiktoken ranks, which do not contain one.",
        },
    },
)


@router.get("", operation_id="list_tokenizers", summary="List the tokenizers")
@POLICY
def index(request: Request) -> JSONResponse:
    """Every tokenizer but the private ones, without loading any."""
    registry = get_services(request).registry
    return JSONResponse([serialize_tokenizer(info, registry.size(info.id)) for info in registry.infos()])


@router.post(
    "", operation_id="add_tokenizer", summary="Add a tokenizer", status_code=201, openapi_extra={"requestBody": FORM}
)
@RoutePolicy(run="server", upload=True)
async def post(request: Request) -> JSONResponse:
    """Adds the tokenizer that one or several files are: tokenizer.json, SentencePiece or tiktoken files, GGUF and
    others, told apart by content, or a zip of them. The answer has its id and what is to know about its files."""
    added, _ = await add_upload(request)
    return JSONResponse(serialize_added(added), 201, headers={"Location": f"/api/tokenizers/{added.info.id}"})


# Before the routes of `{id:path}`, which match this path too, as the id of a tokenizer may contain slashes.
@router.get(
    "/{id}/download/{name}",
    operation_id="download_tokenizer_file",
    summary="Download a file of a trained tokenizer",
    response_class=Response,
)
@POLICY
def download(id: str, name: str, request: Request) -> Response:
    """One file of a tokenizer that was trained here: `tokenizer.json`, `sentencepiece.model`, `ranks.tiktoken` and
    `minbpe.model`, where the format can express it, and `README.md`, which explains how to load each."""
    return as_file(file(get_services(request).registry, id, name), name, MEDIA_TYPES.get(name))


@router.get("/{id:path}/card", operation_id="get_tokenizer_card", summary="The card of a tokenizer")
def card(id: str, request: Request) -> JSONResponse:
    """What its page says on one sheet: sizes, pattern, special tokens by role, chat template, languages that take the
    fewest and the most tokens, and the counts of the same short texts on every card."""
    sheet = card_of(request, id)
    reading = sheet.summary.reading
    template = sheet.template
    return JSONResponse(
        serialize_tokenizer(sheet.info, sheet.summary.size)
        | {
            "sha256": sheet.sha256 or None,
            "pattern": sheet.pattern or None,
            "roles": sheet.roles,
            "chat_template": template
            and {
                "model": template.model,
                "source": template.source,
                "provenance": template.provenance,
                "template": template.text,
            },
            "model_facts": [serialize_facts(one) for one in sheet.models],
            "vocabulary": sheet.figures and {name: sheet.figures[name] for name in ("classes", "scripts", "orphans")},
            "languages": reading and asdict(reading),
            "samples": [
                {
                    "title": one.title,
                    "text": one.view.tokenization.text,
                    "tokens": one.view.counts.tokens,
                    "unknown": one.unknown,
                }
                for one in sheet.samples
            ],
        }
    )


@router.delete(
    "/{id:path}",
    operation_id="delete_tokenizer",
    status_code=204,
    summary="Delete a tokenizer",
    response_class=Response,
)
@POLICY
def delete(id: str, request: Request) -> Response:
    """Deletes a tokenizer that was trained, added or fetched here; others cannot be deleted."""
    saving.delete(get_services(request).settings, id)
    return Response(status_code=204)


@router.get("/{id:path}", operation_id="get_tokenizer", summary="Describe one tokenizer")
@POLICY
def one(id: str, request: Request) -> JSONResponse:
    """One tokenizer, by its id or the name of a model, without loading it."""
    registry = get_services(request).registry
    chosen = resolve_model(registry, id, pointer=None)
    return JSONResponse(serialize_tokenizer(registry.info(chosen), registry.size(chosen)))


def serialize_added(added: AddedTokenizer) -> dict[str, Any]:
    """Return a tokenizer that was just added, as plain data."""
    return {
        **serialize_tokenizer(added.info, added.size),
        "kept": added.saved,
        "expires_in": None if added.saved else PRIVATE_SECONDS,
        "findings": [{"severity": one.severity, "detail": one.detail} for one in added.findings],
    }
