"""The versions of Unicode that the libraries are built on, and how to read a text as they do.

The regular expressions of tiktoken and `tokenizers` know Unicode 16.0, while the `regex` module is ahead of them.
`tokenizers` 0.23 has other tables, too: 8.0 for the categories that BERT's components use, 9.0 for normalization forms
and marks, and Rust's own, 17.0, for digits and lower case. Found by probing every code point; the tests repeat it.
"""

from collections.abc import Iterator

import regex

NEWER = """
558 58B-58C 5C8-5C9 88F B53-B54 C5C CDC 1ACF-1AF0 208F 209D-209F 20C1-20C4 2B96 2E60-2E63 A7CE-A7CF A7D2 A7D4 A7DD
A7E2 A7F1 AB6C-AB6D FBC3-FBD2 FD90-FD91 FDC8-FDCE 107BB-107BF 10940-10959 10EC5-10EC7 10EC9-10EEE 10EF0-10EFB 11B0A
11B60-11B67 11DB0-11DDB 11DE0-11DE9 11DF0-11DF1 1246F 12475-1247F 12550-12686 16EA0-16EB8 16EBB-16ED3 16FF2-16FF6
187F8-187FF 18CD6-18CDA 18D09-18D20 18D80-18DF2 18E00-19191 191A0-191D2 1B123-1B128 1B168 1CCFA-1CCFC 1CEBA-1CED0
1CED2-1CED4 1CEDD-1CEFD 1D127-1D128 1D1EB-1D1FF 1D250-1D281 1D6A6 1DB00-1DB1C 1DF1F-1DF24 1DF2B-1DF81 1DF90-1DF96
1DFCD-1DFFF 1E6C0-1E6DE 1E6E0-1E6F5 1E6FE-1E6FF 1F1AE 1F6D8-1F6D9 1F777-1F77A 1F7DA-1F7DB 1F7F1-1F7FF 1F8D0-1F8D8
1FA54-1FA57 1FA8A-1FA8E 1FAC8 1FACC-1FACD 1FADD 1FAEA-1FAEB 1FAEF 1FAF9-1FAFA 1FBFA 2B73A-2B73F 2B81E 2CEA2-2CEAD
323B0-33479 3D000-3FC3F
"""
"""Code points and ranges, in hex, that versions after 16.0 assigned."""

UNASSIGNED = 0x378
"""A code point that no version assigns; it replaces newer ones."""

RECLASSED = {0x295: 0x258}
"""U+0295 was a lowercase letter until 16.0, so another one without an uppercase letter, U+0258, replaces it."""


def code_points(ranges: str) -> Iterator[int]:
    """Yield the members of a list of code points and ranges in hex.

    >>> [*code_points("41 61-63")]
    [65, 97, 98, 99]
    """
    for item in ranges.split():
        first, _, last = item.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


def character_class(ranges: str) -> str:
    r"""Return the class of a pattern for the same list; one of every character takes `regex` long to compile.

    >>> character_class("41 61-63")
    '[\\U00000041-\\U00000041\\U00000061-\\U00000063]'
    """
    ends = [item.partition("-") for item in ranges.split()]
    return "[" + "".join(f"\\U{first:0>8}-\\U{last or first:0>8}" for first, _, last in ends) + "]"


TABLE = RECLASSED | dict.fromkeys(code_points(NEWER), UNASSIGNED)
CHANGED = frozenset(map(chr, TABLE))


def as_of_16(text: str) -> str:
    r"""Replace each code point by one with the same classes as it had in Unicode 16.0; the length stays.

    >>> as_of_16("a\u0558") == "a\u0378"
    True
    """
    return text if CHANGED.isdisjoint(set(text)) else text.translate(TABLE)


