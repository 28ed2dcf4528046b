"""The description of the API: what FastAPI derives from the routes, with every refusal that a client may meet."""

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI

from app.web.api.dialects.refusals import FORMS, SCHEMAS, Dialect, refusal, spoken_at
from app.web.gate import OPEN
from app.web.guard import SAFE, stateless
from app.web.problems import Problem

ANYWHERE = ((413, "too-large"), (414, "query-too-long"), (421, "unknown-host"))
WITH_BODY = ((400, "malformed"), (408, "too-slow"), (415, "unsupported-media"))
WITH_VALUES = ((404, "unknown-tokenizer"), (422, "invalid"), (422, "empty"), (422, "unknown-id"))
SHED = ((503, "overloaded"), (503, "unavailable"))
"""Refusals by what can be wrong with a request: their statuses and codes, of which some dialects make others."""

FORMS_AT: Mapping[str, frozenset[Dialect]] = {
    "/tokenize": frozenset(FORMS.values()),
    "/detokenize": frozenset({"vllm"}),
}
"""The dialects that are also spoken at addresses of ours."""

NATIVE = {
    "type": "object",
    "description": "What is wrong (RFC 9457). `code` is what programs should look at.",
    "properties": {
        "type": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "title": {"type": "string"},
        "detail": {"type": "string"},
        "pointer": {"type": "string", "description": "Where in the body, as a JSON pointer."},
        "limit": {"type": "integer", "description": "The most that is taken."},
    },
    "required": ["type", "status", "code", "title", "detail"],
    "additionalProperties": False,
}


def describe(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI description of an app, made when it is first asked for."""
    if app.openapi_schema is None:
        told = FastAPI.openapi(app)
        for path, operations in told["paths"].items():
            for method, operation in operations.items():
                operation["responses"].pop("422", None)
                operation["responses"].update(refusals(method.upper(), path, operation))
        _loosen(told)
        kept = {name: one for name, one in told["components"]["schemas"].items() if "ValidationError" not in name}
        told["components"]["schemas"] = kept | {"Problem": NATIVE} | {_name(one): SCHEMAS[one] for one in SCHEMAS}
    assert app.openapi_schema is not None
    return app.openapi_schema


def _loosen(told: Any) -> None:
    """Say `anyOf` for `oneOf`: a body is read by its keys, and may be valid in more than one dialect."""
    if isinstance(told, dict) and "oneOf" in told:
        told["anyOf"] = told.pop("oneOf")
    for inner in told.values() if isinstance(told, dict) else told if isinstance(told, list) else ():
        _loosen(inner)


def refusals(method: str, path: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    """The refusals of an operation, by status."""
    faults = list(_faults(method, path, operation))
    dialect = spoken_at(path)
    found: dict[int, dict[str, Any]] = {}
    if dialect is None:
        for status, _ in faults:
            found[status] = {"application/problem+json": _refer("Problem"), "text/html": {"schema": {"type": "string"}}}
    for other in sorted({dialect} if dialect else FORMS_AT.get(path, ())):
        for status, code in faults:
            spelled, _ = refusal(other, Problem(status, code, "", ""))
            shapes = found.setdefault(spelled, {}).setdefault("application/json", {"schema": {"anyOf": []}})
            if _refer(_name(other))["schema"] not in shapes["schema"]["anyOf"]:
                shapes["schema"]["anyOf"].append(_refer(_name(other))["schema"])
    return {
        str(status): {"description": HTTPStatus(status).phrase, "content": found[status]} for status in sorted(found)
    }


def _faults(method: str, path: str, operation: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    yield from ANYWHERE
    if method == "POST":
        yield from WITH_BODY
    if method == "POST" or "parameters" in operation:
        yield from WITH_VALUES
    if method not in SAFE and not stateless(path):
        yield 403, "cross-site"
    if path not in OPEN:
        yield from SHED


def _refer(name: str) -> dict[str, Any]:
    return {"schema": {"$ref": f"#/components/schemas/{name}"}}


def _name(dialect: Dialect) -> str:
    return f"{dialect.capitalize()}Refusal"
