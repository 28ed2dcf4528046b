"""How many tokens an image costs: the rule of each model, step by step, with its source and the day it was read.

An image reaches a model as a row of vectors, one for each patch (Dosovitskiy et al. 2020, arXiv 2010.11929). Models
differ in how they resize the image first, in the size of the patch, and in what they add. Only width and height matter.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import ceil, floor, sqrt

from ...errors import Invalid

LARGEST_SIDE = 100_000
"""The largest width and height that is answered, in pixels."""


@dataclass(frozen=True, slots=True)
class Cut:
    """An image as a model cuts it: its size after resizing, the cells laid over it, and the tokens of all of them.

    `cell_width` and `cell_height` are in pixels of the resized image; where the model does not say how it cuts, there
    are no cells (`columns` is 0). `steps` says what was done, with the numbers, and `sum` how the tokens add up.
    """

    width: int
    height: int
    cell_width: float
    cell_height: float
    columns: int
    rows: int
    tokens: int
    steps: tuple[str, ...]
    sum: str


@dataclass(frozen=True, slots=True)
class ImageModel:
    """A model that reads images: how it counts, and where that is said.

    `cells` is what the model calls the parts of the image. `priced` is the model in `compare/prices.toml` whose
    price and context window hold. `checked` is False for what is known from memory of a paper only.
    """

    id: str
    name: str
    cells: str
    formula: str
    rule: Callable[[int, int], Cut]
    source: str
    address: str
    date: str
    checked: bool = True
    priced: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ImageTokens:
    """The tokens of one image for one model: the model's rule, and what it does with this width and height."""

    model: ImageModel
    width: int
    height: int
    cut: Cut

    @property
    def tokens(self) -> int:
        return self.cut.tokens

    @property
    def formula(self) -> str:
        return self.model.formula

    @property
    def source(self) -> str:
        return self.model.source

    @property
    def date(self) -> str:
        return self.model.date


def image_tokens(model: str | ImageModel, width: int, height: int) -> ImageTokens:
    """Return the tokens of an image of `width` by `height` pixels for a model of `IMAGE_MODELS`, or its id.

    >>> image_tokens("vit", 224, 224).tokens, image_tokens("gpt-4o-high", 1024, 1024).tokens
    (256, 765)
    >>> image_tokens("gpt-4o-high", 1024, 1024).cut.sum
    '85 + 170 × 2 × 2'

    Raises `Invalid` for a model that is not known, for a size outside 1 to 100,000 pixels, and for a size that the
    model itself refuses.
    """
    if isinstance(model, str):
        model = image_model(model)
    for pointer, value in (("/width", width), ("/height", height)):
        if not 1 <= value <= LARGEST_SIDE:
            raise Invalid(f"A side of an image is 1 to {LARGEST_SIDE:,} pixels long.", pointer=pointer)
    return ImageTokens(model, width, height, model.rule(width, height))


def image_model(id: str) -> ImageModel:
    """Return the model of this id. Raises `Invalid` with the ids there are."""
    for model in IMAGE_MODELS:
        if model.id == id:
            return model
    raise Invalid(f"The model must be one of {', '.join(one.id for one in IMAGE_MODELS)}.", pointer="/model")


def vit(patch: int = 14) -> ImageModel:
    """Return a plain vision transformer with square patches of `patch` pixels; the image is not resized."""
    return ImageModel(
        "vit",
        f"ViT, patches of {patch} pixels",
        "patches",
        f"⌊width ÷ {patch}⌋ × ⌊height ÷ {patch}⌋",
        partial(_vit, patch=patch),
        "Dosovitskiy et al. 2020, An Image is Worth 16x16 Words",
        "https://arxiv.org/abs/2010.11929",
        "2020-10-22",
        note="Without the class token, which most such models add.",
    )


def _vit(width: int, height: int, *, patch: int) -> Cut:
    columns, rows = width // patch, height // patch
    steps = [f"{columns} × {rows} whole patches of {patch} × {patch} pixels"]
    if width % patch or height % patch:
        steps.append(f"at the edge, {width % patch} columns and {height % patch} rows of pixels are left out")
    return Cut(width, height, patch, patch, columns, rows, columns * rows, tuple(steps), f"{columns} × {rows}")


