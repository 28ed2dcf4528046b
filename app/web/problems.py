"""Every error as problem details (RFC 9457): JSON for programs, an alert for htmx, a page for browsers."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import Any

import orjson
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from app.errors import LoneSurrogate, OverLimit, Overloaded, TokenariumError, WorkerLost
from app.web.answer import JSONResponse
from app.web.api.dialects.refusals import FORMS, refusal, spoken
from app.web.render import render, wants_fragment

MEMBER = re.compile(r"(str|constrained-int|as .*|list\[.*)$")
"""What a validator calls a member of a union, in its locations."""
AGAIN = frozenset({Overloaded.code, WorkerLost.code})
"""What may be well a second later."""


@dataclass(frozen=True, slots=True)
class Problem:
    """RFC 9457 members; `code` is what programs should look at."""

    status: int
    code: str
    title: str
    detail: str
    pointer: str | None = None
    limit: int | None = None
    type: str = "about:blank"

    @classmethod
    def of(cls, error: TokenariumError) -> "Problem":
        return cls(error.status, error.code, error.title, error.detail, error.pointer, error.limit)

    def members(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value is not None}


def respond(request: Request, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """The problem in the form that the client reads."""
    if (dialect := spoken(request)) is not None:
        status, told = refusal(dialect, problem)
        response: Response = JSONResponse(told, status)
    elif wants_fragment(request) or "text/html" in request.headers.get("accept", ""):
        response = render(request, "problem", {"problem": problem}, status=problem.status)
    else:
        body = orjson.dumps(problem.members())
        response = Response(body, problem.status, media_type="application/problem+json")
    if problem.code in AGAIN:
        response.headers["Retry-After"] = "1"
    response.headers.update(headers or {})
    return response


def pointer_of(location: Sequence[str | int]) -> str:
    """A JSON pointer (RFC 6901) from a validator's location, without its names for union members.

    Where a function tells which member is meant, its names for them begin with `as `.

    >>> pointer_of(("body", "text", "list[str]", 3))
    '/text/3'
    """
    steps = [step for step in location[1:] if not (isinstance(step, str) and MEMBER.match(step))]
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def from_validation(error: RequestValidationError) -> Problem:
    """The deepest complaint of the validator."""
    worst = max(error.errors(), key=lambda one: len(pointer_of(one["loc"])))
    known = worst["loc"][:-1] if worst["type"] == "extra_forbidden" else worst["loc"]  # a name may be a secret too
    pointer = pointer_of(known)
    if worst["type"] == "string_unicode":
        offset = next(i for i, char in enumerate(worst["input"]) if "\ud800" <= char <= "\udfff")
        return Problem.of(LoneSurrogate(offset, pointer=pointer))
    detail = "A field is not known; /docs lists those that are." if known != worst["loc"] else f"{worst['msg']}."
    return Problem(422, "invalid", "A value is not valid", detail, pointer or None)


async def on_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, TokenariumError)
    return respond(request, Problem.of(error))


async def on_validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    note_form(request, error.errors()[0]["loc"])
    return respond(request, from_validation(error))


def note_form(request: Request, location: Sequence[str | int]) -> None:
    """Note the dialect of a body that the validator read as one: its location says `as vllm`."""
    if len(location) > 1 and location[1] in FORMS:
        request.state.dialect = FORMS[location[1]]


async def on_http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    title = HTTPStatus(error.status_code).phrase
    code = title.lower().replace(" ", "-")
    detail = {404: "There is nothing at this address.", 405: "This address does not take that method."}
    problem = Problem(error.status_code, code, title, detail.get(error.status_code, f"{title}."))
    return respond(request, problem, {"Allow": _allowed(request)} if error.status_code == 405 else error.headers)


def _allowed(request: Request) -> str:
    """The methods that an address takes, by all of the routes that share it."""
    address = getattr(request.scope.get("route"), "path_format", None)
    here = (one.methods or () for one in iter_route_contexts(request.app.routes) if one.path_format == address)
    return ", ".join(sorted({method for methods in here for method in methods}) or ["GET", "HEAD"])


async def on_memory(request: Request, error: Exception) -> Response:
    limit = request.app.state.settings.max_memory
    return respond(request, Problem.of(OverLimit(f"This takes more than {limit:,} bytes of memory.", limit=limit)))


async def on_crash(request: Request, error: Exception) -> Response:
    return respond(request, Problem.of(TokenariumError("The fault is ours; nothing of your input was kept.")))


def install(app: FastAPI) -> None:
    """Answer every error of the app with a problem."""
    app.add_exception_handler(TokenariumError, on_error)
    app.add_exception_handler(RequestValidationError, on_validation)
    app.add_exception_handler(HTTPException, on_http)
    app.add_exception_handler(MemoryError, on_memory)
    app.add_exception_handler(Exception, on_crash)
