"""The files of folders, without what is ignored; symbolic links are not followed."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Literal

from ...errors import Invalid
from .ignoring import NEVER, IgnoreRules, find_rules

FileKind = Literal["text", "notebook", "lock"]
NOTEBOOKS = (".ipynb",)
LOCKS = {
    *("Cargo.lock", "Gemfile.lock", "Package.resolved", "Pipfile.lock", "Podfile.lock", "bun.lock", "composer.lock"),
    *("flake.lock", "go.sum", "mix.lock", "npm-shrinkwrap.json", "package-lock.json", "packages.lock.json"),
    *("pdm.lock", "pixi.lock", "pnpm-lock.yaml", "poetry.lock", "pubspec.lock", "pylock.toml", "uv.lock", "yarn.lock"),
    *("conda-lock.yml", "deno.lock", "gradle.lockfile", "requirements.lock"),
}


@dataclass(frozen=True, slots=True)
class FolderFile:
    """A file: its path, the name it is shown by, its size in bytes, and when it was last written and changed.

    The times are in nanoseconds. The name begins with `top`, the path that was named: a folder and /, "" for the
    current one, or the file itself. It has / everywhere and no undecodable bytes.
    """

    path: str
    name: str
    bytes: int
    modified: int
    changed: int
    top: str = ""

    @property
    def kind(self) -> FileKind:
        """What kind of file its name says."""
        return find_kind(self.name)


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file that is not counted, and why, such as "binary"."""

    name: str
    why: str
    bytes: int = 0


@dataclass(slots=True)
class FolderListing:
    """The files of folders, each once, in the order of their paths; those left out, but for the ignored ones."""

    files: list[FolderFile] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)


def find_kind(name: str) -> FileKind:
    """Return what kind of file a name says.

    >>> find_kind("a/uv.lock"), find_kind("b.ipynb"), find_kind("c.py")
    ('lock', 'notebook', 'text')
    """
    last = name.rpartition("/")[2]
    if last in LOCKS or (last.startswith("requirements") and last.endswith(".lock")):
        return "lock"
    return "notebook" if last.endswith(NOTEBOOKS) else "text"


def list_files(paths: Iterable[str], *, ignore: bool = True, exclude: Sequence[str] = ()) -> FolderListing:
    """List files and folders; with `ignore` what git would not add is left out, and the patterns `exclude` always are.

    A folder or a link that is named itself is listed, also if it is ignored. Raises `Invalid` for a path that names
    nothing.
    """
    listing = FolderListing()
    known = set[str]()
    for path in paths:
        top = os.path.realpath(path)
        try:
            status = os.stat(top)
        except OSError:
            raise Invalid(f"There is no file or folder at {path[:200]!r}.", pointer="/paths") from None
        name = "" if path in (".", "./") else _spell(PurePath(path).as_posix())
        if not stat.S_ISDIR(status.st_mode):
            _add(listing, known, top, name, name, status)
            continue
        above = f"{name.rstrip('/')}/" if name else ""
        for one, spelled, found in _walk(listing, top, find_rules(top, exclude=exclude, ignore=ignore), ignore):
            _add(listing, known, one, f"{above}{spelled}", above, found)
    return listing


def _walk(
    listing: FolderListing, top: str, rules: IgnoreRules, ignore: bool
) -> Iterator[tuple[str, str, os.stat_result]]:
    """Yield the path of each entry that is no folder, its name below the top, and what it is."""
    pending = [(top, rules)]
    start = len(top.rstrip(os.sep)) + 1
    while pending:
        folder, above = pending.pop()
        try:
            with os.scandir(folder) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            listing.unreadable.append(f"{_spell(folder)}: {error.strerror or error}")
            continue
        here = above.enter(folder, (entry.name for entry in entries)) if ignore else above
        inner = list[tuple[str, IgnoreRules]]()
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if entry.name in NEVER or here.ignore(entry.path, folder=is_folder):
                continue
            if is_folder:
                inner.append((entry.path, here))
                continue
            try:
                yield entry.path, _spell(entry.path[start:]), entry.stat(follow_symlinks=False)
            except OSError as error:  # it was deleted meanwhile
                listing.unreadable.append(f"{_spell(entry.path)}: {error.strerror or error}")
        pending += reversed(inner)


def _add(listing: FolderListing, known: set[str], path: str, name: str, top: str, status: os.stat_result) -> None:
    if path in known:
        return
    known.add(path)
    if stat.S_ISREG(status.st_mode):
        listing.files.append(FolderFile(path, name, status.st_size, status.st_mtime_ns, status.st_ctime_ns, top))
    else:
        why = "symbolic link" if stat.S_ISLNK(status.st_mode) else "no regular file"
        listing.skipped.append(SkippedFile(name, why))


def _spell(path: str) -> str:
    """Return a path for people and JSON: bytes that are not UTF-8 become U+FFFD."""
    known = path if path.isascii() else os.fsencode(path).decode(errors="replace")
    return known.replace(os.sep, "/")
