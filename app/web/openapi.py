"""The OpenAPI description: what FastAPI derives from the routes, with every answer and error that a client may meet."""

import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from ..serialize.problem import Problem
from .api.dialects.dialect import Dialect
from .policy import RoutePolicy
from .routing import list_routes
from .security import SAFE_METHODS

# Statuses and codes of our errors by what may be wrong with a request; some dialects have other statuses for them.
ANY_REQUEST = ((413, "too-large"), (414, "query-too-long"), (421, "unknown-host"))
WITH_BODY = ((400, "malformed"), (408, "too-slow"), (415, "unsupported-media"))
WITH_VALUES = ((404, "unknown-tokenizer"), (422, "invalid"), (422, "empty"), (422, "unknown-id"))
WITH_LIMITS = ((503, "overloaded"), (503, "unavailable"))

NATIVE = {
    "type": "object",
    "description": "The error (RFC 9457). Programs should look at `code`.",
    "properties": {
        "type": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string"},
        "title": {"type": "string"},
        "detail": {"type": "string"},
        "pointer": {"type": "string", "description": "The faulty value in the body, as a JSON pointer."},
        "limit": {"type": "integer", "description": "The limit that was exceeded."},
        "fetch": {"type": "string", "description": "The name of a vocabulary that POST /api/fetches downloads."},
    },
    "required": ["type", "status", "code", "title", "detail"],
    "additionalProperties": False,
}


ANSWERS = Path(__file__).with_name("answers.json")
"""The schemas of answers: named ones, and those of each operation by status. What answers of ours have below their
first levels is open, since it grows; answers in a dialect are described in full."""
ANYTHING = {"*/*": {"schema": {"contentMediaType": "application/octet-stream"}}}
"""The content of a download, whose type depends on the file."""


def describe(app: FastAPI) -> dict[str, Any]:
    """Return the OpenAPI description of an app, which is made once."""
    if app.openapi_schema is None:
        description = FastAPI.openapi(app)
        ours = json.loads(ANSWERS.read_text())
        policies = {(path, method): route.policy for path, route in list_routes(app) for method in route.methods or ()}
        for path, operations in description["paths"].items():
            for method, operation in operations.items():
                policy = policies[path, method.upper()]
                operation["responses"].pop("422", None)
                if "/download/" in path:
                    operation["responses"]["200"]["content"] = ANYTHING
                _describe_answers(operation["responses"], ours["answers"].get(f"{method.upper()} {path}", {}))
                operation["responses"].update(error_responses(method.upper(), policy, operation))
        _replace_one_of(description)
        schemas = description["components"]["schemas"]
        errors = {"Problem": NATIVE} | {dialect.error_name: dialect.error_schema for dialect in list_dialects(app)}
        kept = {name: schema for name, schema in schemas.items() if "ValidationError" not in name}
        description["components"]["schemas"] = kept | errors | ours["schemas"]
    assert app.openapi_schema is not None
    return app.openapi_schema


def list_dialects(app: FastAPI) -> list[Dialect]:
    """Return the dialects of the routes of an app, in their order."""
    policies = [route.policy for _, route in list_routes(app)]
    return [*dict.fromkeys(one for policy in policies for one in (*policy.dialects, policy.dialect) if one)]


def _describe_answers(responses: Mapping[str, Any], schemas: Mapping[str, Any]) -> None:
    """Set the schemas of the answers of an operation by status."""
    for status, response in responses.items():
        for media, content in response.get("content", {}).items():
            if media == "application/json" and status in schemas:
                content["schema"] = schemas[status]
            # FastAPI describes the events of a stream one by one, by a keyword that OpenAPI 3.1 does not have.
            if content.pop("itemSchema", None):
                content["schema"] = {"type": "string"}


def _replace_one_of(value: Any) -> None:
    """Replace `oneOf` by `anyOf`: a body is read by its keys, and may be valid in more than one dialect."""
    if isinstance(value, dict) and "oneOf" in value:
        value["anyOf"] = value.pop("oneOf")
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _replace_one_of(inner)


def error_responses(method: str, policy: RoutePolicy, operation: Mapping[str, Any]) -> dict[str, Any]:
    """Return the error responses of an operation by status."""
    errors = list(_errors(method, policy, operation))
    contents: dict[int, dict[str, Any]] = {}
    if policy.dialect is None:
        native = {"application/problem+json": _reference("Problem"), "text/html": {"schema": {"type": "string"}}}
        contents = {status: dict(native) for status, _ in errors}
    dialects = (policy.dialect,) if policy.dialect else policy.dialects
    for dialect in sorted(dialects, key=lambda dialect: dialect.name):
        reference = _reference(dialect.error_name)["schema"]
        for status, code in errors:
            spelled, _ = dialect.format_error(Problem(status, code, "", ""))
            content = contents.setdefault(spelled, {}).setdefault("application/json", {"schema": {"anyOf": []}})
            if reference not in content["schema"]["anyOf"]:
                content["schema"]["anyOf"].append(reference)
    return {
        str(status): {"description": HTTPStatus(status).phrase, "content": contents[status]}
        for status in sorted(contents)
    }


def _errors(method: str, policy: RoutePolicy, operation: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    yield from ANY_REQUEST
    if method == "POST":
        yield from WITH_BODY
    if method == "POST" or "parameters" in operation:
        yield from WITH_VALUES
    if method not in SAFE_METHODS and not policy.cors:
        yield 403, "cross-site"
    if policy.counted:
        yield from WITH_LIMITS


def _reference(name: str) -> dict[str, Any]:
    return {"schema": {"$ref": f"#/components/schemas/{name}"}}
