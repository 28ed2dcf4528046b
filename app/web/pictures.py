"""Drawings as files to be saved: SVG, PNG, PDF, and an animated GIF.

A browser that asks first (`ask`) gets the texts that no bundled font can show, paints them in its own fonts and sends
them along (`letters`). One that does not, as without JavaScript, gets their code points.
"""

from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO

import orjson
from starlette.responses import Response

from ..errors import Invalid
from ..lab.sheets.beats import split_beats
from ..lab.sheets.sheet import Sheet, draw_sheets
from ..lab.steps.drawing import Drawing
from ..lab.typefaces import FAMILIES
from ..serialize.colors import get_colors
from ..serialize.foreign import Images, list_foreign
from .body import JSONResponse
from .downloads import as_file
from .forms import Form

MEDIA_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf", "gif": "image/gif"}
KINDS = ("svg", "png", "pdf")
"""Of a single picture."""
STEP_KINDS = (*KINDS, *(f"text.{kind}" for kind in KINDS), "all.pdf", "gif")
"""Of a step on a slide or for a text, and of all steps."""
MAX_LETTERS = 1_000
MAX_PIXELS = 1_000_000
"""Texts that a browser paints for a file, and pixels of one."""


def picture(drawings: Drawing | Sequence[Drawing], name: str, kind: str = "svg", form: Form | None = None) -> Response:
    """Return drawings as a file of a kind, whose last part is the format; several are pages, or frames of a GIF.

    Raises `Invalid` for letters that are no pictures.
    """
    pages = [drawings] if isinstance(drawings, Drawing) else drawings
    suffix = kind.rpartition(".")[2]
    if suffix != "svg" and form and form.get("ask") and (foreign := list_foreign(pages)[:MAX_LETTERS]):
        return JSONResponse({"letters": foreign, "families": FAMILIES, "color": get_colors()["ink"]})
    images = read_letters(form.get("letters")) if form else {}
    return as_file(_write(pages, suffix, images), f"{name}.{suffix}", MEDIA_TYPES[suffix])


def step_picture(step: Sheet, steps: Callable[[], Iterable[Sheet]], name: str, kind: str, form: Form) -> Response:
    """Return a step, or all steps, as a file of one of `STEP_KINDS`. Raises what `picture` raises."""
    sheets = [*steps()] if kind in ("all.pdf", "gif") else [step]
    sheets = [*split_beats(sheets)] if kind == "gif" else sheets
    return picture(draw_sheets(sheets, "text" if kind.startswith("text.") else "slide"), name, kind, form)


def _write(pages: Sequence[Drawing], suffix: str, images: Images) -> str | bytes:
    if suffix == "svg":
        from ..serialize.svg import write_svg

        return write_svg(pages[0])
    from ..serialize.pdf import write_pdf
    from ..serialize.raster import write_gif, write_png

    if suffix == "png":
        return write_png(pages[0], images)
    return write_gif(pages, images) if suffix == "gif" else write_pdf(pages, images)


def read_letters(sent: str) -> Images:
    """Return the images of texts that a browser has painted. Raises `Invalid`.

    >>> read_letters("")
    {}
    """
    if not sent:
        return {}
    try:
        rows = orjson.loads(sent)
        images = {(text, face, bool(bold)): b64decode(image, validate=True) for text, face, bold, image in rows}
    except (orjson.JSONDecodeError, NotBase64, TypeError, ValueError):
        raise Invalid("letters is a JSON list of texts, typefaces, weights and images.", pointer="/letters") from None
    if len(images) > MAX_LETTERS or not all(map(_is_picture, images.values())):
        message = f"letters are at most {MAX_LETTERS} PNG images of at most {MAX_PIXELS:,} pixels."
        raise Invalid(message, pointer="/letters", limit=MAX_LETTERS)
    return images


def _is_picture(data: bytes) -> bool:
    """True if data begin as a PNG of a size that can be painted."""
    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(BytesIO(data), formats=("PNG",)) as opened:
            fits = opened.width * opened.height <= MAX_PIXELS
            if fits:
                opened.load()  # raises if it is damaged
            return fits
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError):
        return False
