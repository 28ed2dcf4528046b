"""A dialect: the API of another server, by its name, the bodies that it is recognized by, and the format of its errors.

Each dialect is described whole in a module of its own.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Union

from fastapi import Request
from pydantic import BaseModel, Discriminator, GetCoreSchemaHandler, Tag
from pydantic_core import CoreSchema

from ....serialize.problem import Problem

DialectError = tuple[int, dict[str, Any]]
"""The status and the body with which a dialect reports a problem."""
WORD = {"type": "string"}
STATUS = {"type": "integer"}
OR_NULL = {"type": ["string", "null"]}
"""JSON schemas of members of errors."""


@dataclass(frozen=True, slots=True)
class DialectBody:
    """A body of a dialect’s POST /tokenize: `recognize` tells it by its keys, `model` validates it, `answer` returns
    the answer to it as plain data."""

    model: type[BaseModel]
    recognize: Callable[[Mapping[str, Any]], bool]
    answer: Callable[[Any, Request], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """The API of another server. Errors in it have the status and the body that `format_error` returns, of the JSON
    schema `error_schema`; `bodies` are those that POST /tokenize recognizes."""

    name: str
    format_error: Callable[[Problem], DialectError]
    error_schema: Mapping[str, Any]
    bodies: tuple[DialectBody, ...] = ()

    @property
    def error_name(self) -> str:
        """The name of the schema of its errors."""
        return f"{self.name.capitalize()}Error"

    def find_body(self, value: Any) -> DialectBody | None:
        """Return the body that a value is by its keys, or None."""
        return next((body for body in self.bodies if isinstance(value, dict) and body.recognize(value)), None)

    def choose_model(self, value: Any) -> type[BaseModel]:
        """Return the model that validates a value: that of the body it is, or else of the first."""
        return (self.find_body(value) or self.bodies[0]).model

    def answer(self, body: BaseModel, request: Request) -> Any:
        """Return the answer to a validated body as plain data."""
        return next(one.answer for one in self.bodies if one.model is type(body))(body, request)


class OneOf:
    """Annotation of a body that is one of `models`, chosen by its keys, so that only errors of that one are reported.

    In the locations of errors, the name of the model is preceded by `as `.
    """

    def __init__(self, models: Sequence[type[BaseModel]], choose: Callable[[Any], type[BaseModel]]) -> None:
        members = tuple(Annotated[model, Tag(f"as {model.__name__}")] for model in models)
        union: Any = Union[members]  # noqa: UP007
        self.union = Annotated[union, Discriminator(lambda value: f"as {self._find_model(value).__name__}")]
        self._models = models
        self._choose = choose

    def _find_model(self, value: Any) -> type[BaseModel]:
        """Return the model of a value; one that is validated already has its own."""
        return type(value) if type(value) in self._models else self._choose(value)

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return handler.generate_schema(self.union)


def client_status(problem: Problem) -> int:
    """Return the status of a problem, but 400 for 422, which most dialects do not use."""
    return 400 if problem.status == 422 else problem.status


def error_type(status: int, types: Mapping[int, str], *, client: str, server: str) -> str:
    """Return the dialect’s word for a status, or else its word for errors of clients or of servers."""
    return types.get(status, server if status >= 500 else client)


def parameter(problem: Problem) -> str | None:
    """Return the faulty value as a path with dots."""
    return (problem.pointer or "/")[1:].replace("/", ".") or None


def error_class(status: int) -> str:
    """Return the name of an error class in Python for a status.

    >>> error_class(400), error_class(404), error_class(500)
    ('BadRequestError', 'NotFoundError', 'InternalServerError')
    """
    return HTTPStatus(status).phrase.replace(" ", "").removesuffix("Error") + "Error"


def object_schema(**properties: Any) -> dict[str, Any]:
    """Return the JSON schema of an object that has these properties and no others."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}
