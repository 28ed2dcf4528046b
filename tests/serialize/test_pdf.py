"""Pictures as PDF: a page each, with text that can be selected; letters without a font are images or code points."""

from io import BytesIO

from PIL import Image
from pypdfium2 import PdfDocument
from tokenarium.lab.sheets.sheet import draw_sheets
from tokenarium.serialize.foreign import list_foreign
from tokenarium.serialize.pdf import write_pdf

from tests.support.drawn import draw_step, paint_pdf, view_run


def words_of(pdf, number=0):
    return PdfDocument(pdf)[number].get_textpage().get_text_range().split()


def test_all_steps_are_pages_whose_text_can_be_read(registry):
    view = view_run(registry, "strawberry", branch="encode", tokenizer="o200k_base")
    pdf = write_pdf(draw_sheets([*view.sheets], "slide"))
    pages = PdfDocument(pdf)
    assert len(pages) == view.run.total
    assert pages[0].get_size() == (960, 540)
    words = words_of(pdf, view.run.total - 1)
    assert [word for word in words if word in ("st", "raw", "berry")][:3] == ["st", "raw", "berry"]
    assert {"Encoding", "o200k_base", "Tokenarium"} <= {*words}


def test_letters_without_a_font_are_code_points(registry):
    drawing = draw_step(registry, "a你🌍")
    assert list_foreign([drawing]) == [("你", "mono", False), ("🌍", "mono", False)]
    assert {"a", "U+4F60", "U+1F30D"} <= {*words_of(write_pdf([drawing]))}


def test_letters_that_a_browser_has_painted_stand_in_their_boxes(registry):
    drawing = draw_step(registry, "a你")
    painted = BytesIO()
    Image.new("RGBA", (64, 109), (255, 0, 0)).save(painted, "PNG")
    pdf = write_pdf([drawing], {("你", "mono", False): painted.getvalue()})
    assert "U+4F60" not in words_of(pdf)
    part = drawing.parts[0]
    box = part.drawing.boxes[1]
    middle = part.y + part.scale * (box.y + box.height / 2)
    across = part.x + part.scale * (box.x + box.width / 2)
    assert paint_pdf(pdf).getpixel((round(across), round(middle)))[:3] == (255, 0, 0)
