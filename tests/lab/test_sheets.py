"""Sheets: all of a step has a place, on a slide with the regions of its stage and for a text."""

from dataclasses import replace

import pytest
from tokenarium.lab.learn.course import scene
from tokenarium.lab.learn.notebooks import scene_sheets
from tokenarium.lab.learn.scene import trace_scene
from tokenarium.lab.sheets.beats import split_beats
from tokenarium.lab.sheets.sheet import Sheet, draw_sheets
from tokenarium.lab.steps.choosing import choose_regions
from tokenarium.lab.steps.drawing import Drawing
from tokenarium.lab.steps.regions import Regions
from tokenarium.lab.steps.step import Fact, Row, Step, Table, Tile, TileRow
from tokenarium.lab.steps.tiles import visible
from tokenarium.lab.typefaces import measure

from tests.support.drawn import SENTENCE, TEXTS, draw_step, view_run

SENNRICH = {
    "branch": "learn",
    "text": "low 5\nlower 2\nnewest 6\nwidest 3",
    "unit": "marked",
    "table": True,
    "merges": 10,
}
SHAPES = pytest.mark.parametrize("shape", ["slide", "text"])


def outside(drawing):
    """The boxes and texts of a drawing and its parts that are not whole inside it."""
    found = [
        box
        for box in drawing.boxes
        if box.x < 0 or box.y < 0 or box.x + box.width > drawing.width or box.y + box.height > drawing.height
    ]
    for text in drawing.texts:
        width = measure(text.text, text.face, text.size, bold=text.bold)
        left = text.x - {"start": 0, "middle": width / 2, "end": width}[text.anchor]
        if left < -1 or (not text.room and left + width > drawing.width + 1) or not 0 < text.y < drawing.height:
            found.append(text)
    for part in drawing.parts:
        assert part.x >= 0 <= part.y
        assert part.x + part.scale * part.drawing.width <= drawing.width + 0.1 or part.drawing.height <= drawing.height
        found += outside(part.drawing)
    return found


@SHAPES
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_every_character_of_a_text_is_in_its_picture_or_counted_on_a_slide(registry, text, shape):
    drawing = draw_step(registry, text, shape=shape)
    shown = "".join(box.text for box in drawing.parts[0].drawing.boxes)
    counted = [one.text for one in drawing.all_texts if one.text.endswith(" more")]
    left_out = 47 if shape == "slide" and len(text) == 300 else 0
    assert shown == "".join(map(visible, text[: len(text) - left_out]))
    assert counted == ([f"+{left_out} more"] if left_out else [])
    assert outside(drawing) == []


@SHAPES
@pytest.mark.parametrize("step", [3, 9, 100])
def test_a_step_has_its_tables_inside_the_picture(registry, shape, step):
    drawing = draw_step(registry, SENTENCE[:300], step, shape=shape)
    assert outside(drawing) == []
    assert (drawing.width, drawing.height) == (1280, 720) or shape == "text"


def test_tokens_run_from_left_to_right_in_every_script_as_they_do_in_tables(registry):
    boxes = draw_step(registry, "שלום").parts[0].drawing.boxes
    assert [box.text for box in sorted(boxes, key=lambda box: box.x)] == [*"שלום"]


def test_what_a_row_leaves_out_is_counted():
    row = TileRow((Tile("a", 0), Tile("b", 1)), left_out_before=3, left_out_after=1240)
    (drawing,) = draw_sheets([Sheet("", Step(("Two of many.",), (row,)), Regions())], "text")
    assert [text.text for text in drawing.all_texts] == ["a", "b", "Two of many.", "+3 before", "+1,240 more"]


def test_a_tile_wider_than_the_picture_goes_on_in_the_next_line():
    step = Step((), (TileRow((Tile("m" * 200, 0),)),))
    (drawing,) = draw_sheets([Sheet("", step, Regions())], "text")
    boxes = drawing.parts[0].drawing.boxes
    assert [len(box.text) for box in boxes] == [93, 93, 14]
    assert [measure(box.text, "mono", box.size) < box.width <= 1136 for box in boxes] == [True] * 3


