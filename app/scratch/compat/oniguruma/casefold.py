"""Case folding of Unicode 16.0, with the characters that fold to several: `ß` is `ss` in any case."""

from collections.abc import Mapping
from functools import lru_cache

NEWER = {
    **{0x10D50 + i: chr(0x10D70 + i) for i in range(22)},
    **{upper: chr(upper + 1) for upper in (0x1C89, 0xA7CC, 0xA7DA)},
    0xA7CB: "\u0264",
    0xA7DC: "\u019b",
    0x1FD3: "\u03b9\u0308\u0301",
    0x1FE3: "\u03c5\u0308\u0301",
    0xFB05: "st",
}
"""Foldings that Python's tables may lack."""
BEYOND_16 = frozenset({0xA7CE, 0xA7D2, 0xA7D4, *range(0x16EA0, 0x16EB9)})
"""Letters that versions after 16.0 fold."""
LAST = 0x1E943
"""No later character folds."""


def fold(code: int) -> str:
    """Return the folded form of a character, of up to three characters.

    >>> fold(0x41), fold(0xDF), fold(0xFB03)
    ('a', 'ss', 'ffi')
    """
    if code in BEYOND_16:
        return chr(code)
    return NEWER.get(code) or chr(code).casefold()


@lru_cache(maxsize=1)
def classes() -> Mapping[str, frozenset[int]]:
    """Return the characters that are equal but for case, by their folded form, where there are several.

    >>> sorted(map(hex, classes()["k"])), sorted(map(chr, classes()["ss"]))
    (['0x212a', '0x4b', '0x6b'], ['ß', 'ẞ'])
    """
    members: dict[str, set[int]] = {}
    for code in range(LAST + 1):
        if (folded := fold(code)) != chr(code):
            members.setdefault(folded, set()).add(code)
    return {
        folded: frozenset(codes | ({ord(folded)} if len(folded) == 1 else set())) for folded, codes in members.items()
    }


def list_case_variants(code: int) -> frozenset[int]:
    """Return the single characters that are equal to one but for case.

    >>> sorted(map(chr, list_case_variants(0xE9)))
    ['É', 'é']
    """
    return classes().get(fold(code), frozenset({code}))
