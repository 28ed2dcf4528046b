"""The layout of a region of a sheet: sentences, rows of tiles, tables and charts as shapes, from top to bottom.

Lengths and sizes of letters are in the units of the region. Whatever is too long for a line goes on in the next one.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from ..charts import Scale, draw_path
from ..palette import tone
from ..steps.drawing import Box, Drawing, Label, PlacedDrawing, Stroke, tile_tone
from ..steps.measures import CELL, CELL_PADDING, LINE, PHRASE, ROW, SPACE, TILE, find_turn
from ..steps.step import Cell, Fact, Row, Table, Tile, TileRow
from ..steps.tiles import visible
from ..typefaces import Face, Words, break_part, measure, measure_part, separate, split_units, tile_letters

SENTENCE_LINE = 1.4
"""Height of a line of a sentence, by the size of its letters."""


@dataclass(slots=True)
class RegionLayout:
    """Shapes from top to bottom of a region, `room` wide; `y` is where the next one begins.

    `least` is the size of the smallest letters, and `right` the end of the widest line.
    """

    room: float
    least: float
    y: float = 0
    right: float = 0
    boxes: list[Box] = field(default_factory=list)
    strokes: list[Stroke] = field(default_factory=list)
    labels: list[Label] = field(default_factory=list)
    parts: list[PlacedDrawing] = field(default_factory=list)

    def draw(self, height: float = 0) -> Drawing:
        """Return the shapes as a drawing, by default as high as they are."""
        shapes = tuple(self.boxes), tuple(self.strokes), tuple(self.labels)
        return Drawing(self.room, height or self.y, *shapes, parts=tuple(self.parts))

    def put_note(self, text: str, size: float, *, wide: float = 1e9) -> None:
        """Add a line of secondary text."""
        self.put_words(split_units((text,)), size=size, face="sans", wide=wide, soft=True, line=CELL)

    def put_words(
        self,
        units: Iterable[Sequence[str | Tile]],
        *,
        size: float,
        face: Face,
        left: float = 0,
        wide: float = 1e9,
        soft: bool = False,
        line: float = SENTENCE_LINE,
    ) -> None:
        """Add what stands together in a sentence, with small tiles as its symbols, in lines of at most `wide`."""
        room = min(wide, self.room - left)
        x = 0.0
        space = measure(" ", face, size)
        for unit in units:
            width = sum(measure_part(part, face, size) for part in unit)
            if unit == [" "]:
                x += space if x else 0
                continue
            if x and x + width > room:
                x = 0
                self.y += line * size
            for part in unit:
                for piece, advance in break_part(part, face, size, False, room):
                    if x and x + advance > room:
                        x = 0
                        self.y += line * size
                    self._put_part(piece, left + x, advance, size, face, soft, line)
                    x += advance
                    self.right = max(self.right, left + x)
        self.y += line * size

    def _put_part(
        self, part: str | Tile, x: float, width: float, size: float, face: Face, soft: bool, line: float
    ) -> None:
        baseline = self.y + (line / 2 + 0.35) * size
        if isinstance(part, Tile):
            letter = tile_letters(face, size)
            height = min(1.45, line - 0.06) * letter
            top = self.y + (line * size - height) / 2
            self.boxes.append(Box(x, top, width, visible(part.text), tone(part.key), height=height, size=letter))
            return
        last = self.labels[-1] if self.labels else None
        if last and (last.y, last.size, last.face, last.soft) == (baseline, size, face, soft):
            gap = x - last.x - measure(last.text, face, size)
            if abs(gap) < 0.1 or abs(gap - measure(" ", face, size)) < 0.1:
                self.labels[-1] = replace(last, text=f"{last.text}{' ' if gap > 0.1 else ''}{part}")
                return
        self.labels.append(Label(x, baseline, part, middle=False, face=face, size=size, soft=soft))

    def put_rows(self, rows: Sequence[TileRow], *, size: float, columns: int = 1, labels: int = 0) -> None:
        """Add rows of tiles in columns, each after a label of up to so many characters."""
        for at in range(0, len(rows), columns):
            top, bottom = self.y, self.y
            for column, row in enumerate(rows[at : at + columns]):
                self.y = top
                self.put_row(row, size=size, left=column * self.room / columns, share=1 / columns, labels=labels)
                bottom = max(bottom, self.y)
            self.y = bottom

    def put_row(
        self, row: TileRow, *, size: float, left: float = 0, share: float = 1, labels: int = 0, faint: bool = False
    ) -> None:
        """Add a row of tiles, from left to right in every script, as tables and sentences have them."""
        start, room = self._put_label(row, size, left, share * self.room - (size if share < 1 else 0), labels)
        x = 0.0
        items = [*_row_items(row, size, room)]
        turn = len(items) - 2 if find_turn(row, room / size) else 0
        for number, item in enumerate(items):
            letter, width = self._fit(item, size, room)
            if x and (x + width > room or number == turn):
                x = 0
                self.y += LINE * size
            at = start + x
            if isinstance(item, Tile):
                self.put_tile(item, at, width, letter, size, faint=faint and item.mark != "new")
            else:
                self._put_soft(item, at, letter, size)
            x += width + SPACE * size
            self.right = max(self.right, at + width)
        self.y += ROW * size

    def _put_label(self, row: TileRow, size: float, left: float, room: float, labels: int) -> tuple[float, float]:
        """Add the label of a row; return where its tiles begin, and the width that they have."""
        if not row.label:
            return left, room
        letter = max(0.6 * size, self.least)
        width = max(labels * 0.54 * letter, measure(row.label, "sans", letter)) + 0.4 * size
        self._put_soft(row.label, left, letter, size)
        return left + width, room - width

    def _put_soft(self, text: str, x: float, letter: float, size: float) -> None:
        baseline = self.y + 0.825 * size + 0.35 * letter
        self.labels.append(Label(x, baseline, text, middle=False, face="sans", size=letter, soft=True))

    def _fit(self, item: str | Tile, size: float, room: float) -> tuple[float, float]:
        """Return the size of the letters of an item of a row, and its width; too wide a tile is made smaller."""
        if isinstance(item, str):
            letter = max(0.6 * size, self.least)
            return letter, measure(item, "sans", letter)
        width = _measure_tile(item, size)
        return (size * room / width, room) if width > room else (size, width)

    def put_tile(
        self, tile: Tile, x: float, width: float, size: float, line_size: float, *, faint: bool = False
    ) -> None:
        """Add a tile of a width, as high as those of a line."""
        height = 1.65 * line_size
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

    def put_stacks(
        self, stacks: Sequence[Sequence[Sequence[Tile]]], names: Sequence[str], *, size: float, labels: int
    ) -> None:
        """Add rows whose tiles share columns, after a column of the names of the rows."""
        letter = max(0.6 * size, self.least)
        start = labels * 0.54 * letter + 0.4 * size if any(names) else 0
        x, top = start, self.y
        for at, stack in enumerate(stacks):
            wide = max(sum(_measure_tile(tile, size) for tile in tiles) + SPACE * size * len(tiles) for tiles in stack)
            if x > start and x + wide > self.room:
                x, top = start, top + (len(stack) * LINE + 0.5) * size
            for line, tiles in enumerate(stack):
                self.y = top + line * LINE * size
                if at == 0 and names[line]:
                    self._put_soft(names[line], 0, letter, size)
                self._put_spread(tiles, x, wide - SPACE * size, size)
            x += wide
            self.right = max(self.right, x)
        self.y = top + (len(names) * LINE + 0.2) * size

    def _put_spread(self, tiles: Sequence[Tile], x: float, width: float, size: float) -> None:
        """Add tiles that take a width together."""
        own = [_measure_tile(tile, size) for tile in tiles]
        more = (width - sum(own) - SPACE * size * (len(own) - 1)) / max(1, len(own))
        for tile, one in zip(tiles, own, strict=True):
            self.put_tile(tile, x, one + more, size * min(1, (one + more) / one), size)
            x += one + more + SPACE * size

    def put_figure(self, figure: Drawing, height: float = 0) -> None:
        """Add a drawing as wide as the region, or smaller so as to end at a height; by default none is enlarged."""
        scale = self.room / figure.width
        scale = min(scale, (height - self.y) / figure.height) if height else min(1.0, scale)
        self.y = max(self.y, height - figure.height * scale)
        self.parts.append(PlacedDrawing(0, self.y, figure, scale))
        self.y += figure.height * scale
        self.right = max(self.right, figure.width * scale)

    def put_table(self, table: Table, size: float, *, stretch: bool = False) -> None:
        """Add a table, as wide as the region if it is to `stretch`."""
        columns = _columns(table, self.room, size, stretch)
        if table.title:
            self.put_note(table.title, size)
        if any(table.heads):
            self._put_cells(table, Row(table.heads), columns, size, soft=True)
        for row in table.rows:
            top = self.y
            self._put_cells(table, row, columns, size, soft=row.struck)
            if row.chosen:
                right = 0.25 * size + sum(columns) - 2
                self.strokes.append(Stroke(f"M2 {top:.1f}H{right:.1f}V{self.y:.1f}H2Z", "chosen"))
        if table.left_out:
            self.put_note(f"+{table.left_out:,} more", size)

    def _put_cells(self, table: Table, row: Row, columns: Sequence[float], size: float, *, soft: bool) -> None:
        """Add the cells of a line: numbers end their column, phrases, code and the first column begin theirs."""
        top, bottom, left = self.y, self.y, 0.25 * size
        for number, (cell, width) in enumerate(zip(row.cells, columns, strict=False)):
            code = table.code and number == len(columns) - 1 and cell not in table.heads
            face: Face = "mono" if code else "sans"
            units = [[atom] for atom in cell] if code else [*split_units(_spread(cell))]
            own = sum(measure_part(part, face, size) for unit in units for part in unit)
            begins = number == 0 or number in table.prose or table.code
            start = left + (0 if begins else max(0.0, width - CELL_PADDING * size - own))
            self.y = top
            self.put_words(units, size=size, face=face, left=start, wide=width - 0.4 * size, soft=soft, line=CELL)
            if row.struck and own:
                middle = top + CELL * size / 2
                self.strokes.append(Stroke(f"M{start:.1f} {middle:.1f}h{min(own, width):.1f}", "strike"))
            bottom = max(bottom, self.y)
            left += width
        self.y = bottom

    def put_facts(self, facts: Sequence[Fact], size: float) -> None:
        """Add a line for each figure, with smaller letters if one is too wide."""
        values = [f"{fact.value} {fact.change}".rstrip() for fact in facts]
        texts = [f"{fact.name}{value}" for fact, value in zip(facts, values, strict=True)]
        size *= min(1, self.room / max((measure(text, "sans", size) + 0.7 * size for text in texts), default=1))
        for fact, value in zip(facts, values, strict=True):
            top = self.y
            self.put_note(fact.name, size)
            self.y = top
            left = measure(fact.name, "sans", size) + 0.6 * size
            self.put_words(split_units((value,)), size=size, face="sans", left=left, line=CELL)

    def put_chart(self, values: Sequence[int], at: int, *, left: float, right: float, height: float) -> None:
        """Add a line of the values by step, with a mark at one step."""
        across = Scale(0, len(values) - 1, left, right)
        up = Scale(min(values), max(values), self.y + height - 4, self.y + 4)
        points = [(across.place(step), up.place(value)) for step, value in enumerate(values)]
        self.strokes += [
            Stroke(f"M{left:g} {self.y:.1f}v{height:.1f}H{right:g}"),
            Stroke(draw_path(points), "rule"),
            Stroke(f"M{across.place(at):g} {self.y:.1f}v{height:.1f}", "dashed"),
        ]
        self.y += height
        self.right = max(self.right, right)


def _row_items(row: TileRow, size: float, room: float) -> Iterator[str | Tile]:
    """Yield what stands in a row, a tile wider than a line in pieces, and how much the row leaves out at either end."""
    if row.left_out_before:
        yield f"+{row.left_out_before:,} before"
    for tile in row.tiles:
        if _measure_tile(tile, size) <= room:
            yield tile
        else:
            pieces = break_part(tile.text, "mono", size, False, room - TILE * size)
            yield from (replace(tile, text=piece, halves=()) for piece, _ in pieces if isinstance(piece, str))
    if row.left_out_after:
        yield f"+{row.left_out_after:,} more"


def _measure_tile(tile: Tile, size: float) -> float:
    return measure(visible(tile.text), "mono", size) + TILE * size


def _spread(cell: Cell) -> Words:
    """Return a cell as a sentence, tokens beside each other with spaces between them."""
    if isinstance(cell, str):
        return (cell,)
    tiles = [part for part in cell if isinstance(part, Tile)]
    return separate(tiles) if len(tiles) == len(cell) else cell


def _columns(table: Table, room: float, size: float, stretch: bool) -> list[float]:
    """Return the widths of the columns of a table, with the space after them; the widest share what room there is."""
    lines: list[list[Words]] = [[(head,) for head in table.heads], *([*map(_spread, row.cells)] for row in table.rows)]
    count = max(map(len, lines))
    faces: list[Face] = ["mono" if table.code and at == count - 1 else "sans" for at in range(count)]
    widths = [
        CELL_PADDING * size
        + max(sum(measure_part(part, faces[at], size) for part in line[at]) for line in lines if at < len(line))
        for at in range(count)
    ]
    widths = [
        min(width, (PHRASE + 1) * size) if stretch and at in table.prose else width for at, width in enumerate(widths)
    ]
    left, capped = room - 0.25 * size, list[float]()
    for number, width in enumerate(sorted(widths)):
        capped.append(min(width, left / (count - number)))
        left -= capped[-1]
    shared = [min(width, max(capped)) for width in widths]
    return [width * (room - 0.25 * size) / sum(shared) for width in shared] if stretch else shared