def _shrunk(width: int, height: int, ratio: float) -> tuple[int, int]:
    """Return both sides times `ratio`, rounded, at least a pixel; unchanged when the ratio is 1 or more."""
    return (width, height) if ratio >= 1 else (max(1, round(width * ratio)), max(1, round(height * ratio)))


def _resized(before: tuple[int, int], after: tuple[int, int], why: str) -> tuple[str, ...]:
    """Return the step that resized the image, or nothing if it did not."""
    if before == after:
        return ()
    return (f"{why}: {before[0]} × {before[1]} becomes {after[0]} × {after[1]}",)


def _tiles_of_512(width: int, height: int) -> Cut:
    inside = _shrunk(width, height, 2048 / max(width, height))
    size = _shrunk(*inside, 768 / min(inside))
    columns, rows = ceil(size[0] / 512), ceil(size[1] / 512)
    steps = (
        *_resized((width, height), inside, "fit into 2,048 × 2,048"),
        *_resized(inside, size, "shortest side to 768"),
        f"{columns} × {rows} tiles of 512 × 512 pixels, 170 tokens each, and 85 for the whole image",
    )
    return Cut(*size, 512, 512, columns, rows, 85 + 170 * columns * rows, steps, f"85 + 170 × {columns} × {rows}")


def _one_view(width: int, height: int, *, side: int, tokens: int, says: str) -> Cut:
    size = _shrunk(width, height, side / max(width, height))
    steps = (*_resized((width, height), size, f"fit into {side} × {side}"), says)
    return Cut(*size, *size, 1, 1, tokens, steps, str(tokens))


def _patches_of_32(width: int, height: int, *, factor: float) -> Cut:
    size = (float(width), float(height))
    if ceil(width / 32) * ceil(height / 32) > 1536:
        ratio = sqrt(32 * 32 * 1536 / (width * height))
        across, down = width * ratio / 32, height * ratio / 32
        # A side shorter than a patch cannot be brought to a whole number of them: it still takes one.
        ratio *= min(floor(across) / across if across >= 1 else 1, floor(down) / down if down >= 1 else 1)
        size = (width * ratio, height * ratio)
    columns, rows = (max(1, ceil(round(side / 32, 6))) for side in size)
    patches = min(columns * rows, 1536)
    whole = (max(1, round(size[0])), max(1, round(size[1])))
    steps = (
        *_resized((width, height), whole, "at most 1,536 patches"),
        f"{columns} × {rows} = {patches:,} patches of 32 × 32 pixels, times {factor}",
    )
    return Cut(*whole, 32, 32, columns, rows, ceil(patches * factor), steps, f"⌈{factor} × {columns} × {rows}⌉")


def _claude(width: int, height: int, *, edge: int, limit: int) -> Cut:
    if max(width, height) > 8000:
        raise Invalid("Claude refuses images with a side of more than 8,000 pixels.", pointer="/width")

    def fits(across: int, down: int) -> bool:
        columns, rows = ceil(across / 28), ceil(down / 28)
        return max(columns, rows) * 28 <= edge and columns * rows <= limit

    def at(long: int) -> tuple[int, int]:
        short = max(1, round(long / (max(width, height) / min(width, height))))
        return (long, short) if width >= height else (short, long)

    fitting, beyond = (max(width, height), 0) if fits(width, height) else (1, max(width, height))
    while fitting + 1 < beyond:  # the longest long edge that fits both limits, by halving
        middle = (fitting + beyond) // 2
        fitting, beyond = (middle, beyond) if fits(*at(middle)) else (fitting, middle)
    size = (width, height) if not beyond else at(fitting)
    columns, rows = ceil(size[0] / 28), ceil(size[1] / 28)
    steps = (
        *_resized((width, height), size, f"at most {limit:,} tokens and {edge:,} pixels along an edge"),
        f"padded to {columns * 28} × {rows * 28}, which is {columns} × {rows} patches of 28 × 28 pixels",
    )
    return Cut(*size, 28, 28, columns, rows, columns * rows, steps, f"{columns} × {rows}")


