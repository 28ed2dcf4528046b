"""JSON bodies: requests are read strictly, answers written by orjson."""

from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property, partial
from inspect import signature
from typing import Any

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope

from ..errors import UnsupportedMedia
from ..serialize.json import dumps, parse
from .execution import run_endpoint


class JSONResponse(Response):
    """JSON from plain data and numpy arrays."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return dumps(content)


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


class _ParsedRequest(Request):
    """A request whose JSON body has been parsed already."""

    def __init__(self, scope: Scope, receive: Receive, value: Any) -> None:
        super().__init__(scope, receive)
        self._value = value

    async def body(self) -> bytes:
        return b"{}"  # FastAPI asks for the JSON of a body that is not empty

    async def json(self) -> Any:
        return self._value


class StrictRoute(APIRoute):
    """A route whose JSON body is parsed by `serialize.json` before FastAPI validates it."""

    @cached_property
    def plain(self) -> bool:
        """True if the endpoint takes `(body, request)` alone, so that FastAPI has no dependencies to resolve."""
        return self.body_field is not None and [*signature(self.endpoint).parameters] == ["body", "request"]

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        if self.plain:
            return self._answer
        if self.body_field is None:
            return handle

        async def strict(request: Request) -> Response:
            body = await request.body()
            check_media(request.headers)
            return await handle(_ParsedRequest(request.scope, request.receive, parse(body)))

        return strict

    async def _answer(self, request: Request) -> Response:
        """Call a plain endpoint with the validated body."""
        assert self.body_field is not None
        sent = await request.body()
        check_media(request.headers)
        body, errors = self.body_field.validate(parse(sent), loc=("body",))
        if errors:
            raise RequestValidationError(errors)
        return await run_endpoint(partial(self.endpoint, body, request), request)
