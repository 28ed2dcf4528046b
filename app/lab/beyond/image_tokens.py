"""How many tokens an image costs: the rule of each model, step by step, with its source and the day it was read.

An image reaches a model as a row of vectors, one for each patch (Dosovitskiy et al. 2020, arXiv 2010.11929). Models
differ in how they resize the image first, in the size of the patch, and in what they add. Only width and height matter.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ...errors import Invalid
from . import image_cuts as cuts
from .image_cuts import ImageLayout

LARGEST_SIDE = 100_000
"""The largest width and height that is answered, in pixels."""


@dataclass(frozen=True, slots=True)
class ImageModel:
    """A model that reads images: how it counts, and where that is said.

    `cells` is what the model calls the parts of the image. `priced` is the model in `prices.toml` whose
    price and context window hold. `checked` is False for what is known from memory of a paper only.
    """

    id: str
    name: str
    cells: str
    formula: str
    rule: Callable[[int, int], ImageLayout]
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
    cut: ImageLayout

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
        id="vit",
        name=f"ViT, patches of {patch} pixels",
        cells="patches",
        formula=f"⌊width ÷ {patch}⌋ × ⌊height ÷ {patch}⌋",
        rule=partial(cuts.whole_patches, patch=patch),
        source="Dosovitskiy et al. 2020, An Image is Worth 16x16 Words",
        address="https://arxiv.org/abs/2010.11929",
        date="2020-10-22",
        note="Without the class token, which most such models add.",
    )


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
        cuts.tiles_of_512,
        *_OPENAI,
        priced="GPT-4o",
        note=_SMALLER,
    ),
    ImageModel(
        "gpt-4o-low",
        "GPT-4o, low detail",
        "view",
        "85",
        partial(cuts.one_view, side=512, tokens=85, says=_DETAIL),
        *_OPENAI,
        priced="GPT-4o",
    ),
    ImageModel(
        "gpt-4.1-mini",
        "GPT-4.1 mini",
        "patches",
        _MINI.format(1.62),
        partial(cuts.patches_of_32, factor=1.62),
        *_OPENAI,
        note=_ROUNDED,
    ),
    ImageModel(
        "gpt-4.1-nano",
        "GPT-4.1 nano",
        "patches",
        _MINI.format(2.46),
        partial(cuts.patches_of_32, factor=2.46),
        *_OPENAI,
        note=_ROUNDED,
    ),
    ImageModel(
        "claude",
        "Claude, before Opus 4.7",
        "patches",
        _CLAUDE_RULE,
        partial(cuts.patches_of_28, edge=1568, limit=1568),
        *_CLAUDE,
    ),
    ImageModel(
        "claude-4.7",
        "Claude, from Opus 4.7",
        "patches",
        _CLAUDE_RULE,
        partial(cuts.patches_of_28, edge=2576, limit=4784),
        *_CLAUDE,
        note="A third party measured less for Claude 5.5: about 2,992 for 2560 × 1440.",
    ),
    ImageModel(
        id="gemini-2",
        name="Gemini 2 and 2.5",
        cells="tiles",
        formula="258 × ⌈width ÷ unit⌉ × ⌈height ÷ unit⌉, unit = ⌊shorter side ÷ 1.5⌋",
        rule=cuts.tiles_of_768,
        source="Google, Gemini API, Image understanding",
        address=_GEMINI + "image-understanding",
        date="2026-11-22",
        note="The documentation calls this formula rough.",
    ),
    *(
        ImageModel(
            id=f"gemini-3-{level.replace(' ', '-')}",
            name=f"Gemini 3, {level}",
            cells="tokens",
            formula=f"at most {tokens:,} at the level {level}, whatever the size",
            rule=partial(cuts.by_level, tokens=tokens),
            source="Google, Gemini API, Media resolution",
            address=_GEMINI + "media-resolution",
            date="2026-11-22",
        )
        for level, tokens in (("low", 280), ("medium", 560), ("high", 1120), ("ultra high", 2240))
    ),
    ImageModel(
        "qwen2-vl",
        "Qwen2-VL and Qwen2.5-VL",
        "tokens",
        "(width ÷ 28) × (height ÷ 28)",
        partial(cuts.round_sides, factor=28, least=56 * 56, most=16384 * 28 * 28),
        *_QWEN,
        "2026-11-22",
        note="Limits as its checkpoints set them; the processor alone would allow 1,003,520 pixels.",
    ),
    ImageModel(
        "qwen3-vl",
        "Qwen3-VL",
        "tokens",
        "(width ÷ 32) × (height ÷ 32)",
        partial(cuts.round_sides, factor=32, least=256 * 256, most=4096 * 4096),
        *_QWEN,
        "2026-11-22",
    ),
    ImageModel(
        id="pixtral",
        name="Pixtral",
        cells="patches",
        formula="(⌈width ÷ 16⌉ + 1) × ⌈height ÷ 16⌉",
        rule=cuts.rows_with_breaks,
        source="transformers 5.23, PixtralProcessor",
        address="https://huggingface.co/docs/transformers/model_doc/pixtral",
        date="2026-11-22",
    ),
    ImageModel(
        id="llava-1.5",
        name="LLaVA-1.5",
        cells="patches",
        formula="(336 ÷ 14) × (336 ÷ 14)",
        rule=partial(cuts.one_square, side=336, patch=14),
        source="transformers 5.23, LlavaConfig",
        address="https://huggingface.co/docs/transformers/model_doc/llava",
        date="2026-11-22",
    ),
)
"""All models whose rule is known here, each with the day on which its source was read."""
