"""The code points over which laws of Unicode run.

Nightly, that is all 1,112,064. Before a commit, it is all in the planes that have assigned characters, and every 251st
of the others, which are unassigned or private and have no properties of their own.
"""

from tests.conftest import TIER

STEP = {"commit": 251, "nightly": 1}[TIER]
ASSIGNED = *range(0xD800), *range(0xE000, 0x34000), *range(0xE0000, 0xE1000)
CODE_POINTS = [*map(chr, sorted({*ASSIGNED, *range(0x34000, 0x110000, STEP)}))]