@SHAPES
def test_a_sheet_has_title_sentence_facts_chart_and_source(shape):
    step = Step(("It ", Tile("is", 7), "."), facts=(Fact("tokens", "3", "+1"),))
    sheet = Sheet("BPE", step, choose_regions([step]), number=1, total=3, chart=(79, 61, 23), source="us")
    (drawing,) = draw_sheets([sheet], shape)
    texts = " ".join(text.text for text in drawing.all_texts)
    for one in ("BPE", "It", "is", "tokens", "3 +1", "step 1 of 2", "Corpus length in tokens: 79 → 23", "us"):
        assert one in texts
    assert drawing.says == "BPE: step 1 of 2. It is."


def sizes(part):
    """The sizes of the letters of a part of a drawing."""
    yield from (part.scale * text.size for text in part.drawing.texts)
    for inner in part.drawing.parts:
        yield from (part.scale * size for size in sizes(inner))


def place(part):
    """Where a part of a slide is, and how large."""
    return part.x, part.y, part.drawing.width, part.drawing.height


@pytest.mark.parametrize("options", [SENNRICH, SENNRICH | {"algorithm": "unigram"}, {"text": SENTENCE[:60]}])
def test_slides_of_a_run_have_the_regions_of_its_stage(registry, options):
    view = view_run(registry, **options)
    drawings = draw_sheets([*view.sheets], "slide")
    regions = view.regions
    assert len(drawings) == view.run.total
    (places,) = {tuple(map(place, drawing.parts)) for drawing in drawings}
    assert places[0] == pytest.approx((64 / 1.5, 132 / 1.5, regions.width, regions.height))
    for drawing in drawings:
        sentence = drawing.parts[1]
        assert sentence.y + sentence.scale * sentence.drawing.height > 720 * 2 / 3
        assert min(min(sizes(part)) for part in drawing.parts[:3]) > 25 / 1.5


def test_the_last_sheet_of_a_long_run_says_how_many_steps_are_left_out(registry):
    view = view_run(registry, " ".join(f"{number:x}qz{number * 7:x}" for number in range(120)))
    sheets = [*view.sheets]
    assert (len(sheets), view.run.total > 300) == (200, True)
    assert sheets[-1].source.endswith(f" {view.run.total - 200:,} steps that follow are left out.")
    assert "left out" not in replace(view, requested_step=199).sheet.source


def test_a_pair_is_counted_then_chosen_then_joined(registry):
    frames = [*split_beats([*view_run(registry, **SENNRICH).sheets])][1:5]
    tables = [frame.step.table.rows[0] for frame in frames]
    assert [(row.cells[1], row.chosen) for row in tables] == [("6", False), ("9", False), ("9", True), ("9", True)]
    lit = [[tile.text for row in frame.step.rows for tile in row.tiles if tile.mark == "new"] for frame in frames]
    assert lit == [["e", "s"], ["e", "s"] * 2, ["e", "s"] * 2, ["es", "es"]]
    assert [len(frame.step.learned) for frame in frames] == [0, 0, 0, 1]


@pytest.mark.parametrize("id", ["unigram", "pretokenize", "concepts", "history"])
def test_every_step_of_a_scene_is_inside_its_slide(registry, id):
    one = scene(id)
    drawings = draw_sheets(scene_sheets(one, trace_scene(one, one.text, registry)), "slide")
    assert [outside(drawing) for drawing in drawings] == [[]] * len(drawings)
    assert drawings[1].says.startswith(f"{one.title}: step 1 of {len(drawings) - 1}. ")
    assert len({tuple(map(place, drawing.parts)) for drawing in drawings}) == 1


def test_columns_that_are_too_wide_share_the_room():
    table = Table("", ("", "", ""), (Row(("a " * 900, "b", "c " * 900)),))
    (drawing,) = draw_sheets([Sheet("", Step((), table=table), Regions())], "text")
    assert outside(drawing) == []
    assert "".join(text.text for text in drawing.all_texts).count("c") == 900


def test_a_lattice_is_part_of_the_sheet(registry):
    content = draw_step(registry, "there", 7, tokenizer="toy-unigram").parts[0].drawing
    assert [type(part.drawing) for part in content.parts] == [Drawing]
    assert "−3.912" in {text.text for text in content.all_texts}


def test_each_band_of_rows_that_share_columns_has_their_labels(registry):
    one = scene("pretokenize")
    sheet = scene_sheets(one, trace_scene(one, one.text, registry))[-1]
    picture = draw_sheets([sheet], "slide")[0].parts[0].drawing
    labels = [text.text for text in picture.texts if text.soft]
    assert labels == ["GPT-2", "GPT-4", "GPT-4o", "Llama 3", "Qwen 3"] * 2
