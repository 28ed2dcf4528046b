"""The layout of a sheet: sentences, rows of tiles, tables and charts as shapes, from top to bottom.

Letters have the sizes of the page in a window of 1,280 pixels. Whatever is too long for a line goes on in the next one,
so that nothing is left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..charts import Scale, draw_path, shorten_number
from ..palette import tone
from ..steps.drawing import Box, Drawing, Label, PlacedDrawing, Stroke, tile_tone
from ..steps.step import Fact, Row, Table, Tile, TileRow
from ..steps.tiles import visible
from ..typefaces import Face, Words, break_part, is_rtl, measure, measure_part, separate, split_units

MARGIN = 32
RATIO = 16 / 9
CELL = 15
SMALL = 13
TINY = 11
"""Sizes of letters: of tables, of what is secondary, and of axes."""
GAP = 0.196
ROW_GAP = 0.46
LABEL = 0.87
LABEL_WIDTH = 1.57
"""Space between tiles and the lines of a row, and between rows; size and least width of labels; by that of letters."""
SPACE = 18
"""Space between the parts of a sheet."""
CHART = 80
"""Height of a chart."""


@dataclass(slots=True)
class SheetLayout:
    """Shapes from top to bottom of a column, `room` wide from `left` on; `y` is where the next one begins.

    `right` is the end of the widest line, `bottom` that of the first of two columns.
    """

    width: float
    y: float = 40
    left: float = MARGIN
    room: float = 0
    right: float = 0
    bottom: float = 0
    boxes: list[Box] = field(default_factory=list)
    strokes: list[Stroke] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    parts: list[PlacedDrawing] = field(default_factory=list)
    crowded: bool = False
    """True if something was made smaller than it should be."""

    def __post_init__(self) -> None:
        self.room = self.width - 2 * MARGIN

    @property
    def height(self) -> float:
        """The height of the columns."""
        return max(self.y, self.bottom)

    @property
    def fits(self) -> bool:
        """True if all of it has a place on a slide of this width."""
        return not self.crowded and self.height <= self.width / RATIO

    def divide(self, share: float) -> None:
        """Begin a narrower column, which has a share of the width."""
        self.room = share * (self.width - 2 * MARGIN)

    def begin_column(self, top: float) -> None:
        """Begin the last column, right of the one so far, at a height."""
        self.bottom = self.y
        self.left += self.room + 2 * SPACE
        self.room = self.width - MARGIN - self.left
        self.y = top

    @property
    def drawing(self) -> Drawing:
        """The shapes as a drawing."""
        shapes = tuple(self.boxes), tuple(self.strokes), tuple(self.labels)
        return Drawing(self.width, self.height, *shapes, parts=tuple(self.parts))

    def put_note(self, text: str) -> None:
        """Add a line of secondary text."""
        self.put_words((text,), size=SMALL, face="sans", soft=True)

    def put_words(
        self,
        words: Words,
        *,
        size: float,
        face: Face,
        left: float | None = None,
        wide: float = 1e9,
        soft: bool = False,
        bold: bool = False,
    ) -> None:
        """Add a sentence, whose symbols are small tiles, in lines of at most `wide`."""
        left = self.left if left is None else left
        room = min(wide, self.room - left + self.left)
        x = 0.0
        space = measure(" ", face, size)
        for unit in split_units(words):
            width = sum(measure_part(part, face, size, bold) for part in unit)
            if unit == [" "]:
                x += space if x else 0
                continue
            if x and x + width > room:
                x = 0
                self.y += 1.5 * size
            for part in unit:
                for piece, advance in break_part(part, face, size, bold, room):
                    if x and x + advance > room:
                        x = 0
                        self.y += 1.5 * size
                    self._put_part(piece, left + x, advance, size, face, soft, bold)
                    x += advance
                    self.right = max(self.right, left + x)
        self.y += 1.5 * size

    def _put_part(
        self, part: str | Tile, x: float, width: float, size: float, face: Face, soft: bool, bold: bool
    ) -> None:
        if isinstance(part, Tile):
            letter = 0.92 * size
            text, color = visible(part.text), tone(part.key)
            self.boxes.append(
                Box(x, self.y + 0.75 * size - 0.725 * letter, width, text, color, height=1.45 * letter, size=letter)
            )
            return
        last = self.labels[-1] if self.labels else None
        baseline = self.y + 1.1 * size
        if last and (last.y, last.size, last.face, last.soft, last.bold) == (baseline, size, face, soft, bold):
            gap = x - last.x - measure(last.text, face, size, bold=bold)
            if abs(gap) < 0.1 or abs(gap - measure(" ", face, size)) < 0.1:
                self.labels[-1] = replace(last, text=f"{last.text}{' ' if gap > 0.1 else ''}{part}")
                return
        self.labels.append(Label(x, baseline, part, bold, middle=False, face=face, size=size, soft=soft))

    def put_row(self, row: TileRow, *, size: float, faint: bool = False) -> None:
        """Add a row of tiles, which begins at the right if its text is read from there."""
        x = 0.0
        pitch = (1.65 + GAP) * size
        rtl = is_rtl((row.label, *(tile.text for tile in row.tiles)))
        for item in _row_items(row):
            letter, width = self._fit(item, size)
            if x and x + width > self.room:
                x = 0
                self.y += pitch
            left = self.left + (self.room - x - width if rtl else x)
            if isinstance(item, Tile):
                self._put_tile(item, left, width, letter, 1.65 * size, faint and item.mark != "new")
            else:
                baseline = self.y + 0.825 * size + 0.35 * letter
                self.labels.append(Label(left, baseline, item, middle=False, face="sans", size=letter, soft=True))
            x += width + GAP * size
            self.right = max(self.right, left + width)
        self.y += pitch + (ROW_GAP - GAP) * size

    def _fit(self, item: str | Tile, size: float) -> tuple[float, float]:
        """Return the size of the letters of an item of a row, and its width; too wide a tile is made smaller."""
        if isinstance(item, str):
            return LABEL * size, max(measure(item, "sans", LABEL * size), LABEL_WIDTH * size)
        width = measure(visible(item.text), "mono", size) + 0.76 * size
        if width > self.room:
            self.crowded = True
            return size * self.room / width, self.room
        return size, width

    def _put_tile(self, tile: Tile, x: float, width: float, size: float, height: float, faint: bool) -> None:
        text = visible(tile.text)
        seam = x + 0.38 * size + measure(visible(tile.halves[0].text), "mono", size) if len(tile.halves) == 2 else 0
        mark = "rest" if faint else tile.mark
        self.boxes.append(
            Box(x, self.y, width, text, tile_tone(tile), tile.mark == "new", None, height, size, mark, seam)
        )
        left, right, middle = x + 0.38 * size, x + width - 0.38 * size, self.y + height / 2
        if tile.mark == "missed":
            self.strokes.append(Stroke(f"M{left:.1f} {middle:.1f}H{right:.1f}", "strike"))
        if tile.mark == "unknown":
            waves = "q1.5 -3 3 0t3 0" * max(1, round((right - left) / 6))
            self.strokes.append(Stroke(f"M{left:.1f} {middle + 0.55 * size:.1f}{waves}", "strike"))

    def put_figure(self, figure: Drawing) -> None:
        """Add a drawing, smaller if it is wider than there is room."""
        scale = min(1.0, self.room / figure.width)
        self.crowded = self.crowded or scale < 0.8
        self.parts.append(PlacedDrawing(self.left, self.y, figure, scale))
        self.y += figure.height * scale
        self.right = max(self.right, self.left + figure.width * scale)

    def put_beside(self, table: Table | None, facts: Sequence[Fact]) -> None:
        """Add a table, and the facts beside it if there is room for both."""
        if not table and not facts:
            return
        self.y += SPACE
        top, left = self.y, self.left
        columns = _columns(table, self.room) if table else []
        if table:
            self._put_table(table, columns)
        bottom = self.y
        wide = max((_fact_width(fact) for fact in facts), default=0)
        if table and sum(columns) + 40 + wide <= self.room:
            self.y, left = top, self.left + sum(columns) + 40
        for fact in facts:
            words = (f"{fact.value} {fact.change}".rstrip(),)
            name = measure(fact.name, "sans", SMALL) + 8
            self.labels.append(
                Label(left, self.y + 1.1 * CELL, fact.name, middle=False, face="sans", size=SMALL, soft=True)
            )
            self.put_words(words, size=CELL, face="sans", left=left + name)
        self.y = max(bottom, self.y)

    def _put_table(self, table: Table, columns: Sequence[float]) -> None:
        self.put_note(table.title)
        if any(table.heads):
            self._put_cells([(head,) for head in table.heads], columns, head=True)
        for row in table.rows:
            top = self.y
            self._put_cells(_cells(row), columns)
            if row.chosen:
                self.strokes.append(Stroke(f"M{self.left - 6:.1f} {top:.1f}V{self.y:.1f}", "chosen"))
            if row.struck:
                middle = top + 0.75 * CELL
                self.strokes.append(Stroke(f"M{self.left:.1f} {middle:.1f}h{columns[0] - 16:.1f}", "strike"))
        if table.left_out:
            self.put_note(f"and {table.left_out:,} more")

    def _put_cells(self, cells: Sequence[Words], columns: Sequence[float], *, head: bool = False) -> None:
        """Add the cells of a line: the second is a number and ends its column, those after it are secondary."""
        top, bottom, left = self.y, self.y, self.left
        for number, (cell, width) in enumerate(zip(cells, columns, strict=False)):
            size = SMALL if head or number > 1 else CELL
            own = sum(measure_part(part, "sans", size) for part in cell)
            start = left + max(0, width - 16 - own) if number == 1 else left
            self.y = top
            self.put_words(cell, size=size, face="sans", left=start, wide=width - 12, soft=head or number > 1)
            bottom = max(bottom, self.y)
            left += width
        self.y = bottom + 2

    def put_chart(self, values: Sequence[int], at: int) -> None:
        """Add a line of the values by step, with both axes and a mark at one step."""
        self.y += SPACE
        self.put_note(f"Corpus length in tokens: {values[0]:,} → {values[-1]:,}")
        left, right = self.left + 44, self.left + min(self.room, 640)
        across = Scale(0, len(values) - 1, left, right)
        up = Scale(min(values), max(values), self.y + CHART, self.y + 6)
        base = self.y + CHART + 4
        points = [(across.place(step), up.place(value)) for step, value in enumerate(values)]
        self.strokes += [
            Stroke(f"M{left:g} {self.y:.1f}V{base:.1f}H{right:g}"),
            Stroke(draw_path(points), "rule"),
            Stroke(f"M{across.place(at):g} {self.y:.1f}V{base:.1f}", "dashed"),
        ]
        for value in {values[0], values[-1]}:
            label = Label(left - 6, up.place(value) + 4, shorten_number(value), False, False, "sans", TINY, True, True)
            self.labels.append(label)
        for step in {0, at, len(values) - 1}:
            self.labels.append(
                Label(across.place(step), base + 13, f"{step:,}", face="sans", size=TINY, soft=step != at)
            )
        self.y = base + 16
        self.right = max(self.right, right)


def _row_items(row: TileRow) -> Iterator[str | Tile]:
    """Yield what stands in a row, and how much it leaves out at either end."""
    if row.label:
        yield row.label
    if row.left_out_before:
        yield f"{row.left_out_before:,} …"
    yield from row.tiles
    if row.left_out_after:
        yield f"… {row.left_out_after:,} more"


def _cells(row: Row) -> list[Words]:
    """Return the cells of a row as sentences, tokens beside each other with spaces between them."""
    return [(cell,) if isinstance(cell, str) else _spread(cell) for cell in row.cells]


def _spread(cell: Words) -> Words:
    tiles = [part for part in cell if isinstance(part, Tile)]
    return separate(tiles) if len(tiles) == len(cell) else cell


def _columns(table: Table, room: float) -> list[float]:
    """Return the widths of the columns of a table, with the space after them; the widest share what room there is."""
    lines: list[list[Words]] = [[(head,) for head in table.heads], *map(_cells, table.rows)]
    count = max(map(len, lines))
    widths = [
        16 + max(sum(measure_part(part, "sans", CELL) for part in line[at]) for line in lines if at < len(line))
        for at in range(count)
    ]
    left, capped = room, list[float]()
    for number, width in enumerate(sorted(widths)):
        capped.append(min(width, left / (count - number)))
        left -= capped[-1]
    return [min(width, max(capped)) for width in widths]


def _fact_width(fact: Fact) -> float:
    return measure(fact.name, "sans", SMALL) + 8 + measure(f"{fact.value} {fact.change}", "sans", CELL)