SINCE_9 = """
558 58B-58C 5C8-5C9 7FD 897-89F 8CA-8D3 9FE AFA-AFF B53-B55 C04 C3C CF3 D00 D3B-D3C D81 EBA ECE 1715 180F 1ABF-1AF0 1CF7
1DF6-1DFA 209D-209F 32FF A7F1-A7F4 A82C A8FF AB69 105C9 105D2 105DA 105E4 10781-10785 10787-107B0 107B2-107BF
10D24-10D27 10D69-10D6D 10EAB-10EAC 10ECB-10ECF 10EF0-10EFF 10F46-10F50 10F82-10F85 11070 11073-11074 110C2 11145-11146
111C9 111CE-111CF 11241 1133B 11382-11385 1138B 1138E 11390-11391 113B8-113C0 113C2 113C5 113C7-113CA 113CC-113D0 113D2
113E1-113E2 1145E 1182C-1183A 11930-11935 11937-11938 1193B-1193E 11940 11942-11943 119D1-119D7 119DA-119E0 119E4
11A01-11A0A 11A33-11A39 11A3B-11A3E 11A47 11A51-11A5B 11A8A-11A99 11B60-11B67 11D31-11D36 11D3A 11D3C-11D3D 11D3F-11D45
11D47 11D8A-11D8E 11D90-11D91 11D93-11D97 11DF0 11EF3-11EF6 11F00-11F01 11F03 11F34-11F3A 11F3E-11F42 11F5A 13440
13447-13455 1611E-1612F 16D63 16D67-16D6A 16F4F 16F7F-16F87 16FE4 16FF0-16FF1 1B123-1B126 1CCD6-1CCF9 1CF00-1CF2D
1CF30-1CF46 1D127-1D128 1D250-1D252 1D25B-1D25C 1D25F 1D280-1D281 1D6A6 1DF95 1DFCD-1DFFF 1E030-1E06D 1E08F 1E130-1E136
1E2AE 1E2EC-1E2EF 1E4EC-1E4EF 1E5EE-1E5EF 1E6E3 1E6E6 1E6EE-1E6EF 1E6F5 1F16C 1FBF0-1FBF9
"""
"""Marks that are not in version 9.0, and other characters that its normalizer does not reorder, decompose or compose.
"""

SINCE_8 = """
61D 890-891 8D4-8E2 9FD A76 C77 C84 1885-1886 1B4E-1B4F 1B7D-1B7F 1DFB 2E43-2E4F 2E52-2E5D 2E60-2E63 A8C5 A9BD 10D6E
10EAD 10ED0 10F55-10F59 10F86-10F89 110CD 1123E 113D4-113D5 113D7-113D8 11438-1143F 11442-11444 11446 1144B-1144F
1145A-1145B 1145D 11660-1166C 116B9 1183B 11944-11946 119E2 11A3F-11A46 11A9A-11A9C 11A9E-11AA2 11B00-11B09 11BE1
11C30-11C36 11C38-11C3D 11C3F 11C41-11C45 11C70-11C71 11C92-11CA7 11CAA-11CB0 11CB2-11CB3 11CB5-11CB6 11EF7-11EF8
11F43-11F4F 11FFF 12FF1-12FF2 13430-1343F 16D6D-16D6F 16E97-16E9A 16FE2 1E000-1E006 1E008-1E018 1E01B-1E021 1E023-1E024
1E026-1E02A 1E5FF 1E944-1E94A 1E95E-1E95F
"""
"""Other marks, punctuation and format characters that are not in version 8.0."""

SINCE_17 = "1246F 12475-1247F 12550-12686"
"""Numbers that are not in version 17.0."""

LOWER = {
    **{0x10D50 + i: chr(0x10D70 + i) for i in range(22)},
    **{0x16EA0 + i: chr(0x16EBB + i) for i in range(25)},
    **{upper: chr(upper + 1) for upper in (0x1C89, 0xA7CC, 0xA7CE, 0xA7D2, 0xA7D4, 0xA7DA)},
    0xA7CB: "\u0264",
    0xA7DC: "\u019b",
    ord("Σ"): "σ",
}
"""Lower case of letters that Python's tables may lack, and of Σ: Rust's lowercasing of one character has no final ς."""

MARK = "\u0300"
PUNCTUATION = "!"
CATEGORIES = dict.fromkeys(code_points(SINCE_8 + SINCE_9), chr(UNASSIGNED)) | {
    0x1734: MARK,
    0x1171E: MARK,
    0x166D: PUNCTUATION,
    0x111C9: PUNCTUATION,
}
MARKS = dict.fromkeys(code_points(SINCE_9), chr(UNASSIGNED)) | {0x1CF2: MARK, 0x1CF3: MARK}
NUMBERS = dict.fromkeys(code_points(SINCE_17), chr(UNASSIGNED))
BARRIER = regex.compile(character_class(SINCE_9))


def as_of_8(text: str) -> str:
    r"""Replace marks, punctuation and format characters by ones with their classes in Unicode 8.0.

    >>> as_of_8("a\u061d") == "a\u0378"
    True
    """
    return text if text.isascii() else text.translate(CATEGORIES)


def marks_as_of_9(text: str) -> str:
    r"""Replace marks by ones with their classes in Unicode 9.0.

    >>> marks_as_of_9("a\u07fd") == "a\u0378"
    True
    """
    return text if text.isascii() else text.translate(MARKS)


def numbers_as_of_17(text: str) -> str:
    r"""Replace numbers by ones with their classes in Unicode 17.0.

    >>> numbers_as_of_17("1\U0001246f") == "1\u0378"
    True
    """
    return text if text.isascii() else text.translate(NUMBERS)


def lower(text: str) -> str:
    """Lowercase by the tables of Unicode 17.0, character by character.

    >>> lower("ΟΣ"), len(lower("İ"))
    ('οσ', 2)
    """
    return text.lower() if text.isascii() else text.translate(LOWER).lower()
