"""What the page of sounds shows: waves and spectrograms, sounds to listen to, codebooks, tokens. Plain values only, so
that a worker can send it to the server.
"""

import base64
import io
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from .sound_tokens import STEP, Frames, QuantizedSound, quantize, spectrogram
from .sounds import RATE, Samples, make_sound, wav

SHOWN_TOKENS = 40
"""Frames whose tokens are shown, from the loudest on."""
STOPS = ((12, 12, 40), (74, 28, 98), (176, 49, 88), (237, 120, 60), (252, 240, 176))
"""Colours of a spectrogram, from silence to the loudest."""
WAVE = (400, 100)
RESIDUAL_WAVE = (120, 24)
"""Columns and height of the drawing of a wave: of a sound, and of what is still missing of it."""


@dataclass(frozen=True, slots=True)
class LevelView:
    """A codebook of the table, and the sound made from all codebooks up to it, as a data URL or an address.

    `missing` is the wave of what that sound still lacks, on the scale of the sound itself.
    """

    number: int
    used: int
    learned: float | None
    held_out: float | None
    bits_per_second: float
    missing: str
    listen: str = ""


@dataclass(frozen=True, slots=True)
class SoundView:
    """What the page shows of a sound and its codebooks."""

    seconds: float
    positions: int
    size: int
    codebooks: int
    levels: tuple[LevelView, ...]
    frames: int
    wave: str
    rebuilt_wave: str
    original: str
    rebuilt: str
    listen: str
    first: int
    tokens: tuple[tuple[int, ...], ...]

    @property
    def level(self) -> LevelView:
        return self.levels[self.codebooks - 1]

    @property
    def per_second(self) -> float:
        """Tokens a second."""
        return self.codebooks * RATE / STEP


@lru_cache(maxsize=16)
def quantize_sound(id: str, size: int) -> QuantizedSound:
    """Return a sound made here as tokens, from memory if it was asked for lately. Raises `Invalid`."""
    return quantize(make_sound(id), size=size)


def sound_view(sound: QuantizedSound, codebooks: int, *, inline: bool = False) -> SoundView:
    """Return what the page shows with some of the codebooks; `inline` has every sound in it as a data URL."""

    made = [sound.samples, *(sound.sound(number) for number in range(1, len(sound.levels) + 1))]
    peak = float(np.abs(sound.samples).max(initial=0.0))

    def listen(count: int) -> str:
        return data_url("audio/wav", wav(made[count])) if inline else ""

    levels = tuple(
        LevelView(
            number=number,
            used=level.used,
            learned=level.learned,
            held_out=level.held_out,
            bits_per_second=sound.bits_per_second(number),
            missing=draw_wave(sound.samples - made[number], peak, *RESIDUAL_WAVE),
            listen=listen(number),
        )
        for number, level in enumerate(sound.levels, 1)
    )
    bands = spectrogram(sound.samples)
    rebuilt = spectrogram(made[codebooks])
    loudest = float(bands.max(initial=-10))
    first = _loudest_place(sound.samples, sound.positions)
    chosen = tuple(tuple(level.tokens[first : first + SHOWN_TOKENS].tolist()) for level in sound.levels[:codebooks])
    return SoundView(
        seconds=sound.seconds,
        positions=sound.positions,
        size=sound.size,
        codebooks=codebooks,
        levels=levels,
        frames=len(bands),
        wave=draw_wave(sound.samples, peak, *WAVE),
        rebuilt_wave=draw_wave(made[codebooks], peak, *WAVE),
        original=render_frames(bands, loudest),
        rebuilt=render_frames(rebuilt, loudest),
        listen=listen(0),
        first=first,
        tokens=chosen,
    )


def _loudest_place(samples: Samples, positions: int) -> int:
    at = int(np.abs(samples).argmax()) // STEP
    return max(0, min(at - SHOWN_TOKENS // 4, positions - SHOWN_TOKENS))


def draw_wave(samples: Samples, peak: float, columns: int, height: int) -> str:
    """Return the path data of a wave: in each column a line from its lowest sample to its highest; `peak` is the edge.

    >>> draw_wave(np.array([0.0, 1.0, -1.0, 0.5]), 1.0, 2, 100)
    'M0 50V0M1 100V25'
    """
    bounds = np.linspace(0, len(samples), columns + 1).astype(int)
    lines = []
    for column, (start, end) in enumerate(pairwise(bounds)):
        part = samples[start : max(end, start + 1)]
        if part.size:
            low, high = (round(height * (1 - limit / (peak or 1.0)) / 2) for limit in (part.min(), part.max()))
            lines.append(f"M{column} {min(low, height)}V{max(high, 0)}")
    return "".join(lines)


def render_frames(bands: Frames, loudest: float) -> str:
    """Return log-mel frames as a PNG in a data URL: time from the left, low tones at the bottom, a pixel a number."""
    from PIL import Image

    shades = np.clip((bands.T[::-1] - loudest + 8) / 8, 0, 1) * 255  # Whisper cuts off 80 dB below the loudest, too
    image = Image.fromarray(shades.astype(np.uint8))
    palette = [
        np.interp(np.arange(256), np.linspace(0, 255, len(STOPS)), colour) for colour in zip(*STOPS, strict=True)
    ]
    image.putpalette(np.round(palette).T.astype(np.uint8).tobytes())
    file = io.BytesIO()
    image.save(file, "PNG")
    return data_url("image/png", file.getvalue())


def data_url(media: str, data: bytes) -> str:
    """Return data as an address that holds it.

    >>> data_url("text/plain", b"a")
    'data:text/plain;base64,YQ=='
    """
    return f"data:{media};base64,{base64.b64encode(data).decode()}"
