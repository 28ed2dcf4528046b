"""Answers to errors: problem details (RFC 9457) for programs, an alert for htmx, a page for browsers.

Answers in a dialect have the error format of that dialect.
"""

import logging
import re
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from traceback import format_tb

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import UNWRITABLE, LoneSurrogate, OverLimit, Overloaded, TokenariumError, TooSlow, from_disk
from ..lab.option_schema import Option, Options, get_option_fields
from ..serialize.json import dumps
from ..serialize.problem import Problem
from .api.dialects.dialect import Dialect
from .forms import SENT, Form
from .policy import DIALECT, NO_ROUTE, TEMPLATE, policy_of
from .render import render, wants_fragment
from .services import get_services

UNION_MEMBER = re.compile(r"(str|constrained-int|as .*|list\[.*)$")
"""Names of the members of a union in the locations of pydantic's errors."""
log = logging.getLogger(__name__)


def respond(request: Request, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """Return the problem in the format that the client reads."""
    if (dialect := get_dialect(request)) is not None:
        status, error = dialect.format_error(problem)
        response = Response(dumps(error), status, media_type="application/json")
    elif wants_fragment(request) or "text/html" in request.headers.get("accept", ""):
        context = {"problem": problem, "fields": _list_sent(request), "known_names": _collect_names(Options)}
        response = render(request, "problem", context, status=problem.status)
    else:
        response = Response(dumps(problem.members()), problem.status, media_type="application/problem+json")
    response.headers.update(headers or {})
    return response


def refuse(request: Request, problem: Problem) -> Response:
    """Return the answer to a request that there is no room for. It is made once for each route, as a flood meets it."""
    services, scope = get_services(request), request.scope
    assert services.limiter is not None
    address = scope.get(TEMPLATE, NO_ROUTE)  # no value in it, which may be secret
    accept = "text/html" if "text/html" in request.headers.get("accept", "") else ""
    key = (problem, get_dialect(request), scope["method"], address, accept, wants_fragment(request))
    if (refusal := services.limiter.refusals.get(key)) is None:
        host = next(iter(services.settings.allowed_hosts), "localhost")
        hx = "true" if wants_fragment(request) else ""
        fields = [(b"host", host.encode()), (b"accept", accept.encode()), (b"hx-request", hx.encode())]
        plain = Request({**scope, "path": address, "query_string": b"", "headers": fields})
        refusal = services.limiter.refusals[key] = respond(plain, problem, {"Retry-After": "1"})
    return refusal


def _list_sent(request: Request) -> list[tuple[str, str]]:
    """Return names and values of the form that a request sent, so that the page of its error loses none of them."""
    form: Form = request.scope.get(SENT, Form({}))
    sent = {**form.fields, "text": [form.text]} if form.file_name else form.fields
    return [(name, value) for name, values in sent.items() for value in values]


def _collect_names(model: type[Options]) -> set[str]:
    """Return what the fields of all options are called in forms; a form's own name for a field may be a secret."""
    names = {one.field for one in get_option_fields(model).values()} | model.model_fields.keys()
    return names.union(*map(_collect_names, model.__subclasses__()))


def get_dialect(request: Request) -> Dialect | None:
    """Return the dialect of a request, or None for our own API: that of the route, or else of the body."""
    dialect: Dialect | None = policy_of(request.scope).dialect or request.scope.get(DIALECT)
    return dialect


def format_pointer(location: Sequence[str | int]) -> str:
    """Return the JSON pointer (RFC 6901) of a location in pydantic's errors, without its names for union members.

    The names of members that a discriminator function chooses begin with `as `.

    >>> format_pointer(("body", "text", "list[str]", 3))
    '/text/3'
    """
    steps = [step for step in location[1:] if not (isinstance(step, str) and UNION_MEMBER.match(step))]
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def from_validation(error: RequestValidationError, options: Mapping[str, Option]) -> Problem:
    """Return the problem of the deepest of the validation errors; that of an option says which values it takes."""
    deepest = max(error.errors(), key=lambda fault: len(format_pointer(fault["loc"])))
    extra = deepest["type"] == "extra_forbidden"
    known = deepest["loc"][:-1] if extra else deepest["loc"]  # the name of an unknown field may be a secret too
    pointer = format_pointer(known)
    if deepest["type"] == "string_unicode":
        offset = next(i for i, char in enumerate(deepest["input"]) if "\ud800" <= char <= "\udfff")
        return Problem.of(LoneSurrogate(offset, pointer=pointer))
    detail = "A field is not known; /docs lists those that are." if extra else f"{deepest['msg']}."
    option = options.get(pointer[1:])
    if option and option.kind not in ("text", "switch") and deepest["type"] != "missing":
        return Problem.of(replace(option, field="").error)
    return Problem(422, "invalid", "A value is not valid", detail, pointer or None)


def _find_options(request: Request) -> Mapping[str, Option]:
    """Return the options that the body of a request has, by name; none where they are not declared as such."""
    field = getattr(request.scope.get("route"), "body_field", None)
    model = field and field.field_info.annotation
    return get_option_fields(model) if isinstance(model, type) and issubclass(model, Options) else {}


async def on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, TokenariumError)
    if isinstance(error, Overloaded) and error.retry_after == 1 and SENT not in request.scope:
        return refuse(request, Problem.of(error))
    headers = {"Connection": "close"} if isinstance(error, TooSlow) else {}  # the rest of the body may never come
    if error.retry_after:
        headers["Retry-After"] = f"{error.retry_after}"
    return respond(request, Problem.of(error), headers)


