"""Case as tiktoken folds it: by the simple folding of Unicode 16.0, in a pattern that `regex` searches with.

`regex` takes i, İ and ı for one letter in any case, and every class of cased letters for all of them. The parts of a
pattern that it reads so are spelled out; all others stay as they are, and those of published patterns do.
"""

from functools import lru_cache

import numpy as np
import regex

from .oniguruma.charsets import LAST, classes, ranges, spell_ranges

NEGATED = regex.compile(r"\\P\{\w+\}|\\p\{\^\w+\}")
PART = regex.compile(
    r"""
    \(\?(?P<on>[a-zA-Z]*)(?:-(?P<off>[a-zA-Z]+))?(?P<end>[:)])
    | (?P<fixed>\(\?\#[^)]*\) | \(\?P[=>]\w+\) | \(\?&\w+\) | \\[gk]<\w+>)
    | (?P<open>\((?:\?(?:P?<[^\W\d]\w*>|\(\w+\)|<[=!]|[=!>|])|(?!\?)))
    | (?P<close>\))
    | \[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\\\]])*+\]
    | \\[pPN]\{[^{}]*\} | \\x[0-9A-Fa-f]{2} | \\u[0-9A-Fa-f]{4} | \\U[0-9A-Fa-f]{8} | \\. | .
    """,
    regex.DOTALL | regex.VERBOSE,
)
"""Flags, what has no case, the beginning or end of a group, a set, an escape, or a character."""


def spell_case(pattern: str) -> str:
    r"""Return a pattern for `regex` that matches in any case what tiktoken matches.

    >>> spell_case("(?i:'s|it)I"), spell_case("(?i:'s|'t)")
    ("(?i:'s|(?-i:i|[I])t)I", "(?i:'s|'t)")
    """
    parts = []
    folds = [False]  # whether case is ignored, in each group that is open
    for match in PART.finditer(pattern):
        part = match[0]
        if match["end"]:
            fold = "i" in match["on"] or (folds[-1] and "i" not in (match["off"] or ""))
            folds[-1 if match["end"] == ")" else len(folds) :] = [fold]
        elif match["open"]:
            folds.append(folds[-1])
        elif match["close"]:
            folds[1:] = folds[1:-1]
        elif folds[-1] and not match["fixed"] and (len(part) > 1 or part in "iIİı"):
            part = _spell(part)
        parts.append(part)
    return "".join(parts)


@lru_cache(maxsize=256)
def _spell(part: str) -> str:
    r"""Return a part that is matched in any case, spelled out where `regex` folds it differently.

    >>> _spell("[^a-z]"), _spell("[a-d]")
    ('(?-i:(?![A-Zſ\u212a])[^a-z])', '[a-d]')
    """
    try:
        plain = _find(part)
        folded = _fold(part)
        if folded == _find(f"(?i:{part})"):
            return part
    except regex.error:  # compiling the whole pattern raises it with its place
        return part
    without = f"(?!{_spell_set(plain - folded)})" if plain - folded else ""
    beside = f"|{_spell_set(folded - plain)}" if folded - plain else ""
    return f"(?-i:{without}{part}{beside})"


@lru_cache(maxsize=256)
def _fold(part: str) -> set[str]:
    """Return the characters with case that a part matches in any case; what is negated is folded before."""
    if NEGATED.fullmatch(part):
        return {*_cased()} - _close({*_cased()} - _find(part))
    negated = part.startswith("[^")
    classes = NEGATED.findall(part) if part[0] == "[" else []
    members = _find(NEGATED.sub(r"\\0", part) if classes else part)
    if negated:
        members = {*_cased()} - members
    closed = _close(members.union(*map(_fold, classes)))
    return {*_cased()} - closed if negated else closed


def _close(chars: set[str]) -> set[str]:
    """Return characters with all that are equal to one of them but for case."""
    return chars.union(*(equal for equal in _letters() if not equal.isdisjoint(chars)))


def _find(part: str) -> set[str]:
    """Return the characters with case that a part matches."""
    return {*regex.compile(part, regex.V0 | regex.DOTALL).findall(_cased())}


@lru_cache(maxsize=1)
def _letters() -> tuple[frozenset[str], ...]:
    """Return the characters that are equal to one another but for case, for each letter that has a case."""
    return (frozenset("ı"), *(frozenset(map(chr, codes)) for codes in classes().values()))


@lru_cache(maxsize=1)
def _cased() -> str:
    return "".join(sorted(frozenset().union(*_letters())))


def _spell_set(chars: set[str]) -> str:
    mask = np.zeros(LAST + 1, np.bool_)
    mask[[*map(ord, chars)]] = True
    return f"[{spell_ranges(ranges(mask))}]"
