"""JSON bodies, read strictly: UTF-8, no duplicate keys, no NaN, no nesting that exhausts the stack."""

import json
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from inspect import signature
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope

from app.errors import BadEncoding, BadRequest, UnsupportedMedia
from app.web.inline import called

LONGEST_NUMBER = 25
"""Digits of the longest whole number that is read as one; longer ones fit no field anyway."""


def parse(body: bytes, *, part: str = "body") -> Any:
    """A JSON value from UTF-8 bytes, the `part` of a request that messages name.

    Raises `BadEncoding`, `BadRequest`, `UnsupportedMedia`.

    >>> parse(b'{"text": "a"}')
    {'text': 'a'}
    """
    if body[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in body[:4]:
        raise UnsupportedMedia(f"The {part} is UTF-16 or UTF-32; send UTF-8.")
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadEncoding(f"Byte {error.start} of the {part} is not UTF-8.") from None
    try:
        return DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise BadRequest(f"The {part} is no JSON: {error.msg} at character {error.pos}.") from None
    except RecursionError:
        raise BadRequest(f"The {part} is nested too deep.") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise BadRequest("An object has the same key twice.")
    return found


def _refuse(constant: str) -> None:
    raise BadRequest(f"{constant} is no JSON number.")


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= LONGEST_NUMBER else float("inf")


DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse, parse_int=_whole)


def check_media(headers: Headers, accepted: Sequence[str] = ("application/json",)) -> None:
    """Raise `UnsupportedMedia` unless the headers announce one of the accepted types, uncompressed, in UTF-8."""
    if headers.get("content-encoding", "identity") != "identity":
        raise UnsupportedMedia("Send the body uncompressed.")
    media, _, parameters = headers.get("content-type", "").lower().partition(";")
    if media.strip() not in accepted:
        raise UnsupportedMedia(f"Send Content-Type: {accepted[0]}.")
    charset = parameters.partition("charset=")[2].strip(' "')
    if charset not in ("", "utf-8", "utf8"):
        raise UnsupportedMedia("Send the body in UTF-8.")


class _Parsed(Request):
    """A request whose JSON has been read."""

    def __init__(self, scope: Scope, receive: Receive, value: Any) -> None:
        super().__init__(scope, receive)
        self._value = value

    async def body(self) -> bytes:
        return b"{}"

    async def json(self) -> Any:
        return self._value


class StrictRoute(APIRoute):
    """A route whose JSON body is read by `parse` before FastAPI validates it."""

    @property
    def plain(self) -> bool:
        """Whether the endpoint takes `(body, request)` and nothing else, so that `answer` suffices."""
        return [*signature(self.endpoint).parameters] == ["body", "request"]

    async def answer(self, request: Request, sent: bytes) -> Response:
        """What a plain endpoint says to a body, without the rest of FastAPI. Raises `RequestValidationError`."""
        assert self.body_field is not None
        check_media(request.headers)
        body, errors = self.body_field.validate(parse(sent), loc=("body",))
        if errors:
            raise RequestValidationError(errors)
        return await called(partial(self.endpoint, body, request), request)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        if self.body_field is None:
            return handle

        async def strict(request: Request) -> Response:
            sent = await request.body()
            if self.plain:
                return await self.answer(request, sent)
            check_media(request.headers)
            return await handle(_Parsed(request.scope, request.receive, parse(sent)))

        return strict
