"""Steps as sheets, and pictures painted by programs that are not ours: resvg for SVG, PDFium for PDF."""

import re
from base64 import b64decode
from io import BytesIO

import numpy as np
from fontTools.ttLib import TTFont
from PIL import Image
from pypdfium2 import PdfDocument
from resvg_py import svg_to_bytes
from tokenarium.lab.sheets.sheet import draw_sheets
from tokenarium.lab.steps.options import StepsOptions
from tokenarium.lab.steps.runs import StepsView, follow

SENTENCE = "In the beginning the hall was quiet, and then somebody asked what a token is. " * 4
TEXTS = {
    "one letter": "a",
    "right to left": "שלום עולם, مرحبا بالعالم",
    "emoji": "🌍👩‍👩‍👧‍👦🇨🇭e\N{COMBINING ACUTE ACCENT}",
    "long": SENTENCE[:300],
}
"""Texts that a picture may find hard."""
CELL = 8
"""Pixels of a place at which pictures are compared: about a letter."""


def view_run(registry, text, step=0, **options):
    """A run at a step, by default of GPT-2 through a text."""
    options = StepsOptions(text=text, **{"branch": "encode", "tokenizer": "gpt2"} | options)
    return StepsView("", follow(registry, options), step, options)


def draw_step(registry, text, step=0, *, shape="slide", **options):
    """A step of a run as a picture."""
    return draw_sheets([view_run(registry, text, step, **options).sheet], shape)[0]


def fonts_in(svg, folder):
    """The fonts that an SVG carries, written to files that other programs read."""
    files = []
    for number, data in enumerate(re.findall(r"base64,([\w+/=]+)\)", svg)):
        font = TTFont(BytesIO(b64decode(data)))
        font.flavor = None
        files.append(str(folder / f"{number}.ttf"))
        font.save(files[-1])
    return files


def paint_svg(svg, folder):
    """An SVG, painted with no fonts but its own."""
    data = svg_to_bytes(svg_string=svg, font_files=fonts_in(svg, folder), skip_system_fonts=True)
    return Image.open(BytesIO(bytes(data)))


def paint_pdf(pdf, number=0):
    """A page of a PDF."""
    return PdfDocument(pdf)[number].render(scale=4 / 3).to_pil()


def difference(one, other):
    """How far two pictures differ once they are small and grey: the mean of all places, and the largest, of 255."""
    width = min(one.width, other.width)
    size = max(1, width // CELL), max(1, width * one.height // one.width // CELL)
    small = (np.asarray(image.convert("L").resize(size, Image.Resampling.BOX), np.float64) for image in (one, other))
    apart = np.abs(np.subtract(*small))
    return apart.mean(), apart.max()
