"""JSON bodies: requests are read strictly, answers written by orjson."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field
from starlette.responses import Response

from ..errors import UnsupportedMedia
from ..lab.option_schema import Items
from ..serialize.json import dumps

MeasuredRatio = Annotated[
    Items[Annotated[float, Field(gt=0, le=100)]] | None,
    Field(
        min_length=2,
        max_length=2,
        description="Tokens of Claude for a token of GPT-4o, from and to, as you have measured.",
    ),
]


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
