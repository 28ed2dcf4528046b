"""A folder that was sent: a zip, a tar or files, unpacked into a temporary folder and counted in this process."""

import lzma
import os
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

from ...errors import FULL, Invalid, TokenariumError, TooLarge
from ...registry import Registry
from ..encoders import ReferenceEncoder
from ..results import FileResult
from .counting import read_text
from .listing import FolderFile, SkippedFile, list_files
from .usage import UNREADABLE, Counted, FolderUsage, measure

MAX_FILES = 10_000
MAX_BYTES = 200_000_000
"""Files, and their bytes, of which a folder that was sent may have so many unpacked."""
MAX_MATCHING = 3_000_000_000
"""Characters of names, times those of patterns that each is matched with, which takes at most some twenty seconds."""
LINK = "symbolic link"
Member = tuple[str, int, str, IO[bytes] | None]
"""The name of a file, its bytes, why it cannot be written or "", and what its content is read from."""
MAX_DEPTH = 100
TOO_MUCH = f"The folder has more than {MAX_FILES:,} files or {MAX_BYTES:,} bytes; tokenarium du counts those."
TARS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
BROKEN = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(EOFError, NotImplementedError, RuntimeError, OSError),
)


def measure_packed(files: Mapping[str, bytes], registry: Registry, tokenizer: str) -> FolderUsage:
    """Return the tokens of files by name, of which a zip or a tar counts as the files in it.

    What a .gitignore among them leaves out is not counted. Raises `Invalid` for what cannot be unpacked, `TooLarge`
    and `OSError`.
    """
    with TemporaryDirectory(prefix="tokenarium-") as folder:
        skipped = unpack(files, Path(folder))
        listing = list_files([folder], max_matching=MAX_MATCHING)
        top = len(os.path.realpath(folder)) + 1
        listing.files = [replace(file, name=file.path[top:], top="") for file in listing.files]
        encoder = ReferenceEncoder(registry.get(tokenizer))
        usage = measure(listing, registry, [tokenizer], lambda found, keys: _count(encoder, found))
    usage.skipped += skipped
    return usage


def _count(encoder: ReferenceEncoder, files: Sequence[FolderFile]) -> Counted:
    for file in files:
        data, why = read_text(file)
        tokens: tuple[int, ...] = ()
        if data is not None and not why:
            try:
                tokens = (len(encoder.encode([data])[0]) if data else 0,)
            except TokenariumError as error:
                why = f"{UNREADABLE}{error.detail}"
        yield file, FileResult(b"", why, tokens), ()


def unpack(files: Mapping[str, bytes], folder: Path) -> list[SkippedFile]:
    """Write files and the members of archives into a folder; return what was not written, such as links.

    Nothing is written outside of it. Raises `Invalid`, `TooLarge`, and `OSError` for a full disk.
    """
    skipped = list[SkippedFile]()
    written = room = 0
    try:
        for name, size, why, content in _list_members(files):
            written += 1
            room += size
            if written > MAX_FILES or room > MAX_BYTES:
                raise TooLarge(TOO_MUCH, limit=MAX_FILES if written > MAX_FILES else MAX_BYTES)
            if why := why or _write(folder, name, content):
                skipped.append(SkippedFile(name[:200], why, size))
    except BROKEN as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        detail = f"An archive cannot be unpacked: {str(error)[:100] or type(error).__name__}."
        raise Invalid(detail, pointer="/file") from None
    return skipped


def _write(folder: Path, name: str, content: IO[bytes] | None) -> str:
    """Write a file below a folder; return why it was not, or "". Raises what reading raises, and a full disk."""
    path = PurePosixPath(name.replace("\\", "/"))
    if content is None or path.is_absolute() or ".." in path.parts or "\0" in name:
        return "its path leads out of the folder"
    if len(path.parts) > MAX_DEPTH:
        return "in too many folders"
    target = folder / path
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        file = target.open("wb")
    except OSError as error:
        if error.errno in FULL:
            raise
        return (error.strerror or "unreadable").lower()  # such as a name that is too long, or that of a folder
    with file:
        shutil.copyfileobj(content, file)
    return ""


def _list_members(files: Mapping[str, bytes]) -> Iterator[Member]:
    for name, data in files.items():
        if name.lower().endswith(".zip"):
            yield from _list_zip(data)
        elif name.lower().endswith(TARS):
            yield from _list_tar(data)
        else:
            yield name, len(data), "", BytesIO(data)


def _list_zip(data: bytes) -> Iterator[Member]:
    """Yield the files of a zip; `zipfile` reads no more of one than the size that it declares."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        for member in archive.infolist():
            if member.is_dir():
                continue
            link = stat.S_ISLNK(member.external_attr >> 16)
            if link or member.flag_bits & 1:
                yield member.filename, member.file_size, LINK if link else "encrypted", None
                continue
            with archive.open(member) as content:
                yield member.filename, member.file_size, "", content


def _list_tar(data: bytes) -> Iterator[Member]:
    with tarfile.open(fileobj=BytesIO(data), mode="r:*") as archive:
        for member in archive:
            if member.isdir():
                continue
            content = archive.extractfile(member) if member.isreg() else None
            why = "" if content else LINK if member.islnk() or member.issym() else "no regular file"
            yield member.name, member.size, why, content
