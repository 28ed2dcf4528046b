"""One budget: the tokens of a prompt's text, pictures, sound and video for a model, each with its formula and source.

What no source says is not counted, and the total is then a lower bound. Sounds and frames have rates that a source
names; a text is counted by the model's own tokenizer or not at all.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor

from pydantic import Field

from ...errors import Invalid, TooLarge, join_names, plural
from ...registry import Registry
from ...scratch.budget import count_media_tokens
from ..option_schema import Items, Options, declare, validate
from ..prices import MILLION, PricedModel
from ..request.parts import PartCounter
from ..request.targets import find_target
from .image_tokens import LARGEST_SIDE, image_tokens
from .sound_tokens import GEMINI, GEMINI_RATE

MAX_IMAGES = 50
MAX_SECONDS = 86_400
MAX_RATE = 60
READ = "2026-11-22"
"""The day on which the sources without a date of their own were read."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Tokens for a second of sound or for a frame of video, and who says so."""

    tokens: float
    source: str
    address: str
    date: str


@dataclass(frozen=True)
class BudgetModel:
    """A model and the rules for all but its text; `model` is the name under which that is counted, as of a request.

    `images` are ids of `IMAGE_MODELS` by detail, the default first. `frames` is the rate of video at its default.
    """

    id: str
    name: str
    model: str
    images: Mapping[str, str]
    sound: Rate | None = None
    frames: Rate | None = None
    frames_note: str = ""


VIDEO = ("Google, Gemini API, Video understanding", "https://ai.google.dev/gemini-api/docs/video-understanding", READ)
AUDIO = Rate(GEMINI_RATE, *GEMINI)
LEVELS = (
    "Google’s developer forum, Media Resolution",
    "https://discuss.ai.google.dev/t/media-resolution-gemini-api/116517",
    READ,
)


BUDGET_MODELS: tuple[BudgetModel, ...] = (
    BudgetModel("gpt-4o", "GPT-4o", "gpt-4o", {"high": "gpt-4o-high", "low": "gpt-4o-low"}),
    BudgetModel("gpt-4.1-mini", "GPT-4.1 mini", "gpt-4.1-mini", {"": "gpt-4.1-mini"}),
    BudgetModel("gpt-4.1-nano", "GPT-4.1 nano", "gpt-4.1-nano", {"": "gpt-4.1-nano"}),
    BudgetModel("claude-sonnet-4.5", "Claude Sonnet 4.5", "claude-sonnet-4.5", {"": "claude"}),
    BudgetModel("claude-opus-5", "Claude Opus 5", "claude-opus-5", {"": "claude-4.7"}),
    BudgetModel(
        "gemini-2.5",
        "Gemini 2.5",
        "gemini-2.5",
        {"": "gemini-2"},
        sound=AUDIO,
        frames=Rate(258, *VIDEO),
        frames_note="66 a frame at low resolution",
    ),
    BudgetModel(
        "gemini-3",
        "Gemini 3.1",
        "gemini-3.1",
        {level: f"gemini-3-{level}" for level in ("high", "medium", "low", "ultra-high")},
        sound=AUDIO,
        frames=Rate(70, *LEVELS),
        frames_note="about 280 a frame at the level high",
    ),
    BudgetModel("qwen3-vl", "Qwen3-VL", "qwen3-vl", {"": "qwen3-vl"}),
    BudgetModel("pixtral", "Pixtral", "pixtral-12b-2409", {"": "pixtral"}),
)
"""The models whose rule for images is known here, and whose text is counted or said not to be."""


class Image(Options):
    """A picture of the prompt."""

    width: int = Field(ge=1, le=LARGEST_SIDE, description="In pixels.")
    height: int = Field(ge=1, le=LARGEST_SIDE, description="In pixels.")
    detail: str = Field("", description="A level of the model, such as `low`; empty for its default.")


class Prompt(Options):
    """What a prompt holds."""

    text: str = declare("Text", "")
    images: Items[Image] = Field([], description=f"At most {MAX_IMAGES}.")
    audio_seconds: float = declare(
        "Sound, seconds", 0, ge=0, le=MAX_SECONDS, field="audio", help="That of a video included."
    )
    video_seconds: float = declare("Video, seconds", 0, ge=0, le=MAX_SECONDS, field="video")
    frames_per_second: float = declare(
        "Frames a second", 1, ge=0, le=MAX_RATE, field="fps", help="Frames that are taken of a video."
    )


@dataclass(frozen=True, slots=True)
class BudgetPart:
    """A part of a prompt and its tokens, None if not known; `formula` says how they were counted, or why not."""

    kind: str
    name: str
    tokens: int | None
    formula: str
    steps: tuple[str, ...] = ()
    source: str = ""
    address: str = ""
    date: str = ""


