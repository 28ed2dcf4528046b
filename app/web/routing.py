"""The road of a request once it is matched: what a client may send to its route, and where its endpoint runs."""

import asyncio
import inspect
import re
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute, iter_route_contexts
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Match
from starlette.types import Receive, Scope, Send

from ..errors import Invalid, TokenariumError, join_names
from ..lab.chat.limits import share_limits
from ..lab.token_ranges import find_counter, find_range
from ..registry import Registry
from ..serialize.json import parse
from .body import check_media
from .concurrency import SIZE, admit
from .execution import restore_response, run_for
from .forms import Form
from .policy import DIALECT, POLICY, TEMPLATE, RoutePolicy, get_policy
from .security import answer_preflight, check_request, is_preflight, is_stranger, limit_body, read_headers
from .services import SERVICES, Services, get_services

MAX_AT_ONCE_BYTES = 1024
"""Size of the largest body that is answered on the event loop."""
MAX_NAME = 200
"""Characters of the longest text of a request that may name a tokenizer."""
CARRIED = (
    *("type", "asgi", "http_version", "method", "scheme", "server", "client"),
    *("path", "raw_path", "query_string", "root_path", "path_params", "headers", "tokenarium.tokenizer", TEMPLATE),
)
"""What a worker gets of the scope of a request."""
Endpoint = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class CarriedRequest:
    """A request on its way to a worker, which has its body as an argument."""

    scope: Mapping[str, Any]

    @classmethod
    def of(cls, request: Request) -> "CarriedRequest":
        return cls({name: request.scope[name] for name in CARRIED if name in request.scope})

    def restore(self, services: Services) -> Request:
        """Return the request with the services of a worker."""
        return Request({**self.scope, SERVICES: services})


