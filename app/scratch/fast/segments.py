"""Segments: a text split at its spaces, if no pre-token of the pattern can reach across one.

The patterns of byte-level BPE match a space only at the beginning of a pre-token, or among whitespace. So a match that
contains any other character ends before the next space. It ends there whether or not the text continues, since no later
part of the pattern matches a space, and look-aheads (`(?!\\S)`, `$`) follow whitespace alone. Therefore the pre-tokens
of a text are equal to those of its segments. Segments repeat as often as words do, and one look-up returns all tokens
of a segment such as `nothing,`.
"""

import re
from functools import lru_cache

import regex

SET = r"\[\^?(?:\\.|[^\[\]\\])+\]"
GUARDED = rf"\(\?:\(\?!\\p\{{\w+\}}\){SET}\)"
"""A class without the characters of another, as a look-ahead at the character itself: no later one decides."""
ATOM = rf"{SET}|{GUARDED}|" r"\\[pP]\{\w+\}|\\[sSdDwWrnt]|[^\\\[\](){}?*+|.^$]"
"""Part of a pattern that matches one character: a class, or a literal character."""
GROUP = r"\(\?i?:(?:[\w'|]|\[\w+\])+\)"
REPEAT = r"(?:[?*+]|\{\d+(?:,\d*)?\})?\+?"
STEP = regex.compile(rf"({ATOM}|{GROUP})({REPEAT})")
ALTERNATIVE = regex.compile(rf"(?:(?:{ATOM}|{GROUP}){REPEAT})+(\(\?!\\S\)|\$)?")
ALTERNATIVES = regex.compile(r"(?:\[(?:\\.|[^\]\\])*\]|\((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\)|\\.|[^|\[(\\])+")
SPACE = re.compile(r" (?<!\s )")


def segments(pattern: str, text: str) -> list[str]:
    r"""Return the segments of a text, each without the space before it; the first has none.

    >>> segments(r" ?\w+|\s+", "ab cd\n ef  gh")
    ['ab', 'cd\n ef', ' gh']
    >>> segments(r"\w+ \w+", "ab cd")
    ['ab cd']
    """
    return SPACE.split(text) if ends_before_spaces(pattern) else [text]


@lru_cache(maxsize=32)
def ends_before_spaces(pattern: str, space: str = " ") -> bool:
    r"""True if a match always ends where a space follows a character that is not whitespace. False if in doubt.

    `space`: the character that stands for a space, if all have been replaced.

    >>> ends_before_spaces(r" ?\w+|\s+(?!\S)|\s+"), ends_before_spaces(r" ?\w+ ?"), ends_before_spaces(r"\w+|.+")
    (True, False, False)
    """
    alternatives = ALTERNATIVES.findall(pattern)
    complete = "|".join(alternatives) == pattern
    return complete and all(_ends_before_spaces(alternative, space) for alternative in alternatives)


def _ends_before_spaces(alternative: str, space: str) -> bool:
    """True if a match of one alternative of the pattern ends before a space that follows another character."""
    form = ALTERNATIVE.fullmatch(alternative)
    if not form:
        return False
    (first, repeat), *others = STEP.findall(alternative[: form.start(1)] if form[1] else alternative)
    if all(atom in (r"\s", " ", r"[\r\n]") for atom, _ in [(first, repeat), *others]):
        return True  # whitespace alone: such a match contains no character that a space could follow
    once = repeat in ("", "?", "?+") or not _takes(first, space)
    return once and not form[1] and not any(_takes(atom, space) for atom, _ in others)


def _takes(atom: str, space: str) -> bool:
    """True if this part of a pattern matches a space."""
    return regex.search(atom, space) is not None
