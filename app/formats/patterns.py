"""A pattern that cuts words, so spelled that every tool reads it alike.

`regex` reads it here, Oniguruma in `tokenizers`, fancy-regex in tiktoken. They part over what `.` and `$` match, over a
number of times with a `+` behind it, and over classes such as `\\w`; what cannot be spelled for all of them is refused.
"""

from collections.abc import Iterator

import regex

from app.errors import BadFile

ESCAPE = r"\\[pP]\{\^?[A-Za-z]{1,2}\}|\\[^\W\d_]|\\\d|\\."
SET = regex.compile(rf"\[\^?\]?((?:{ESCAPE}|[^\\\]])*+)\]", regex.DOTALL)
MEMBER = regex.compile(rf"{ESCAPE}|--|.", regex.DOTALL)
TIMES = r"\{\d+(?:,\d*)?\}"
PART = regex.compile(rf"{SET.pattern}|{ESCAPE}|\(\?(?:[:=!>]|<[=!]|i:)|\(\?.?|{TIMES}|.", regex.DOTALL)
"""A set, an escape, the beginning of a group, a number of times, or any character."""
SAFE = regex.compile(r"\\(?:[pP]\{\w+\}|[sSdDrnt]|[^\w\s])|[^\\]", regex.DOTALL)
"""An escape that all know, or a character."""
WHOLE = r"[\s\S]+"
"""The pattern that takes a text for one word."""


def portable(pattern: str) -> str:
    r"""The same pattern for every tool.

    >>> print(portable(r"\p{N}{1,3}+|\s++$|[a-z&[]+|."), portable(""))
    (?>\p{N}{1,3})|\s++$|[a-z\&\[]+|(?:.|\n) [\s\S]+

    Raises `BadFile` that names what is not read alike.
    """
    done: list[str] = []
    opened: list[int] = []  # where each group that is not closed begins
    atom = 0  # where what a number of times applies to begins
    for part in (found.group() for found in PART.finditer(pattern)):
        times = bool(done) and regex.fullmatch(TIMES, done[-1]) is not None
        if part == "+" and times:
            done[atom:] = ["(?>" + "".join(done[atom:]) + ")"]
            continue
        if part == "?" and times:
            raise _refused(done[-1] + part)
        if part[0] == "(":
            opened.append(len(done))
        if part == ")" and opened:
            atom = opened.pop()
        elif part[0] not in "*+?{":
            atom = len(done)
        done.append(_spelled(part, done[-3:]))
    return "".join(done) or WHOLE


def readable(pattern: str) -> str:
    r"""The pattern for all tools, or as it is where only `regex` reads it so.

    >>> readable(""), readable(r"\w+")
    ('[\\s\\S]+', '\\w+')
    """
    try:
        return portable(pattern)
    except BadFile:
        return pattern


def _spelled(part: str, before: list[str]) -> str:
    """One part, as every tool reads it."""
    if part == ".":
        return r"(?:.|\n)"
    if part[0] == "[" and len(part) > 1:
        return "".join(_members(part))
    if part in ("^", "{", "[", "(?") or (part == "$" and before != [r"\s", "+", "+"]) or not SAFE.match(part):
        raise _refused(part)
    if part.startswith("(?") and len(part) == 3 and part[2] not in ":=!>":
        raise _refused(part)
    return part


def _members(whole: str) -> Iterator[str]:
    """A set, with what begins a set within a set elsewhere escaped."""
    inner = SET.fullmatch(whole)
    assert inner
    yield whole[: inner.start(1)]
    for part in MEMBER.findall(inner[1]):
        if part == "--" or not SAFE.fullmatch(part):
            raise _refused(part)
        yield f"\\{part}" if part in "[&~" else part
    yield "]"


def _refused(part: str) -> BadFile:
    return BadFile(f"{part} in the pattern is not read alike by other tools.")
