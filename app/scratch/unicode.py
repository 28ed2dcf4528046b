"""One version of Unicode for all engines: the reference libraries know 16.0, the `regex` module is ahead of them."""

from collections.abc import Iterator

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
"""Code points and ranges, in hex, that versions after 16.0 have assigned."""

UNASSIGNED = 0x378
"""A code point that no version assigns, in whose place the newer ones are read."""

RECLASSED = {0x295: 0x251}
"""U+0295 was a lowercase letter until 16.0 and is read as another one, U+0251."""


def code_points(ranges: str) -> Iterator[int]:
    """The members of a list of code points and ranges in hex.

    >>> [*code_points("41 61-63")]
    [65, 97, 98, 99]
    """
    for item in ranges.split():
        first, _, last = item.partition("-")
        yield from range(int(first, 16), int(last or first, 16) + 1)


TABLE = RECLASSED | dict.fromkeys(code_points(NEWER), UNASSIGNED)
CHANGED = frozenset(map(chr, TABLE))


def as_of_16(text: str) -> str:
    r"""The text as a reader of Unicode 16.0 classes it: as many code points, each of the class it had then.

    >>> as_of_16("a\u0558") == "a\u0378"
    True
    """
    return text if CHANGED.isdisjoint(set(text)) else text.translate(TABLE)
