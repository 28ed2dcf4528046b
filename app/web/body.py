"""JSON bodies: requests are read strictly, answers written by orjson."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import cached_property, partial
from inspect import signature
from typing import Any, TypeVar

from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import ValidationError
from pydantic_core import PydanticCustomError, SchemaValidator
from pydantic_core.core_schema import no_info_before_validator_function
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope

from ..errors import UnsupportedMedia
from ..serialize.json import dumps, parse
from .execution import run_endpoint
from .route_table import get_route

Value = TypeVar("Value")


class JSONResponse(Response):
    """JSON from plain data and numpy arrays."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return dumps(content)


def check_media(headers: Mapping[str, str], accepted: Sequence[str] = ("application/json",)) -> None:
    """Raise `UnsupportedMedia` unless the headers announce one of the accepted types, uncompressed, in UTF-8."""
    if headers.get("content-encoding", "identity") != "identity":
        raise UnsupportedMedia("Send the body uncompressed.")
    media, _, parameters = headers.get("content-type", "").lower().partition(";")
    if media.strip() not in accepted:
        raise UnsupportedMedia(f"Send Content-Type: {accepted[0]}.")
    charset = parameters.partition("charset=")[2].strip(' "')
    if charset not in ("", "utf-8", "utf8"):
        raise UnsupportedMedia("Send the body in UTF-8.")


MAX_ERRORS = 10
"""Validation errors of a body that are looked at."""
COLLECTIONS = frozenset({"list", "tuple", "set", "frozenset", "dict"})
"""The types of core schemas that have the option `fail_fast`."""
PARSE_ONLY = "tokenarium.parse_only"
PARSED = "tokenarium.parsed"
"""Keys of a scope: a worker is to parse and validate the body and do no more; the body that a worker has parsed."""


class ParsedBody(Exception):
    """The parsed and validated body of a request, raised where nothing else is to be done with it."""

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


def hand_over(scope: Scope, value: Value) -> Value:
    """Return the parsed body of a request. Raises `ParsedBody` with it if it is only to be parsed."""
    if PARSE_ONLY in scope:
        raise ParsedBody(value)
    return value


class _ParsedRequest(Request):
    """A request whose JSON body has been parsed and validated already."""

    def __init__(self, scope: Scope, receive: Receive, value: Any) -> None:
        super().__init__(scope, receive)
        self._value = value

    async def body(self) -> bytes:
        return b"{}"  # FastAPI asks for the JSON of a body that is not empty

    async def json(self) -> Any:
        return self._value


class StrictRoute(APIRoute):
    """A route whose JSON body is parsed by `serialize.json` and validated up to the first errors."""

    @cached_property
    def plain(self) -> bool:
        """True if the endpoint takes a body and the request alone, so that FastAPI has no dependencies to resolve."""
        names = {self.dependant.request_param_name, *(one.name for one in self.dependant.body_params)}
        return len(self.dependant.body_params) == 1 and names == {*signature(self.endpoint).parameters}

    @cached_property
    def validator(self) -> SchemaValidator:
        """The validator of the body, which stops at the first errors."""
        assert self.body_field is not None
        schema = fail_fast(self.body_field._type_adapter.core_schema)
        return SchemaValidator(schema, _use_prebuilt=False)  # that of a model does not stop

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        if self.plain:
            return self._handle
        if self.body_field is None:
            return handle

        async def strict(request: Request) -> Response:
            value = self._validate(request, await request.body(), request.headers)
            return await handle(_ParsedRequest(request.scope, request.receive, value))

        return strict

    async def _handle(self, request: Request) -> Response:
        return await self.answer(request, await request.body())

    async def answer(self, request: Request, sent: bytes) -> Response:
        """Call a plain endpoint with the body that was sent."""
        return await run_endpoint(self.bind(request, sent, request.headers), request)

    def bind(self, request: Request, sent: bytes, headers: Mapping[str, str]) -> Callable[[], Response]:
        """Return the call of a plain endpoint with the body that was sent, validated."""
        name = self.dependant.request_param_name
        assert name is not None
        arguments = {name: request, self.dependant.body_params[0].name: self._validate(request, sent, headers)}
        return partial(self.endpoint, **arguments)

    def _validate(self, request: Request, sent: bytes, headers: Mapping[str, str]) -> Any:
        """Return the validated body. Raises `RequestValidationError`, and what `check_media` and `parse` raise."""
        if PARSED in request.scope:
            return request.scope[PARSED]
        check_media(headers)
        try:
            value = parse(sent)
            detect = get_route(request.scope).policy.detect
            if detect is not None and (dialect := detect(value)) is not None:
                request.state.dialect = dialect  # that of errors, of the validation too
            return hand_over(request.scope, self.validator.validate_python(value))
        except ValidationError as error:
            errors = error.errors(include_url=False, include_context=False)[:MAX_ERRORS]
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in errors])


def fail_fast(schema: Any) -> Any:
    """Return a core schema of pydantic that stops at the first error of each list and dictionary, and of models where
    too many keys are unknown.

    Otherwise a list of a million wrong items has a million errors.
    """
    if isinstance(schema, list | tuple):
        return type(schema)(map(fail_fast, schema))
    if not isinstance(schema, dict):
        return schema
    copy = {key: value if key == "metadata" else fail_fast(value) for key, value in schema.items()}
    if copy.get("type") == "model" and copy.get("config", {}).get("extra_fields_behavior") == "forbid":
        most = len(copy["cls"].model_fields) + MAX_ERRORS
        copy["schema"] = no_info_before_validator_function(partial(_check_keys, most), copy["schema"])
    return copy | {"fail_fast": True} if copy.get("type") in COLLECTIONS else copy


def _check_keys(most: int, value: Any) -> Any:
    if isinstance(value, dict) and len(value) > most:
        raise PydanticCustomError("too_many_keys", "An object has many keys that are not known")
    return value
