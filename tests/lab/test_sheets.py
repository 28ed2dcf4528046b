"""Sheets: all of a step has a place, on a slide and for a text."""

import pytest
from tokenarium.lab.learn.course import scene
from tokenarium.lab.learn.notebooks import scene_sheets
from tokenarium.lab.learn.scene import trace_scene
from tokenarium.lab.sheets.sheet import Sheet, draw_sheets
from tokenarium.lab.steps.drawing import Drawing
from tokenarium.lab.steps.options import StepsOptions
from tokenarium.lab.steps.runs import all_sheets, follow
from tokenarium.lab.steps.step import Fact, Row, Table, Tile, TileRow
from tokenarium.lab.steps.tiles import visible
from tokenarium.lab.typefaces import measure

from tests.support.drawn import SENTENCE, TEXTS, draw_step

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
def test_every_character_of_a_text_is_in_its_picture(registry, text, shape):
    drawing = draw_step(registry, text, shape=shape)
    (content,) = drawing.parts
    assert "".join(box.text for box in content.drawing.boxes) == "".join(map(visible, text))
    assert outside(drawing) == []


@SHAPES
@pytest.mark.parametrize("step", [3, 9, 100])
def test_a_step_has_its_tables_inside_the_picture(registry, shape, step):
    drawing = draw_step(registry, SENTENCE[:300], step, shape=shape)
    assert outside(drawing) == []
    assert (drawing.width, drawing.height) == (1280, 720) or shape == "text"


def test_a_row_from_right_to_left_begins_at_the_right(registry):
    boxes = draw_step(registry, "שלום").parts[0].drawing.boxes
    assert [box.text for box in boxes] == [*"שלום"]
    assert [box.x for box in boxes] == sorted((box.x for box in boxes), reverse=True)
    assert boxes[0].x + boxes[0].width == 640 - 32


def test_what_a_row_leaves_out_is_counted():
    row = TileRow((Tile("a", 0), Tile("b", 1)), left_out_before=3, left_out_after=1240)
    (drawing,) = draw_sheets([Sheet("", ("Two of many.",), [row])], "text")
    assert [text.text for text in drawing.all_texts] == ["a", "b", "Two of many.", "3 …", "… 1,240 more"]


def test_a_tile_wider_than_the_picture_is_smaller_and_whole():
    (drawing,) = draw_sheets([Sheet("", (), [TileRow((Tile("m" * 200, 0),))])], "text")
    (box,) = drawing.parts[0].drawing.boxes
    assert (len(box.text), box.width) == (200, 1136)
    assert measure(box.text, "mono", box.size) < box.width


def test_a_sheet_has_title_caption_facts_axes_and_source():
    chart = (79, 61, 23)
    sheet = Sheet(
        "BPE", ("It ", Tile("is", 7), "."), facts=(Fact("tokens", "3", "+1"),), chart=chart, at=1, source="us"
    )
    (drawing,) = draw_sheets([sheet], "slide")
    texts = [text.text for text in drawing.all_texts]
    assert {"BPE", "It", "is", ".", "tokens", "3 +1", "79", "23", "0", "1", "2", "us"} <= {*texts}
    assert drawing.says == "BPE. It is."


def test_slides_of_a_run_have_letters_of_one_size(registry):
    run = follow(registry, StepsOptions(text=SENTENCE[:60], branch="encode", tokenizer="gpt2"))
    drawings = draw_sheets([*all_sheets(run)], "slide")
    assert len(drawings) == run.total
    assert len({(part.scale, part.y) for drawing in drawings for part in drawing.parts}) == 1


def test_the_last_sheet_of_a_long_run_says_how_many_steps_are_left_out(registry):
    text = " ".join(f"{number:x}qz{number * 7:x}" for number in range(120))
    run = follow(registry, StepsOptions(text=text, branch="encode", tokenizer="gpt2"))
    sheets = [*all_sheets(run)]
    assert (len(sheets), run.total > 300) == (200, True)
    assert sheets[-1].source.endswith(f" {run.total - 200:,} steps that follow are left out.")


@pytest.mark.parametrize("id", ["unigram", "pretokenize", "concepts", "history"])
def test_every_step_of_a_scene_is_inside_its_slide(registry, id):
    one = scene(id)
    drawings = draw_sheets(scene_sheets(one, trace_scene(one, one.text, registry)), "slide")
    assert [outside(drawing) for drawing in drawings] == [[]] * len(drawings)
    assert drawings[1].says.startswith(f"{one.title}: step 1 of {len(drawings) - 1}. ")


def test_columns_that_are_too_wide_share_the_room():
    table = Table("", ("", "", ""), (Row(("a " * 900, "b", "c " * 900)),))
    (drawing,) = draw_sheets([Sheet("", (), table=table)], "text")
    assert outside(drawing) == []
    assert "".join(text.text for text in drawing.all_texts).count("c") == 900


def test_a_lattice_is_part_of_the_sheet(registry):
    content = draw_step(registry, "there", 7, tokenizer="toy-unigram").parts[0].drawing
    assert [type(part.drawing) for part in content.parts] == [Drawing]
    assert "−3.912" in {text.text for text in content.all_texts}
