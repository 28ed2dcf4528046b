"""What .gitignore, .ignore and .git/info/exclude leave out of a folder, as git does.

The patterns of a folder are in layers, those of each folder on the way down. The last layer in which one matches
decides, and within it the last pattern. https://git-scm.com/docs/gitignore
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

from ...errors import Invalid

NAMES = (".gitignore", ".ignore")
"""Files of patterns; those of the latter, which search programs read, win."""
NEVER = {".git", ".hg", ".jj", ".svn"}
"""Folders of version control."""


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns that hold in a folder, from the outermost layer to the innermost.

    Each layer has the path that its patterns are relative to. `always` are those that no other pattern overrules.
    """

    layers: tuple[tuple[str, GitIgnoreSpec], ...] = ()
    always: tuple[str, GitIgnoreSpec] | None = None

    def enter(self, folder: str, names: Iterable[str]) -> "IgnoreRules":
        """Return the rules within a folder that has files of these names."""
        there = {*names}
        read = [read_patterns(os.path.join(folder, name)) for name in NAMES if name in there]
        added = tuple((_prefix(folder), spec) for spec in read if len(spec))
        return IgnoreRules((*self.layers, *added), self.always) if added else self

    def ignore(self, path: str, *, folder: bool = False) -> bool:
        """Return whether a file or a folder is left out."""
        for base, spec in (*((self.always,) if self.always else ()), *reversed(self.layers)):
            said: bool | None = spec.check_file(path[len(base) :] + "/" * folder).include
            if said is not None:
                return said
        return False


def read_patterns(path: str) -> GitIgnoreSpec:
    """Return the patterns of a file; none if it cannot be read or is a symbolic link, as for git."""
    try:
        data = b"" if os.path.islink(path) else Path(path).read_bytes()
    except OSError:
        data = b""
    lines = os.fsdecode(data.removeprefix(b"\xef\xbb\xbf")).split("\n")
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(filter(_is_pattern, lines))


def find_rules(folder: str, *, exclude: Sequence[str] = (), ignore: bool = True) -> IgnoreRules:
    """Return the rules that hold above a folder: those of its repository, and patterns to `exclude` besides.

    Raises `Invalid` for a pattern to exclude that is none.
    """
    folder = os.path.abspath(folder)
    always = (_prefix(folder), parse_patterns(exclude)) if exclude else None
    rules = IgnoreRules((), always)
    root = find_repository(folder) if ignore else None
    if root is None:
        return rules
    outer = [read_patterns(path) for path in (_find_user_file(), os.path.join(root, ".git", "info", "exclude"))]
    rules = IgnoreRules(tuple((_prefix(root), spec) for spec in outer if len(spec)), always)
    at = root
    for name in Path(folder).relative_to(root).parts:
        rules = rules.enter(at, NAMES)
        at = os.path.join(at, name)
        if IgnoreRules(rules.layers).ignore(at, folder=True):
            return IgnoreRules((), always)  # it was named although it is ignored
    return rules


def parse_patterns(patterns: Sequence[str]) -> GitIgnoreSpec:
    """Return patterns in the form of .gitignore. Raises `Invalid`."""
    for pattern in patterns:
        if not _is_pattern(pattern):
            raise Invalid(f"{pattern[:60]!r} is no pattern of .gitignore.")
    return GitIgnoreSpec.from_lines(patterns)


def find_repository(folder: str) -> str | None:
    """Return the folder above, or this one, that has a `.git`."""
    at = Path(folder)
    return next((str(one) for one in (at, *at.parents) if (one / ".git").exists()), None)


def _find_user_file() -> str:
    """Return the file of patterns that git reads for a user without settings."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(home, "git", "ignore")


def _prefix(folder: str) -> str:
    return folder.rstrip(os.sep) + os.sep


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
