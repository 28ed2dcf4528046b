"""Files on this machine and at addresses such as s3://bucket/key, which fsspec's libraries read and write.

A file on this machine is opened as usual, so that nothing is needed for it. One at an address is read in ranges, tried
again when a connection fails, and given up with the cause after a bounded time.
"""

import io
import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from typing import IO, Any, TypeVar, cast

from ..errors import BadFile, naming_extra

Answer = TypeVar("Answer")
TRIES = 3
"""How often a request is sent that fails for a reason that may pass."""
WAIT_SECONDS = 0.8
"""How long is waited before it is sent again; the next time four times as long."""
CONNECT_SECONDS = 10
ANSWER_SECONDS = 60
"""How long a server may take to accept a connection, and to send the next bytes."""
HTTP = ("http://", "https://")
VERSION_KEYS = (
    *("ETag", "etag", "checksum", "md5Hash", "content_hash", "blob_id", "generation"),
    *("LastModified", "Last-Modified", "last_modified", "mtime", "modified", "updated", "created"),
)
"""What the libraries call that by which a changed file is recognized. The first that is known is used: of the same
object, some servers give the time more exactly in a list."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A file at an address: its size in bytes, 0 if the server does not say it, and its version.

    `ranges` is false if the server sends the file only from its beginning.
    """

    address: str
    bytes: int
    version: str
    ranges: bool = True


def is_remote(address: str) -> bool:
    """Return whether an address is not a path on this machine.

    >>> is_remote("s3://bucket/a.txt"), is_remote("a.txt"), is_remote("file:///a.txt")
    (True, False, False)
    """
    return "://" in address and not address.startswith("file://")


def local_path(address: str) -> str:
    """Return the path of an address on this machine.

    >>> local_path("file:///tmp/a.txt"), local_path("b.txt")
    ('/tmp/a.txt', 'b.txt')
    """
    return address.removeprefix("file://")


def extra(name: str) -> Any:
    """Return a module that `pip install 'tokenarium[corpus]'` brings. Raises `BadFile` where it is missing."""
    with naming_extra(BadFile):
        return import_module(name)


@lru_cache(maxsize=16)
def filesystem(protocol: str) -> Any:
    """Return the library of a protocol, with bounded waits and without a cache of what it has listed.

    Settings and credentials are its own: AWS_… and so on, or FSSPEC_S3_… for those that have no variable.
    """
    seconds: dict[str, Any] = {}
    if protocol in ("s3", "s3a"):
        attempts = {"total_max_attempts": TRIES, "mode": "standard"}
        times = {"connect_timeout": CONNECT_SECONDS, "read_timeout": ANSWER_SECONDS, "retries": attempts}
        extra("s3fs")
        seconds = {"config_kwargs": times}
    elif protocol in ("http", "https"):
        timeout = extra("aiohttp").ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=ANSWER_SECONDS)
        seconds = {"client_kwargs": {"timeout": timeout}}
    fsspec = extra("fsspec")
    try:
        return fsspec.filesystem(protocol, use_listings_cache=False, **seconds)
    except (ImportError, ValueError) as error:
        raise BadFile(f"{protocol}:// is not supported: {error}") from None


def get_file_info(address: str) -> FileInfo:
    """Return the size and the version of a file. Raises `BadFile`, also if there is none."""
    fs = _get_filesystem(address)
    if address.startswith(HTTP):
        return retry_request(address, partial(_get_http_info, fs, address))
    # The hub's library has a cache of its own, and without `expand_info` leaves the hash out.
    fresh = {"refresh": True, "expand_info": True} if address.startswith("hf://") else {}
    return _make_file_info(fs, address, retry_request(address, partial(fs.info, address, **fresh)))


def files(address: str) -> Iterator[FileInfo]:
    """Yield the files of a folder or a pattern with `*`, or the file itself, in order. Raises `BadFile`."""
    fs = _get_filesystem(address)
    http = address.startswith(HTTP)
    if "*" in address:
        infos = retry_request(address, partial(fs.glob, address, detail=True))
    elif address.endswith("/") or (not http and _is_folder(fs, address)):
        infos = retry_request(address, partial(fs.find, address, detail=True))
    else:
        yield get_file_info(address)
        return
    for name in sorted(infos):
        one = fs.unstrip_protocol(name)
        hidden = any(part.startswith(".") for part in one.removeprefix(address).split("/"))
        if infos[name]["type"] == "file" and not hidden:
            yield get_file_info(one) if http else _make_file_info(fs, one, infos[name])


