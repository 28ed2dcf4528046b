"""Drawings as PDF, a page each, with their letters embedded.

Letters that no bundled font has come as images, painted by the browser that asks, or else stand as code points.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from fpdf import FPDF
from fpdf.drawing import GraphicsContext, PaintedPath
from fpdf.drawing_primitives import Transform
from fpdf.enums import StrokeCapStyle, TextMode
from fpdf.svg import svg_path_converter
from PIL import Image

from ..lab.steps.drawing import Box, Drawing, PlacedText, Stroke
from ..lab.typefaces import Face, is_foreign, measure, split_parts
from .colors import blend, get_colors, read_color
from .fonts import make_font
from .foreign import Images
from .svg import FontKey, collect_letters

POINTS = 0.75
"""Points of a pixel."""
ASCENT = 1.2
TALL = 1.7
"""Height above the baseline, and whole height, of an image of letters, by the size of the letters."""


def write_pdf(drawings: Sequence[Drawing], images: Images | None = None) -> bytes:
    """Return drawings as the pages of a PDF, with images of foreign texts, as PNG."""
    with TemporaryDirectory() as folder:
        return _PDFWriter(drawings, images or {}, Path(folder)).write()


def spell_foreign(text: str, face: Face) -> str:
    """Return a text with code points for the letters that no bundled font has.

    >>> spell_foreign("a你", "mono")
    'aU+4F60'
    """
    runs = split_parts(text, face)
    return "".join(run if part else "".join(f"U+{ord(char):04X}" for char in run) for part, run in runs)


class _PDFWriter:
    """A PDF in the making: units are the pixels of the drawings."""

    def __init__(self, drawings: Sequence[Drawing], images: Images, folder: Path) -> None:
        self.drawings = drawings
        self.images = images
        self.colors = {name: read_color(value) for name, value in get_colors().items()}
        self.pdf = FPDF(unit=POINTS)
        self.pdf.set_auto_page_break(False)
        self.pdf.set_creator("Tokenarium")
        self.pdf.c_margin = 0
        self.fonts: dict[FontKey, str] = {}
        texts = [self._spelled(text) for drawing in drawings for text in drawing.all_texts]
        for number, ((part, face, bold), letters) in enumerate(collect_letters(texts).items()):
            file = folder / f"{number}.ttf"
            file.write_bytes(make_font(part, face, letters, bold=bold))
            self.pdf.add_font(f"f{number}", fname=file)
            self.fonts[part, face, bold] = f"f{number}"

    def _spelled(self, text: PlacedText) -> PlacedText:
        """Return a text as it can be written: with code points where letters and their image are missing."""
        if (text.text, text.face, text.bold) in self.images or not is_foreign(text.text, text.face):
            return text
        return replace(text, text=spell_foreign(text.text, text.face))

    def write(self) -> bytes:
        """Return the file."""
        self.pdf.set_title(self.drawings[0].says)
        for drawing in self.drawings:
            self.pdf.add_page(format=(drawing.width, drawing.height))
            self.pdf.set_fill_color(*self.colors["paper"])
            self.pdf.rect(0, 0, drawing.width, drawing.height, style="F")
            self._draw(drawing, 0, 0, 1)
        return bytes(self.pdf.output())

    def _draw(self, drawing: Drawing, x: float, y: float, scale: float) -> None:
        """Draw the shapes of a drawing from a place on, and then its parts."""
        if pixels := drawing.pixels:
            left, top = x + pixels.x * scale, y + pixels.y * scale
            self.pdf.image(pixels.address, left, top, pixels.width * scale, pixels.height * scale)
        for box in drawing.boxes:
            self._draw_box(box, x, y, scale)
        if drawing.strokes:
            self._draw_strokes(drawing.strokes, x, y, scale)
        for text in drawing.texts:
            self._write_text(self._spelled(text), x, y, scale)
        for part in drawing.parts:
            self._draw(part.drawing, x + part.x * scale, y + part.y * scale, scale * part.scale)

    def _draw_box(self, box: Box, x: float, y: float, scale: float) -> None:
        pdf, colors = self.pdf, self.colors
        plain = box.mark in ("missed", "rest")
        fill = blend(colors[f"t{box.tone}"], colors["paper"], 0 if plain else box.share)
        seam = blend(colors["ink"], fill, 0.28)
        edge = {"rest": colors["line"], "special": colors["edge"], "byte": colors["edge"]}.get(box.mark, seam)
        pdf.set_fill_color(*fill)
        pdf.set_draw_color(*edge)
        pdf.set_line_width(scale * (2 if box.mark == "special" else 1))
        if box.mark == "byte":
            pdf.set_dash_pattern(dash=4 * scale, gap=3 * scale)
        left, top = x + box.x * scale, y + box.y * scale
        self._draw_rect(left, top, box.width * scale, box.height * scale, box.size / 4 * scale, "DF")
        pdf.set_dash_pattern()
        if box.seam:
            pdf.line(x + box.seam * scale, top, x + box.seam * scale, top + box.height * scale)
        if box.new:
            pdf.set_draw_color(*colors["ink"])
            rim = 0.08 * box.size * scale
            pdf.set_line_width(rim)
            wide, high = box.width * scale + 2 * rim, box.height * scale + 2 * rim
            self._draw_rect(left - rim, top - rim, wide, high, box.size / 4 * scale + rim, "D")

    def _draw_rect(self, x: float, y: float, width: float, height: float, radius: float, style: str) -> None:
        self.pdf.rect(x, y, width, height, style=style, round_corners=True, corner_radius=radius)

    def _draw_strokes(self, strokes: Sequence[Stroke], x: float, y: float, scale: float) -> None:
        """Draw lines, all those of a kind with the same pen."""
        with self.pdf.drawing_context() as page:
            group = GraphicsContext()
            group.transform = Transform.scaling(scale).translate(x, y)
            for stroke in strokes:
                path = PaintedPath()
                svg_path_converter(path, stroke.d)
                color, width, dash = self._pen(stroke)
                path.style.fill_color = None
                path.style.auto_close = False
                path.style.stroke_color = color
                path.style.stroke_width = width
                path.style.stroke_dash_pattern = dash
                path.style.stroke_cap_style = StrokeCapStyle.ROUND if stroke.kind == "dot" else StrokeCapStyle.BUTT
                group.add_item(path)
            page.add_item(group)

    def _pen(self, stroke: Stroke) -> tuple[str, float, tuple[float, ...] | None]:
        ink, edge = get_colors()["ink"], get_colors()["edge"]
        pens: Mapping[str, tuple[str, float, tuple[float, ...] | None]] = {
            "new": (ink, 1.25, (4, 3)),
            "best": (ink, 3, None),
            "chosen": (ink, 3, None),
            "rule": (ink, 1.5, None),
            "strike": (ink, 1.5, None),
            "bar": (edge, 9, None),
            "first": (ink, 9, None),
            "dashed": (edge, 1.25, (3, 3)),
            "dot": ("#9da1df", 8, None),
        }
        return pens.get(stroke.kind, (edge, 1.25, None))

    def _write_text(self, text: PlacedText, x: float, y: float, scale: float) -> None:
        left, base, size = x + text.x * scale, y + text.y * scale, text.size * scale
        image = self.images.get((text.text, text.face, text.bold))
        if image:
            self._place_image(image, text, left, base, scale)
            return
        width = measure(text.text, text.face, size, bold=text.bold)
        if text.room and width > text.room * scale:
            size *= text.room * scale / width
            width = text.room * scale
        left -= {"start": 0, "middle": width / 2, "end": width}[text.anchor]
        self.pdf.set_text_color(*self.colors["soft" if text.soft else "ink"])
        for part, run in split_parts(text.text, text.face):
            self.pdf.set_font(self.fonts[part, text.face, text.bold], size=size * POINTS)
            if text.halo:
                self._write_halo(left, base, run, scale)
            self.pdf.text(left, base, run)
            left += measure(run, text.face, size, bold=text.bold)

    def _write_halo(self, x: float, y: float, run: str, scale: float) -> None:
        """Write the rim of a text in the colour of the paper."""
        with self.pdf.local_context(text_mode=TextMode.STROKE):
            self.pdf.set_draw_color(*self.colors["paper"])
            self.pdf.set_line_width(4 * scale)
            self.pdf.text(x, y, run)

    def _place_image(self, image: bytes, text: PlacedText, x: float, y: float, scale: float) -> None:
        """Place an image of a text, whose height is known by the size of its letters."""
        opened = Image.open(BytesIO(image))
        height = TALL * text.size * scale
        width = height * opened.width / opened.height
        squeezed = min(1.0, text.room * scale / width) if text.room else 1.0
        width, height = width * squeezed, height * squeezed
        left = x - {"start": 0, "middle": width / 2, "end": width}[text.anchor]
        self.pdf.image(opened, left, y - height * ASCENT / TALL, width, height)
