"""Write results to files on this machine or at addresses, each whole or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from ..atomic_files import replace_file
from ..errors import FULL, BadFile, NoSpace, TokenariumError, Unavailable
from .addresses import describe_error, filesystem, is_remote, local_path, retry_request
from .addresses import open_file as opened_for_reading


def write(address: str, data: bytes) -> None:
    """Write a file whole or not at all, with the folders above it. Raises `NoSpace`, `Unavailable`."""
    with open_replacing(address) as file:
        file.write(data)


@contextmanager
def open_replacing(address: str) -> Iterator[IO[bytes]]:
    """Open a file for writing that appears, or takes the place of another, once it is complete.

    An object at an address is written here first and then put there, which is atomic. If the work with it fails, there
    is nothing. Raises `NoSpace`, `Unavailable`.
    """
    try:
        if is_remote(address):
            with TemporaryDirectory(prefix="tokenarium-") as folder:
                path = Path(folder) / "part"
                with path.open("wb") as file:
                    yield file
                fs = filesystem(address.partition("://")[0])
                retry_request(address, partial(fs.put_file, str(path), address))
        else:
            path = Path(local_path(address))
            path.parent.mkdir(parents=True, exist_ok=True)
            with replace_file(path) as file:
                yield file
    except BadFile as error:
        cause = describe_error(error.__cause__) if error.__cause__ else error.detail.rstrip(".")
        raise Unavailable(f"{address} cannot be written: {cause}.") from error
    except OSError as error:
        kind: type[TokenariumError] = NoSpace if error.errno in FULL else Unavailable
        raise kind(f"{address} cannot be written: {describe_error(error)}.") from error


def read(address: str) -> bytes:
    """Return the bytes of a file. Raises `BadFile`."""
    try:
        with opened_for_reading(address, buffer=1 << 22) as file:
            return file.read()
    except OSError as error:
        raise BadFile(f"{address} cannot be read: {describe_error(error)}.") from error


def list_files(address: str) -> Iterator[str]:
    """Yield the addresses of the files in a folder and in those below it, in order; none if there is no such folder."""
    if not is_remote(address):
        root = Path(local_path(address))
        yield from (str(path) for path in sorted(root.rglob("*")) if path.is_file() and path.suffix != ".part")
        return
    fs = filesystem(address.partition("://")[0])
    yield from (fs.unstrip_protocol(name) for name in sorted(retry_request(address, partial(fs.find, address))))


def remove(address: str) -> None:
    """Delete a file. Raises `Unavailable`."""
    try:
        if is_remote(address):
            fs = filesystem(address.partition("://")[0])
            retry_request(address, partial(fs.rm_file, address))
        else:
            Path(local_path(address)).unlink(missing_ok=True)
    except (BadFile, OSError) as error:
        raise Unavailable(f"{address} cannot be deleted.") from error
