"""Which files of a folder differ from a revision, and their contents there, as git has them."""

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...errors import Invalid, Unavailable
from .ignoring import parse_patterns
from .listing import FolderFile, FolderListing

FILE_MODES = ("100644", "100755")


@dataclass(frozen=True, slots=True)
class OldFile:
    """A file of a revision: its path and name as of a listed one, and the id of its content."""

    path: str
    name: str
    top: str
    object: str


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
            elif os.path.lexists(full) or excluded.match_file(name):  # ignored, or no text
                continue
            if name in before:
                above = "" if path in (".", "./") else f"{path.rstrip('/')}/"
                shown, top = (path, path) if what != "." else (f"{above}{_spell(name)}", above)
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


def _spell(path: str) -> str:
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
