r"""`\X` as Oniguruma 6.9.10 has it: the extended grapheme clusters of Unicode 16.0 (UAX #29) without its rule GB9c.

`regex` is ahead: it keeps Indic conjuncts such as क्ष together, and newer versions have fewer pictographs.
"""

from ..unicode_versions import NEWER, character_class

PICTOGRAPHIC = """
A9 AE 203C 2049 2122 2139 2194-2199 21A9-21AA 231A-231B 2328 2388 23CF 23E9-23F3 23F8-23FA 24C2 25AA-25AB 25B6 25C0
25FB-25FE 2600-2605 2607-2612 2614-2685 2690-2705 2708-2712 2714 2716 271D 2721 2728 2733-2734 2744 2747 274C 274E
2753-2755 2757 2763-2767 2795-2797 27A1 27B0 27BF 2934-2935 2B05-2B07 2B1B-2B1C 2B50 2B55 3030 303D 3297 3299
1F000-1F0FF 1F10D-1F10F 1F12F 1F16C-1F171 1F17E-1F17F 1F18E 1F191-1F19A 1F1AD-1F1E5 1F201-1F20F 1F21A 1F22F 1F232-1F23A
1F23C-1F23F 1F249-1F3FA 1F400-1F53D 1F546-1F64F 1F680-1F6FF 1F774-1F77F 1F7D5-1F7FF 1F80C-1F80F 1F848-1F84F 1F85A-1F85F
1F888-1F88F 1F8AE-1F8FF 1F90C-1F93A 1F93C-1F945 1F947-1FAFF 1FC00-1FFFD
"""
"""Extended_Pictographic in version 16.0, which includes unassigned code points."""


def _set(*values: str) -> str:
    r"""Return the class of code points with one of some values of Grapheme_Cluster_Break.

    >>> _set("L", "V")
    '[\\p{GCB=L}\\p{GCB=V}]'
    """
    names = [rf"\p{{GCB={value}}}" for value in values]
    return f"[{''.join(names)}]"


CONTROL = _set("CR", "LF", "Control")
EXTEND = rf"(?:(?!{character_class(NEWER)}){_set('Extend')})"
CONTINUES = rf"(?:(?!{character_class(NEWER)}){_set('Extend', 'ZWJ', 'SpacingMark')})"
PREPEND = r"[\p{GCB=Prepend}\U00011A3A]"
PICTOGRAPH = character_class(PICTOGRAPHIC)
FLAG = _set("Regional_Indicator")
INSIDE = "|".join(
    (
        f"(?={CONTINUES})",
        f"(?<={PREPEND})(?!{CONTROL})",
        f"(?<={_set('L')})(?={_set('L', 'V', 'LV', 'LVT')})",
        f"(?<={_set('LV', 'V')})(?={_set('V', 'T')})",
        f"(?<={_set('LVT', 'T')})(?={_set('T')})",
        f"(?<={PICTOGRAPH}{EXTEND}*{_set('ZWJ')})(?={PICTOGRAPH})",
        f"(?<=(?<!{FLAG})(?:{FLAG}{FLAG})*{FLAG})(?={FLAG})",
    )
)
"""Where a cluster goes on behind a character that is no control."""
CLUSTER = rf"(?>(?s:.)(?:(?:(?<=\r)(?=\n)|(?<!{CONTROL})(?:{INSIDE}))(?s:.))*)"
r"""A pattern of `regex` that matches what `\X` matches, from anywhere in a text."""
