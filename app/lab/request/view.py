"""What the page shows of a request: a bar of its kinds, a treemap of its parts, the parts with tokens, and examples."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..cell_views import CellView, cell_views, cursive, is_bidirectional
from ..cells import Window, expand
from ..charts import Scale, TreemapTile, squarify
from ..chat.templates import Change, difference
from ..costs import Span
from ..examples import TextExample
from .bill import BillCheck, check_bill
from .diet import DietFinding
from .parts import KINDS, PartKind, RequestCount, RequestPart
from .tools import ToolServer, group_tools

MODELS = (
    *("gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-5", "o3", "claude-opus-5", "claude-sonnet-4-5", "claude-haiku-4-5"),
    *("gemini-2.5-pro", "gemini-3.1-pro-preview", "qwen3", "qwen3.5", "deepseek-v3", "glm-4", "kimi-k2", "gemma4"),
    *("gpt-oss-120b", "mistral-v3", "tekken", "phi-3"),
)
"""Models that the page suggests."""
WIDTH, HEIGHT = 1000, 300
"""Of the treemap, in units of its drawing; the bar is as wide."""
MAX_PARTS = 200
"""Parts that are listed and drawn, the largest; the others are summed up."""
MAX_TOKENS = 300
"""Tokens of a part that are shown."""
MAX_SHOWN = 6_000
"""Tokens of all parts that are shown."""
MAX_LINES, MAX_LINE = 40, 400
"""Changed lines that are shown of what could be shorter, and characters of a line."""
MAX_TEXT = 2_000
"""Characters of a part that are shown as text, where its tokens are not known."""
LETTER = 9.5
"""Width of a letter in the treemap."""
SLIDE_LETTER = 45
"""The same on the slide of a phone."""


@dataclass(frozen=True, slots=True)
class KindSegment:
    """A kind of parts in the bar."""

    kind: PartKind
    x: float
    width: float
    tokens: Span


@dataclass(frozen=True, slots=True)
class PartTile:
    """A part in the treemap; `label` is its name as far as there is room."""

    tile: TreemapTile
    part: RequestPart
    label: str

    @property
    def presented(self) -> bool:
        """True if there is room for the whole name in the letters of a slide, on a phone, too."""
        return self.label == self.part.name and len(self.label) * SLIDE_LETTER < self.tile.width


@dataclass(frozen=True, slots=True)
class ShownPart:
    """A part in the list: its number, its share of all tokens, and how many of its tokens are shown."""

    number: int
    part: RequestPart
    share: float
    room: int

    @property
    def windows(self) -> Iterator[Window]:
        """The first tokens."""
        room = self.room
        for window in self.part.windows:
            if room <= 0 or self.part.shown is None:
                return
            cut = window.stop - window.start > room
            shown = expand(self.part.shown, window.start, window.start + room) if cut else window
            room -= shown.stop - shown.start
            yield shown

    def cell_views(self, window: Window) -> Iterator[CellView]:
        """Yield the cells of a window as they are displayed."""
        return cell_views(self.part.shown, window) if self.part.shown else iter(())

    def cursive(self, window: Window) -> bool:
        """True if letters of the window connect to their neighbours."""
        return self.part.shown is not None and cursive(window.text(self.part.shown.data))

    def is_bidirectional(self, window: Window) -> bool:
        """True if the window has letters that are written from right to left."""
        return self.part.shown is not None and is_bidirectional(window.text(self.part.shown.data))

    @property
    def left_out(self) -> int:
        """The number of tokens that are not shown."""
        whole, shown = (sum(one.stop - one.start for one in windows) for windows in (self.part.windows, self.windows))
        return whole - shown

    @property
    def text(self) -> str:
        return self.part.text[:MAX_TEXT]


@dataclass(frozen=True, slots=True)
class SavingView:
    """Something that could be shorter; `lines` is None if the texts are too long to be compared."""

    finding: DietFinding
    lines: list[tuple[Change, str]] | None

    @property
    def shown(self) -> list[tuple[Change, str]]:
        """The first lines that change, long ones cut."""
        return [(kind, line[:MAX_LINE]) for kind, line in (self.lines or [])[:MAX_LINES]]


EXAMPLES = tuple(
    TextExample(id, **entry)
    for id, entry in tomllib.loads(Path(__file__).with_name("examples.toml").read_text()).items()
)
"""What the page counts before something is pasted, the first by itself."""


@dataclass(frozen=True)
class RequestView:
    """A counted request as the page shows it."""

    count: RequestCount
    savings: Sequence[DietFinding] = ()

    @property
    def changes(self) -> list[SavingView]:
        """What could be shorter, with the lines that change."""
        return [SavingView(one, difference(one.before, one.after)) for one in self.savings]

    @cached_property
    def bill(self) -> BillCheck | None:
        return check_bill(self.count)

    @cached_property
    def servers(self) -> list[ToolServer]:
        """The tools by server; none where no tool names one."""
        servers = group_tools(self.count)
        return servers if any(server.name for server in servers) else []

    @cached_property
    def segments(self) -> list[KindSegment]:
        """The bar: each kind as wide as its tokens, the middle of a range."""
        whole = sum(_middle(span) for _, span in self.count.by_kind) or 1
        scale = Scale(0, whole, 0, WIDTH, digits=2)
        segments = []
        before = 0.0
        for kind, span in self.count.by_kind:
            segments.append(KindSegment(kind, scale.place(before), scale.place(_middle(span)), span))
            before += _middle(span)
        return segments

    @cached_property
    def listed(self) -> list[ShownPart]:
        """The largest parts in the order of the request."""
        order = sorted(range(len(self.count.parts)), key=lambda i: -_middle(self.count.parts[i].tokens))
        whole = _middle(self.count.tokens) or 1
        shown = []
        room = MAX_SHOWN
        for i in order[:MAX_PARTS]:
            part = self.count.parts[i]
            given = max(0, min(MAX_TOKENS, room))
            room -= min(given, sum(window.stop - window.start for window in part.windows))
            shown.append(ShownPart(i, part, _middle(part.tokens) / whole, given))
        return sorted(shown, key=lambda one: one.number)

    @property
    def others(self) -> int:
        """The number of parts that are not listed."""
        return max(0, len(self.count.parts) - MAX_PARTS)

    @cached_property
    def tiles(self) -> list[PartTile]:
        """The treemap of the listed parts."""
        values = [_middle(one.part.tokens) for one in self.listed]
        return [
            PartTile(tile, self.listed[tile.index].part, _fit(self.listed[tile.index].part.name, tile))
            for tile in squarify(values, WIDTH, HEIGHT)
        ]

    @property
    def names(self) -> dict[PartKind, str]:
        return KINDS

    @property
    def tones(self) -> dict[PartKind, int]:
        """The colour of each kind."""
        return {kind: tone for tone, kind in enumerate(KINDS)}


def _middle(span: Span | None) -> float:
    return span.middle if span else 0.0


def _fit(name: str, tile: TreemapTile) -> str:
    """Return as much of a name as a tile has room for."""
    room = int((tile.width - 12) / LETTER)
    if tile.height < 24 or room < 3:
        return ""
    return name if len(name) <= room else f"{name[: room - 1]}…"
