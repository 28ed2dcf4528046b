"""Cells: the smallest runs of input that split neither a token nor a grapheme cluster (UAX #29)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from app.lab.tokenize import Tokenization
from app.lab.windows import CLUSTER, Window
from app.types import Cell, Token

LONGEST = 32
"""Code points of a cluster before it is cut; natural text keeps below (UAX #15, Stream-Safe Text)."""


def clusters(text: str) -> Iterator[str]:
    r"""Grapheme clusters of a text, very long ones in stretches of `LONGEST` code points.

    >>> list(clusters("e\u0301👩‍🚀!")) == ["e\u0301", "👩‍🚀", "!"]
    True
    """
    for match in CLUSTER.finditer(text):
        found = match.group()
        for start in range(0, len(found), LONGEST):
            yield found[start : start + LONGEST]


def cells(done: Tokenization, window: Window | None = None) -> list[Cell]:
    """The cells of a window, or of the whole text, in order; their texts join to it.

    Input that no token covers is a cell without tokens. A token that stands for no input is a cell
    without text.
    """
    if window is None:
        window = Window(0, 0, len(done.encoding), 0, len(done.data))
    tokens = list(done.tokens(window.start, window.stop))
    edges = _edges(window.text(done.data), window.byte_start, tokens)
    return list(_filled(done.data, edges, tokens))


def _edges(text: str, start: int, tokens: Sequence[Token]) -> list[int]:
    """Byte positions between clusters that no token spans, with the start and the end."""
    spans = sorted((token.byte_start, token.byte_end) for token in tokens if token.byte_start < token.byte_end)
    position, edges, reached, next_span = start, [start], start, 0
    for cluster in clusters(text):
        position += len(cluster.encode())
        while next_span < len(spans) and spans[next_span][0] < position:
            reached = max(reached, spans[next_span][1])
            next_span += 1
        if reached <= position:
            edges.append(position)
    if edges[-1] != position:
        edges.append(position)
    return edges


def _filled(data: bytes, edges: Sequence[int], tokens: Sequence[Token]) -> Iterator[Cell]:
    """One cell between two edges that tokens lie in; neighbours without tokens become one gap."""
    waiting = sorted(tokens, key=lambda token: (token.byte_start, token.index))
    next_token, gap = 0, edges[0]
    for start, end in pairwise(edges):
        held = []
        while next_token < len(waiting) and waiting[next_token].byte_start < end:
            held.append(waiting[next_token])
            next_token += 1
        if not held:
            continue
        if gap < start:
            yield Cell(data[gap:start].decode())
        yield from (Cell("", (token,)) for token in held if token.byte_start == token.byte_end)
        covering = tuple(token for token in held if token.byte_start < token.byte_end)
        if covering:
            yield Cell(data[start:end].decode(), covering)
            gap = end
        else:
            gap = start
    if gap < edges[-1]:
        yield Cell(data[gap : edges[-1]].decode())
    yield from (Cell("", (token,)) for token in waiting[next_token:])
