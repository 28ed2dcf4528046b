"""The files of folders, without what is ignored, and those that differ from a revision; links are not followed."""

import math
import os
import stat
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Literal

from ...errors import Invalid, TooLarge, Unavailable
from .ignoring import NAMES, NEVER, IgnoreRules, find_rules, match_file, parse_patterns

FileKind = Literal["text", "notebook", "lock"]
NOTEBOOKS = (".ipynb",)
LOCKS = {
    *("Cargo.lock", "Gemfile.lock", "Package.resolved", "Pipfile.lock", "Podfile.lock", "bun.lock", "composer.lock"),
    *("flake.lock", "go.sum", "mix.lock", "npm-shrinkwrap.json", "package-lock.json", "packages.lock.json"),
    *("pdm.lock", "pixi.lock", "pnpm-lock.yaml", "poetry.lock", "pubspec.lock", "pylock.toml", "uv.lock", "yarn.lock"),
    *("conda-lock.yml", "deno.lock", "gradle.lockfile", "requirements.lock"),
}
FILE_MODES = ("100644", "100755")
COMPILED_BYTE = 10_000
"""Characters of patterns that are matched with one of a name in the time in which a byte of patterns is compiled."""


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


@dataclass(frozen=True, slots=True)
class OldFile:
    """A file of a revision: its path and name as of a listed one, and the id of its content."""

    path: str
    name: str
    top: str
    object: str


def find_kind(name: str) -> FileKind:
    """Return what kind of file a name says.

    >>> find_kind("a/uv.lock"), find_kind("b.ipynb"), find_kind("c.py")
    ('lock', 'notebook', 'text')
    """
    last = name.rpartition("/")[2]
    if last in LOCKS or (last.startswith("requirements") and last.endswith(".lock")):
        return "lock"
    return "notebook" if last.endswith(NOTEBOOKS) else "text"


def list_files(
    paths: Iterable[str], *, ignore: bool = True, exclude: Sequence[str] = (), max_matching: float = math.inf
) -> FolderListing:
    """List files and folders; with `ignore` what git would not add is left out, and the patterns `exclude` always are.

    A folder or a link that is named itself is listed, also if it is ignored. Raises `Invalid` for a path that names
    nothing, `TooLarge` where more than `max_matching` characters of patterns are to be matched with those of names.
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
        rules = find_rules(top, exclude=exclude, ignore=ignore)
        for one, spelled, found in _walk(listing, top, rules, ignore, max_matching):
            _add(listing, known, one, f"{above}{spelled}", above, found)
    return listing


def _walk(
    listing: FolderListing, top: str, rules: IgnoreRules, ignore: bool, left: float
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
        left -= COMPILED_BYTE * sum(map(_measure_patterns, entries if ignore and left < math.inf else ()))
        _check_left(left)
        here = above.enter(folder, (entry.name for entry in entries)) if ignore else above
        left -= sum(layer.length for layer in here.layers) * sum(len(entry.path) - start for entry in entries)
        _check_left(left)
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


def _measure_patterns(entry: "os.DirEntry[str]") -> int:
    return entry.stat(follow_symlinks=False).st_size if entry.name in NAMES else 0


def _check_left(left: float) -> None:
    if left < 0:
        detail = "The .gitignore and .ignore files have too many patterns for so many names; tokenarium du reads them."
        raise TooLarge(detail)


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


def find_changes(
    paths: Sequence[str], revision: str, listing: FolderListing, *, exclude: Sequence[str] = ()
) -> tuple[list[FolderFile], list[OldFile]]:
    """Return the listed files that differ from where a branch left a revision, and what they were there.

    That is the common ancestor of both, so that what others added to the revision since does not count. A deleted file
    has a content only there. Raises `Invalid` for what git does not know, `Unavailable` without git.
    """
    excluded = parse_patterns(exclude)
    listed = {file.path: file for file in listing.files}
    new = dict[str, FolderFile]()
    old = dict[str, OldFile]()
    for path in paths:
        top = os.path.realpath(path)
        folder, what = (top, ".") if os.path.isdir(top) else os.path.split(top)
        base = _find_base(folder, revision)
        before = dict(_list_objects(folder, base, what))
        for name in _list_changed(folder, base, what):
            full = os.path.join(folder, name)
            if full in listed:
                new[full] = listed[full]
            elif os.path.lexists(full) or match_file(excluded, name):  # ignored, or no text
                continue
            if name in before:
                above = "" if path in (".", "./") else f"{path.rstrip('/')}/"
                shown, top = (path, path) if what != "." else (f"{above}{_decode(name)}", above)
                old[full] = OldFile(full, shown, top, before[name])
    return [*new.values()], [*old.values()]


def write_contents(files: Sequence[OldFile], into: Path) -> list[FolderFile]:
    """Write the contents of a revision into a folder, and return them as files of the same names."""
    if not files:
        return []
    requests = "".join(f"{file.object}\n" for file in files).encode()
    folder = next(str(one) for one in Path(files[0].path).parents if one.is_dir())
    answer = memoryview(_git(folder, "cat-file", "--batch", input=requests))
    written = []
    at = 0
    for number, file in enumerate(files):
        end = at + bytes(answer[at : at + 200]).index(b"\n")
        size = int(bytes(answer[at:end]).split()[2])
        path = into / str(number)
        path.write_bytes(answer[end + 1 : end + 1 + size])
        at = end + size + 2
        written.append(FolderFile(str(path), file.name, size, 0, 0, file.top))
    return written


def _find_base(folder: str, revision: str) -> str:
    """Return the commit at which the branch left a revision. Raises `Invalid`."""
    try:
        commit = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except Invalid:
        raise Invalid(f"git knows no revision {revision[:60]!r} in {folder[:200]}.", pointer="/since") from None
    known = commit.decode().strip()
    try:
        return _git(folder, "merge-base", known, "HEAD").decode().split()[0]
    except Invalid:  # they have no common ancestor, or a shallow clone does not reach it
        return known


def _list_changed(folder: str, base: str, what: str) -> Iterator[str]:
    """Yield the paths below a folder that differ from a commit or that git does not track."""
    diff = ("diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--relative", base)
    for command in (diff, ("ls-files", "-z", "--others", "--exclude-standard")):
        yield from filter(None, os.fsdecode(_git(folder, *command, "--", what)).split("\0"))


def _list_objects(folder: str, commit: str, what: str) -> Iterator[tuple[str, str]]:
    """Yield the paths below a folder of the files of a commit, with the ids of their contents."""
    for row in filter(None, os.fsdecode(_git(folder, "ls-tree", "-r", "-z", commit, "--", what)).split("\0")):
        about, _, path = row.partition("\t")
        mode, _, object = about.split()
        if mode in FILE_MODES:
            yield path, object


def _decode(path: str) -> str:
    return os.fsencode(path).decode(errors="replace")


def _git(folder: str, *words: str, input: bytes | None = None) -> bytes:
    """Return what git prints. Raises `Invalid` with its message, `Unavailable` if it is not installed."""
    environment = {**os.environ, "GIT_LITERAL_PATHSPECS": "1", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", "-C", folder, *words], input=input, capture_output=True, env=environment, check=False
        )
    except FileNotFoundError:
        raise Unavailable("git is needed for --since and is not installed.") from None
    if done.returncode:
        raise Invalid(f"git: {' '.join(done.stderr.decode(errors='replace').split())[:300]}", pointer="/since")
    return done.stdout
