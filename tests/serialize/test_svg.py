"""Pictures as SVG: other programs show the same letters, with the fonts in the file and no others."""

from xml.etree import ElementTree

import pytest
from tokenarium.serialize.pdf import write_pdf
from tokenarium.serialize.svg import write_svg

from tests.support.drawn import SENTENCE, difference, draw_step, paint_pdf, paint_svg

CASES = {
    "merge": ("low 5\nlowest 2\nnew 6\nwidest 3", 3, {"branch": "learn", "table": True, "unit": "marked"}),
    "lattice": ("there", 7, {"tokenizer": "toy-unigram"}),
    "long": (SENTENCE[:300], 0, {}),
    "one letter": ("a", 1, {}),
    "for a text": ("strawberry", 4, {"shape": "text"}),
    "added": ("<|endoftext|> naïve ▁ Grüße", 2, {"special": True}),
}


@pytest.mark.parametrize(("text", "step", "options"), CASES.values(), ids=CASES)
def test_two_programs_paint_the_same_picture(registry, tmp_path, text, step, options):
    drawing = draw_step(registry, text, step, **options)
    svg, pdf = paint_svg(write_svg(drawing), tmp_path), paint_pdf(write_pdf([drawing]))
    assert abs(svg.width - pdf.width) <= 1 >= abs(svg.height - pdf.height)
    mean, largest = difference(svg, pdf)
    assert mean < 2
    assert largest < 40


def test_markup_in_a_text_is_text(registry):
    root = ElementTree.fromstring(write_svg(draw_step(registry, "<b>&\"'</style>")))
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "<b>&\"'</style>" in "".join(texts)


def test_what_is_read_from_right_to_left_says_so(registry):
    svg = write_svg(draw_step(registry, "שלום"))
    assert svg.count('direction="rtl"') == 4
    assert "@font-face" in svg
