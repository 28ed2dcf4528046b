"""Uploads of tokenizer files: received part by part into a temporary file, which only a worker reads."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from ..errors import BadEncoding, BadRequest, NoSpace, TooLarge
from ..lab.train.atomic_store import FULL
from ..workers.process import loading
from .body import check_media
from .concurrency import client_number
from .forms import MULTIPART

if TYPE_CHECKING:
    from ..lab.doctor.conversion import Converted
    from ..lab.doctor.report import Report
    from ..lab.tokenizers.adding import Added

PART = 2**20
"""Bytes that are written to the temporary file at once."""
MAX_FILES, MAX_FIELDS = 100, 16


@dataclass(frozen=True, slots=True)
class Upload:
    """A multipart form: its fields by name, and its files by the names that the client gave them."""

    fields: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)


@asynccontextmanager
async def received_file(request: Request) -> AsyncIterator[Path]:
    """Write the body of a request to a temporary file. Raises `NoSpace`, and what `receive` raises."""
    check_media(request.headers, (MULTIPART,))
    try:
        with tempfile.TemporaryDirectory(prefix="tokenarium-upload-") as folder:
            path = Path(folder) / "body"
            with path.open("xb") as file:
                part = bytearray()
                async for chunk in request.stream():
                    part += chunk
                    if len(part) >= PART:
                        await asyncio.to_thread(file.write, bytes(part))
                        part.clear()
                await asyncio.to_thread(file.write, part)
            yield path
    except OSError as error:
        if error.errno in FULL:
            raise NoSpace("The disk is full; nothing was saved.") from None
        raise


async def add_upload(request: Request) -> tuple[Added, dict[str, str]]:
    """Add the tokenizer in a multipart form in a worker, and return it with the fields of the form.

    The worker that read it is preferred for the next requests of the client, and has it in memory. Raises what
    `read_upload` and `lab.tokenizers.adding.add` raise.
    """
    added, fields = await run_on_upload(request, add_in_worker)
    return added, fields


async def examine_upload(request: Request) -> tuple[Report, dict[str, str]]:
    """Examine the files in a multipart form in a worker; nothing is kept. Returns the report and the form's fields.

    Raises what `read_upload` and `lab.doctor.report.examine` raise.
    """
    report, fields = await run_on_upload(request, examine_in_worker)
    return report, fields


async def convert_upload(request: Request) -> Converted:
    """Convert the tokenizer in a multipart form in a worker, to the format of its field `to`; nothing is kept.

    Raises what `read_upload` and `lab.doctor.conversion.convert_files` raise.
    """
    converted: Converted = await run_on_upload(request, convert_in_worker)
    return converted


async def run_on_upload(request: Request, work: Callable[[FastAPI, Path, str], Iterator[Any]]) -> Any:
    """Run a function that yields one value from an upload in a worker for untrusted work, and return the value."""
    media = request.headers.get("content-type", "")
    workers = getattr(request.app.state, "workers", None)
    async with received_file(request) as path:
        if workers is None:
            (value,) = await run_in_threadpool(lambda: [*work(request.app, path, media)])
        else:
            (value,) = await workers.run(work, path, media, prefer=client_number(request.scope), untrusted=True)
    return value


def examine_in_worker(app: FastAPI, path: Path, media: str) -> Iterator[Any]:
    """Yield the report on the files in a multipart form, and the fields of the form."""
    from ..lab.doctor.report import examine

    with loading():
        upload = read_upload(path, media)
        report = examine(upload.files, text=upload.fields.get("text", ""), pattern=upload.fields.get("pattern"))
    yield report, upload.fields


def convert_in_worker(app: FastAPI, path: Path, media: str) -> Iterator[Any]:
    """Yield the converted tokenizer in a file that is a multipart form."""
    from ..lab.doctor.conversion import convert_files

    with loading():
        upload = read_upload(path, media)
        converted = convert_files(upload.files, upload.fields.get("to", ""), pattern=upload.fields.get("pattern"))
    yield converted


def add_in_worker(app: FastAPI, path: Path, media: str) -> Iterator[Any]:
    """Yield the tokenizer in a file that is a multipart form, and the fields of the form."""
    from ..lab.tokenizers.adding import add

    state = app.state
    with loading():
        upload = read_upload(path, media)
        keep = upload.fields.get("keep", "1") not in ("", "0", "off", "false")
        title, pattern = upload.fields.get("name", ""), upload.fields.get("pattern")
        added = add(state.settings, upload.files, keep=keep, title=title, pattern=pattern)
    state.registry.adopt(added.loaded)
    yield replace(added, loaded=()), upload.fields


def read_upload(path: Path, media: str) -> Upload:
    """Read a multipart form from a file. Raises `BadRequest`, `BadEncoding`, `TooLarge`."""
    return asyncio.run(_parsed(path, media))


async def _parsed(path: Path, media: str) -> Upload:
    async def stream() -> AsyncGenerator[bytes, None]:
        with path.open("rb") as file:
            while chunk := file.read(PART):
                yield chunk

    with path.open("rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - 64))
        if not file.read().rstrip().endswith(b"--"):
            raise BadRequest("The multipart form is cut off before its end.")
    # Read as Latin-1, every byte of a field or a name is kept, so that it is known whether all of them are UTF-8.
    headers = Headers({"content-type": f"{media}; charset=latin-1"})
    options = {"max_files": MAX_FILES, "max_fields": MAX_FIELDS, "max_part_size": PART}
    try:
        data = await MultiPartParser(headers, stream(), **options).parse()
    except MultiPartException as error:
        if "Too many" in error.message or "exceeded" in error.message:
            raise TooLarge(f"An upload may have {MAX_FILES} files and {MAX_FIELDS} fields.", limit=MAX_FILES) from None
        raise BadRequest("The multipart form cannot be read.") from None
    return await _upload(data.multi_items())


async def _upload(items: list[tuple[str, UploadFile | str]]) -> Upload:
    upload = Upload()
    for name, value in items:
        if isinstance(value, str):
            upload.fields[_utf8(name)] = _utf8(value)
        elif name == "file" and value.filename:
            upload.files[_free(_utf8(value.filename), upload.files)] = await value.read()
        if not isinstance(value, str):
            await value.close()
    return upload


def _free(name: str, taken: dict[str, bytes]) -> str:
    """Return a file's name, numbered if another has it."""
    number = sum(one == name or one.startswith(f"{name} (") for one in taken)
    return f"{name} ({number})" if number else name


def _utf8(text: str) -> str:
    try:
        return text.encode("latin-1").decode()
    except UnicodeDecodeError:
        raise BadEncoding("A field or a file name of the form is not UTF-8.") from None
