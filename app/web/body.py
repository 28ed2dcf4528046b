"""JSON bodies: requests are read strictly, answers written by orjson."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import no_info_before_validator_function
from starlette.responses import Response

from ..errors import UnsupportedMedia
from ..serialize.json import dumps


class JSONResponse(Response):
    """JSON from plain data and numpy arrays."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return dumps(content)


def check_media(headers: Mapping[str, str], accepted: Sequence[str] = ("application/json",)) -> None:
    """Raise `UnsupportedMedia` unless the headers announce one of the accepted types, uncompressed, in UTF-8."""
    if headers.get("content-encoding", "identity") != "identity":
        raise UnsupportedMedia("Send the body uncompressed.")
    media, _, parameters = headers.get("content-type", "").lower().partition(";")
    if media.strip() not in accepted:
        raise UnsupportedMedia(f"Send Content-Type: {accepted[0]}.")
    charset = parameters.partition("charset=")[2].strip(' "')
    if charset not in ("", "utf-8", "utf8"):
        raise UnsupportedMedia("Send the body in UTF-8.")


MAX_ERRORS = 10
"""Validation errors of a body that are looked at."""
COLLECTIONS = frozenset({"list", "tuple", "set", "frozenset", "dict"})
"""The types of core schemas that have the option `fail_fast`."""


def fail_fast(schema: Any) -> Any:
    """Return a core schema of pydantic that stops at the first error of each list and dictionary, and of models where
    too many keys are unknown.

    Otherwise a list of a million wrong items has a million errors.
    """
    if isinstance(schema, list | tuple):
        return type(schema)(map(fail_fast, schema))
    if not isinstance(schema, dict):
        return schema
    copy = {key: value if key == "metadata" else fail_fast(value) for key, value in schema.items()}
    if copy.get("type") == "model" and copy.get("config", {}).get("extra_fields_behavior") == "forbid":
        most = len(copy["cls"].model_fields) + MAX_ERRORS
        copy["schema"] = no_info_before_validator_function(partial(_check_keys, most), copy["schema"])
    return copy | {"fail_fast": True} if copy.get("type") in COLLECTIONS else copy


def _check_keys(most: int, value: Any) -> Any:
    if isinstance(value, dict) and len(value) > most:
        raise PydanticCustomError("too_many_keys", "An object has many keys that are not known")
    return value
