"""The files in the archive of a package, of npm or PyPI: read by name into memory, nothing is unpacked or executed."""

import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from ..errors import BadFile


def members(archive: Path, pattern: str) -> Sequence[bytes]:
    """Return the files of an archive whose names match a shell pattern, sorted by name.

    Names in a tarball lose their first folder, which npm calls `package`. Raises `BadFile` if nothing matches.
    """
    matches = sorted(_find_members(archive, pattern))
    if not matches:
        raise BadFile(f"{archive.name} holds no file {pattern}.")
    return [data for _, data in matches]


def _find_members(archive: Path, pattern: str) -> Iterator[tuple[str, bytes]]:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            yield from ((name, wheel.read(name)) for name in wheel.namelist() if fnmatchcase(name, pattern))
        return
    with tarfile.open(archive) as tarball:
        for member in tarball:
            name = member.name.partition("/")[2]
            if fnmatchcase(name, pattern) and (file := tarball.extractfile(member)) is not None:
                yield name, file.read()
