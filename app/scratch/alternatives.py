"""The alternatives of a pre-tokenization pattern, and which of them cut a word: `pretokenize` only says where."""

from functools import lru_cache

import regex

from app.scratch.pretokenize import compiled
from app.scratch.unicode import as_of_16

PARTS = regex.compile(r"\\.|\[:\^?\w+:\]|\[\^?\]?|.", regex.DOTALL)
"""An escape, a POSIX class, the beginning of a class with a `]` that is a member of it, or any character."""


@lru_cache(maxsize=32)
def alternatives(pattern: str) -> tuple[str, ...]:
    r"""A pattern cut at the bars that are in no class and in no group.

    >>> alternatives(r"'(?:s|t)|[^|\]]+|\||\s+")
    ("'(?:s|t)", '[^|\\]]+', '\\|', '\\s+')
    >>> alternatives(r"(?s)[]|a]|.")
    ('(?s)[]|a]', '.')
    """
    found, now, depth, inside = [], "", 0, False
    for part in PARTS.findall(pattern):
        if inside:
            inside = part != "]"
        elif part[0] == "[":
            inside = True
        elif part == "|" and not depth:
            found.append(now)
            now = ""
            continue
        else:
            depth += (part == "(") - (part == ")")
        now += part
    return (*found, now)


@lru_cache(maxsize=32)
def _each(pattern: str) -> "tuple[regex.Pattern[str], ...]":
    flags = compiled(pattern).flags
    return tuple(regex.compile(each, flags) for each in alternatives(pattern))


def which(pattern: str, text: str, start: int, end: int) -> int | None:
    r"""The index of the alternative that matched a word of a text, the first that does; None where none does alone.

    >>> which(r"\p{L}+|\p{N}{1,3}| ", "ab 12", 3, 5)
    1
    """
    try:
        each = _each(pattern)
    except regex.error:  # such as one that refers to a group of another
        return None
    read = as_of_16(text)
    matches = (alternative.match(read, start) for alternative in each)
    return next((index for index, found in enumerate(matches) if found and found.end() == end), None)
