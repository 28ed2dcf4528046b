"""Coarser than words and as good: a text cut at its spaces, where no word of the pattern can reach across.

The patterns of byte-level BPE let a space only begin a word, or stand among white space. Then a match that has taken
another character ends before the next space; and it ends there whether the space is seen or not, since nothing that
it tries further on takes a space, and what looks ahead (`(?!\\S)`, `$`) comes after white space alone. So the words of
a text are the words of its stretches, and a language has few stretches: one look in a dictionary gives all the
tokens of `nothing, `.
"""

import re
from functools import lru_cache

import regex

ATOM = r"\[\^?(?:\\.|[^\[\]\\])+\]|\\[pP]\{\w+\}|\\[sSdDwWrnt]|[^\\\[\](){}?*+|.^$]"
"""What takes one character: a class, or a character that means itself."""
GROUP = r"\(\?i?:(?:[\w'|]|\[\w+\])+\)"
REPEAT = r"(?:[?*+]|\{\d+,\d+\})?\+?"
STEP = regex.compile(rf"({ATOM}|{GROUP})({REPEAT})")
WAY = regex.compile(rf"(?:(?:{ATOM}|{GROUP}){REPEAT})+(\(\?!\\S\)|\$)?")
WAYS = regex.compile(r"(?:\[(?:\\.|[^\]\\])*\]|\((?:\\.|[^()\\])*\)|\\.|[^|\[(\\])+")
SPACE = re.compile(r" (?<!\s )")


def stretches(pattern: str, text: str) -> list[str]:
    r"""The stretches of a text, each without the space before it; the first has none.

    >>> stretches(r" ?\w+|\s+", "ab cd\n ef  gh")
    ['ab', 'cd\n ef', ' gh']
    >>> stretches(r"\w+ \w+", "ab cd")
    ['ab cd']
    """
    return SPACE.split(text) if ends_before_spaces(pattern) else [text]


@lru_cache(maxsize=32)
def ends_before_spaces(pattern: str) -> bool:
    r"""Whether a match of the pattern is sure to end where a space follows another character than white space.

    >>> ends_before_spaces(r" ?\w+|\s+(?!\S)|\s+"), ends_before_spaces(r" ?\w+ ?"), ends_before_spaces(r"\w+|.+")
    (True, False, False)
    """
    ways = WAYS.findall(pattern)
    return "|".join(ways) == pattern and all(map(_ends_before_spaces, ways))


def _ends_before_spaces(way: str) -> bool:
    form = WAY.fullmatch(way)
    if not form:
        return False
    (first, repeat), *others = STEP.findall(way[: form.start(1)] if form[1] else way)
    if all(atom in (r"\s", " ", r"[\r\n]") for atom, _ in [(first, repeat), *others]):
        return True
    once = repeat in ("", "?", "?+") or not _takes_space(first)
    return once and not form[1] and not any(_takes_space(atom) for atom, _ in others)


def _takes_space(atom: str) -> bool:
    return regex.search(atom, " ") is not None
