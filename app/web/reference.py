"""The API reference: what /docs shows of the OpenAPI description that FastAPI derives from the routes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class Parameter:
    """One field of a body, or one part of a path or a query."""

    name: str
    type: str
    description: str
    default: str | None


@dataclass(frozen=True, slots=True)
class Operation:
    """One route: how it is called, with an example to send as the media type it reads."""

    method: str
    path: str
    summary: str
    description: str
    in_path: tuple[Parameter, ...]
    in_body: tuple[Parameter, ...]
    media: str
    example: str


def operations(openapi: Mapping[str, Any]) -> Iterator[Operation]:
    """The operations of an OpenAPI 3.1 description, in its order."""
    for path, methods in openapi["paths"].items():
        for method, told in methods.items():
            media, body = _body(openapi, told)
            yield Operation(
                method=method.upper(),
                path=path,
                summary=told["summary"],
                description=told["description"],
                in_path=tuple(_in_path(one) for one in told.get("parameters", ())),
                in_body=tuple(_in_body(openapi, body)),
                media=media,
                example=_shown(body.get("example", "")),
            )


def _body(openapi: Mapping[str, Any], told: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The media type of a body and its schema; of several that a route reads, the first."""
    if "requestBody" not in told:
        return "", {}
    media, content = next(iter(told["requestBody"]["content"].items()))
    schema = content["schema"]
    schema = schema["anyOf"][0] if "anyOf" in schema else schema
    return media, _resolved(openapi, schema) if "$ref" in schema else schema


def _shown(value: Any) -> str:
    """A value as it is typed into a form: what is no string as JSON, a list by its first."""
    while isinstance(value, list):
        value = value[0]
    return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _resolved(openapi: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return found


def _in_path(told: Mapping[str, Any]) -> Parameter:
    schema = told["schema"]
    default = None if told.get("required") else _shown(schema.get("default", ""))
    return Parameter(told["name"], type_name(schema), told.get("description", ""), default)


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
    if members := schema.get("anyOf"):
        return " or ".join(type_name(one) for one in members)
    if "$ref" in schema:
        return "object"
    if "enum" in schema:
        return ", ".join(f'"{value}"' for value in schema["enum"])
    if schema["type"] == "array":
        return f"list of {type_name(schema['items'])}"
    return str(schema["type"])
