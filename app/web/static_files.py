"""Static files, at addresses that name their content, which a browser keeps for a year, and at plain ones.

`/static/<version>/css/steps.css` is the sheet joined with all that it imports; so is a module of `js`; other files stay
as they are. `/static/css/steps.css` is the file alone, and a browser asks each time whether it has changed. The files
of `vendor` have the version of their package in their address.
"""

import gzip
import os
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Receive, Scope, Send

from ..settings import ROOT
from .compression import accepts_gzip
from .joined import CannotJoin, join_modules, join_sheets
from .policy import POLICY, STATIC_FILES, TEMPLATE, WASM_WORKER

FOLDER = ROOT / "static"
FOR_A_YEAR = "public, max-age=31536000, immutable"
VERSIONED = re.compile(r"(?P<version>[0-9a-f]{16})/(?P<path>.+)")
MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
}
"""Of the files that have versions and are compressed. Fonts and pictures are compressed already."""
PYTHON_WORKER = "js/learn/python.js"


@dataclass(frozen=True, slots=True)
class VersionedFile:
    """The content of a file, its version, which is a hash of it, and the states of the files on which it depends."""

    content: bytes
    version: str
    states: tuple[tuple[str, int, int], ...]

    def is_current(self) -> bool:
        """True if none of the files was written since."""
        return self.states == tuple(_state(path) for path, *_ in self.states)


class VersionedFiles:
    """The contents of a folder by path: made when first asked for, and again when one of their files has changed.

    There is at most one for each file of the folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._files: dict[str, VersionedFile] = {}
        self._compressed: dict[str, tuple[str, bytes]] = {}

    def address(self, path: str) -> str:
        """Return the address of a file, which changes with its content. Raises `CannotJoin`."""
        return f"/static/{self.find(path).version}/{path}"

    def find(self, path: str) -> VersionedFile:
        """Return a file of the folder. Raises `CannotJoin`, or `OSError` if there is none."""
        found = self._files.get(path)
        if found is None or not found.is_current():
            content, paths = self._read(path)
            states = tuple(_state(f"{self.folder}/{one}") for one in paths)
            found = VersionedFile(content, sha256(content).hexdigest()[:16], states)
            self._files[path] = found
        return found

    def compressed(self, path: str) -> bytes:
        """Return a file compressed with gzip, which is done once."""
        found = self.find(path)
        version, content = self._compressed.get(path, ("", b""))
        if version != found.version:
            content = gzip.compress(found.content, 9, mtime=0)
            self._compressed[path] = found.version, content
        return content

    def _read(self, path: str) -> tuple[bytes, tuple[str, ...]]:
        """Return the content of a file and the paths of the files on which it depends."""
        if not path.startswith(("css/", "js/")):
            return (self.folder / path).read_bytes(), (path,)
        css = path.startswith("css/")
        joined = join_sheets(self.folder, path) if css else join_modules(self.folder, path, self.address)
        return joined.text.encode(), joined.paths


def _state(path: str) -> tuple[str, int, int]:
    """Return the path, time and size of a file, which change when it is written."""
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return path, 0, 0
    return path, found.st_mtime_ns, found.st_size


versioned = VersionedFiles(FOLDER)


class PageFiles(StaticFiles):
    """Static files of which those with a version in their address or in `vendor/` are cached for a year."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request. Raises `HTTPException`."""
        compiles = scope["path"].endswith(f"/{PYTHON_WORKER}")
        scope[POLICY], scope[TEMPLATE] = WASM_WORKER if compiles else STATIC_FILES, "/static"
        await super().__call__(scope, receive, send)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Return a file, or 304 if the browser has it. Raises `HTTPException`."""
        address = VERSIONED.fullmatch(path)
        name, version = address.group("path", "version") if address else (path, "")
        if Path(path).suffix not in MEDIA_TYPES or not (address or _is_vendored(name)):
            return await super().get_response(path, scope)
        await super().get_response(name, scope)  # raises if there is no such file, or for a method like POST
        headers = Headers(scope=scope)
        try:
            response = await run_in_threadpool(_respond, name, version, accepts_gzip(headers))
        except CannotJoin:  # a module of the files that need no server
            raise HTTPException(404) from None
        return NotModifiedResponse(response.headers) if self.is_not_modified(response.headers, headers) else response

    def file_response(
        self, full_path: str | os.PathLike[str], stat_result: os.stat_result, scope: Scope, status_code: int = 200
    ) -> Response:
        """Return a file, or 304 if the browser has it."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        if Path(full_path).parent.name == "vendor":
            response.headers["Cache-Control"] = FOR_A_YEAR
        return response


def _is_vendored(path: str) -> bool:
    """True of a file whose address has the version of its package."""
    return path.startswith("vendor/")


def _respond(path: str, version: str, gzipped: bool) -> Response:
    """Return a file as it is now; a browser that asked for another version of it must ask again."""
    found = versioned.find(path)
    content = versioned.compressed(path) if gzipped else found.content
    headers = {
        "Cache-Control": FOR_A_YEAR if version == found.version or _is_vendored(path) else "no-cache",
        "ETag": f'"{found.version}{"-gzip" if gzipped else ""}"',
        "Vary": "Accept-Encoding",
        **({"Content-Encoding": "gzip"} if gzipped else {}),
    }
    return Response(content, headers=headers, media_type=MEDIA_TYPES[Path(path).suffix])
