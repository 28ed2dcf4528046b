"""The static files of pages, with how long a browser may keep them."""

import os
from pathlib import Path

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope


class PageFiles(StaticFiles):
    """Static files of which those in `vendor/`, whose names have their version, are cached for a year."""

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return a file, or 304 if the browser has it."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        if Path(full_path).parent.name == "vendor":
            response.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return response
