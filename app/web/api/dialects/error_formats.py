"""Problems in the error format of each dialect: its status, its shape and its words."""

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, Literal

from ....serialize.problem import Problem

Dialect = Literal["vllm", "sglang", "tei", "llamacpp", "anthropic", "gemini", "openai"]
DialectError = tuple[int, dict[str, Any]]

FORMS: Mapping[str | int, Dialect] = {
    "as vllm": "vllm",
    "as vllm chat": "vllm",
    "as sglang": "sglang",
    "as tei": "tei",
    "as llamacpp": "llamacpp",
}
"""The dialect of each form of a body, by the name of its member in the union that validates it."""


def error_format(dialect: Dialect, problem: Problem) -> DialectError:
    """Return the status and the body with which a dialect reports a problem.

    >>> error_format("tei", Problem(404, "not-found", "Not Found", "There is nothing at this address."))
    (404, {'error': 'There is nothing at this address.', 'error_type': 'validation'})
    """
    return _FORMATS[dialect](problem)


def _status(problem: Problem) -> int:
    """Return 400 for 422, which most dialects do not use."""
    return 400 if problem.status == 422 else problem.status


def _kind(status: int, kinds: Mapping[int, str], *, client: str, server: str) -> str:
    """Return the dialect's word for a status, or else its word for errors of clients or of servers."""
    return kinds.get(status, server if status >= 500 else client)


def _parameter(problem: Problem) -> str | None:
    return (problem.pointer or "/")[1:].replace("/", ".") or None


def _phrase(status: int) -> str:
    """Return the name of an error class in Python for a status.

    >>> _phrase(400), _phrase(404), _phrase(500)
    ('BadRequestError', 'NotFoundError', 'InternalServerError')
    """
    return HTTPStatus(status).phrase.replace(" ", "").removesuffix("Error") + "Error"


def _vllm(problem: Problem) -> DialectError:
    status = _status(problem)
    error = {"message": problem.detail, "type": _phrase(status), "param": _parameter(problem), "code": status}
    return status, {"error": error}


def _sglang(problem: Problem) -> DialectError:
    status, body = _vllm(problem)
    return status, {"object": "error", **body["error"]}


def _tei(problem: Problem) -> DialectError:
    status = problem.status
    kind = "validation"
    match problem.code:
        case "empty":
            status = 400
            kind = "empty"
        case "unknown-id" | "unknown-tokenizer" | "engine-failed" | "no-unknown-token":
            status = 422
            kind = "tokenizer"
        case "overloaded":
            status = 429
            kind = "overloaded"
        case _ if status >= 500:
            status = 503
            kind = "unhealthy"
    return status, {"error": problem.detail, "error_type": kind}


def _llamacpp(problem: Problem) -> DialectError:
    status = _status(problem)
    kinds = {403: "permission_error", 404: "not_found_error", 501: "not_supported_error", 503: "unavailable_error"}
    kind = _kind(status, kinds, client="invalid_request_error", server="server_error")
    return status, {"error": {"code": status, "message": problem.detail, "type": kind}}


def _anthropic(problem: Problem) -> DialectError:
    status = _status(problem)
    kinds = {403: "permission_error", 404: "not_found_error", 413: "request_too_large", 503: "overloaded_error"}
    kind = _kind(status, kinds, client="invalid_request_error", server="api_error")
    return status, {"type": "error", "error": {"type": kind, "message": problem.detail}}


def _gemini(problem: Problem) -> DialectError:
    status = _status(problem)
    kinds = {403: "PERMISSION_DENIED", 404: "NOT_FOUND", 503: "UNAVAILABLE"}
    kind = _kind(status, kinds, client="INVALID_ARGUMENT", server="INTERNAL")
    return status, {"error": {"code": status, "message": problem.detail, "status": kind}}


def _openai(problem: Problem) -> DialectError:
    status = _status(problem)
    kind = _kind(status, {}, client="invalid_request_error", server="server_error")
    code = "model_not_found" if problem.code == "unknown-tokenizer" else None
    error = {"message": problem.detail, "type": kind, "param": _parameter(problem), "code": code}
    return status, {"error": error}


_FORMATS: Mapping[Dialect, Callable[[Problem], DialectError]] = {
    "vllm": _vllm,
    "sglang": _sglang,
    "tei": _tei,
    "llamacpp": _llamacpp,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openai": _openai,
}


def _object(**properties: Any) -> dict[str, Any]:
    """Return the JSON schema of an object that has these properties and no others."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


WORD = {"type": "string"}
STATUS = {"type": "integer"}
OR_NULL = {"type": ["string", "null"]}
_SHARED = {"message": WORD, "type": WORD, "param": OR_NULL, "code": STATUS}
SCHEMAS: Mapping[Dialect, Mapping[str, Any]] = {
    "vllm": _object(error=_object(**_SHARED)),
    "sglang": _object(object={"const": "error"}, **_SHARED),
    "tei": _object(error=WORD, error_type=WORD),
    "llamacpp": _object(error=_object(code=STATUS, message=WORD, type=WORD)),
    "anthropic": _object(type={"const": "error"}, error=_object(type=WORD, message=WORD)),
    "gemini": _object(error=_object(code=STATUS, message=WORD, status=WORD)),
    "openai": _object(error=_object(message=WORD, type=WORD, param=OR_NULL, code=OR_NULL)),
}
"""The JSON schema of each dialect's errors."""
