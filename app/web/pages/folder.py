"""GET and POST /folder: the tokens of a folder, a zip or a tar that was sent, and the same as one HTML file."""

from typing import Any

from fastapi import Request
from starlette.responses import HTMLResponse, Response

from ...corpus.folder.packed import MAX_FILES, measure_packed
from ...corpus.folder.usage import FolderUsage
from ...errors import Invalid, TooLarge
from ...serialize.folder import describe_usage, render_folder
from ...serialize.problem import Problem
from ...settings import ROOT
from ..downloads import as_file
from ..picker import picker_rows, tokenizer_id
from ..policy import RoutePolicy
from ..render import render
from ..routing import Router
from ..services import get_services
from ..uploads import Upload, answer_upload

router = Router(include_in_schema=False)
DEFAULT_TOKENIZER = "o200k_base"
GUIDES = ROOT / "templates" / "docs"
"""The folder that is counted as an example."""


def answer(
    request: Request, tokenizer: str, usage: FolderUsage | None = None, problem: Problem | None = None
) -> HTMLResponse:
    context: dict[str, Any] = {
        "usage": usage,
        "problem": problem,
        "tokenizer": tokenizer,
        "most": MAX_FILES,
        "limit": get_services(request).settings.max_upload,
        **picker_rows(request, [tokenizer]),
    }
    if usage:
        context |= describe_usage(usage)
    return render(request, "folder", context, status=problem.status if problem else 200)


def choose_tokenizer(request: Request, upload: Upload) -> str:
    return tokenizer_id(request, upload.fields.get("tokenizer") or DEFAULT_TOKENIZER)


def measure_upload(request: Request, upload: Upload, tokenizer: str) -> FolderUsage:
    """Return the tokens of an upload. Raises `Invalid` for none, and what `measure_packed` raises."""
    files = upload.files
    if not files and upload.fields.get("example"):
        files = {f"guides/{path.name}": path.read_bytes() for path in GUIDES.glob("*.md")}
    if not files:
        raise Invalid("Choose a folder, a zip, a tar or some files.", pointer="/file")
    return measure_packed(files, get_services(request).registry, tokenizer)


def show(request: Request, upload: Upload) -> HTMLResponse:
    tokenizer = choose_tokenizer(request, upload)
    try:
        return answer(request, tokenizer, measure_upload(request, upload, tokenizer))
    except (Invalid, TooLarge) as error:
        return answer(request, tokenizer, problem=Problem.of(error))


def save(request: Request, upload: Upload) -> Response:
    usage = measure_upload(request, upload, choose_tokenizer(request, upload))
    return as_file(render_folder(usage, f"Tokens in {next(iter(upload.files))}"), "tokens.html")


@router.get("/folder")
def page(request: Request) -> HTMLResponse:
    return answer(request, DEFAULT_TOKENIZER)


@router.post("/folder")
@RoutePolicy(run="server", upload=True)
async def post(request: Request) -> Response:
    return await answer_upload(request, show)


@router.post("/folder/download")
@RoutePolicy(run="server", upload=True)
async def download(request: Request) -> Response:
    return await answer_upload(request, save)
