"""Ranks of byte-level BPE."""

from hypothesis import strategies as st

BYTES = {bytes([byte]): byte for byte in range(256)}


@st.composite
def vocabularies(draw):
    """Ranks grown by joining two known entries at a time, as training does."""
    ranks = {bytes([byte]): byte for byte in b"abc"}
    for _ in range(draw(st.integers(0, 12))):
        known = sorted(ranks)
        ranks.setdefault(draw(st.sampled_from(known)) + draw(st.sampled_from(known)), len(ranks) + 256)
    return ranks