class Route(APIRoute):
    """A route whose endpoint declares a `RoutePolicy`, and whose JSON body is read strictly."""

    def __init__(self, path: str, endpoint: Endpoint, **options: Any) -> None:
        self.policy = get_policy(endpoint)
        super().__init__(path, endpoint if self.policy.run == "server" else place(endpoint, self.policy), **options)

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        if self.body_field is None or self.policy.upload:
            return handle

        async def read(request: Request) -> Response:
            check_media(request.headers)
            value = parse(await Request(request.scope, request.receive).body())  # of which nobody else needs the bytes
            if self.policy.detect is not None:
                request.scope[DIALECT] = self.policy.detect(value)  # that of errors, of the validation too
            return await handle(_ParsedRequest(request.scope, request.receive, value))

        return read

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        return super().matches(_as_get(scope))

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of this path. Raises what `check_request` and `admit` raise, and `HTTPException`."""
        policy = self.policy
        scope[POLICY], scope[TEMPLATE] = policy, self.path_format
        if "tokenarium.tokenizer" in scope and not (policy.dialect or policy.dialects):
            raise HTTPException(404)
        headers = read_headers(scope)
        if policy.cors and is_preflight(scope["method"], headers):
            await answer_preflight(scope, receive, send)
        elif self.methods and _as_get(scope)["method"] not in self.methods:
            await super().handle(scope, receive, send)  # 405
        else:
            services = get_services(scope)
            check_request(scope, headers, policy, services.settings)
            self._check_names(scope)
            if is_stranger(headers, policy):
                scope[SERVICES] = services.for_strangers()
            receive = limit_body(scope, receive, headers, policy, services.settings)
            assert services.limiter is not None
            await admit(super().handle, services.limiter, policy, _as_get(scope), receive, send)

    def _check_names(self, scope: Scope) -> None:
        """Raise `Invalid` for a parameter of a query that an operation of the API does not have."""
        checked = self.include_in_schema and self.policy.counted and not (self.policy.dialect or self.policy.dialects)
        if not checked or not scope["query_string"]:
            return
        for name, _ in QueryParams(scope["query_string"]).multi_items():
            if name not in self.query_names:
                known = f"known here: {join_names(self.query_names)}" if self.query_names else "there are none here"
                raise Invalid(f"A parameter of the query is not known; {known}.")

    @cached_property
    def query_names(self) -> tuple[str, ...]:
        """The names of the parameters of a query."""
        return tuple(one.alias for one in get_flat_params(self.dependant) if one.alias not in self.param_convertors)


def _as_get(scope: Scope) -> Scope:
    """Return a HEAD request as GET, of which the server sends the header alone; other requests as they are."""
    return {**scope, "method": "GET"} if scope["method"] == "HEAD" else scope


class Router(APIRouter):
    """A router of such routes."""

    def __init__(self, **options: Any) -> None:
        super().__init__(route_class=Route, generate_unique_id_function=name_operation, **options)


def name_operation(route: APIRoute) -> str:
    """Return the operationId of a route that declares none, from its path.

    >>> name_operation(APIRoute("/v1/models/{model}", lambda: None))
    'v1_models_model'
    """
    return "_".join(re.findall(r"\w+", route.path_format))


class _ParsedRequest(Request):
    """A request whose JSON body has been parsed already."""

    def __init__(self, scope: Scope, receive: Receive, value: Any) -> None:
        super().__init__(scope, receive)
        self._value = value

    async def body(self) -> bytes:
        return b"{}"  # FastAPI asks for the JSON of a body that is not empty

    async def json(self) -> Any:
        return self._value


def list_routes(app: FastAPI) -> list[tuple[str, Route]]:
    """Return the routes of an app with their paths, which have names for parameters."""
    contexts = iter_route_contexts(app.routes)
    return [(str(one.path_format), one.original_route) for one in contexts if isinstance(one.original_route, Route)]


def place(endpoint: Endpoint, policy: RoutePolicy) -> Callable[..., Coroutine[Any, Any, Response]]:
    """Return an endpoint that has the given one answer where its policy and a request say."""

    signature = inspect.signature(endpoint)
    takes_request = "request" in signature.parameters

    @wraps(endpoint)
    async def placed(*, request: Request, **others: Any) -> Response:
        arguments = {"request": request, **others} if takes_request else others
        return await run_endpoint(endpoint, arguments, request, policy)

    if not takes_request:
        own = inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY, annotation=Request)
        placed.__signature__ = signature.replace(parameters=[*signature.parameters.values(), own])  # type: ignore[attr-defined]
    return placed


async def run_endpoint(
    endpoint: Endpoint, arguments: Mapping[str, Any], request: Request, policy: RoutePolicy
) -> Response:
    """Return the answer of an endpoint: at once, from a worker, or from one in an untrusted turn.

    Raises `ClientDisconnect` if the client leaves before, whose work is then stopped, and what `Workers.run` raises.
    """
    services = get_services(request)
    if policy.run == "inline" and await is_ready(services, arguments, request):
        response: Response = endpoint(**arguments)
        return response
    if services.workers is None:
        return await run_in_threadpool(share_limits()(endpoint), **arguments)
    untrusted = policy.untrusted(arguments) or any(map(services.registry.is_untrusted, find_words(arguments, request)))
    carried = {
        name: CarriedRequest.of(value) if isinstance(value, Request) else value for name, value in arguments.items()
    }
    return restore_response(*await run_for(request, answer, endpoint, carried, untrusted=untrusted))


async def is_ready(services: Services, arguments: Mapping[str, Any], request: Request) -> bool:
    """True if a request is small and its tokenizer, one of the store, in the memory of the server.

    What it names in the fields of its body or its query decides, or else its path, or the server's default.
    """
    if request.scope[SIZE] > MAX_AT_ONCE_BYTES:
        return False
    registry = services.registry
    bodies = [vars(one) for one in arguments.values() if isinstance(one, BaseModel)]
    if any(body.get("messages") or body.get("engine") not in (None, "reference") for body in bodies):
        return False
    names = [fields.get(key) for fields in (*bodies, request.query_params) for key in ("tokenizer", "model")]
    names.append(request.scope.get("tokenarium.tokenizer"))
    if registry.reconstruction and any(find_range(name) for name in names if name):
        return False  # a package of someone else's reads the text
    ids = [find_counter(registry, name) for name in names if name] or [services.settings.default]
    with suppress(TokenariumError):  # the pool meets it again, and tells it
        known = [id for id in ids if id]  # any other is an error, which is told at once
        return all([await prepare(registry, id) for id in known])
    return False


async def prepare(registry: Registry, id: str) -> bool:
    """Have the server load a tokenizer if it has room for it, in a thread; return whether it is in memory."""
    loaded: bool = registry.is_loaded(id) or await run_in_threadpool(registry.prepare, id)
    return loaded


def find_words(arguments: Mapping[str, Any], request: Request) -> Iterator[str]:
    """Yield the short texts of a request, one of which may name a tokenizer of a user."""
    pending: list[Any] = [*arguments.values(), request.scope.get("tokenarium.tokenizer")]
    pending += [*request.path_params.values(), *(value for _, value in request.query_params.multi_items())]
    while pending:
        match pending.pop():
            case str() as text if len(text) <= MAX_NAME:
                yield text
            case BaseModel() as body:
                pending += vars(body).values()
            case Form() as form:
                pending += form.fields.values()
            case Mapping() as mapping:
                pending += mapping.values()
            case list() | tuple() as items if len(items) <= MAX_NAME:
                pending += items


def answer(services: Services, endpoint: Endpoint, arguments: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return status, header fields and body of the response of an endpoint; runs in a worker."""
    given = {
        name: value.restore(services) if isinstance(value, CarriedRequest) else value
        for name, value in arguments.items()
    }
    response = endpoint(**given)
    body = asyncio.run(_read(response)) if isinstance(response, StreamingResponse) else bytes(response.body)
    return response.status_code, response.raw_headers, body


async def _read(response: StreamingResponse) -> bytes:
    return b"".join([part.encode() if isinstance(part, str) else bytes(part) async for part in response.body_iterator])
