"""The files of a tokenizer from a folder, a zip or a package: read into memory within limits, nothing is executed."""

import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path, PurePosixPath

from ..errors import BadFile

SUFFIXES = frozenset({".json", ".model", ".txt", ".jinja", ".tiktoken", ".gguf", ".vocab", ".bpe", ""})
"""Endings of names of files that can belong to a tokenizer; others, such as weights, are not read."""
TEMPLATES = "additional_chat_templates"
"""The folder of the chat templates of a model that have other names than `default`."""
MAX_FILES = 100
MAX_MEMBERS = 1000
"""The maximum number of members of a zip, whatever they are."""
MAX_SIZE = 200_000_000
"""The maximum size of all files together, in bytes."""


def zip_files(files: Mapping[str, bytes]) -> bytes:
    """Return files as a zip; the same files always give the same bytes.

    >>> unzip_files(zip_files({"a.json": b"{}"}))
    {'a.json': b'{}'}
    """
    archive = BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as writer:
        for name, data in files.items():
            writer.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return archive.getvalue()


class Folder(Mapping[str, bytes]):
    """The files of a folder by name, each read from the disk when it is accessed.

    Raises `BadFile` for a file that cannot be read or is larger than `MAX_SIZE`, and `KeyError`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sizes = dict(_list_tokenizer_files(path))

    def __getitem__(self, name: str) -> bytes:
        if self._sizes[name] > MAX_SIZE:
            raise BadFile(f"{name} has {self._sizes[name]:,} bytes; at most {MAX_SIZE:,} are read.", limit=MAX_SIZE)
        try:
            return (self.path / name if self.path.is_dir() else self.path).read_bytes()
        except OSError as error:
            raise BadFile(f"{name} cannot be read: {error.strerror}.") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._sizes)

    def __len__(self) -> int:
        return len(self._sizes)

    @property
    def state(self) -> tuple[tuple[str, int, int], ...]:
        """The name, size and time of change of each file, which differ once the folder has been changed."""
        return tuple((name, size, _get_mtime(self.path, name)) for name, size in _list_tokenizer_files(self.path))


def _list_tokenizer_files(path: Path) -> Iterator[tuple[str, int]]:
    """Yield name and size of each file of a folder that can belong to a tokenizer; of a file, its own."""
    try:
        inner = path / TEMPLATES
        entries = [*sorted(path.iterdir()), *sorted(inner.glob("*.jinja"))] if path.is_dir() else [path]
        files = [entry for entry in entries if entry == path or (entry.suffix in SUFFIXES and entry.name[0] != ".")]
        sizes = [(file, file.stat().st_size) for file in files if file.is_file()][:MAX_FILES]
        yield from [(file.name if file == path else str(file.relative_to(path)), size) for file, size in sizes]
    except OSError:
        return


def _get_mtime(path: Path, name: str) -> int:
    try:
        return (path / name if path.is_dir() else path).stat().st_mtime_ns
    except OSError:
        return 0


def is_zip(data: bytes) -> bool:
    """True if a file begins as a zip does."""
    return data[:4] in (b"PK\x03\x04", b"PK\x05\x06")


def unzip_files(data: bytes, *, max_size: int = MAX_SIZE) -> dict[str, bytes]:
    """Return the files of a zip that can belong to a tokenizer, by their names in it; nothing is written to the disk.

    Raises `BadFile` for a damaged or encrypted zip, one with more than `MAX_FILES` such files, or with more than
    `max_size` bytes in them.
    """
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return _members(archive, max_size)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise BadFile(f"The zip cannot be read: {str(error)[:100]}.") from None


def _members(archive: zipfile.ZipFile, max_size: int) -> dict[str, bytes]:
    if len(archive.infolist()) > MAX_MEMBERS:
        detail = f"The zip has {len(archive.infolist()):,} members; at most {MAX_MEMBERS:,} are read."
        raise BadFile(detail, limit=MAX_MEMBERS)
    if any(_leaves(member) for member in archive.infolist()):
        raise BadFile("The zip has a link, or a path that leads out of it; such members are not read.")
    members = [
        member
        for member in archive.infolist()
        if not member.is_dir()
        and Path(member.filename).suffix in SUFFIXES
        and not any(part.startswith((".", "__MACOSX")) for part in member.filename.split("/"))
    ]
    if len(members) > MAX_FILES:
        raise BadFile(f"The zip has {len(members)} files; at most {MAX_FILES} are read.", limit=MAX_FILES)
    files: dict[str, bytes] = {}
    room = max_size
    for member in members:
        with archive.open(member) as file:
            contents = file.read(room + 1)  # the size that the zip declares may be wrong
        room -= len(contents)
        if room < 0:
            raise BadFile(f"The files of the zip have more than {max_size:,} bytes.", limit=max_size)
        files[member.filename] = contents
    return files


def _leaves(member: zipfile.ZipInfo) -> bool:
    """True for a symbolic link, and for a path that is absolute or leads upward."""
    path = PurePosixPath(member.filename.replace("\\", "/"))
    return path.is_absolute() or ".." in path.parts or stat.S_ISLNK(member.external_attr >> 16)


def read_members(archive: Path, pattern: str) -> Sequence[bytes]:
    """Return the files of a package of npm or PyPI whose names match a shell pattern, sorted by name.

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
