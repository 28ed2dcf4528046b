"""HTML forms, read strictly: UTF-8 or refused, line ends folded as browsers send them, files byte for byte."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar
from urllib.parse import parse_qsl

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from app.errors import BadEncoding, BadRequest, Invalid, TooLarge, listed
from app.web.body import check_media

MAX_FIELDS = 64
MAX_FILES = 100
MAX_TICKED = 700
"""Files of a form that takes several, and fields of one with a box for each language."""
URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
AMOUNT = re.compile(r"[0-9]*\.?[0-9]+")
Value = TypeVar("Value", bound=str)


@dataclass(frozen=True)
class Form:
    """The fields of a form. `text` is the file that came with it, or the field of that name; `files` has every file."""

    fields: Mapping[str, list[str]]
    text: str = ""
    file_name: str | None = None
    folded: bool = field(default=False)
    files: tuple[tuple[str, str], ...] = ()

    def get(self, name: str, default: str = "") -> str:
        return self.fields.get(name, [default])[-1]

    def getall(self, name: str) -> list[str]:
        return self.fields.get(name, [])

    def number(self, name: str) -> int | None:
        """A whole number, or None where the field is empty. Raises `Invalid`."""
        value = self.get(name)
        if not value:
            return None
        if not (value.isascii() and value.isdecimal() and len(value) < 10):
            raise Invalid(f"{name} is a whole number from 0.", pointer=f"/{name}")
        return int(value)

    def amount(self, name: str) -> float | None:
        """A decimal number from 0, or None where the field is empty. Raises `Invalid`."""
        value = self.get(name).strip()
        if not value:
            return None
        if not (AMOUNT.fullmatch(value) and len(value) < 16):
            raise Invalid(f"{name} is a number such as 2.50.", pointer=f"/{name}")
        return float(value)

    def one_of(self, name: str, values: Iterable[Value], default: Value) -> Value:
        """One of a closed set of values. Raises `Invalid`."""
        known: dict[str, Value] = {value: value for value in values}
        chosen = self.get(name, default)
        if chosen not in known:
            raise Invalid(f"{name} is one of {listed(known)}.", pointer=f"/{name}")
        return known[chosen]


def fold(text: str) -> str:
    r"""CRLF and CR as LF: a browser sends every line end of a form as CRLF.

    >>> fold("a\r\nb\rc\n")
    'a\nb\nc\n'
    """
    return text.replace("\r\n", "\n").replace("\r", "\n")


async def read_form(request: Request) -> Form:
    """The form of a request. Raises `BadEncoding`, `BadRequest`, `TooLarge`, `UnsupportedMedia`."""
    return await _read(request, max_files=1, max_fields=MAX_FIELDS)


async def read_long_form(request: Request) -> Form:
    """A form that may have several files, and many boxes ticked. Raises what `read_form` raises."""
    return await _read(request, max_files=MAX_FILES, max_fields=MAX_TICKED)


async def _read(request: Request, *, max_files: int, max_fields: int) -> Form:
    check_media(request.headers, (URLENCODED, MULTIPART))
    body = await request.body()
    if request.headers["content-type"].lower().startswith(MULTIPART):
        return await _multipart(request, body, max_files=max_files, max_fields=max_fields)
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=max_fields)
    except UnicodeDecodeError:
        raise BadEncoding("The form is not UTF-8.") from None
    except ValueError:
        raise _too_many(max_files, max_fields) from None
    return _form(pairs)


def read_query(request: Request) -> Form:
    """The query of a request as a form, byte for byte; the guard has seen that it is UTF-8."""
    query = request.query_params
    return Form({name: query.getlist(name) for name in query}, text=query.get("text", ""))


async def _multipart(request: Request, body: bytes, *, max_files: int, max_fields: int) -> Form:
    if not body.rstrip().endswith(b"--"):
        raise BadRequest("The multipart form is cut off before its end.")
    try:
        data: FormData = await request.form(max_files=max_files, max_fields=max_fields, max_part_size=len(body) + 1)
    except Exception as error:  # Starlette turns the parser's complaint into an HTTP error of its own
        if "Too many" in str(getattr(error, "detail", error)):
            raise _too_many(max_files, max_fields) from None
        raise BadRequest("The multipart form cannot be read.") from None
    try:
        uploads = [one for one in data.getlist("file") if isinstance(one, UploadFile) and one.filename]
        pairs = [(name, value) for name, value in data.multi_items() if isinstance(value, str)]
        files = [(str(one.filename), _decoded(await one.read(), f"the file {one.filename}")) for one in uploads]
    finally:
        await data.close()
    _decoded(body, "the form")
    return _form(pairs, files)


def _decoded(data: bytes, what: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadEncoding(f"Byte {error.start} of {what} is not UTF-8.") from None


def _form(pairs: list[tuple[str, str]], files: Sequence[tuple[str, str]] = ()) -> Form:
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    sent = fields.get("text", [""])[-1]
    if files:
        return Form(fields, text=files[-1][1], file_name=files[-1][0], files=tuple(files))
    return Form(fields, text=fold(sent), folded="\r" in sent)


def _too_many(files: int, fields: int) -> TooLarge:
    some = "one file" if files == 1 else f"{files} files"
    return TooLarge(f"A form may have {fields} fields and {some}.", limit=fields)
