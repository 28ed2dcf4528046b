"""Windows: a long encoding in stretches to be shown one at a time, cut where no token and no cluster is split."""

from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
import regex
from numpy.typing import NDArray

from app.lab.tokenize import Tokenization

SIZE = 1000
"""Tokens a window, about."""

SEARCH = 200
"""How many tokens further a window may reach to end well."""

BREAK_CLASSES = ("Extend", "ZWJ", "SpacingMark", "Prepend", "RI", "L", "V", "T", "LV", "LVT")
JOINERS = "".join(rf"\p{{GCB={name}}}" for name in BREAK_CLASSES)
CLUSTER = regex.compile(r"\p{RI}{2}(?=\p{RI})|\X")
r"""One grapheme cluster. The first branch only saves time: `\X` alone looks back to where a run of flags began."""
UNSAFE = regex.compile(rf"[{JOINERS}].|.[{JOINERS}]|\r\n", regex.DOTALL)


@dataclass(frozen=True, slots=True)
class Window:
    """Tokens start to stop and the bytes they lie in."""

    index: int
    start: int
    stop: int
    byte_start: int
    byte_stop: int

    def text(self, data: bytes) -> str:
        """The part of the input this window shows."""
        return data[self.byte_start : self.byte_stop].decode()


def windows(done: Tokenization) -> list[Window]:
    """All windows of an encoding; a text without tokens has one.

    Each window's tokens lie wholly in its bytes, and the bytes of all windows tile the input.
    """
    total = len(done.encoding)
    clean = _clean(done)
    exact: set[int] | None = None
    cuts = [(0, 0)]
    for nominal in range(SIZE, total, SIZE):
        found = (np.flatnonzero(clean[nominal : nominal + SEARCH]) + nominal).tolist()
        places = [(index, int(done.encoding.byte_starts[index])) for index in found]
        best = next((place for place in places if _surely_apart(done.data, place[1])), None)
        if best is None and places:
            exact = _cluster_starts(done.text) if exact is None else exact
            best = next((place for place in places if place[1] in exact), places[0])
        if best and best[0] > cuts[-1][0]:
            cuts.append(best)
    cuts.append((total, len(done.data)))
    return [Window(i, start, stop, first, last) for i, ((start, first), (stop, last)) in enumerate(pairwise(cuts))]


def _clean(done: Tokenization) -> NDArray[np.bool_]:
    """By token: whether the text can be cut before it without splitting a character or any token."""
    starts, ends = done.encoding.byte_starts, done.encoding.byte_ends
    if not len(starts):
        return np.zeros(0, np.bool_)
    reached = np.append(0, np.maximum.accumulate(ends)[:-1])
    later = np.minimum.accumulate(starts[::-1])[::-1]
    lead = (np.frombuffer(done.data + b" ", np.uint8) & 0xC0) != 0x80
    clean: NDArray[np.bool_] = (reached <= starts) & (starts <= later) & (starts < ends) & lead[starts]
    return clean


def _surely_apart(data: bytes, at: int) -> bool:
    """Whether the characters on both sides of a place never share a grapheme cluster, judged by these two alone."""
    before, after = data[max(0, at - 4) : at].decode(errors="ignore"), data[at : at + 4].decode(errors="ignore")
    return UNSAFE.match(before[-1:] + after[:1]) is None


def _cluster_starts(text: str) -> set[int]:
    """The byte at which each grapheme cluster begins; for texts where two characters do not tell."""
    return {0, *accumulate(len(found.group().encode()) for found in CLUSTER.finditer(text))}