@dataclass(frozen=True)
class PromptBudget:
    """The parts of a prompt for a model, and what they come to; `money` is its price and its context window."""

    model: BudgetModel
    money: PricedModel
    parts: tuple[BudgetPart, ...]

    @property
    def tokens(self) -> int:
        """The tokens of all parts that are known."""
        return sum(part.tokens or 0 for part in self.parts)

    @property
    def complete(self) -> bool:
        """False if the tokens of some part are not known: the total is then a lower bound."""
        return all(part.tokens is not None for part in self.parts)

    @property
    def share(self) -> float | None:
        """The share of the context window; None if the window is not known."""
        return self.tokens / self.money.window if self.money.window else None

    @property
    def cost(self) -> float | None:
        """Dollars; None if the price is not known."""
        price, _ = self.money.rates(self.tokens)
        return None if price is None else self.tokens * price / MILLION


def budget_model(id: str) -> BudgetModel:
    """Return a model by its id. Raises `Invalid`."""
    for model in BUDGET_MODELS:
        if model.id == id:
            return model
    raise Invalid(f"model is one of {join_names(one.id for one in BUDGET_MODELS)}.", pointer="/model")


def budget(registry: Registry, model: BudgetModel, prompt: Prompt) -> PromptBudget:
    """Return what a prompt costs a model in tokens.

    Raises `Invalid` for a detail or an image that the model refuses and for times out of bounds, and `TooLarge` for
    too many images.
    """
    check(prompt)
    counter = PartCounter(registry, find_target(registry, model.model))
    parts = [_text(counter, prompt.text)] if prompt.text else []
    parts += [_image(model, image, number) for number, image in enumerate(prompt.images, 1)]
    if prompt.audio_seconds:
        parts.append(_sound(model, prompt.audio_seconds))
    if prompt.video_seconds:
        parts.append(_video(model, prompt))
    return PromptBudget(model, counter.model.money, tuple(parts))


def check(prompt: Prompt) -> None:
    """Raise `TooLarge` for too many images, and `Invalid` for times and rates out of bounds."""
    if len(prompt.images) > MAX_IMAGES:
        raise TooLarge(f"A prompt has at most {MAX_IMAGES} pictures here.", pointer="/images", limit=MAX_IMAGES)
    validate(prompt)


def _text(counter: PartCounter, text: str) -> BudgetPart:
    """Return a text with its tokens, or why they are a range, which is not part of the sum."""
    says = f"text, {plural(len(text), 'character')}"
    span = counter.count(text)
    target = counter.model
    if target.range:
        range = f"{span.low:,} to {span.high:,} tokens, not part of the sum. {target.reason}"
        return BudgetPart("text", says, None, range)
    formula = f"counted by {target.tokenizer}, without the tokens of the chat format"
    formula += f". {target.reason}" if target.reason else ""
    address = f"/tokenizers/{target.tokenizer}"
    return BudgetPart("text", says, int(span.low), formula, source=target.tokenizer, address=address)


def _image(model: BudgetModel, image: Image, number: int) -> BudgetPart:
    detail = image.detail or next(iter(model.images))
    if detail not in model.images:
        choices = join_names(name for name in model.images if name) or "empty for this model"
        raise Invalid(f"The detail of picture {number} is {choices}.", pointer=f"/images/{number - 1}/detail")
    one = image_tokens(model.images[detail], image.width, image.height)
    says = f"picture {number}, {image.width:,} × {image.height:,}{f', {detail}' if detail else ''}"
    steps = (*one.cut.steps, *([one.model.note] if one.model.note else []))
    formula = one.formula if one.cut.sum == f"{one.tokens}" else f"{one.formula} = {one.cut.sum}"
    return BudgetPart(
        kind="image",
        name=says,
        tokens=one.tokens,
        formula=formula,
        steps=steps,
        source=one.source,
        address=one.model.address,
        date=one.date,
    )


def _sound(model: BudgetModel, seconds: float) -> BudgetPart:
    says = f"sound, {seconds:g} s"
    rate = model.sound
    if rate is None:
        return BudgetPart("sound", says, None, "Not known: no source here says how this model counts sound.")
    formula = f"{rate.tokens:g} tokens a second × {seconds:g}"
    return BudgetPart(
        kind="sound",
        name=says,
        tokens=count_media_tokens(seconds, rate.tokens),
        formula=formula,
        steps=(),
        source=rate.source,
        address=rate.address,
        date=rate.date,
    )


def _video(model: BudgetModel, prompt: Prompt) -> BudgetPart:
    says = f"video, {prompt.video_seconds:g} s at {prompt.frames_per_second:g} frames/s"
    rate = model.frames
    if rate is None:
        return BudgetPart(
            "video", says, None, "Not known: no source here says how this model counts frames of a video."
        )
    # A floating-point product of 0.1 and 30 may end just below a whole number of frames.
    frames = floor(prompt.video_seconds * prompt.frames_per_second + 1e-9)
    formula = f"{rate.tokens:g} tokens a frame × {frames:,} frames"
    steps = ("its sound is not included: enter it as sound", *([model.frames_note] if model.frames_note else []))
    return BudgetPart(
        kind="video",
        name=says,
        tokens=int(frames * rate.tokens),
        formula=formula,
        steps=steps,
        source=rate.source,
        address=rate.address,
        date=rate.date,
    )
