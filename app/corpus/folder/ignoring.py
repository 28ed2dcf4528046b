"""What .gitignore, .ignore and .git/info/exclude leave out of a folder, as git does.

The patterns of a folder are in layers, those of each folder on the way down. The last layer in which one matches
decides, and within it the last pattern. https://git-scm.com/docs/gitignore Three rare forms are read otherwise: a slash
in brackets, a range that ends with a class, such as [a-[:digit:]], and an escaped slash behind **.

Each pattern is matched in time linear in the path. Libraries for such patterns, such as pathspec, and git itself try
all ways to share a path among several stars.
"""

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...errors import Invalid

NAMES = (".gitignore", ".ignore")
"""Files of patterns; those of the latter, which search programs read, win."""
TOKEN = re.compile(
    r"\\(?P<literal>.)|\[(?P<no>[!^]?)(?P<items>\]?(?:\[:[a-z]+:\]|\\.|[^\\\]])*+)\]|(?P<other>\*+|.)", re.DOTALL
)
ITEM = re.compile(r"\[:(?P<name>[a-z]+):\]|\\?(?P<first>.)(?:-\\?(?P<last>.))?", re.DOTALL)
"""What a pattern consists of, and what its brackets have."""
CLASSES = (
    {"alnum": "0-9A-Za-z", "alpha": "A-Za-z", "blank": " \t", "cntrl": r"\x00-\x1f\x7f", "digit": "0-9"}
    | {"graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": "\t-\r ", "upper": "A-Z"}
    | {"xdigit": "0-9A-Fa-f"}
)
"""The characters of the classes of POSIX, in regular expressions."""
NEVER = {".git", ".hg", ".jj", ".svn"}
"""Folders of version control."""


@dataclass(frozen=True, slots=True)
class IgnorePattern:
    """A pattern: the regular expression of whole paths, whether of `folders` alone, and whether it leaves them out.

    Paths are read as Latin-1, because ? is one byte for git.
    """

    regex: re.Pattern[str]
    folders: bool
    leaves_out: bool


@dataclass(frozen=True, slots=True)
class PatternLayer:
    """The patterns of a file, the last first, which are relative to the path `base`, which ends with /.

    A match takes at most as long as their `length` in characters, times that of the path, says.
    """

    base: str
    patterns: tuple[IgnorePattern, ...]
    length: int = 0

    @classmethod
    def of(cls, folder: str, patterns: Sequence[IgnorePattern]) -> "PatternLayer":
        """Return the layer of a folder."""
        length = sum(len(one.regex.pattern) for one in patterns)
        return cls(folder.rstrip(os.sep) + os.sep, tuple(reversed(patterns)), length)

    def ignore(self, path: str, *, folder: bool = False) -> bool | None:
        """Return whether a path is left out; None if no pattern matches.

        A pattern that matches a folder above does not count: git looks at each folder on the way down.
        """
        name = os.fsencode(path[len(self.base) :]).decode("latin-1")
        for pattern in self.patterns:
            if (folder or not pattern.folders) and pattern.regex.fullmatch(name):
                return pattern.leaves_out
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
        added = tuple(PatternLayer.of(folder, patterns) for patterns in read if patterns)
        return IgnoreRules((*self.layers, *added), self.always) if added else self

    def ignore(self, path: str, *, folder: bool = False) -> bool:
        """Return whether a file or a folder is left out."""
        layers: list[PatternLayer] = [*self.layers, self.always] if self.always else [*self.layers]
        for layer in reversed(layers):
            if (said := layer.ignore(path, folder=folder)) is not None:
                return said
        return False


def read_patterns(path: str) -> list[IgnorePattern]:
    """Return the patterns of a file; none if it cannot be read or is a symbolic link, as for git."""
    try:
        data = b"" if os.path.islink(path) else Path(path).read_bytes()
    except OSError:
        data = b""
    lines = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1").split("\n")
    return [pattern for line in lines if (pattern := parse_pattern(line))]


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
    rules = IgnoreRules(tuple(PatternLayer.of(root, patterns) for patterns in outer if patterns), always)
    at = root
    for name in Path(folder).relative_to(root).parts:
        rules = rules.enter(at, NAMES)
        at = os.path.join(at, name)
        if IgnoreRules(rules.layers).ignore(at, folder=True):
            return IgnoreRules((), always)  # it was named although it is ignored
    return rules


