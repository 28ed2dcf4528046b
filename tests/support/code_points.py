"""The code points over which laws of Unicode run.

Nightly, that is all 1,112,064. Before a commit, it is those below U+3400, where most scripts are; of the others, each
that is decomposed or has a case, the first and the last of those that follow each other with the same properties, and
every 251st: the other ideographs, syllables, private and unassigned ones are each as their neighbours.
"""

import unicodedata
from itertools import groupby

from tokenarium.scratch.compat.unicode_versions import CHANGED

from tests.conftest import TIER


def properties(char):
    return unicodedata.category(char), unicodedata.combining(char), char in CHANGED


def ends(chars):
    for _, run in groupby(chars, key=properties):
        first, *others = run
        yield from (first, *others[-1:])


def changes(char):
    return unicodedata.decomposition(char) or not char.lower() == char.upper() == char.casefold() == char


ALL = [chr(code) for code in (*range(0xD800), *range(0xE000, 0x110000))]
ASSIGNED = [char for char in ALL if char < "\U00034000" or "\U000e0000" <= char < "\U000e1000"]  # the planes with any
SOME = {*ALL[:0x3400], *filter(changes, ASSIGNED), *ends(ASSIGNED), *ALL[::251]}
CODE_POINTS = ALL if TIER == "nightly" else sorted(SOME)
