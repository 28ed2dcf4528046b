"""Drawings as pixels: a PNG, or an animated GIF.

They are painted from the PDF of the drawings, so that one writer places all letters. An animation is a GIF, since the
programs for slides play it everywhere; of an animated WebP, a third smaller, many show only the first frame.
"""

from collections.abc import Sequence
from io import BytesIO
from itertools import product

from PIL import Image
from pypdfium2 import PdfDocument

from ..lab.palette import COLOURS
from ..lab.steps.drawing import Drawing
from .colors import blend, get_colors, read_color
from .foreign import Images
from .pdf import POINTS, write_pdf

SCALE = 2
LARGEST = 8_000
"""Size of a PNG, by that of the drawing, and its longest side in pixels."""
FRAME_WIDTH = 1280
"""Pixels of a frame from side to side."""
MILLISECONDS = 1200
LAST_MILLISECONDS = 3600
"""Time that a frame, and the last one, is shown."""
CUBE = range(0, 256, 51)
"""Six levels of red, green and blue, for letters that have colours of their own."""


def write_png(drawing: Drawing, images: Images | None = None) -> bytes:
    """Return a drawing as PNG at twice its size, or as large as can be."""
    scale = min(SCALE, LARGEST / max(drawing.width, drawing.height))
    document = PdfDocument(write_pdf([drawing], images))
    written = BytesIO()
    document[0].render(scale=scale / POINTS).to_pil().save(written, "PNG")
    document.close()
    return written.getvalue()


def write_gif(drawings: Sequence[Drawing], images: Images | None = None) -> bytes:
    """Return drawings of one size as the frames of an animation that plays again and again."""
    palette = Image.new("P", (1, 1))
    palette.putpalette(list_colors())
    document = PdfDocument(write_pdf(drawings, images))
    frames = [
        page.render(scale=FRAME_WIDTH / page.get_width()).to_pil().quantize(palette=palette, dither=0)
        for page in document
    ]
    document.close()
    written = BytesIO()
    times = [MILLISECONDS] * (len(frames) - 1) + [LAST_MILLISECONDS]
    frames[0].save(written, "GIF", save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=True)
    return written.getvalue()


def list_colors() -> list[int]:
    """Return the palette of a GIF: the colours of the theme, what lies between them and ink, and a cube of all others.

    >>> len(list_colors()) // 3
    256
    """
    colors = {name: read_color(value) for name, value in get_colors().items()}
    paper, ink = colors["paper"], colors["ink"]
    tones = [colors[f"t{number}"] for number in range(COLOURS)]
    exact = [paper, ink, colors["soft"], colors["edge"], colors["line"], *tones]
    greys = [blend(ink, paper, share / 9) for share in range(1, 9)]
    edges = [blend(ink, tone, share) for tone in tones for share in (0.28, 0.6)]
    return [value for color in (*exact, *greys, *edges, *product(CUBE, repeat=3)) for value in color]