def _tiles_of_768(width: int, height: int) -> Cut:
    if max(width, height) <= 384:
        return Cut(width, height, width, height, 1, 1, 258, ("both sides are at most 384 pixels: one tile",), "258")
    unit = max(1, floor(min(width, height) / 1.5))
    columns, rows = ceil(width / unit), ceil(height / unit)
    steps = (
        f"tiles of {unit} × {unit} pixels: the shorter side by 1.5, rounded down",
        f"{columns} × {rows} tiles, each resized to 768 × 768 pixels, 258 tokens each",
    )
    return Cut(width, height, unit, unit, columns, rows, 258 * columns * rows, steps, f"258 × {columns} × {rows}")


def _by_level(width: int, height: int, *, tokens: int) -> Cut:
    says = f"at most {tokens:,} tokens at this level, whatever the size; how they lie on the image is not published"
    return Cut(width, height, 0, 0, 0, 0, tokens, (says,), f"{tokens}")


def _rounded_sides(width: int, height: int, *, factor: int, least: int, most: int) -> Cut:
    if max(width, height) > 200 * min(width, height):
        raise Invalid("Qwen-VL refuses images more than 200 times as long as wide.", pointer="/width")
    # Python's round goes to the even neighbour of a half, and so does theirs.
    size, says = (round(width / factor) * factor, round(height / factor) * factor), "sides rounded"
    if size[0] * size[1] > most:
        shrink = sqrt(width * height / most)
        size = (max(factor, _down(width / shrink, factor)), max(factor, _down(height / shrink, factor)))
        says = f"at most {most:,} pixels, sides rounded down"
    elif size[0] * size[1] < least:
        grow = sqrt(least / (width * height))
        size = (ceil(width * grow / factor) * factor, ceil(height * grow / factor) * factor)
        says = f"at least {least:,} pixels, sides rounded up"
    columns, rows = size[0] // factor, size[1] // factor
    steps = (
        *_resized((width, height), size, f"{says} to multiples of {factor}"),
        f"2 × 2 patches of {factor // 2} pixels merge into one token: {columns} × {rows} tokens",
    )
    return Cut(*size, factor, factor, columns, rows, columns * rows, steps, f"{columns} × {rows}")


def _down(side: float, factor: int) -> int:
    return floor(side / factor) * factor


def _rows_with_breaks(width: int, height: int) -> Cut:
    ratio = max(width, height) / 1024
    size = (max(1, floor(width / ratio)), max(1, floor(height / ratio))) if ratio > 1 else (width, height)
    columns, rows = ceil(size[0] / 16), ceil(size[1] / 16)
    steps = (
        *_resized((width, height), size, "longest side to 1,024"),
        f"{columns} × {rows} patches of 16 × 16 pixels",
        "a token [IMG_BREAK] after each row, and [IMG_END] after the last",
    )
    return Cut(*size, 16, 16, columns, rows, (columns + 1) * rows, steps, f"({columns} + 1) × {rows}")


def _square(width: int, height: int, *, side: int, patch: int) -> Cut:
    across = side // patch
    steps = (f"the image becomes {side} × {side}, whatever its size", f"{across} × {across} patches of {patch} pixels")
    return Cut(side, side, patch, patch, across, across, across * across, steps, f"{across} × {across}")


_OPENAI = ("OpenAI, Images and vision", "https://platform.openai.com/docs/guides/images-vision", "2026-11-22")
_CLAUDE = ("Anthropic, Vision", "https://platform.claude.com/docs/en/build-with-claude/vision", "2026-11-22")
_GEMINI = "https://ai.google.dev/gemini-api/docs/"
_QWEN = ("transformers 5.23, Qwen2VLImageProcessor", "https://huggingface.co/docs/transformers/model_doc/qwen2_vl")
_CLAUDE_RULE = "⌈width ÷ 28⌉ × ⌈height ÷ 28⌉"
_DETAIL = "detail: low is one view of 512 × 512 pixels"
_MINI = "⌈{} × ⌈width ÷ 32⌉ × ⌈height ÷ 32⌉⌉"
_ROUNDED = "How the product is rounded is not said; here, up."
_SMALLER = "Images smaller than this are not enlarged here; the documentation leaves it open."

