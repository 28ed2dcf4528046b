r"""Where a tokenized text can be divided for display: grapheme clusters, cells and windows.

A *grapheme cluster* (UAX #29) is what a reader sees as one character. A *cell* is the smallest run of input that splits
neither a token nor a cluster; cells are what gets coloured. A *window* is about a thousand tokens of a long text, which
a page shows at a time; it splits no token and, wherever possible, no cluster.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np
import regex
from numpy.typing import NDArray

from ..types import Cell, Token
from .tokenize import Tokenization

MAX_CLUSTER = 32
"""Code points after which a cluster is divided; natural text stays below (UAX #15, Stream-Safe Text Format)."""
WINDOW_TOKENS = 1000
"""Tokens in a window, about."""
SEARCH_TOKENS = 200
"""Number of tokens by which a window may be longer to end at a cluster boundary."""

BREAK_CLASSES = ("Extend", "ZWJ", "SpacingMark", "Prepend", "RI", "L", "V", "T", "LV", "LVT")
JOINERS = "".join(rf"\p{{GCB={name}}}" for name in BREAK_CLASSES)
# `\X` alone gives the same clusters, but looks back to the start of a run of flags at each of them: quadratic time.
CLUSTER = regex.compile(r"\p{RI}{2}(?=\p{RI})|\X")
MAY_JOIN = regex.compile(rf"[{JOINERS}].|.[{JOINERS}]|\r\n", regex.DOTALL)


@dataclass(frozen=True, slots=True)
class Window:
    """The tokens from `start` to `stop`, and the bytes that they lie in."""

    index: int
    start: int
    stop: int
    byte_start: int
    byte_stop: int

    def text(self, data: bytes) -> str:
        """Return the part of the input that this window shows."""
        return data[self.byte_start : self.byte_stop].decode()


def clusters(text: str) -> Iterator[str]:
    r"""Yield the grapheme clusters of a text, very long ones in parts of `MAX_CLUSTER` code points.

    >>> list(clusters("e\u0301👩‍🚀!")) == ["e\u0301", "👩‍🚀", "!"]
    True
    """
    for match in CLUSTER.finditer(text):
        cluster = match.group()
        for start in range(0, len(cluster), MAX_CLUSTER):
            yield cluster[start : start + MAX_CLUSTER]


def cells(tokenization: Tokenization, window: Window | None = None) -> list[Cell]:
    """Return the cells of a window, or of the whole text, in order; their texts join to it.

    Input that no token covers becomes a cell without tokens. A token that covers no input becomes a cell without text.
    """
    if window is None:
        window = Window(0, 0, len(tokenization.encoding), 0, len(tokenization.data))
    tokens = list(tokenization.tokens(window.start, window.stop))
    spans = sorted((token.byte_start, token.byte_end) for token in tokens)
    edges = _edges(tokenization.data, window.byte_start, window.byte_stop, spans)
    return list(_fill_cells(tokenization.data, edges, tokens))


def _edges(data: bytes, start: int, stop: int, spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return the byte positions between clusters at which cells can begin or end, with the start and the end.

    Clusters are found only where two characters alone do not tell whether a bound of a token divides one.
    """
    edges = [start]
    known = 0  # spans that begin before the last edge
    unsure = False
    for position in _bounds(start, stop, spans):
        if position < stop and not _surely_apart(data, position):
            unsure = True
            continue
        following = bisect_left(spans, (position, 0), known)
        if unsure:
            edges += _cluster_edges(data[edges[-1] : position].decode(), edges[-1], spans[known:following])
        if edges[-1] < position:
            edges.append(position)
        known, unsure = following, False
    return edges


def _bounds(start: int, stop: int, spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield the byte positions at which a span begins or ends and that no span covers, and the end of the text."""
    last = reached = start
    for first, end in spans:
        if first >= reached:
            for position in (reached, first):
                if position > last:
                    yield position
                    last = position
        reached = max(reached, end)
    if last < reached < stop:
        yield reached
    yield stop


def _cluster_edges(text: str, start: int, spans: Sequence[tuple[int, int]]) -> Iterator[int]:
    """Yield the byte positions between the clusters of a text that no span covers."""
    # `reached` is the furthest end of the spans that begin before `position`.
    position = reached = start
    following = 0
    for cluster in clusters(text):
        position += len(cluster.encode())
        while following < len(spans) and spans[following][0] < position:
            reached = max(reached, spans[following][1])
            following += 1
        if reached <= position:
            yield position


def _fill_cells(data: bytes, edges: Sequence[int], tokens: Sequence[Token]) -> Iterator[Cell]:
    """Yield one cell for every two edges with tokens between them; neighbours without tokens become one gap."""
    queue = sorted(tokens, key=lambda token: (token.byte_start, token.index))
    next_token = 0
    gap = edges[0]
    for start, end in pairwise(edges):
        inside = []
        while next_token < len(queue) and queue[next_token].byte_start < end:
            inside.append(queue[next_token])
            next_token += 1
        if not inside:
            continue
        if gap < start:
            yield Cell(data[gap:start].decode())
        yield from (Cell("", (token,)) for token in inside if token.byte_start == token.byte_end)
        covering = tuple(token for token in inside if token.byte_start < token.byte_end)
        if covering:
            yield Cell(data[start:end].decode(), covering)
            gap = end
        else:
            gap = start
    if gap < edges[-1]:
        yield Cell(data[gap : edges[-1]].decode())
    yield from (Cell("", (token,)) for token in queue[next_token:])


def windows(tokenization: Tokenization) -> list[Window]:
    """Return all windows of an encoding; a text without tokens has one.

    Each window's tokens lie in its bytes completely, and the bytes of all windows tile the input.
    """
    encoding = tokenization.encoding
    data = tokenization.data
    total = len(encoding)
    divisible = _divisible(tokenization)
    exact: set[int] | None = None
    bounds = [(0, 0)]  # (token, byte) at which each window begins
    for nominal in range(WINDOW_TOKENS, total, WINDOW_TOKENS):
        indexes = (np.flatnonzero(divisible[nominal : nominal + SEARCH_TOKENS]) + nominal).tolist()
        candidates = [(index, int(encoding.byte_starts[index])) for index in indexes]
        # Prefer the first boundary that certainly splits no cluster, then the first that splits none, then any.
        best = next((bound for bound in candidates if _surely_apart(data, bound[1])), None)
        if best is None and candidates:
            # Clusters of the whole text take long, so they are found only if two characters alone do not decide.
            ends = accumulate(len(match.group().encode()) for match in CLUSTER.finditer(tokenization.text))
            exact = {0, *ends} if exact is None else exact
            best = next((bound for bound in candidates if bound[1] in exact), candidates[0])
        if best and best[0] > bounds[-1][0]:
            bounds.append(best)
    bounds.append((total, len(data)))
    return [Window(i, start, stop, first, last) for i, ((start, first), (stop, last)) in enumerate(pairwise(bounds))]


def expand(tokenization: Tokenization, start: int, stop: int) -> Window:
    """Return the smallest window with the tokens from `start` to `stop` that splits no character and no token.

    A character of several tokens is in it with all of them. The bounds are moved no further once they are those of a
    window.
    """
    encoding = tokenization.encoding
    bounds = np.union1d(np.flatnonzero(_divisible(tokenization)), (0, len(encoding)))
    places = np.append(encoding.byte_starts, len(tokenization.data))
    places[0] = 0
    first = int(bounds[np.searchsorted(bounds, start, side="right") - 1])
    last = int(bounds[np.searchsorted(bounds, stop)])
    return Window(0, first, last, int(places[first]), int(places[last]))


def _divisible(tokenization: Tokenization) -> NDArray[np.bool_]:
    """Return, by token, whether the text can be divided before it without splitting a character or any token."""
    starts = tokenization.encoding.byte_starts
    ends = tokenization.encoding.byte_ends
    if not len(starts):
        return np.zeros(0, np.bool_)
    # Spans can overlap and be out of order, so look at all tokens before and all after.
    reached = np.append(0, np.maximum.accumulate(ends)[:-1])
    later = np.minimum.accumulate(starts[::-1])[::-1]
    lead = (np.frombuffer(tokenization.data + b" ", np.uint8) & 0xC0) != 0x80
    divisible: NDArray[np.bool_] = (reached <= starts) & (starts <= later) & (starts < ends) & lead[starts]
    return divisible


def _surely_apart(data: bytes, position: int) -> bool:
    """Return whether a byte position lies between two characters that never share a cluster."""
    pair = data[position - 1 : position + 1]
    if pair.isascii():
        return pair != b"\r\n"  # nothing else joins
    if data[position] & 0xC0 == 0x80:
        return False  # inside a character
    before = data[max(0, position - 4) : position].decode(errors="ignore")
    after = data[position : position + 4].decode(errors="ignore")
    return MAY_JOIN.match(before[-1:] + after[:1]) is None