async def on_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return respond(request, from_validation(error, _find_options(request)))


async def on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = HTTPStatus(error.status_code).phrase
    code = title.lower().replace(" ", "-")
    detail = {404: "There is nothing at this address.", 405: "This address does not take that method."}
    problem = Problem(error.status_code, code, title, detail.get(error.status_code, f"{title}."))
    return respond(
        request, problem, {"Allow": _list_allowed_methods(request)} if error.status_code == 405 else error.headers
    )


def _list_allowed_methods(request: Request) -> str:
    """Return the methods of all routes that have the template of the request's route."""
    template = request.scope.get(TEMPLATE, NO_ROUTE)
    routes = (route for route in iter_route_contexts(request.app.routes) if route.path_format == template)
    methods = {method for route in routes for method in route.methods or ()} or {"GET"}
    return ", ".join(sorted(methods | {"HEAD"} if "GET" in methods else methods))


async def on_memory(request: Request, error: Exception) -> Response:
    limit = get_services(request).settings.max_memory
    return respond(request, Problem.of(OverLimit(f"This takes more than {limit:,} bytes of memory.", limit=limit)))


async def on_disk(request: Request, error: Exception) -> Response:
    """Answer where a temporary file cannot be written. Raises another `OSError`, which is a fault of ours."""
    assert isinstance(error, OSError)
    if error.errno not in UNWRITABLE:
        raise error
    return await on_error(request, from_disk(error))


async def on_crash(request: Request, error: Exception) -> Response:
    return respond(request, Problem.of(TokenariumError("The fault is ours; nothing of your input was kept.")))


def install(app: FastAPI) -> None:
    """Register handlers for all errors that the routes of an app raise."""
    app.add_exception_handler(TokenariumError, on_error)
    app.add_exception_handler(RequestValidationError, on_validation)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(MemoryError, on_memory)
    app.add_exception_handler(OSError, on_disk)
    app.add_exception_handler(Exception, on_crash)


class ErrorMiddleware:
    """ASGI middleware that answers unexpected errors, within `SecurityMiddleware`, which adds its headers.

    The log names the type and the places of the error. Its message may quote the input, and is left out.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises `ConnectionAbortedError` for an error after the answer has begun."""
        started = scope["type"] != "http"

        def note_start(message: Message) -> Awaitable[None]:
            nonlocal started
            started = True
            return send(message)

        try:
            await self.app(scope, receive, note_start)
        except TokenariumError:
            raise
        except Exception as error:
            log.error("%s\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
            if started:
                raise ConnectionAbortedError("The answer broke off.") from None
            await (await on_crash(Request(scope), error))(scope, receive, send)
