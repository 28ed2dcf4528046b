"""Uploads of tokenizer files: received part by part into a temporary file, which only a worker reads."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from starlette.datastructures import Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import Response

from ..errors import BadEncoding, BadRequest, TooLarge
from ..lab.doctor.conversion import CORRECTIONS, ConversionResult, MendedFiles, convert_files, mend
from ..lab.doctor.report import DoctorReport, examine
from ..lab.tokenizers.adding import AddedTokenizer, add
from ..temporary_folders import locked_folder
from ..workers.process import exempt_loading
from .body import check_media
from .concurrency import find_owner, get_client
from .execution import restore_response, run_for
from .forms import MULTIPART
from .routing import CarriedRequest
from .services import Services, get_services

PART = 2**20
"""Bytes that are written to the temporary file at once."""
MAX_FILES = 100
MAX_FIELDS = 16


@dataclass(frozen=True, slots=True)
class Upload:
    """A multipart form: its fields by name, and its files by the names that the client gave them."""

    fields: dict[str, str] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)


Work = Callable[[Services, Path, str], Any]
"""Returns a value from a file that is a multipart form, of the media type."""
Answer = Callable[[Request, Upload], Response]
"""Makes the response to a request with an upload. It is sent to a worker, and must be a function of a module."""


@asynccontextmanager
async def receive_file(request: Request) -> AsyncIterator[Path]:
    """Write the body of a request to a temporary file. Raises `OSError`, `Overloaded`, and what `receive` raises."""
    check_media(request.headers, (MULTIPART,))
    limiter = get_services(request).limiter
    assert limiter is not None
    with limiter.disk.share(get_client(request.scope)) as written, locked_folder() as folder:
        path = folder / "body"
        with path.open("xb") as file:
            part = bytearray()
            async for chunk in request.stream():
                written.take(len(chunk))
                part += chunk
                if len(part) >= PART:
                    await asyncio.to_thread(file.write, bytes(part))
                    part.clear()
            await asyncio.to_thread(file.write, part)
        yield path


async def add_upload(request: Request) -> tuple[AddedTokenizer, dict[str, str]]:
    """Add the tokenizer in a multipart form in a worker, and return it with the fields of the form.

    Raises what `read_upload` and `lab.tokenizers.adding.add` raise.
    """
    added, fields = await run_on_upload(request, partial(add_in_worker, owner=find_owner(request.scope)))
    return added, fields


async def answer_upload(request: Request, answer: Answer) -> Response:
    """Return the response that a function makes of the upload in a request, all of it in a worker; nothing is kept.

    Raises what `read_upload` and the function raise.
    """
    status, headers, body = await run_on_upload(request, partial(answer_in_worker, CarriedRequest.of(request), answer))
    return restore_response(status, headers, body)


async def run_on_upload(request: Request, work: Work) -> Any:
    """Run a function that yields one value from an upload in a worker for untrusted work, and return the value.

    Raises `ClientDisconnect` if the client leaves before, whose work is then stopped.
    """
    media = request.headers.get("content-type", "")
    async with receive_file(request) as path:
        return await run_for(request, work, path, media, untrusted=True)


def answer_in_worker(
    carried: CarriedRequest, answer: Answer, services: Services, path: Path, media: str
) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
    """Return status, header fields and body of the response to a request with an upload."""
    with exempt_loading():
        response = answer(carried.restore(services), read_upload(path, media))
    return response.status_code, response.raw_headers, bytes(response.body)


def add_in_worker(services: Services, path: Path, media: str, *, owner: str = "") -> Any:
    """Return the tokenizer in a file that is a multipart form, and the fields of the form; `owner` is an address."""
    with exempt_loading():
        upload = read_upload(path, media)
        keep = upload.fields.get("keep", "1") not in ("", "0", "off", "false")
        title = upload.fields.get("name", "")
        pattern = upload.fields.get("pattern")
        added = add(services.settings, upload.files, save=keep, title=title, pattern=pattern, owner=owner)
    services.registry.adopt(added.loaded)
    return replace(added, loaded=()), upload.fields


def examine_upload(upload: Upload) -> DoctorReport:
    """Return the report on the files of an upload. Raises what `lab.doctor.report.examine` raises."""
    return examine(upload.files, text=upload.fields.get("text", ""), pattern=upload.fields.get("pattern"))


def convert_upload(upload: Upload) -> ConversionResult:
    """Return the tokenizer of an upload in the format of its field `to`. Raises what `convert_files` raises."""
    return convert_files(upload.files, upload.fields.get("to", ""), pattern=upload.fields.get("pattern"))


def list_codes(upload: Upload) -> list[str]:
    """Return the codes of findings that the field `fix` asks to correct; all that can be for "all"."""
    codes = [code for code in upload.fields.get("fix", "").split(",") if code]
    return [*CORRECTIONS] if codes == ["all"] else codes


def mend_upload(upload: Upload) -> MendedFiles:
    """Return the files of an upload with the findings of its field `fix` corrected. Raises what `mend` raises."""
    return mend(upload.files, list_codes(upload))


def read_upload(path: Path, media: str) -> Upload:
    """Read a multipart form from a file. Raises `BadRequest`, `BadEncoding`, `TooLarge`."""
    return asyncio.run(_parse(path, media))


async def _parse(path: Path, media: str) -> Upload:
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
            upload.files[_choose_free_name(_utf8(value.filename), upload.files)] = await value.read()
        if not isinstance(value, str):
            await value.close()
    return upload


def _choose_free_name(name: str, taken: dict[str, bytes]) -> str:
    """Return a file's name, numbered if another has it."""
    number = sum(one == name or one.startswith(f"{name} (") for one in taken)
    return f"{name} ({number})" if number else name


def _utf8(text: str) -> str:
    try:
        return text.encode("latin-1").decode()
    except UnicodeDecodeError:
        raise BadEncoding("A field or a file name of the form is not UTF-8.") from None
