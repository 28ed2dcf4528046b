"""Sheets: a step of a run or a scene as a picture, on a slide with the regions of the stage, or for a text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Literal

from ..steps.drawing import Drawing, Label, PlacedDrawing
from ..steps.lattice import lattice
from ..steps.measures import CELL, split_stacks
from ..steps.regions import HEIGHT, LETTERS, SMALLEST, WIDTH, Regions, draw, measure_height, place
from ..steps.step import MergeTreeNode, Step, Table, Tile
from ..steps.tiles import visible
from ..typefaces import Words, measure, separate, split_units
from .layout import RegionLayout

Shape = Literal["slide", "text"]
SLIDE_WIDTH, SLIDE_HEIGHT = 1280, 720
UNIT = SLIDE_WIDTH / 1920
"""Size of a slide, and of a unit of the stage on it."""
LEFT, TOP, GAP = 64, 132, 16
"""Units beside and above the regions, and between the picture and the sentence."""
TITLE, COUNTER, FOOT = 52, 36, 22
"""Units of the letters of the title, and of the number of the step and the source below the regions."""
CHART = 64
"""Units of a chart below the regions from top to bottom."""
NARROW_LETTERS = (26, 24, 22, 20, 18, 16)
"""Units of the letters of a table whose words are too wide for its columns."""
AROUND = 30
"""Units of the letters of the pre-tokens around the one on stage."""
TEXT_MARGIN, TEXT_WIDTH, TEXT_SPACE = 32, 1136, 18
TEXT_TILE, TEXT_SENTENCE, TEXT_TABLE, TEXT_SMALL = 20, 22, 15, 13
"""Of a picture for a text: the space around it, the width at which lines break, the space between parts; letters."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A step and its place in a run of `total` steps, with the regions of all of them; a question has no total.

    `trees` are its merge trees, and `chart` is a length by step.
    """

    title: str
    step: Step
    regions: Regions
    number: int = 0
    total: int = 1
    trees: Sequence[MergeTreeNode] = ()
    chart: Sequence[int] = ()
    source: str = ""

    @property
    def counter(self) -> str:
        """The place of the step, as a stage shows it."""
        return f"step {self.number:,} of {self.total - 1:,}" if self.total else "question"

    @property
    def learned(self) -> str:
        """What stands before the learned symbols."""
        shown, count = len(self.step.learned), self.step.learned_count
        return f"{count:,} learned, the newest last" if count > shown else "Learned"

    @property
    def says(self) -> str:
        """The text alternative of its picture."""
        return f"{self.title}: {self.counter}. {_plain(self.step.sentence)}"


def draw_sheets(sheets: Sequence[Sheet], shape: Shape) -> list[Drawing]:
    """Return the pictures of sheets: slides of one size and with the same regions, so that nothing jumps between them.

    >>> [(drawing.width, drawing.height) for drawing in draw_sheets([Sheet("", Step(("a",)), Regions())], "slide")]
    [(1280, 720)]
    """
    return [_draw_slide(sheet) if shape == "slide" else _draw_for_text(sheet) for sheet in sheets]


def _draw_slide(sheet: Sheet) -> Drawing:
    """Return a step as its stage shows it: each region is a part of the same size on all slides."""
    regions = sheet.regions
    down = TOP + regions.height + GAP
    placed: list[tuple[float, float, Drawing]] = [
        (LEFT, TOP, _draw_picture(sheet)),
        (LEFT, down, _draw_sentence(sheet)),
    ]
    if regions.side:
        wide = WIDTH * regions.side / 100
        placed.append((LEFT + WIDTH - wide, TOP, _draw_evidence(sheet, wide)))
    placed.append((LEFT, TOP + HEIGHT + GAP, _draw_foot(sheet)))
    size = min(TITLE, TITLE * WIDTH / max(1, measure(sheet.title, "serif", TITLE)))
    title = Label(LEFT * UNIT, 98 * UNIT, sheet.title, middle=False, face="serif", size=size * UNIT)
    parts = tuple(PlacedDrawing(x * UNIT, y * UNIT, drawing, UNIT) for x, y, drawing in placed)
    labels = (title,) if sheet.title else ()
    return Drawing(SLIDE_WIDTH, SLIDE_HEIGHT, labels=labels, says=sheet.says, parts=parts)


def _draw_picture(sheet: Sheet) -> Drawing:
    regions = sheet.regions
    step = sheet.step
    layout = RegionLayout(regions.width, SMALLEST)
    if step.around:
        line = replace(regions, letters=AROUND, columns=1, labels=0, below=HEIGHT - 80)
        layout.put_row(place(Step((), (step.around,)), line).rows[0], size=AROUND, faint=True)
        layout.y = 80
    if step.stage == "text":  # all of the text, with smaller letters than the pieces of the steps that follow
        tried = [replace(regions, letters=size, columns=1) for size in LETTERS if size <= regions.letters]
        regions = next((one for one in tried if measure_height(step, one) <= one.height), tried[-1])
    _put_rows(layout, place(step, regions), regions)
    if drawing := draw(step, regions, sheet.trees):
        layout.put_figure(drawing, regions.height)
    return layout.draw(regions.height)


def _put_rows(layout: RegionLayout, step: Step, regions: Regions) -> None:
    if step.stacks:
        names = [row.label for row in step.rows]
        for band in split_stacks(step, regions.room * layout.room / regions.width):
            layout.put_stacks(band, names, size=regions.letters, labels=regions.labels)
            layout.y += 0.3 * regions.letters
    else:
        layout.put_rows(step.rows, size=regions.letters, columns=regions.columns, labels=regions.labels)
    if step.rows_left_out:
        layout.put_note(f"+{step.rows_left_out:,} more", layout.least)


def _draw_evidence(sheet: Sheet, wide: float) -> Drawing:
    """Return the evidence: the table at the top, and what is learned and the figures at the bottom."""
    regions, size = sheet.regions, sheet.regions.table
    layout = RegionLayout(wide, SMALLEST)
    step = place(sheet.step, regions)
    bottom = regions.height - CELL * size * regions.facts
    if step.table:  # with smaller letters if its phrases wrap in too many lines
        tried = (_lay_out_table(step.table, wide, letters) for letters in (size, *NARROW_LETTERS))
        layout = next((one for one in tried if one.y <= bottom), layout)
    layout.y = bottom
    if step.learned:
        bottom = layout.y + 2 * CELL * size
        _put_learned(layout, sheet, size, lines=2)
        layout.y = bottom
    layout.put_facts(step.facts, size)
    return layout.draw(regions.height)


def _lay_out_table(table: Table, wide: float, size: float) -> RegionLayout:
    """Return a table that is as wide as its region."""
    layout = RegionLayout(wide, SMALLEST)
    layout.put_table(table, size, stretch=True)
    return layout


def _put_learned(layout: RegionLayout, sheet: Sheet, size: float, lines: int) -> None:
    """Add the newest of the learned symbols, as many as there is room for, after what they are."""
    kept = list[Tile]()
    free = lines * 0.9 * layout.room - measure(sheet.learned, "sans", size) - size
    for tile in reversed(sheet.step.learned):
        free -= measure(visible(tile.text), "mono", size) + 0.9 * size
        if free < 0:
            break
        kept.insert(0, tile)
    words = (f"{sheet.learned} ", *separate(kept))
    layout.put_words(split_units(words), size=size, face="sans", line=CELL)


def _draw_sentence(sheet: Sheet) -> Drawing:
    layout = RegionLayout(WIDTH, SMALLEST)
    layout.put_words(split_units(sheet.step.sentence), size=sheet.regions.sentence, face="serif")
    return layout.draw(sheet.regions.below)


def _draw_foot(sheet: Sheet) -> Drawing:
    """Return the source, the chart of a training, and the number of the step."""
    layout = RegionLayout(WIDTH, FOOT)
    layout.labels.append(Label(WIDTH, 46, sheet.counter, middle=False, face="sans", size=COUNTER, end=True))
    if len(sheet.chart) > 1:
        layout.labels.append(Label(1060, 46, _chart_note(sheet), middle=False, face="sans", size=FOOT, end=True))
        layout.put_chart(sheet.chart, sheet.number, left=1080, right=1480, height=CHART)
    wide = 660 if sheet.chart else 1480
    lines = ceil(measure(sheet.source, "sans", FOOT) / wide)
    layout.y = max(0, 53 - lines * CELL * FOOT)  # one line stands on that of the number
    layout.put_note(sheet.source, FOOT, wide=wide)
    return layout.draw(CHART)


def _chart_note(sheet: Sheet) -> str:
    return f"Corpus length in tokens: {sheet.chart[0]:,} → {sheet.chart[-1]:,}"


def _draw_for_text(sheet: Sheet) -> Drawing:
    """Return all of a step as a picture for a text: its parts below each other, as wide as they are."""
    step = sheet.step
    layout = RegionLayout(TEXT_WIDTH, TEXT_SMALL)
    layout.put_note(": ".join(filter(None, (sheet.title, sheet.counter if sheet.title else ""))), TEXT_SMALL)
    layout.y += TEXT_SPACE / 2
    layout.put_words(split_units(step.sentence), size=TEXT_SENTENCE, face="serif", wide=736)
    layout.y += TEXT_SPACE
    if step.around:
        layout.put_row(step.around, size=TEXT_TABLE, faint=True)
    _put_rows(layout, step, replace(sheet.regions, letters=TEXT_TILE, columns=1))
    if drawing := step.figure or (lattice(step.lattice) if step.lattice else None):
        layout.put_figure(drawing)
    layout.y += TEXT_SPACE
    if step.table:
        layout.put_table(step.table, TEXT_TABLE)
    layout.put_facts(step.facts, TEXT_TABLE)
    if step.learned:
        layout.put_words(split_units((f"{sheet.learned} ", *separate(step.learned))), size=TEXT_TABLE, face="sans")
    if len(sheet.chart) > 1:
        layout.y += TEXT_SPACE
        layout.put_note(_chart_note(sheet), TEXT_SMALL)
        layout.put_chart(sheet.chart, sheet.number, left=0, right=640, height=CHART)
    layout.y += TEXT_SPACE
    layout.put_note(sheet.source, TEXT_SMALL)
    width, height = ceil(layout.right + 2 * TEXT_MARGIN), ceil(layout.y + TEXT_MARGIN)
    return Drawing(width, height, says=sheet.says, parts=(PlacedDrawing(TEXT_MARGIN, TEXT_SPACE, layout.draw()),))


def _plain(words: Words) -> str:
    return "".join(part if isinstance(part, str) else visible(part.text) for part in words)
