"""Named classes and sets of characters, as Oniguruma 6.9.10 has them, and case folding: by the tables of Unicode 16.0.

Some characters fold to several: `ß` is `ss` in any case.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import regex

from ....errors import BadFile
from ..unicode_versions import TABLE
from .syntax import CharSet, NamedClass

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
Mask = npt.NDArray[np.bool_]
"""One flag for each code point."""
SIZE = 0x110000
CHANGED = np.array([*TABLE], np.uint32)
REPLACED = np.array([*TABLE.values()], np.uint32)
"""What `as_of_16` replaces, and by what."""
ESCAPED = frozenset(r"\[]^-&~|")
"""Characters that are not themselves in a set of `regex`."""


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


def property_class(name: str) -> NamedClass | None:
    r"""Return the class of `\p{name}`: a general category, a script or a binary property; None if it is not known.

    >>> property_class("greek"), property_class("^Lu"), property_class("Age=6.0")
    (NamedClass(source='\\p{Script=GREEK}', negated=False), NamedClass(source='\\p{LU}', negated=True), None)
    """
    key = "".join(char for char in name if char not in " -_").upper()
    negated = key.startswith("^")
    key = key.removeprefix("^")
    if not key.isalpha() or not key.isascii():
        return None
    if known := PROPERTIES.get(key):
        return replace(known, negated=known.negated != negated)
    source = rf"\p{{{key}}}" if key in NAMES.split() else rf"\p{{Script={key}}}"
    try:
        regex.compile(source)
    except regex.error:
        return None
    return NamedClass(source, negated)


def build_mask(charset: CharSet) -> Mask:
    """Return the members of a set; case is folded over the whole of it, before it is negated."""
    mask = _members(charset)
    if charset.negated and all(map(_excludes, charset.unions)) and not mask[0x80:].any():  # negated wrongly, as below
        raise BadFile("A negated intersection that excludes every character beyond ASCII is not supported.")
    if charset.fold:
        for equals in classes().values():
            if any(mask[code] for code in equals):
                mask[[*equals]] = True
    return ~mask if charset.negated else mask


def _excludes(union: Iterable[object]) -> bool:
    """Return whether a negated set is among the members of a set."""
    return any(isinstance(item, CharSet) and item.negated for item in union)


def _members(charset: CharSet) -> Mask:
    whole = np.ones(SIZE, np.bool_)
    for union in charset.unions:
        mask = np.zeros(SIZE, np.bool_)
        for item in union:
            if isinstance(item, tuple):
                mask[item[0] : item[1] + 1] = True
            elif isinstance(item, NamedClass):
                mask |= _build_named_mask(item)
            else:
                mask |= _build_nested_mask(item)
        whole &= mask
    return whole


def _build_nested_mask(charset: CharSet) -> Mask:
    """Return the members of a nested set, whose case is folded with the outermost one."""
    mask = _members(charset)
    if not charset.negated:
        return mask
    if mask[0x80:0xD800].all() and mask[0xE000:].all():  # Oniguruma loses count of this and negates it wrongly
        raise BadFile("A nested set that excludes every character beyond ASCII is not supported.")
    return ~mask


def _build_named_mask(item: NamedClass) -> Mask:
    mask = np.zeros(SIZE, np.bool_)
    for first, end in _spans(item.source):
        mask[first:end] = True
    return ~mask if item.negated else mask


@lru_cache(maxsize=32)
def _spans(source: str) -> list[tuple[int, int]]:
    """Return the code points of a class as (first, end)."""
    mask = np.zeros(SIZE, np.bool_)
    for match in regex.finditer(f"[{source}]+", "".join(map(chr, range(SIZE))), regex.V0):
        mask[match.start() : match.end()] = True
    mask[CHANGED] = mask[REPLACED]
    return ranges(mask)


def ranges(mask: Mask) -> list[tuple[int, int]]:
    """Return the members of a set as (first, end), in order.

    >>> ranges(build_mask(CharSet((((0x61, 0x7A),), ((0x6A, 0xFF),)))))
    [(106, 123)]
    """
    edges = np.flatnonzero(np.diff(mask, prepend=False, append=False))
    return [(int(first), int(end)) for first, end in edges.reshape(-1, 2)]


def is_stable(mask: Mask) -> bool:
    """Return whether a set has a newer character exactly if it has the one that `as_of_16` replaces it by."""
    return bool((mask[CHANGED] == mask[REPLACED]).all())


def agrees_as_of_16(first: int, last: int) -> bool:
    """Return whether a range has a newer character exactly if it has the one that `as_of_16` replaces it by.

    >>> agrees_as_of_16(0x41, 0x5A), agrees_as_of_16(0x500, 0x5FF)
    (True, False)
    """
    return bool((((first <= CHANGED) & (last >= CHANGED)) == ((first <= REPLACED) & (last >= REPLACED))).all())


def spell_ranges(spans: list[tuple[int, int]]) -> str:
    r"""Return ranges as they are written inside a set of `regex`.

    >>> spell_ranges([(0x5D, 0x5E), (0x61, 0x7B)])
    '\\]a-z'
    """
    return "".join(
        _char(first) if end - first == 1 else f"{_char(first)}-{_char(end - 1)}" for first, end in spans if first < end
    )


def _char(code: int) -> str:
    char = chr(code)
    return rf"\u{code:04X}" if 0xD800 <= code < 0xE000 else f"\\{char}" if char in ESCAPED else char


NAMES = """
C CC CF CN CO CS L LC LL LM LO LT LU M MC ME MN N ND NL NO P PC PD PE PF PI PO PS S SC SK SM SO Z ZL ZP ZS OTHER
CONTROL FORMAT UNASSIGNED PRIVATEUSE SURROGATE LETTER CASEDLETTER LOWERCASELETTER MODIFIERLETTER OTHERLETTER
TITLECASELETTER UPPERCASELETTER MARK COMBININGMARK SPACINGMARK ENCLOSINGMARK NONSPACINGMARK NUMBER DECIMALNUMBER
LETTERNUMBER OTHERNUMBER PUNCTUATION CONNECTORPUNCTUATION DASHPUNCTUATION CLOSEPUNCTUATION FINALPUNCTUATION
INITIALPUNCTUATION OTHERPUNCTUATION OPENPUNCTUATION SYMBOL CURRENCYSYMBOL MODIFIERSYMBOL MATHSYMBOL OTHERSYMBOL
SEPARATOR LINESEPARATOR PARAGRAPHSEPARATOR SPACESEPARATOR ALPHABETIC LOWERCASE UPPERCASE WHITESPACE EMOJI
EMOJIPRESENTATION IDEOGRAPHIC HEXDIGIT DASH ASCIIHEXDIGIT BIDICONTROL CASED CASEIGNORABLE CHANGESWHENCASEFOLDED
CHANGESWHENLOWERCASED DEFAULTIGNORABLECODEPOINT DEPRECATED EMOJICOMPONENT EMOJIMODIFIER EMOJIMODIFIERBASE EXTENDER
GRAPHEMEBASE GRAPHEMEEXTEND HYPHEN IDCONTINUE IDSTART JOINCONTROL MATH NONCHARACTERCODEPOINT PATTERNWHITESPACE
QUOTATIONMARK RADICAL REGIONALINDICATOR SENTENCETERMINAL SOFTDOTTED TERMINALPUNCTUATION UNIFIEDIDEOGRAPH
VARIATIONSELECTOR XIDCONTINUE XIDSTART
"""
"""General categories and binary properties that agree with the library at every code point of Unicode 16.0."""
WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}"
"""What `\\w` is inside a set."""
WORD_OUTSIDE = WORD + "²³¹¼½¾"
"""What `\\w` and `\\b` mean outside a set: also the Latin-1 characters that are a number in some other way."""
POSIX = {
    "alnum": NamedClass(r"\p{Alphabetic}\p{Nd}"),
    "alpha": NamedClass(r"\p{Alphabetic}"),
    "ascii": NamedClass(r"\x00-\x7F"),
    "blank": NamedClass(r"\t\p{Zs}"),
    "cntrl": NamedClass(r"\p{Cc}"),
    "digit": NamedClass(r"\p{Nd}"),
    "graph": NamedClass(r"\s\p{Cc}\p{Cn}\p{Cs}", negated=True),
    "lower": NamedClass(r"\p{Lowercase}"),
    "print": NamedClass(r"\p{Cc}\p{Cn}\p{Cs}\u2028\u2029", negated=True),
    "punct": NamedClass(r"\p{P}\p{S}"),
    "space": NamedClass(r"\s"),
    "upper": NamedClass(r"\p{Uppercase}"),
    "word": NamedClass(WORD),
    "xdigit": NamedClass("0-9A-Fa-f"),
}
"""The classes of POSIX in a set, `[:name:]`, as Oniguruma extends them over Unicode."""
PROPERTIES = {name.upper(): item for name, item in POSIX.items()} | {
    "ANY": NamedClass(r"\x00-\U0010FFFF"),
    "ASSIGNED": NamedClass(r"\p{Cn}", negated=True),
    "PUNCT": NamedClass(r"\p{P}"),
}
"""Classes that `\\p{name}` has beside those of Unicode."""
