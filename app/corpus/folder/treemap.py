"""A treemap of the files of a folder: the area of each box is its tokens, boxes of a folder stand together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...lab.charts import TreemapTile, squarify
from .usage import FolderUsage, TokenUsage, find_extension

WIDTH = 1000.0
HEIGHT = 562.5
LABEL = 18.0
"""Height of the name of a folder, in the same units."""
LABELLED = 44.0
"""Width of the narrowest box with a label."""
SMALL = 20.0
"""Shortest side of a folder whose files have boxes of their own."""
COLOURS = 9


@dataclass(frozen=True, slots=True)
class TreemapBox:
    """A file, or a folder whose name ends with /; `whole` if its files have no boxes of their own.

    The place is in a picture of `WIDTH` and `HEIGHT`; `colour` is that of the extension, -1 for rare ones and folders.
    """

    name: str
    tokens: int
    files: int
    colour: int
    whole: bool
    left: float
    top: float
    width: float
    height: float

    @property
    def label(self) -> str:
        """The last part of the name, if it has room."""
        last = self.name.rstrip("/").rpartition("/")[2]
        return last if self.width >= LABELLED and self.height >= LABEL else ""

    @property
    def large(self) -> bool:
        """True if a label has room however it is written: it is shown on slides, too."""
        return self.width >= 22 * len(self.label) and self.height >= 2 * LABEL


@dataclass(slots=True)
class _Node:
    name: str
    tokens: int = 0
    files: int = 0
    children: dict[str, "_Node"] = field(default_factory=dict)


def draw_treemap(usage: FolderUsage, colours: Mapping[str, int]) -> Iterator[TreemapBox]:
    """Yield the boxes of all files by the first tokenizer, a folder before what is in it.

    >>> files = [TokenUsage("a/b.py", [3], 1), TokenUsage("c.md", [1], 1)]
    >>> boxes = [*draw_treemap(FolderUsage(("gpt2",), files), {".py": 0})]
    >>> [(box.name, box.colour, round(box.width), round(box.height)) for box in boxes]
    [('a/', -1, 750, 562), ('a/b.py', 0, 746, 542), ('c.md', -1, 250, 562)]
    """
    top = _Node("")
    for file in usage.files:
        if file.tokens[0] > 0:
            _insert(top, file)
    yield from _draw(top, TreemapTile(0, 0, 0, WIDTH, HEIGHT), colours)


def find_colours(usage: FolderUsage) -> dict[str, int]:
    """Return a colour for each of the extensions with the most tokens."""
    return {row.name: number for number, row in enumerate(usage.group("extension")[:COLOURS])}


def _insert(top: _Node, file: TokenUsage) -> None:
    node = top
    at = ""
    *folders, last = file.name.split("/")
    for part in [*(f"{folder}/" for folder in folders), last]:
        at += part
        node.tokens += file.tokens[0]
        node.files += 1
        node = node.children.setdefault(part, _Node(at))
    node.tokens += file.tokens[0]
    node.files += 1


def _draw(folder: _Node, area: TreemapTile, colours: Mapping[str, int]) -> Iterator[TreemapBox]:
    children = [*folder.children.values()]
    for tile in squarify([child.tokens for child in children], area.width, area.height):
        child, part = children[tile.index], replace(tile, x=area.x + tile.x, y=area.y + tile.y)
        while len(child.children) == 1 and next(iter(child.children.values())).children:
            (child,) = child.children.values()  # folders with nothing but another are one box
        whole = not child.children or min(part.width, part.height) < SMALL
        yield _box(child, part, colours, whole)
        if not whole:
            width, height = max(0.0, part.width - 4), max(0.0, part.height - LABEL - 2)  # below the name
            inner = TreemapTile(part.index, part.x + 2, part.y + LABEL, width, height)
            yield from _draw(child, inner, colours)


def _box(node: _Node, area: TreemapTile, colours: Mapping[str, int], whole: bool) -> TreemapBox:
    colour = -1 if node.name.endswith("/") else colours.get(find_extension(node.name), -1)
    place = (area.x, area.y, area.width, area.height)
    return TreemapBox(node.name, node.tokens, node.files, colour, whole, *(round(one, 1) for one in place))
