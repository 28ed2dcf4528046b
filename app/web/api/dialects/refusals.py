"""Refusals: the same problem in the shape, the status and the words of each dialect."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from starlette.requests import Request

    from app.web.problems import Problem

Dialect = Literal["vllm", "sglang", "tei", "llamacpp", "anthropic", "gemini", "openai"]
Refusal = tuple[int, dict[str, Any]]

PATHS: Sequence[tuple[str, Dialect]] = (
    ("/compat/vllm/", "vllm"),
    ("/compat/sglang/", "sglang"),
    ("/compat/tei/", "tei"),
    ("/compat/llamacpp/", "llamacpp"),
    ("/v1/tokenize", "sglang"),
    ("/v1/detokenize", "sglang"),
    ("/tokenizer_info", "vllm"),
    ("/apply-template", "llamacpp"),
    ("/decode", "tei"),
    ("/v1/messages/", "anthropic"),
    ("/v1beta/", "gemini"),
    ("/v1/responses/", "openai"),
)
"""The addresses at which only one dialect is spoken, whole or ending in `/` what they begin with.

At others the body tells, and its route notes it.
"""

FORMS: Mapping[str | int, Dialect] = {
    "as vllm": "vllm",
    "as vllm chat": "vllm",
    "as sglang": "sglang",
    "as tei": "tei",
    "as llamacpp": "llamacpp",
}
"""What a validator calls the forms of a body, and the dialect of each."""


def spoken(request: "Request") -> Dialect | None:
    """The dialect of a request, or None where it is ours."""
    return spoken_at(request.scope["path"]) or getattr(request.state, "dialect", None)


def spoken_at(path: str) -> Dialect | None:
    """The dialect that alone is spoken at an address."""
    here = (dialect for one, dialect in PATHS if path == one or (one.endswith("/") and path.startswith(one)))
    return next(here, None)


def refusal(dialect: Dialect, problem: "Problem") -> Refusal:
    """The status and the body with which a dialect tells a problem."""
    return SHAPES[dialect](problem)


def _status(problem: "Problem") -> int:
    """Values that are not valid are 400 to those who do not know 422."""
    return 400 if problem.status == 422 else problem.status


def _kind(status: int, kinds: Mapping[int, str], *, client: str, server: str) -> str:
    """The word for a status, or else for whose fault it is."""
    return kinds.get(status, server if status >= 500 else client)


def _parameter(problem: "Problem") -> str | None:
    return (problem.pointer or "/")[1:].replace("/", ".") or None


def _phrase(status: int) -> str:
    """The name of an error.

    >>> _phrase(400), _phrase(404), _phrase(500)
    ('BadRequestError', 'NotFoundError', 'InternalServerError')
    """
    return HTTPStatus(status).phrase.replace(" ", "").removesuffix("Error") + "Error"


def _vllm(problem: "Problem") -> Refusal:
    status = _status(problem)
    told = {"message": problem.detail, "type": _phrase(status), "param": _parameter(problem), "code": status}
    return status, {"error": told}


def _sglang(problem: "Problem") -> Refusal:
    status, told = _vllm(problem)
    return status, {"object": "error", **told["error"]}


def _tei(problem: "Problem") -> Refusal:
    status, kind = problem.status, "validation"
    match problem.code:
        case "empty":
            status, kind = 400, "empty"
        case "unknown-id" | "unknown-tokenizer" | "engine-failed":
            status, kind = 422, "tokenizer"
        case "overloaded":
            status, kind = 429, "overloaded"
        case _ if status >= 500:
            status, kind = 503, "unhealthy"
    return status, {"error": problem.detail, "error_type": kind}


def _llamacpp(problem: "Problem") -> Refusal:
    status = _status(problem)
    kinds = {403: "permission_error", 404: "not_found_error", 501: "not_supported_error", 503: "unavailable_error"}
    kind = _kind(status, kinds, client="invalid_request_error", server="server_error")
    return status, {"error": {"code": status, "message": problem.detail, "type": kind}}


def _anthropic(problem: "Problem") -> Refusal:
    status = _status(problem)
    kinds = {403: "permission_error", 404: "not_found_error", 413: "request_too_large", 503: "overloaded_error"}
    kind = _kind(status, kinds, client="invalid_request_error", server="api_error")
    return status, {"type": "error", "error": {"type": kind, "message": problem.detail}}


def _gemini(problem: "Problem") -> Refusal:
    status = _status(problem)
    kinds = {403: "PERMISSION_DENIED", 404: "NOT_FOUND", 503: "UNAVAILABLE"}
    kind = _kind(status, kinds, client="INVALID_ARGUMENT", server="INTERNAL")
    return status, {"error": {"code": status, "message": problem.detail, "status": kind}}


def _openai(problem: "Problem") -> Refusal:
    status = _status(problem)
    kind = _kind(status, {}, client="invalid_request_error", server="server_error")
    code = "model_not_found" if problem.code == "unknown-tokenizer" else None
    told = {"message": problem.detail, "type": kind, "param": _parameter(problem), "code": code}
    return status, {"error": told}


SHAPES: Mapping[Dialect, Callable[["Problem"], Refusal]] = {
    "vllm": _vllm,
    "sglang": _sglang,
    "tei": _tei,
    "llamacpp": _llamacpp,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "openai": _openai,
}


def _object(**properties: Any) -> dict[str, Any]:
    """The schema of an object that has these properties and no others."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


WORD, STATUS, OR_NULL = {"type": "string"}, {"type": "integer"}, {"type": ["string", "null"]}
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
"""The JSON schema of each dialect’s refusals."""
