"""Trees: of what a symbol was made, downward to the symbols that there were in the beginning."""

from collections import deque
from collections.abc import Callable, Sequence

from app.lab.steps.frames import Node, Tile

NODES = 127
"""Symbols in one tree, at most: those further down have trees of their own."""


def tree(
    id: int, *, parts: Callable[[int], Sequence[int]], tile: Callable[[int], Tile], step: Callable[[int], int | None]
) -> Node:
    """The tree of a symbol, wide before deep, until it has `NODES` nodes.

    >>> made_of = {3: (0, 1), 4: (3, 2)}
    >>> top = tree(
    ...     4, parts=lambda id: made_of.get(id, ()), tile=lambda id: Tile(str(id), id), step=lambda id: id - 2
    ... )
    >>> top.tile.text, [node.tile.text for node in top.parts], [node.tile.text for node in top.parts[0].parts]
    ('4', ['3', '2'], ['0', '1'])
    """
    queue = deque([id])
    found: list[tuple[int, range]] = []  # each symbol, and where its parts will be found
    while queue:
        symbol = queue.popleft()
        known = len(found) + 1 + len(queue)
        below = parts(symbol)
        if known + len(below) > NODES:
            below = ()
        found.append((symbol, range(known, known + len(below))))
        queue.extend(below)
    nodes: dict[int, Node] = {}
    for place in reversed(range(len(found))):
        symbol, places = found[place]
        nodes[place] = Node(tile(symbol), step(symbol), tuple(nodes[at] for at in places))
    return nodes[0]