def open_file(address: str, *, ranges: bool = True, size: int = 0, buffer: int = 1 << 16) -> IO[bytes]:
    """Open a file for reading; each read larger than the buffer is one request for as many bytes.

    One without `ranges` is read from its beginning; the `size` in bytes, where known, saves a request. Raises
    `BadFile`.
    """
    if not is_remote(address):
        return open(local_path(address), "rb")
    open_with = partial(_get_filesystem(address).open, address, "rb")
    if not ranges:
        return io.BufferedReader(_Stream(retry_request(address, partial(open_with, block_size=0)), address), buffer)
    known = {"size": size} if size and address.startswith(HTTP) else {}
    return io.BufferedReader(
        _Ranges(retry_request(address, partial(open_with, cache_type="none", **known)), address), buffer
    )


def retry_request(address: str, work: Callable[[], Answer]) -> Answer:
    """Return the answer to a request, which is sent again if it fails for a reason that may pass.

    Raises `BadFile` with the cause.
    """
    for tried in range(1, TRIES + 1):
        try:
            return work()
        except BadFile:
            raise
        except Exception as error:  # each library has exceptions of its own
            if tried == TRIES or not _may_pass(error):
                raise BadFile(f"{address} cannot be read: {describe_error(error)}.") from error
        time.sleep(WAIT_SECONDS * 4 ** (tried - 1))
    raise AssertionError


def describe_error(error: BaseException) -> str:
    """Return why something could not be read, in one line without a full stop.

    >>> describe_error(FileNotFoundError(2, "No such file or directory")), describe_error(EOFError())
    ('No such file or directory', 'EOFError')
    """
    if isinstance(error, FileNotFoundError) and error.__cause__ and not isinstance(error.__cause__, FileNotFoundError):
        error = error.__cause__
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__


def _may_pass(error: Exception) -> bool:
    if isinstance(error, FileNotFoundError | PermissionError | NotImplementedError):
        return False
    status = getattr(error, "status", None)
    if isinstance(status, int):
        return status == 429 or status >= 500
    own = type(error).__module__.partition(".")[0] in ("aiohttp", "httpx")  # s3fs tries again itself
    return own or isinstance(error, ConnectionError | TimeoutError)


def _get_filesystem(address: str) -> Any:
    return filesystem(address.partition("://")[0])


def _is_folder(fs: Any, address: str) -> bool:
    try:
        return bool(retry_request(address, partial(fs.info, address))["type"] == "directory")
    except BadFile as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise BadFile(f"There is no file at {address[:200]!r}.") from error.__cause__
        raise


def _make_file_info(fs: Any, address: str, info: Mapping[str, Any]) -> FileInfo:
    if info["type"] != "file":
        raise BadFile(f"{address} is no file.")
    size = int(info.get("size") or 0)
    return FileInfo(address, size, _version(size, info))


def _version(size: int, info: Mapping[str, Any]) -> str:
    """Return the version of a file, which differs once it has changed.

    >>> _version(3, {"ETag": '"a"', "name": "x"})
    '3-"a"'
    """
    return f"{size}-{next((info[key] for key in VERSION_KEYS if info.get(key)), '')}"


def _get_http_info(fs: Any, address: str) -> FileInfo:
    """Ask for the first byte: unlike HEAD this tells whether the server sends ranges at all."""

    async def request_first_byte() -> tuple[int, Mapping[str, str]]:
        session = await fs.set_session()
        headers = {"Range": "bytes=0-0", "Accept-Encoding": "identity"}
        async with session.get(fs.encode_url(address), headers=headers) as answer:
            if answer.status != 416:  # of an empty file
                answer.raise_for_status()
            return answer.status, answer.headers

    status, headers = extra("fsspec.asyn").sync(fs.loop, request_first_byte)
    if status == 200:
        size = int(headers.get("Content-Length") or 0)
    else:
        size = int(headers.get("Content-Range", "").rpartition("/")[2] or 0)
    return FileInfo(address, size, _version(size, headers), ranges=status != 200)


class _Stream(io.RawIOBase):
    """A file that is read from its beginning to its end."""

    def __init__(self, file: Any, address: str) -> None:
        self._file = file
        self._address = address
        self._at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with one request. Raises `BadFile`."""
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()

    def _read(self, size: int) -> bytes:
        try:
            return cast(bytes, self._file.read(size))
        except Exception as error:  # a stream cannot be asked again
            raise BadFile(f"{self._address} cannot be read: {describe_error(error)}.") from error


class _Ranges(_Stream):
    """A file that is read in ranges, each tried again when the connection fails."""

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._file.size}[whence] + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def _read(self, size: int) -> bytes:
        return retry_request(self._address, partial(self._range, size))

    def _range(self, size: int) -> bytes:
        self._file.seek(self._at)
        data = cast(bytes, self._file.read(size))
        if not data and self._at < self._file.size:
            raise ConnectionError("it ended before its end")
        return data
