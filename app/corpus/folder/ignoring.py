"""What .gitignore, .ignore and .git/info/exclude leave out of a folder, as git does.

The patterns of a folder are in layers, those of each folder on the way down. The last layer in which one matches
decides, and within it the last pattern. https://git-scm.com/docs/gitignore
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pathspec import GitIgnoreSpec

from ...errors import Invalid

NAMES = (".gitignore", ".ignore")
"""Files of patterns; those of the latter, which search programs read, win."""
FOLDER_MARK = "ps_d"
"""The group of pathspec's regular expressions that is the end of a folder which matches, or has what does."""
ANY_FOLDER = re.compile(r"\*/|/?(\*\*/)+(\*/)?")
"""A pattern of all folders."""
NEVER = {".git", ".hg", ".jj", ".svn"}
"""Folders of version control."""


@dataclass(frozen=True, slots=True)
class PatternLayer:
    """The patterns of a file, the last first: what each matches, and whether it leaves that out.

    They are relative to the path `base`, which ends with /.
    """

    base: str
    patterns: tuple[tuple[re.Pattern[Any], bool], ...]

    @classmethod
    def of(cls, folder: str, spec: GitIgnoreSpec) -> "PatternLayer":
        """Return the layer of a folder."""
        patterns = [
            (one.regex, one.include)
            for one in reversed(list(spec.patterns))
            if one.regex is not None and one.include is not None
        ]
        return cls(folder.rstrip(os.sep) + os.sep, tuple(patterns))

    def ignore(self, path: str) -> bool | None:
        """Return whether a path, of a folder with / at its end, is left out; None if no pattern matches.

        A pattern that matches a folder above does not count: git looks at each folder on the way down.
        """
        name = path[len(self.base) :]
        for regex, include in self.patterns:
            match = regex.search(name)
            if match and _is_direct(match):
                return include
        return None


@dataclass(frozen=True, slots=True)
class IgnoreRules:
    """The patterns that hold in a folder, from the outermost layer to the innermost.

    No other pattern overrules those of `always`.
    """

    layers: tuple[PatternLayer, ...] = ()
    always: PatternLayer | None = None

    def enter(self, folder: str, names: Iterable[str]) -> "IgnoreRules":
        """Return the rules within a folder that has files of these names."""
        there = {*names}
        read = [read_patterns(os.path.join(folder, name)) for name in NAMES if name in there]
        added = tuple(PatternLayer.of(folder, spec) for spec in read if len(spec))
        return IgnoreRules((*self.layers, *added), self.always) if added else self

    def ignore(self, path: str, *, folder: bool = False) -> bool:
        """Return whether a file or a folder is left out."""
        named = path + "/" * folder
        layers: list[PatternLayer] = [*self.layers, self.always] if self.always else [*self.layers]
        for layer in reversed(layers):
            if (said := layer.ignore(named)) is not None:
                return said
        return False


def read_patterns(path: str) -> GitIgnoreSpec:
    """Return the patterns of a file; none if it cannot be read or is a symbolic link, as for git."""
    try:
        data = b"" if os.path.islink(path) else Path(path).read_bytes()
    except OSError:
        data = b""
    lines = [_clarify(line) for line in os.fsdecode(data.removeprefix(b"\xef\xbb\xbf")).split("\n")]
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(filter(_is_pattern, lines))


def find_rules(folder: str, *, exclude: Sequence[str] = (), ignore: bool = True) -> IgnoreRules:
    """Return the rules that hold above a folder: those of its repository, and patterns to `exclude` besides.

    Raises `Invalid` for a pattern to exclude that is none.
    """
    folder = os.path.abspath(folder)
    always = PatternLayer.of(folder, parse_patterns(exclude)) if exclude else None
    rules = IgnoreRules((), always)
    root = find_repository(folder) if ignore else None
    if root is None:
        return rules
    outer = [read_patterns(path) for path in (_find_user_file(), os.path.join(root, ".git", "info", "exclude"))]
    rules = IgnoreRules(tuple(PatternLayer.of(root, spec) for spec in outer if len(spec)), always)
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


def _is_direct(match: re.Match[str]) -> bool:
    """Return whether a pattern matched a path itself: neither a folder above it, nor the folder whose content it is."""
    if FOLDER_MARK in match.re.groupindex:
        return match.end(FOLDER_MARK) in (-1, len(match.string))
    return not match[0].endswith("/") or match.end() < len(match.string)


def _clarify(line: str) -> str:
    """Return a pattern that pathspec reads as git does: `a/**/` are the folders in a, not all that is in it.

    Spaces at the end do not count, unless a backslash stands before the first.

    >>> _clarify("!a/**/"), _clarify("**/**/ "), _clarify("a/**"), _clarify("a\\\\  ")
    ('!a/**/*/', '?*/', 'a/**', 'a\\\\ ')
    """
    line = line.removesuffix("\r")
    text = line.rstrip(" ")
    escaped = (len(text) - len(text.rstrip("\\"))) % 2
    line = line[: len(text) + escaped]
    bare = line.removeprefix("!")
    if ANY_FOLDER.fullmatch(bare):
        return f"{line.removesuffix(bare)}?*/"
    return f"{line}*/" if line.endswith("/**/") else line


def _is_pattern(line: str) -> bool:
    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
