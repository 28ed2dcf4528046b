"""Log-mel frames: what Whisper hears. A spectrum every 10 ms, in 80 bands, narrow for low tones and wide for high ones.

A window of 25 ms, 400 samples at 16 kHz, moves by 160 samples. Its power spectrum is summed in bands evenly spaced on
the mel scale, in which equal steps sound equal, and the logarithm is taken (Radford et al. 2022).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
RATE, WINDOW, STEP, BANDS = 16_000, 400, 160, 80


class MelFrame(NamedTuple):
    """A window of the sound: its middle in seconds, the power of its frequencies, and the logarithm of its bands."""

    second: float
    power: Array
    bands: Array


def mel_frames(sound: Array) -> Iterator[MelFrame]:
    """Yield the frames of a sound at 16 kHz, a hundred for each second.

    >>> second = np.arange(RATE) / RATE
    >>> frames = [*mel_frames(np.sin(2 * np.pi * 440 * second))]
    >>> len(frames), int(frames[50].power.argmax()) * RATE // WINDOW, int(frames[50].bands.argmax())
    (100, 440, 11)
    """
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    filters = mel_filters()
    padded = np.pad(sound, WINDOW // 2, mode="reflect")
    for start in range(0, len(sound) - STEP + 1, STEP):
        power = np.abs(np.fft.rfft(padded[start : start + WINDOW] * hann)) ** 2
        bands = np.log10(np.maximum(filters @ power, 1e-10))
        yield MelFrame(start / RATE, power, bands)


def mel_filters() -> Array:
    """Return a triangle over the frequencies for each band, of equal areas: an array of 80 × 201."""
    frequencies = np.linspace(0, RATE / 2, WINDOW // 2 + 1)
    edges = frequency(np.linspace(mel(0), mel(RATE / 2), BANDS + 2))
    low, peak, high = (edges[at : at + BANDS, None] for at in range(3))
    rising, falling = (frequencies - low) / (peak - low), (high - frequencies) / (high - peak)
    filters: Array = np.maximum(0, np.minimum(rising, falling)) * 2 / (high - low)
    return filters


def mel(hertz: float) -> float:
    """Return a frequency in mel: linear up to 1 kHz, which is 15 mel, and logarithmic above."""
    return 3 * hertz / 200 if hertz < 1000 else 15 + 27 * float(np.log(hertz / 1000) / np.log(6.4))


def frequency(mels: Array) -> Array:
    """Return the frequencies of values in mel."""
    return np.where(mels < 15, 200 * mels / 3, 1000 * 6.4 ** ((np.maximum(mels, 15) - 15) / 27))


def scale_as_whisper(bands: Array) -> Array:
    """Return frames as Whisper gets them: nothing more than 8 below the loudest, and moved to about −1 to 1."""
    heard: Array = (np.maximum(bands, bands.max() - 8) + 4) / 4
    return heard
