"""JSON answers."""

from typing import Any

import orjson
from starlette.responses import Response


class JSONResponse(Response):
    """JSON from plain data and numpy arrays, by orjson."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return orjson.dumps(content, option=orjson.OPT_SERIALIZE_NUMPY)