IMAGE_MODELS: tuple[ImageModel, ...] = (
    vit(),
    ImageModel(
        "gpt-4o-high",
        "GPT-4o, high detail",
        "tiles",
        "85 + 170 × ⌈width ÷ 512⌉ × ⌈height ÷ 512⌉",
        _tiles_of_512,
        *_OPENAI,
        priced="GPT-4o",
        note=_SMALLER,
    ),
    ImageModel(
        "gpt-4o-low",
        "GPT-4o, low detail",
        "view",
        "85",
        partial(_one_view, side=512, tokens=85, says=_DETAIL),
        *_OPENAI,
        priced="GPT-4o",
    ),
    ImageModel(
        "gpt-4.1-mini",
        "GPT-4.1 mini",
        "patches",
        _MINI.format(1.62),
        partial(_patches_of_32, factor=1.62),
        *_OPENAI,
        note=_ROUNDED,
    ),
    ImageModel(
        "gpt-4.1-nano",
        "GPT-4.1 nano",
        "patches",
        _MINI.format(2.46),
        partial(_patches_of_32, factor=2.46),
        *_OPENAI,
        note=_ROUNDED,
    ),
    ImageModel(
        "claude", "Claude, before Opus 4.7", "patches", _CLAUDE_RULE, partial(_claude, edge=1568, limit=1568), *_CLAUDE
    ),
    ImageModel(
        "claude-4.7",
        "Claude, from Opus 4.7",
        "patches",
        _CLAUDE_RULE,
        partial(_claude, edge=2576, limit=4784),
        *_CLAUDE,
    ),
    ImageModel(
        "gemini-2",
        "Gemini 2 and 2.5",
        "tiles",
        "258 × ⌈width ÷ unit⌉ × ⌈height ÷ unit⌉, unit = ⌊shorter side ÷ 1.5⌋",
        _tiles_of_768,
        "Google, Gemini API, Image understanding",
        _GEMINI + "image-understanding",
        "2026-11-22",
        note="The documentation calls this formula rough.",
    ),
    *(
        ImageModel(
            f"gemini-3-{level.replace(' ', '-')}",
            f"Gemini 3, {level}",
            "tokens",
            f"{tokens:,} at most",
            partial(_by_level, tokens=tokens),
            "Google, Gemini API, Media resolution",
            _GEMINI + "media-resolution",
            "2026-11-22",
        )
        for level, tokens in (("low", 280), ("medium", 560), ("high", 1120), ("ultra high", 2240))
    ),
    ImageModel(
        "qwen2-vl",
        "Qwen2-VL and Qwen2.5-VL",
        "tokens",
        "(width ÷ 28) × (height ÷ 28)",
        partial(_rounded_sides, factor=28, least=56 * 56, most=16384 * 28 * 28),
        *_QWEN,
        "2026-11-22",
    ),
    ImageModel(
        "qwen3-vl",
        "Qwen3-VL",
        "tokens",
        "(width ÷ 32) × (height ÷ 32)",
        partial(_rounded_sides, factor=32, least=256 * 256, most=4096 * 4096),
        *_QWEN,
        "2026-11-22",
    ),
    ImageModel(
        "pixtral",
        "Pixtral",
        "patches",
        "(⌈width ÷ 16⌉ + 1) × ⌈height ÷ 16⌉",
        _rows_with_breaks,
        "transformers 5.23, PixtralProcessor",
        "https://huggingface.co/docs/transformers/model_doc/pixtral",
        "2026-11-22",
    ),
    ImageModel(
        "llava-1.5",
        "LLaVA-1.5",
        "patches",
        "(336 ÷ 14) × (336 ÷ 14)",
        partial(_square, side=336, patch=14),
        "transformers 5.23, LlavaConfig",
        "https://huggingface.co/docs/transformers/model_doc/llava",
        "2026-11-22",
    ),
)
"""All models whose rule is known here, each with the day on which its source was read."""
