"""Sounds: three made by formula, and WAV files of users, read within limits, as samples at 16 kHz from −1 to 1."""

import io
import struct
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import Invalid, TooLarge

Samples = NDArray[np.float64]
RATE = 16_000
"""Samples a second, as Whisper and this page have them."""
MAX_SECONDS = 10
MIN_SECONDS = 0.1
RATES = (4_000, 192_000)
"""The lowest and the highest rate of a file."""
FORMANTS = np.array(
    [[730, 1090, 2440], [530, 1840, 2480], [300, 870, 2240], [270, 2290, 3010], [570, 840, 2410], [660, 1720, 2410]]
)
"""Resonances in Hz of six vowels of men, as Peterson and Barney measured them in 1952: a, e, u, i, o and æ."""
SPOKEN = (0, 1, 2, 4, 5, 3, 0, 3, 1, 2, 5, 4, 0, 1, 3, 2)
"""The vowels of the phrase."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A sound made by formula."""

    id: str
    title: str
    make: Callable[[], Samples]


def phrase() -> Samples:
    """Return four seconds that sound like speech: the overtones of a voice, loudest where six vowels have resonances.

    >>> samples = phrase()
    >>> samples.shape, round(float(abs(samples).max()), 2)
    ((64000,), 0.8)
    """
    second = _seconds(4)
    places = np.linspace(0, 4, len(SPOKEN))
    pitch = 125 + 22 * np.sin(2.8 * second) - 6 * (second % 2) + 3 * np.sin(33 * second)
    turn = 2 * np.pi * np.cumsum(pitch) / RATE
    voice = np.zeros_like(second)
    resonances = [np.interp(second, places, FORMANTS[[*SPOKEN], at]) for at in range(3)]
    for overtone in range(1, 50):
        hertz = overtone * pitch
        loud = np.zeros_like(second)
        for resonance, width, gain in zip(resonances, (70, 90, 140), (1, 0.55, 0.25), strict=True):
            loud += gain / (1 + ((hertz - resonance) / width) ** 2)
        voice += np.where(hertz < 7000, loud / overtone**0.35, 0) * np.sin(overtone * turn)
    syllables = np.sin(np.pi * (3.5 * second % 1)) ** 0.6
    words = np.minimum(1, 1.5 * np.sin(np.pi * (second % 1)))
    hiss = np.diff(np.random.default_rng(1).standard_normal(len(second)), prepend=0)  # as in s and t
    consonants = np.exp(-(((1.75 * second % 1) - 0.05) ** 2) / 0.0016)
    return _loudest(voice * syllables * words + 0.4 * hiss * consonants)


def tone() -> Samples:
    """Return four plucked tones of a quarter of a second with seven overtones each, and then all of them together."""
    second = _seconds(3)
    made = np.zeros_like(second)
    for at, hertz in enumerate((220.0, 277.2, 329.6, 440.0)):
        for start in (at / 4, 1.25):
            since = np.maximum(0, second - start)
            for overtone in range(1, 8):
                fading = np.exp(-3 * overtone**0.5 * since) / overtone**1.5
                made += fading * np.sin(2 * np.pi * overtone * hertz * since)
    return _loudest(made)


def chirp() -> Samples:
    """Return three seconds of one tone that rises from 100 to 6,000 Hz, by the same factor in every second."""
    second = _seconds(3)
    growth = np.log(60) / 3
    return _loudest(np.sin(2 * np.pi * 100 * np.expm1(growth * second) / growth) * np.minimum(1, 20 * (3 - second)))


def _seconds(length: float) -> Samples:
    return np.arange(int(RATE * length)) / RATE


def _loudest(samples: Samples) -> Samples:
    scaled: Samples = 0.8 * samples / np.abs(samples).max()
    return scaled


SOUNDS = (
    Sound("phrase", "A phrase, made of vowels", phrase),
    Sound("tone", "Plucked tones", tone),
    Sound("chirp", "A tone that rises", chirp),
)


@cache
def make_sound(id: str) -> Samples:
    """Return one of the sounds made here. Raises `Invalid`."""
    for sound in SOUNDS:
        if sound.id == id:
            return sound.make()
    raise Invalid(f"The sound is one of {', '.join(sound.id for sound in SOUNDS)}.", pointer="/sound")


def read_wav(data: bytes) -> Samples:
    """Return the samples of a WAV file, its channels averaged, at 16 kHz.

    Reads integers of 8, 16, 24 and 32 bits and floats of 32 and 64. Raises `Invalid` for a file that is not such a
    WAV, is damaged, shorter than a tenth of a second, or has samples that are not numbers; `TooLarge` for more than
    ten seconds.
    """
    from scipy.io import wavfile  # type: ignore[import-untyped]

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about chunks that are skipped; a cut-off file is read as far as it goes
            rate, read = wavfile.read(io.BytesIO(data))
    except (ValueError, TypeError, ArithmeticError, LookupError, NameError, EOFError, MemoryError, struct.error):
        raise Invalid("The file is not a WAV of 8 to 32 bits that can be read.", pointer="/file") from None
    if not RATES[0] <= rate <= RATES[1]:
        raise Invalid(f"A sound has {RATES[0]:,} to {RATES[1]:,} samples a second, not {rate:,}.", pointer="/file")
    check_length(len(read) / rate)
    samples = _from_minus_one_to_one(read)
    if samples.ndim > 1:
        samples = samples.mean(axis=1)
    if not np.isfinite(samples).all():
        raise Invalid("The sound has samples that are not numbers (NaN or infinite).", pointer="/file")
    return np.clip(_resample(samples, rate), -1, 1)


def check_length(seconds: float) -> None:
    """Raise `TooLarge` for more than ten seconds, `Invalid` for less than a tenth of one."""
    if seconds > MAX_SECONDS:
        says = f"The sound is {seconds:,.1f} seconds long; at most {MAX_SECONDS} are read."
        raise TooLarge(says, pointer="/file", limit=MAX_SECONDS)
    if seconds < MIN_SECONDS:
        raise Invalid(f"The sound is shorter than {MIN_SECONDS} seconds.", pointer="/file")


def _from_minus_one_to_one(read: NDArray[Any]) -> Samples:
    samples: Samples = read.astype(np.float64)
    if read.dtype == np.uint8:
        samples = (samples - 128) / 128
    elif read.dtype.kind == "i":  # 24 bits stand in the upper bytes of 32
        samples /= 2 ** (8 * read.dtype.itemsize - 1)
    return samples


def _resample(samples: Samples, rate: int) -> Samples:
    from scipy.signal import resample_poly  # type: ignore[import-untyped]

    common = gcd(RATE, rate)
    if rate == RATE:
        return samples
    changed: Samples = resample_poly(samples, RATE // common, rate // common)
    return changed


def wav(samples: Samples) -> bytes:
    """Return a WAV of 16 bits at 16 kHz; what is louder than 1 is cut off.

    >>> read_wav(wav(np.array([0.5, -0.25] * 1000)))[:2]
    array([ 0.5 , -0.25])
    """
    from scipy.io import wavfile

    file = io.BytesIO()
    wavfile.write(file, RATE, np.clip(np.round(samples * 32768), -32768, 32767).astype(np.int16))
    return file.getvalue()
