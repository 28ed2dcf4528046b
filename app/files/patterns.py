"""Pre-tokenization patterns: bounded before they are compiled, and rewritten so that all libraries read them alike.

`regex` reads a pattern here, Oniguruma in `tokenizers`, fancy-regex in tiktoken. They differ in what `.` and `$` match,
in a repeat count followed by `+`, and in classes such as `\\w`. What cannot be written for all of them is refused.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..errors import BadFile

ESCAPE = r"\\[pP]\{\^?[A-Za-z]{1,2}\}|\\[^\W\d_]|\\\d|\\."
SET = re.compile(rf"\[\^?\]?((?:{ESCAPE}|[^\\\]])*+)\]", re.DOTALL)
MEMBER = re.compile(rf"{ESCAPE}|--|.", re.DOTALL)
TIMES = r"\{\d+(?:,\d*)?\}"
PART = re.compile(rf"{SET.pattern}|{ESCAPE}|\(\?(?:[:=!>]|<[=!]|i:)|\(\?.?|{TIMES}|.", re.DOTALL)
"""A set, an escape, the beginning of a group, a repeat count, or any character."""
SAFE = re.compile(r"\\(?:[pP]\{\w+\}|[sSdDrnt]|[^\w\s])|[^\\]", re.DOTALL)
"""An escape that all libraries know, or a character."""
WHOLE = r"[\s\S]+"
"""The pattern that matches the whole text as one word."""
MAX_LENGTH = 10_000
"""The maximum length of a pattern, in characters; published ones list the ranges of whole scripts."""
MAX_DEPTH = 50
"""The maximum nesting of groups."""
MAX_REPEAT = 1000
"""The maximum repeat count."""
MAX_WEIGHT = 20_000
"""The maximum number of parts after the repeats are expanded; `regex` takes up to a kilobyte for each."""
CLUSTER_WEIGHT = 200
r"""The number of parts that `\X` counts for: where it is spelled out for Oniguruma, each copy takes 50 KB and 8 ms."""
FLAGS = "[aimsuDPSW]*(?:-[imsDPSW]+)?"
SYNTAX = re.compile(
    rf"""
    (?P<set>\[\^?\]?(?:\\.|[^\\\]])*+\])
    | (?P<unclosed>\[)
    | (?P<flags>\(\?{FLAGS}\))
    | (?P<comment>\(\?\#[^\\)]*+\))
    | (?P<open>\((?![?*])|\(\?(?:[:=!>]|~(?!\|)|<[=!]|P?<[^\W\d]\w*>|'[^\W\d]\w*'|{FLAGS}:))
    | (?P<refused>\((?!\?P=)|\\[gL]|\{{(?=[^{{}}]*[deis])[^{{}}]*\}})
    | (?P<close>\))
    | (?P<count>\{{(?=[0-9,])([0-9]*)(?:,([0-9]*))?\}})
    | (?P<repeat>[*?+])
    | (?P<atom>\\[pP]\{{[^{{}}]*\}}|\\x\{{[0-9A-Fa-f]+\}}|\\N\{{[A-Z][^{{}}]*\}}|\\.|.)
    """,
    re.DOTALL | re.VERBOSE,
)
"""The parts of a pattern; `refused` are recursion, calls, conditions, verbs, approximation, and other flags.
`x` is one: with it, a repeat may stand behind blanks, and a count may have blanks inside. A comment with a backslash is
one, too: libraries differ in whether `\\)` ends it.

A set ends at its first `]`, even if some library reads on: what follows is then checked as well.
"""


def check_pattern_length(pattern: str, limit: int = MAX_LENGTH) -> None:
    """Raise `BadFile` for a pattern that is too long to be read."""
    if len(pattern) > limit:
        raise BadFile(f"The pattern has {len(pattern):,} characters; at most {limit:,} are read.", limit=limit)


def check_pattern_complexity(pattern: str, *, max_length: int = MAX_LENGTH) -> None:
    r"""Raise `BadFile`, naming the place, for a pattern that may be costly to compile, without compiling it.

    Nested repeats multiply, since `regex` copies what is repeated; `+` is a copy and a loop.

    >>> check_pattern_complexity(r"[^\r\n\p{L}]?\p{L}+|\p{N}{1,3}|\s+(?!\S)|\s+")
    >>> check_pattern_complexity("(?:a{1000}){1000}")
    Traceback (most recent call last):
    tokenarium.errors.BadFile: The repeats in the pattern up to character 17 multiply to too much.
    """
    check_pattern_length(pattern, max_length)
    groups = [_Weight()]
    for part in SYNTAX.finditer(pattern):
        kind = part.lastgroup
        at = part.start() + 1
        if kind in ("refused", "unclosed"):
            what = "A set that is never closed" if kind == "unclosed" else "Syntax that is not supported"
            raise BadFile(f"{what} begins at character {at} of the pattern.")
        if kind == "open":
            groups.append(_Weight())
            if len(groups) > MAX_DEPTH:
                detail = f"The groups at character {at} of the pattern are nested deeper than {MAX_DEPTH}."
                raise BadFile(detail, limit=MAX_DEPTH)
        elif kind == "close" and len(groups) > 1:
            inner = groups.pop()
            groups[-1].add(inner.total)
        elif kind == "comment":
            continue  # a repeat behind it applies to what stands before it
        elif kind in ("count", "repeat"):
            groups[-1].repeat(_copies(part.group(), at))
        else:
            groups[-1].add(CLUSTER_WEIGHT if part.group() == r"\X" else len(part.group()) // 8 if kind == "set" else 0)
        if groups[-1].total > MAX_WEIGHT:
            raise BadFile(f"The repeats in the pattern up to character {part.end()} multiply to too much.")


@dataclass(slots=True)
class _Weight:
    """The number of parts in a group with repeats expanded, and that of its last part, to which a repeat applies."""

    total: int = 0
    last: int = 0

    def add(self, inner: int) -> None:
        self.last = 1 + inner
        self.total += self.last

    def repeat(self, copies: int) -> None:
        self.total += self.last * (copies - 1)
        self.last *= copies


def _copies(repeat: str, at: int) -> int:
    """Return the number of copies of a part that a repeat makes. Raises `BadFile` above `MAX_REPEAT`."""
    if repeat in "*?+":
        return 2 if repeat == "+" else 1
    counts = [count.lstrip("0") or "0" for count in repeat[1:-1].split(",") if count]
    if any(len(count) > len(str(MAX_REPEAT)) or int(count) > MAX_REPEAT for count in counts):
        detail = f"The repeat count at character {at} of the pattern is over {MAX_REPEAT:,}."
        raise BadFile(detail, limit=MAX_REPEAT)
    return 1 + max(map(int, counts), default=0)


def patterns_of_json(value: Any) -> Iterator[str]:
    """Yield every regular expression in a `tokenizer.json`.

    >>> list(patterns_of_json({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": " +"}}}))
    [' +']
    """
    stages = ("normalizer", "pre_tokenizer", "post_processor", "decoder")
    pending = [value.get(stage) for stage in stages] if isinstance(value, dict) else []
    while pending:
        part = pending.pop()
        if isinstance(part, dict) and isinstance(source := part.get("Regex"), str):
            yield source
        if isinstance(part, dict | list):
            pending += part.values() if isinstance(part, dict) else part


def make_portable(pattern: str) -> str:
    r"""Return an equal pattern that all libraries read alike.

    >>> print(make_portable(r"\p{N}{1,3}+|\s++$|[a-z&[]+|."), make_portable(""))
    (?>\p{N}{1,3})|\s++$|[a-z\&\[]+|(?:.|\n) [\s\S]+

    Raises `BadFile` naming what they read differently.
    """
    parts: list[str] = []
    opened: list[int] = []  # where each group that is still open begins
    atom = 0  # where the part begins that a repeat would apply to
    for part in (match.group() for match in PART.finditer(pattern)):
        after_count = bool(parts) and re.fullmatch(TIMES, parts[-1]) is not None
        if part == "+" and after_count:  # possessive in `regex`, a second repeat in Oniguruma
            parts[atom:] = ["(?>" + "".join(parts[atom:]) + ")"]
            continue
        if part == "?" and after_count:
            raise _make_error(parts[-1] + part)
        if part[0] == "(":
            opened.append(len(parts))
        if part == ")" and opened:
            atom = opened.pop()
        elif part[0] not in "*+?{":
            atom = len(parts)
        parts.append(_spell_part(part, parts[-3:]))
    return "".join(parts) or WHOLE


def make_readable(pattern: str) -> str:
    r"""Return the pattern as `make_portable` does, or unchanged if libraries read it differently.

    >>> make_readable(""), make_readable(r"\w+")
    ('[\\s\\S]+', '\\w+')
    """
    try:
        return make_portable(pattern)
    except BadFile:
        return pattern


def _spell_part(part: str, before: list[str]) -> str:
    """Return one part as all libraries read it."""
    if part == ".":
        return r"(?:.|\n)"
    if part[0] == "[" and len(part) > 1:
        return "".join(_members(part))
    if part in ("^", "{", "[", "(?") or (part == "$" and before != [r"\s", "+", "+"]) or not SAFE.match(part):
        raise _make_error(part)
    if part.startswith("(?") and len(part) == 3 and part[2] not in ":=!>":
        raise _make_error(part)
    return part


def _members(whole: str) -> Iterator[str]:
    """Yield the parts of a set, with characters escaped that begin a nested set in some library."""
    inner = SET.fullmatch(whole)
    assert inner
    yield whole[: inner.start(1)]
    for part in MEMBER.findall(inner[1]):
        if part == "--" or not SAFE.fullmatch(part):
            raise _make_error(part)
        yield f"\\{part}" if part in "[&~" else part
    yield "]"


def _make_error(part: str) -> BadFile:
    return BadFile(f"{part} in the pattern is read differently by other libraries.")