def parse_patterns(lines: Sequence[str]) -> list[IgnorePattern]:
    """Return patterns in the form of .gitignore. Raises `Invalid` for one that can match nothing."""
    patterns = list[IgnorePattern]()
    for line in lines:
        pattern = parse_pattern(os.fsencode(line).decode("latin-1"))
        if pattern is None:
            raise Invalid(f"{line[:60]!r} is no pattern of .gitignore.")
        patterns.append(pattern)
    return patterns


def match_file(patterns: Sequence[IgnorePattern], path: str) -> bool:
    """Return whether patterns match a file, or a folder above it, of which the outermost decides."""
    rules = IgnoreRules((PatternLayer("", tuple(reversed(patterns))),))
    above = [str(one) for one in PurePosixPath(path).parents][-2::-1]
    return any(rules.ignore(one, folder=True) for one in above) or rules.ignore(path)


def parse_pattern(line: str) -> IgnorePattern | None:
    r"""Return the pattern of a line in Latin-1; None for a comment, and for what can match nothing.

    Spaces at the end do not count, unless a backslash stands before the first.

    >>> parse_pattern("!/a*/**/b/ "), parse_pattern("# a")
    (IgnorePattern(regex=re.compile('a(?>[^/]*?(?=/|\\Z))/(?:.*/)?b', re.DOTALL), folders=True, leaves_out=False), None)
    """
    line = line.removesuffix("\r")
    text = line.rstrip(" ")
    text = line[: len(text) + (len(text) - len(text.rstrip("\\"))) % 2]
    bare = text.removeprefix("!")
    path = re.sub(r"\\(.)", lambda pair: "/" if pair[1] == "/" else pair[0], bare.removesuffix("/"))
    if text.startswith("#") or not path:
        return None
    parts = path.removeprefix("/" if bare.startswith("/") else "").split("/")
    if "" in parts:
        return None
    try:
        regex = _translate_path(parts if "/" in path else ["**", *parts])
    except ValueError:
        return None
    return IgnorePattern(re.compile(regex, re.DOTALL), bare.endswith("/"), bare is text)


def find_repository(folder: str) -> str | None:
    """Return the folder above, or this one, that has a `.git`."""
    at = Path(folder)
    return next((str(one) for one in (at, *at.parents) if (one / ".git").exists()), None)


def _find_user_file() -> str:
    """Return the file of patterns that git reads for a user without settings."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return os.path.join(home, "git", "ignore")


def _translate_path(parts: Iterable[str]) -> str:
    """Return the regular expression of the parts between slashes, of which `**` is any number of folders.

    What stands between two of them, or between two stars, is taken where it first comes: as it has a fixed number of
    parts or characters, whatever comes later leaves no less for the rest. Raises `ValueError` for what matches nothing.
    """
    runs = [list[str]()]
    for part in parts:
        if len(part) > 1 and not part.strip("*"):
            runs.append([])
        else:
            runs[-1].append(_translate_part(part))
    first, *others = ["/".join(run) for run in runs]
    if not others:
        return first
    between = "".join(f"(?>(?:[^/]+/)*?{run}/)" for run in others[:-1] if run)
    return (first and f"{first}/") + between + (f"(?:.*/)?{others[-1]}" if others[-1] else ".+")


def _translate_part(part: str) -> str:
    chunks = [""]
    for token in TOKEN.finditer(part):
        if token[0].startswith("*"):
            chunks.append("")
        else:
            chunks[-1] += _translate_token(token)
    first, *others = chunks
    if others:
        others[-1] += r"(?=/|\Z)"  # it ends the part
    return first + "".join(f"(?>[^/]*?{chunk})" for chunk in others)


def _translate_token(token: re.Match[str]) -> str:
    literal, no, items, other = token.group("literal", "no", "items", "other")
    if other == "?":
        return "[^/]"
    if items is None:
        if other in ("\\", "["):
            raise ValueError("It is not closed.")
        return re.escape(literal or other)
    allowed = ""
    for item in ITEM.finditer(items):
        name, start, end = item.group("name", "first", "last")
        if name and name not in CLASSES:
            raise ValueError("No class has this name.")
        if name:
            allowed += CLASSES[name]
        else:
            allowed += re.escape(start) + (f"{re.escape(start)}-{re.escape(end)}" if start <= (end or "") else "")
    if no:
        return f"[^/{allowed}]"
    return f"(?!/)[{allowed}]" if allowed else "(?!)"
