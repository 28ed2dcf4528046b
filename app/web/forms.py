"""HTML forms, read strictly: UTF-8 only, line ends of fields folded to LF, files byte for byte."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl

from fastapi import Depends
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from ..errors import BadEncoding, BadRequest, Invalid, TooLarge, join_names
from .body import check_media

MAX_FIELDS = 64
MAX_FILES = 100
MAX_CHECKED = 700  # a form with a check box for each language has this many fields

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
SENT = "tokenarium.form"
"""Key in the scope of a request: the form that it has, once that is read."""
DECIMAL = re.compile(r"[0-9]*\.?[0-9]+")
Value = TypeVar("Value", bound=str)


@dataclass(frozen=True)
class Form:
    """The fields of a form. `text` is the last file that was uploaded with it, or else the field `text`.

    `files` are names and texts of all files.
    """

    fields: Mapping[str, list[str]]
    text: str = ""
    file_name: str | None = None
    files: tuple[tuple[str, str], ...] = ()

    def get(self, name: str, default: str = "") -> str:
        return self.fields.get(name, [default])[-1]

    def getall(self, name: str) -> list[str]:
        return self.fields.get(name, [])

    def number(self, name: str) -> int | None:
        """Return a whole number, or None if the field is empty. Raises `Invalid`."""
        value = self.get(name)
        if not value:
            return None
        if not (value.isascii() and value.isdecimal() and len(value) < 10):
            raise Invalid(f"{name} is a whole number from 0.", pointer=f"/{name}")
        return int(value)

    def amount(self, name: str) -> float | None:
        """Return a decimal number from 0, or None if the field is empty. Raises `Invalid`."""
        value = self.get(name).strip()
        if not value:
            return None
        if not (DECIMAL.fullmatch(value) and len(value) < 16):
            raise Invalid(f"{name} is a number such as 2.50.", pointer=f"/{name}")
        return float(value)

    def get_choice(self, name: str, values: Iterable[Value], default: Value) -> Value:
        """Return the field if it is one of some values. Raises `Invalid`."""
        known: dict[str, Value] = {value: value for value in values}
        chosen = self.get(name, default)
        if chosen not in known:
            raise Invalid(f"{name} must be one of {join_names(filter(None, known))}.", pointer=f"/{name}")
        return known[chosen]


def fold(text: str) -> str:
    r"""Return a text with CRLF and CR as LF: a browser sends every line end of a form as CRLF.

    >>> fold("a\r\nb\rc\n")
    'a\nb\nc\n'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n")


async def read_form(request: Request) -> Form:
    """Read the form of a request. Raises `BadEncoding`, `BadRequest`, `TooLarge`, `UnsupportedMedia`."""
    form = request.scope[SENT] = await _read(request, max_files=1, max_fields=MAX_FIELDS)
    return form


async def read_long_form(request: Request) -> Form:
    """Read a form that may have several files and many check boxes. Raises what `read_form` raises."""
    form = request.scope[SENT] = await _read(request, max_files=MAX_FILES, max_fields=MAX_CHECKED)
    return form


async def _read(request: Request, *, max_files: int, max_fields: int) -> Form:
    check_media(request.headers, (URLENCODED, MULTIPART))
    body = await request.body()
    if request.headers["content-type"].lower().startswith(MULTIPART):
        return await _multipart(request, body, max_files=max_files, max_fields=max_fields)
    try:
        text = body.decode("ascii")
        pairs = await run_in_threadpool(
            parse_qsl, text, keep_blank_values=True, errors="strict", max_num_fields=max_fields
        )
    except UnicodeDecodeError:
        raise BadEncoding("The form is not UTF-8.") from None
    except ValueError:
        raise _too_many(max_files, max_fields) from None
    return _form(pairs)


async def read_asked(request: Request) -> Form:
    """Return the form that was sent, or else the query. Raises what `read_form` raises."""
    return await read_form(request) if request.method == "POST" else read_query(request)


def describe_form(**schema: Any) -> dict[str, Any]:
    """Return the description of a multipart body; its fields are texts, whatever they hold."""
    return {"required": True, "content": {MULTIPART: {"schema": {"type": "object", **schema}}}}


SentForm = Annotated[Form, Depends(read_form)]
LongForm = Annotated[Form, Depends(read_long_form)]
AskedForm = Annotated[Form, Depends(read_asked)]
"""A parameter of an endpoint: the form that was sent, or else the query of the page."""


def read_query(request: Request) -> Form:
    """Return the query of a request as a form, unfolded; `SecurityMiddleware` has checked that it is UTF-8."""
    query = request.query_params
    return Form({name: query.getlist(name) for name in query}, text=query.get("text", ""))


async def _multipart(request: Request, body: bytes, *, max_files: int, max_fields: int) -> Form:
    if not body.rstrip().endswith(b"--"):
        raise BadRequest("The multipart form is cut off before its end.")
    try:
        data: FormData = await request.form(max_files=max_files, max_fields=max_fields, max_part_size=len(body) + 1)
    except Exception as error:  # Starlette raises an HTTP error of its own for what the parser rejects
        if "Too many" in str(getattr(error, "detail", error)):
            raise _too_many(max_files, max_fields) from None
        raise BadRequest("The multipart form cannot be read.") from None
    try:
        uploads = [file for file in data.getlist("file") if isinstance(file, UploadFile) and file.filename]
        pairs = [(name, value) for name, value in data.multi_items() if isinstance(value, str)]
        files = [(str(file.filename), _decode(await file.read(), f"the file {file.filename}")) for file in uploads]
    finally:
        await data.close()
    _decode(body, "the form")
    return _form(pairs, files)


def _decode(data: bytes, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadEncoding(f"Byte {error.start} of {what} is not UTF-8.") from None


def _form(pairs: list[tuple[str, str]], files: Sequence[tuple[str, str]] = ()) -> Form:
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(fold(value) if name == "text" else value)
    text = fields.get("text", [""])[-1]
    if files:
        return Form(fields, text=files[-1][1], file_name=files[-1][0], files=tuple(files))
    return Form(fields, text=text)


def _too_many(files: int, fields: int) -> TooLarge:
    file_limit = "one file" if files == 1 else f"{files} files"
    return TooLarge(f"A form may have {fields} fields and {file_limit}.", limit=fields)
