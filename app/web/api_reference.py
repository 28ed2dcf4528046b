"""The API reference of /docs, from the OpenAPI description that FastAPI derives from the routes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson


@dataclass(frozen=True, slots=True)
class ApiParameter:
    """A field of a request body, or a parameter of a path or query. `default` is None where it is required."""

    name: str
    type: str
    description: str
    default: str | None
    example: str = ""


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """A route: its parameters, and an example of a request body in the media type `media`."""

    method: str
    path: str
    summary: str
    description: str
    in_path: tuple[ApiParameter, ...]
    in_body: tuple[ApiParameter, ...]
    media: str
    example: str


def operations(openapi: Mapping[str, Any]) -> Iterator[ApiOperation]:
    """Yield the operations of an OpenAPI 3.1 description, in its order."""
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            media, body = _body(openapi, operation)
            yield ApiOperation(
                method=method.upper(),
                path=path,
                summary=operation["summary"],
                description=operation["description"],
                in_path=tuple(_read_path_parameter(one) for one in operation.get("parameters", ())),
                in_body=tuple(_read_body_fields(openapi, body)),
                media=media,
                example=_format_value(body.get("example", "")),
            )


def _body(openapi: Mapping[str, Any], operation: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """Return the media type and the schema of a request body; the first of several."""
    if "requestBody" not in operation:
        return "", {}
    media, content = next(iter(operation["requestBody"]["content"].items()))
    schema = content["schema"]
    schema = schema["anyOf"][0] if "anyOf" in schema else schema
    return media, _resolve(openapi, schema) if "$ref" in schema else schema


def _format_value(value: Any) -> str:
    """Return a value as text for a form: a string unchanged, of a list its first element, else JSON."""
    while isinstance(value, list):
        value = value[0]
    return value if isinstance(value, str) else orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _resolve(openapi: Mapping[str, Any], schema: Mapping[str, Any]) -> Mapping[str, Any]:
    target: Mapping[str, Any] = openapi["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return target


def _read_path_parameter(parameter: Mapping[str, Any]) -> ApiParameter:
    schema = parameter["schema"]
    default = None if parameter.get("required") else _format_value(schema.get("default", ""))
    example = _format_value(schema.get("examples", [""]))
    return ApiParameter(parameter["name"], type_name(schema), parameter.get("description", ""), default, example)


def _read_body_fields(openapi: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[ApiParameter]:
    for name, schema in body.get("properties", {}).items():
        default = None if name in body.get("required", ()) else orjson.dumps(schema.get("default")).decode()
        yield ApiParameter(name, type_name(schema), schema.get("description", ""), default)


def type_name(schema: Mapping[str, Any]) -> str:
    """Return a short name for the type of a JSON schema.

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
