"""The API reference: what /docs shows of the OpenAPI description that FastAPI derives from the routes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class Parameter:
    """One field of a body, or one part of a path."""

    name: str
    type: str
    description: str
    default: str | None


@dataclass(frozen=True, slots=True)
class Operation:
    """One route: how it is called, with an example to send."""

    method: str
    path: str
    summary: str
    description: str
    in_path: tuple[Parameter, ...]
    in_body: tuple[Parameter, ...]
    example: str


def operations(openapi: Mapping[str, Any]) -> Iterator[Operation]:
    """The operations of an OpenAPI 3.1 description, in its order."""
    for path, methods in openapi["paths"].items():
        for method, told in methods.items():
            body = _body(openapi, told)
            yield Operation(
                method=method.upper(),
                path=path,
                summary=told["summary"],
                description=told["description"],
                in_path=tuple(_in_path(one) for one in told.get("parameters", ())),
                in_body=tuple(_in_body(openapi, body)),
                example=orjson.dumps(body["example"], option=orjson.OPT_INDENT_2).decode() if body else "",
            )


def _body(openapi: Mapping[str, Any], told: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema of a body; of several that a route reads, the first."""
    if "requestBody" not in told:
        return {}
    schema = told["requestBody"]["content"]["application/json"]["schema"]
    return _resolved(openapi, schema["oneOf"][0] if "oneOf" in schema else schema)


def _resolved(openapi: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def _in_path(told: Mapping[str, Any]) -> Parameter:
    return Parameter(told["name"], type_name(told["schema"]), told.get("description", ""), None)


def _in_body(openapi: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[Parameter]:
    for name, schema in body.get("properties", {}).items():
        default = None if name in body.get("required", ()) else orjson.dumps(schema.get("default")).decode()
        yield Parameter(name, type_name(schema), schema.get("description", ""), default)


def type_name(schema: Mapping[str, Any]) -> str:
    """A JSON schema in a few words.

    >>> type_name({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]})
    'string or list of string'
    >>> type_name({"enum": ["text", "parse"], "type": "string"})
    '"text", "parse"'
    """
    if members := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(type_name(one) for one in members)
    if "$ref" in schema:
        return "object"
    if "enum" in schema:
        return ", ".join(f'"{value}"' for value in schema["enum"])
    if schema["type"] == "array":
        return f"list of {type_name(schema['items'])}"
    return str(schema["type"])
