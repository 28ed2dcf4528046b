"""Pictures: three drawn for the page, a user's file read within limits, and what every model makes of two sizes."""

import base64
import io
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import Invalid, TooLarge
from ..prices import PricedModel, load_prices
from .image_cuts import ImageLayout
from .image_tokens import IMAGE_MODELS, ImageModel, ImageTokens, image_tokens, vit

MAX_PIXELS = 50_000_000
"""Pixels of the largest image that is read; a larger one is refused from its header alone."""
SHOWN_SIDE = 1024
"""Pixels of the longer side of the copy that the page shows."""
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
MAX_LINES = 600
"""Lines of the finest grid that is drawn; a finer one would be a grey surface."""
MAX_NUMBERED = 64
"""Cells of the largest grid whose cells are numbered."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture drawn for this page, and the size in pixels that it stands for. It is an SVG, sharp at every size."""

    id: str
    title: str
    width: int
    height: int

    @property
    def address(self) -> str:
        return f"/static/pictures/{self.id}.svg"


PICTURES = (
    Picture("harbour", "A harbour, square", 1024, 1024),
    Picture("page", "A scanned page", 1075, 1520),
    Picture("screen", "A screen", 1920, 1080),
)


@dataclass(frozen=True, slots=True)
class OwnImage:
    """A user's image: its size, its format, and a copy small enough to be shown, as a data URL."""

    width: int
    height: int
    format: str
    shown: str


def read_image(data: bytes) -> OwnImage:
    """Return the size of an image file and a small copy of it.

    Raises `TooLarge` for more than 50 million pixels, which the header says, so that they are never unpacked; and
    `Invalid` for a file that is not an image, or is damaged.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = (
        None  # Pillow would warn of some sizes; the limit below is checked before anything is unpacked
    )
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                raise _too_many(width, height)
            image.draft("RGB", (SHOWN_SIDE, SHOWN_SIDE))  # a JPEG can be unpacked at a fraction of its size
            name = image.format or ""
            turned = ImageOps.exif_transpose(image)
            if (turned.width > turned.height) != (image.width > image.height):
                width, height = height, width
            turned.thumbnail((SHOWN_SIDE, SHOWN_SIDE))
            return OwnImage(width, height, name, _data_url(turned))
    except UnidentifiedImageError:
        raise Invalid("The file is not an image in PNG, JPEG, GIF, WebP or BMP.", pointer="/file") from None
    except (OSError, ValueError, SyntaxError, EOFError, IndexError, KeyError, TypeError, MemoryError):
        raise Invalid("The image is damaged, or cut off before its end.", pointer="/file") from None


def _too_many(width: int, height: int) -> TooLarge:
    says = f"The image has {width:,} × {height:,} pixels; at most {MAX_PIXELS:,} are read."
    return TooLarge(says, pointer="/file", limit=MAX_PIXELS)


def _data_url(image: object) -> str:
    from PIL import Image

    assert isinstance(image, Image.Image)
    flat = Image.new("RGB", image.size, "white")
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        flat.paste(image.convert("RGBA"), mask=image.convert("RGBA").getchannel("A"))
    else:
        flat.paste(image.convert("RGB"))
    file = io.BytesIO()
    flat.save(file, "JPEG", quality=85)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()


@dataclass(frozen=True, slots=True)
class ImageRow:
    """A model's counts for two sizes; None and the reason in `refused` where the model refuses one."""

    model: ImageModel
    one: ImageTokens | None
    other: ImageTokens | None
    refused: str = ""
    price: float | None = None
    window: int | None = None

    @property
    def cost(self) -> float | None:
        """Dollars for a thousand images of the first size."""
        return None if self.price is None or self.one is None else self.one.tokens * self.price / 1000

    @property
    def share(self) -> float | None:
        """The share of the context window that one image takes."""
        return None if self.window is None or self.one is None else self.one.tokens / self.window


def image_rows(
    one: tuple[int, int],
    other: tuple[int, int],
    *,
    patch: int = 14,
    price: float | None = None,
    window: int | None = None,
) -> list[ImageRow]:
    """Return a row for every model; `price` and `window` are taken where none is known.

    >>> [row.one.tokens for row in image_rows((224, 224), (448, 448)) if row.model.id in ("vit", "llava-1.5")]
    [256, 576]
    """
    known = {model.name: model for model in load_prices()}
    return [
        _row(model, one=one, other=other, known=known.get(model.priced or ""), price=price, window=window)
        for model in with_patch(patch)
    ]


def with_patch(patch: int) -> Sequence[ImageModel]:
    """Return all models, the vision transformer with patches of this size. Raises `Invalid`."""
    if not 1 <= patch <= 512:
        raise Invalid("A patch is 1 to 512 pixels wide.", pointer="/patch")
    return (vit(patch), *IMAGE_MODELS[1:])


def _row(
    model: ImageModel,
    one: tuple[int, int],
    other: tuple[int, int],
    known: PricedModel | None,
    price: float | None,
    window: int | None,
) -> ImageRow:
    first, refused = _count_tokens(model, one)
    second, also = _count_tokens(model, other)
    cost = known.price if known and known.price is not None else price
    return ImageRow(
        model=model,
        one=first,
        other=second,
        refused=refused or also,
        price=cost,
        window=known.window if known and known.window else window,
    )


def _count_tokens(model: ImageModel, size: tuple[int, int]) -> tuple[ImageTokens | None, str]:
    """Return the tokens of an image, or None and why the model refuses it."""
    try:
        return image_tokens(model, *size), ""
    except Invalid as error:
        return None, error.detail


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells over an image as lines of an SVG path, in pixels of the resized image, and the numbers of few cells.

    `width` and `height` hold the image and all cells, which may reach beyond it.
    """

    width: float
    height: float
    path: str
    numbers: tuple[tuple[float, float, int], ...] = ()
    """The top left corner of each cell, and its place in the row of tokens."""
    size: float = 0


def grid(cut: ImageLayout) -> Grid:
    """Return the cells of a cut as lines.

    >>> grid(image_tokens("gpt-4o-high", 1024, 512).cut).path
    'M512 0V512'
    """
    across = cut.columns * cut.cell_width
    down = cut.rows * cut.cell_height
    width = max(cut.width, across)
    height = max(cut.height, down)
    if not cut.columns or cut.columns + cut.rows > MAX_LINES:
        return Grid(width, height, "")
    upright = [f"M{column * cut.cell_width:g} 0V{down:g}" for column in range(1, cut.columns + 1)]
    level = [f"M0 {row * cut.cell_height:g}H{across:g}" for row in range(1, cut.rows + 1)]
    numbers: list[tuple[float, float, int]] = []
    if cut.columns * cut.rows <= MAX_NUMBERED:
        numbers = [
            (place % cut.columns * cut.cell_width, place // cut.columns * cut.cell_height, place + 1)
            for place in range(cut.columns * cut.rows)
        ]
    inside = [*upright[: None if across < width else -1], *level[: None if down < height else -1]]
    return Grid(width, height, "".join(inside), tuple(numbers), round(min(cut.cell_width, cut.cell_height) / 6, 1))


def count_tokens_doubled(model: ImageModel, width: int, height: int) -> tuple[int, int] | None:
    """Return the tokens of an image, and of one twice as wide and twice as high; None if the model refuses one."""
    try:
        return image_tokens(model, width, height).tokens, image_tokens(model, 2 * width, 2 * height).tokens
    except Invalid:
        return None
