"""Scenes about pictures and sound: patches of pixels, log-mel frames, and codebooks of what was missed."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from functools import lru_cache
from math import hypot, log10, sin
from random import Random
from typing import Any, overload

import numpy as np

from ...errors import Invalid, plural
from ...registry import Registry
from ...scratch.image_patches import Patch, patches
from ...scratch.mel import RATE, mel_frames, scale_as_whisper
from ...scratch.rvq import Array, Codebook, learn_codebooks
from ..beyond.image_tokens import IMAGE_MODELS, image_tokens
from ..beyond.sound_view import data_url, render_frames
from ..steps.drawing import Drawing, Label, Pixmap, Stroke
from ..steps.step import Fact, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, make_row
from .code import trace_lines
from .prose import fill, say
from .scene import Question, Trace, ask

SIZE = re.compile(r"\s*(\d{1,5})\s*[×xX*]\s*(\d{1,5})\s*(?:,\s*(\d{1,3})\s*)?")
LARGEST = 4096
SHOWN_PATCHES = 12
SHOWN_NUMBERS = 12
COMPARED = ("gpt-4o-high", "gpt-4.1-mini", "claude", "gemini-2", "qwen3-vl", "pixtral", "llava-1.5")


MOST_DRAWN = 256
"""Pixels of the longer side of the picture that is drawn."""


class Pixels(Sequence[list[tuple[int, ...]]]):
    """A harbour in grey, by formula, whose rows are made on demand: sky with a sun, waves, a boat and a lighthouse."""

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.made: dict[int, list[tuple[int, ...]]] = {}

    def __len__(self) -> int:
        return self.height

    @overload
    def __getitem__(self, at: int) -> list[tuple[int, ...]]: ...
    @overload
    def __getitem__(self, at: slice) -> list[list[tuple[int, ...]]]: ...
    def __getitem__(self, at: Any) -> Any:
        rows = range(self.height)[at]
        return self._row(rows) if isinstance(rows, int) else [self._row(row) for row in rows]

    def _row(self, row: int) -> list[tuple[int, ...]]:
        if row not in self.made:
            y = row / self.height
            self.made[row] = [(_shade(column / self.width, y),) for column in range(self.width)]
        return self.made[row]


def _shade(x: float, y: float) -> int:
    """Return the grey of the harbour at a place, both coordinates from 0 to 1."""
    if hypot(x - 0.22, 0.75 * (y - 0.2)) < 0.09:
        return 255  # the sun
    if 0.8 < x < 0.87 and 0.18 < y < 0.66:
        return 235 if int(y * 16) % 2 else 60  # the lighthouse
    if 0.35 < x < 0.7 and 0.66 < y < 0.74 and abs(x - 0.525) < 0.175 - (y - 0.66):
        return 30  # the hull
    if 0.25 < y < 0.64 and 0 < x - 0.52 < 0.4 * (y - 0.25):
        return 245  # the sail
    if y < 0.62:
        return round(120 + 100 * y)
    return round(70 + 25 * sin(40 * y + 9 * sin(5 * x)))


@lru_cache(maxsize=16)
def draw_harbour(width: int, height: int) -> str:
    """Return the picture as a PNG in a data URL, of a large one every n-th pixel."""
    from PIL import Image

    every = max(1, max(width, height) // MOST_DRAWN)
    rows = [[_shade(x / width, y / height) for x in range(0, width, every)] for y in range(0, height, every)]
    file = io.BytesIO()
    Image.fromarray(np.array(rows, np.uint8)).save(file, "PNG")
    return data_url("image/png", file.getvalue())


def trace_pictures(text: str, registry: Registry) -> Trace:
    """Trace a picture of a size through its patches, and count it as other models do."""
    width, height, size = _parse_size(text)
    columns, rows = width // size, height // size
    numbers = plural(width * height, "number")
    picture = say("pictures.steps.start", width=f"{width:,}", height=f"{height:,}", numbers=numbers)
    steps = [Step(picture, figure=_grid(width, height, size, None))]
    for line, step in trace_lines(patches(Pixels(width, height), size)):
        shown = step.place < SHOWN_PATCHES - 1
        if not shown and step.place < columns * rows - 1:
            if step.place > 4 * SHOWN_PATCHES:
                break
            continue
        place = fill("pictures.steps.place", row=step.row + 1, column=step.column + 1)
        numbers = plural(size * size, "number")
        sentence = say("pictures.steps.patch", number=step.place + 1, place=place, numbers=numbers)
        steps.append(Step(sentence, (_numbers(step),), line, figure=_grid(width, height, size, step)))
    end = say("pictures.steps.end", columns=columns, rows=rows, tokens=plural(columns * rows, "token"))
    lost = Fact("pixels beyond the last whole patch", f"{width * height - columns * rows * size * size:,}", "left out")
    steps.append(Step(end, (), steps[-1].line, _tabulate_models(width, height), (lost,)))
    return Trace(steps, _how_many(width, height, size))


def _parse_size(text: str) -> tuple[int, int, int]:
    """Return width, height and patch of a text such as `64 × 48, 16`. Raises `Invalid`."""
    match = SIZE.fullmatch(text)
    if not match:
        raise Invalid("Write a size in pixels, such as 64 × 48, or with a patch: 64 × 48, 8.", pointer="/text")
    width = int(match[1])
    height = int(match[2])
    size = int(match[3] or 16)
    if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
        raise Invalid(f"Each side has 1 to {LARGEST:,} pixels.", pointer="/text")
    if not 2 <= size <= min(width, height, 64):
        raise Invalid("A patch has 2 to 64 pixels along a side, and not more than the picture.", pointer="/text")
    return width, height, size


def _numbers(step: Patch) -> TileRow:
    return make_row(
        (Tile(f"{number}", number // 29) for number in step.numbers), f"token {step.place + 1}", limit=SHOWN_NUMBERS
    )


def _grid(width: int, height: int, size: int, step: Patch | None, *, asked: bool = False) -> Drawing:
    """Draw the picture with its patches, and the one that is cut out; only the first if their number is asked."""
    scale = 300 / max(width, height)
    columns, rows = width // size, height // size
    wide, high, cell = width * scale, height * scale, size * scale
    left = top = 20

    def square(column: int, row: int) -> Stroke:
        return Stroke(f"M{left + column * cell:g} {top + row * cell:g}h{cell:g}v{cell:g}h{-cell:g}Z", "best")

    strokes = [Stroke(f"M{left} {top}h{wide:g}v{high:g}h{-wide:g}Z")]
    labels = list[Label]()
    says = f"{columns} × {rows} patches of {size} pixels"
    if asked:
        says = f"one patch of {size} pixels in its corner"
        strokes.append(square(0, 0))
    elif max(columns, rows) <= 64:
        lines = [f"M{left + at * cell:g} {top}v{rows * cell:g}" for at in range(1, columns + 1)]
        lines += [f"M{left} {top + at * cell:g}h{columns * cell:g}" for at in range(1, rows + 1)]
        strokes.append(Stroke("".join(lines)))
    if step is not None:
        says += f"; the {step.place + 1}th is cut out"
        strokes.append(square(step.column, step.row))
        labels.append(Label(left + wide + 30, top + 12, f"{step.place + 1}", bold=True))
    return Drawing(
        width=left + wide + 70,
        height=top + high + 20,
        strokes=tuple(strokes),
        labels=tuple(labels),
        says=f"A harbour in grey: {says}",
        pixels=Pixmap(draw_harbour(width, height), left, top, wide, high),
    )


def _tabulate_models(width: int, height: int) -> Table:
    rows = list[tuple[str, str, str]]()
    for model in (one for one in IMAGE_MODELS if one.id in COMPARED):
        try:
            cut = image_tokens(model, width, height).cut
            rows.append((model.name, f"{cut.tokens:,}", cut.sum))
        except Invalid:
            rows.append((model.name, "refused", ""))
    return tabulate("The same size for other models", ("model", "tokens", "how they add up"), rows)


def _how_many(width: int, height: int, size: int) -> Question:
    columns, rows = width // size, height // size
    rounded = -(-width // size) * -(-height // size)
    return ask(
        "pictures.question",
        columns * rows,
        [(columns + rows, "sum"), (width * height // size, "side"), (rounded, "rounded")],
        figure=_grid(width, height, size, None, asked=True),
        shown_at=-1,
        width=f"{width:,}",
        height=f"{height:,}",
        size=size,
        columns=columns,
        rows=rows,
    )


def sample_size(random: Random) -> str:
    """Return a random size, small enough that its patches can be counted."""
    size = random.choice((8, 14, 16, 32))
    width, height = (random.randrange(2, 10) * size + random.choice((0, 0, size // 3)) for _ in "xy")
    return f"{width} × {height}, {size}"


TONE_SECONDS = 0.08
MOST_TONES = 16
BOOKS = 4
VECTORS = 4
"""Codebooks of the scene, and vectors in each: two bits a token."""


def trace_sound(text: str, registry: Registry) -> Trace:
    """Trace tones as log-mel frames, and the frames as tokens of codebooks learned from them."""
    tones = _parse_tones(text)
    heard = [*trace_lines(mel_frames(_synthesize(tones)))]
    per_tone = len(heard) // len(tones)
    middles = [at * per_tone + per_tone // 2 for at in range(len(tones))]
    frames = plural(len(heard), "frame")
    start = say("sound.steps.start", tones=plural(len(tones), "tone"), seconds=f"{TONE_SECONDS:g}", frames=frames)
    every = np.array([frame.bands for _, frame in heard])
    steps = [Step(start, (_bands(tones, []),), figure=_spectrogram(every, tones, 0))]
    bands: list[int] = []
    for hertz, (line, frame) in zip(tones, (heard[at] for at in middles), strict=True):
        bands.append(int(frame.bands.argmax()))
        sentence = say(
            "sound.steps.frame",
            second=f"{frame.second:.2f}",
            hertz=f"{hertz:g}",
            band=bands[-1] + 1,
            bands=len(frame.bands),
        )
        loud = Fact("bands within 20 dB of it", f"{int((frame.bands > frame.bands.max() - 2).sum())}", "of 80")
        figure = _spectrogram(every, tones, len(bands))
        steps.append(Step(sentence, (_bands(tones, bands),), line, facts=(loud,), figure=figure))
    vectors = scale_as_whisper(every)
    rows = [_bands(tones, bands)]
    levels = list[tuple[str, str, str]]()
    for number, (line, book) in enumerate(trace_lines(learn_codebooks(vectors, BOOKS, VECTORS)), 1):
        chosen = [int(book.tokens[at]) for at in middles]
        rows.append(make_row((Tile(f"{token}", token) for token in chosen), f"codebook {number}"))
        levels.append((f"{number}", f"{VECTORS**number:,}", _measure_error(vectors, book)))
        tokens = f"{plural(number, 'token')}, {plural(2 * number, 'bit')}"
        sentence = say("sound.steps.first", vectors=VECTORS, tokens=tokens)
        if number > 1:
            sentence = say("sound.steps.codebook", number=number, tokens=tokens)
        table = tabulate("What is left over", ("codebooks", "ways to say a frame", "left over"), levels)
        steps.append(Step(sentence, tuple(rows), line, table))
    return Trace(steps, _ask_tokens(len(heard), steps[0]))


def _spectrogram(bands: Array, tones: Sequence[float], heard: int) -> Drawing:
    """Draw the frames, time from the left and low bands at the bottom, with the newest tone in a frame."""
    left, top, width, height = 20, 14, 520, 120
    each = width / len(tones)
    labels = tuple(
        Label(left + each * (at + 0.5), top + height + 20, f"{tone:g} Hz", bold=at == heard - 1)
        for at, tone in enumerate(tones)
    )
    newest = f"M{left + each * (heard - 1):g} {top}h{each:g}v{height}h{-each:g}Z"
    return Drawing(
        width=width + 2 * left,
        height=top + height + 34,
        strokes=(Stroke(newest, "best"),) if heard else (),
        labels=labels,
        says=f"The spectrogram: the loudness of {bands.shape[1]} bands over {len(bands)} frames",
        pixels=Pixmap(render_frames(bands, float(bands.max())), left, top, width, height),
    )


def _parse_tones(text: str) -> list[float]:
    """Return the frequencies of a text. Raises `Invalid`."""
    words = re.split(r"[\s,]+", text.strip())
    if not all(re.fullmatch(r"\d{2,4}(\.\d{1,2})?", word) for word in words) or len(words) > MOST_TONES:
        raise Invalid(f"Write up to {MOST_TONES} tones in Hz, such as 220 330 440.", pointer="/text")
    tones = [float(word) for word in words]
    if not all(50 <= tone <= 7500 for tone in tones):
        raise Invalid("A tone has 50 to 7,500 Hz.", pointer="/text")
    return tones


def _synthesize(tones: Sequence[float]) -> Array:
    second = np.arange(int(TONE_SECONDS * RATE)) / RATE
    return np.concatenate([0.5 * np.sin(2 * np.pi * tone * second) for tone in tones])


def _bands(tones: Sequence[float], bands: Sequence[int]) -> TileRow:
    unknown = [Tile("·", NO_ID)] * (len(tones) - len(bands))
    return make_row([*(Tile(f"{band + 1}", band + 1) for band in bands), *unknown], "loudest band")


def _measure_error(vectors: Array, book: Codebook) -> str:
    error, whole = (float(np.square(one).mean()) for one in (book.left, vectors))
    return "nothing" if error < 1e-12 * whole else f"−{10 * log10(whole / error):.1f} dB"


def _ask_tokens(frames: int, first: Step) -> Question:
    return ask(
        "sound.question",
        f"{frames * BOOKS:,}",
        [
            (f"{frames:,}", "frames"),
            (f"{frames * VECTORS**BOOKS:,}", "ways"),
            (f"{frames * BOOKS * VECTORS:,}", "vectors"),
            (BOOKS, "once"),
        ],
        given=Step(first.sentence, first.rows),
        shown_at=-1,
        books=BOOKS,
        vectors=VECTORS,
        frames=frames,
        ways=VECTORS**BOOKS,
    )


def sample_tones(random: Random) -> str:
    """Return a few random tones."""
    tones = (110, 165, 220, 330, 440, 660, 880, 1760, 3520)
    return " ".join(f"{random.choice(tones)}" for _ in range(random.randint(2, 9)))
