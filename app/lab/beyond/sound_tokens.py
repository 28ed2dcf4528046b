"""A sound as tokens: its MDCT frames in residual codebooks, learned on the spot, and what each codebook adds.

The modified discrete cosine transform (Princen and Bradley 1987) turns overlapping windows into as many numbers as the
sound has samples, from which it comes back exactly; all that is lost is lost by the codebooks. EnCodec and Mimi learn
the transform as well, with a neural network, and need 75 and 12.5 frames a second for it instead of 250.
"""

from dataclasses import dataclass
from math import log2, log10

import numpy as np
from numpy.typing import NDArray

from ...errors import Invalid
from ...scratch.mel import mel_frames
from ...scratch.rvq import decode, encode_codebooks, learn_codebooks
from .sounds import RATE, Samples

Frames = NDArray[np.float64]
Tokens = NDArray[np.intp]
STEP = 64
"""Samples, and so numbers, of a frame: 4 ms."""
MAX_CODEBOOKS = 8
SIZES = (16, 32, 64, 128, 256, 512, 1024)
"""Vectors of a codebook; a token of it has the logarithm to base 2 of these in bits."""
HELD_OUT = 5
"""Every fifth quarter of a second is not learned from."""
NO_ERROR = 99.0
"""Decibels that are shown when nothing is left over."""


def mdct(samples: Samples) -> Frames:
    """Return the frames of a sound, each of `STEP` numbers, made from twice as many samples under a sine window."""
    from scipy.fft import dct  # type: ignore[import-untyped]

    window = np.sin(np.pi * (np.arange(2 * STEP) + 0.5) / (2 * STEP))
    padded = np.concatenate([np.zeros(STEP), samples, np.zeros(-len(samples) % STEP + STEP)])
    frames = np.lib.stride_tricks.sliding_window_view(padded, 2 * STEP)[::STEP] * window
    a, b, c, d = np.split(frames, 4, axis=1)
    folded = np.concatenate([-c[:, ::-1] - d, a - b[:, ::-1]], axis=1)
    made: Frames = dct(folded, type=4, norm="ortho", axis=1)
    return made


def inverse_mdct(frames: Frames, length: int) -> Samples:
    """Return the first `length` samples of the sound that frames were made from.

    >>> sound = np.sin(np.arange(1000) / 7)
    >>> bool(abs(inverse_mdct(mdct(sound), 1000) - sound).max() < 1e-12)
    True
    """
    from scipy.fft import dct

    window = np.sin(np.pi * (np.arange(2 * STEP) + 0.5) / (2 * STEP))
    left, right = np.split(dct(frames, type=4, norm="ortho", axis=1), 2, axis=1)
    unfolded = np.concatenate([right, -right[:, ::-1], -left[:, ::-1], -left], axis=1) * window
    samples = np.zeros((len(frames) + 1, STEP))
    samples[:-1] += unfolded[:, :STEP]  # each half overlaps that of a neighbour, which cancels its mirror image
    samples[1:] += unfolded[:, STEP:]
    return samples.ravel()[STEP : STEP + length]


@dataclass(frozen=True, slots=True)
class Level:
    """What the codebooks so far reach: the tokens of the last one, and signal over error in decibels.

    `learned` is measured on the frames that the codebooks were learned from, `held_out` on the others; None for
    silence. `used` is the number of different tokens.
    """

    tokens: Tokens
    used: int
    learned: float | None
    held_out: float | None


@dataclass(frozen=True, slots=True)
class QuantizedSound:
    """A sound as tokens of several codebooks, with those codebooks."""

    samples: Samples
    size: int
    books: tuple[Frames, ...]
    levels: tuple[Level, ...]

    @property
    def seconds(self) -> float:
        return len(self.samples) / RATE

    @property
    def positions(self) -> int:
        """The frames of the sound; each has a token of every codebook."""
        return len(self.levels[0].tokens)

    def bits_per_second(self, codebooks: int) -> float:
        """Return the bits that the tokens of the first codebooks take for a second."""
        return codebooks * log2(self.size) * RATE / STEP

    def sound(self, codebooks: int) -> Samples:
        """Return the sound made from the tokens of the first codebooks."""
        chosen = [level.tokens for level in self.levels[:codebooks]]
        return inverse_mdct(decode(chosen, self.books[:codebooks]), len(self.samples))


def quantize(samples: Samples, *, codebooks: int = MAX_CODEBOOKS, size: int = 64) -> QuantizedSound:
    """Learn codebooks from four fifths of a sound, and return the whole of it as tokens of them. Raises `Invalid`."""
    if size not in SIZES:
        raise Invalid(f"A codebook has {', '.join(map(str, SIZES))} vectors.", pointer="/size")
    if not 1 <= codebooks <= MAX_CODEBOOKS:
        raise Invalid(f"There are 1 to {MAX_CODEBOOKS} codebooks.", pointer="/codebooks")
    frames = mdct(samples)
    quarter = np.arange(len(frames)) * STEP // (RATE // 4)
    held_out = quarter % HELD_OUT == HELD_OUT - 1
    books = tuple(book.vectors for book in learn_codebooks(frames[~held_out], codebooks, size))
    levels = [
        Level(
            book.tokens,
            len(np.unique(book.tokens)),
            decibels(frames[~held_out], book.left[~held_out]),
            decibels(frames[held_out], book.left[held_out]),
        )
        for book in encode_codebooks(frames, books)
    ]
    return QuantizedSound(samples, size, books, tuple(levels))


def decibels(signal: Frames, left: Frames) -> float | None:
    """Return how much larger the signal is than what is left of it, in decibels; None for silence.

    >>> decibels(np.array([10.0]), np.array([1.0]))
    20.0
    """
    power = float(np.square(signal).sum())
    error = float(np.square(left).sum())
    if not power:
        return None
    return min(NO_ERROR, 10 * log10(power / error)) if error else NO_ERROR


def spectrogram(samples: Samples) -> Frames:
    """Return the log-mel frames of a sound as Whisper computes them: an array of frames × 80 bands."""
    return np.array([frame.bands for frame in mel_frames(samples)])


@dataclass(frozen=True, slots=True)
class SoundModel:
    """What a model takes for a second of sound: frames, codebooks, bits of a token; and where that is said."""

    name: str
    what: str
    rate: float
    codebooks: int
    bits: int | None
    source: str
    address: str
    date: str
    checked: bool = True

    @property
    def tokens(self) -> float:
        """Tokens, or positions, for a second."""
        return self.rate * self.codebooks

    @property
    def bits_per_second(self) -> float | None:
        return None if self.bits is None else self.tokens * self.bits


_READ = "2026-11-22"
_DOCS = "https://huggingface.co/docs/transformers/model_doc/"
_WHISPER = ("transformers 5.23, WhisperFeatureExtractor and WhisperConfig", _DOCS + "whisper", _READ)
_ENCODEC = ("transformers 5.23, EncodecConfig", _DOCS + "encodec", _READ)
_STREAM = ("Zeghidour et al. 2021, SoundStream", "https://arxiv.org/abs/2107.03312", "2021-07-07")
_MIMI = ("Model card of kyutai/mimi; transformers 5.23, MoshiConfig", "https://huggingface.co/kyutai/mimi", _READ)
GEMINI = ("Google, Gemini API, Audio understanding", "https://ai.google.dev/gemini-api/docs/audio", _READ)
GEMINI_RATE = 32
"""Tokens of a second of sound for Gemini 2.5 and 3."""

BUDGETS = (
    SoundModel("Whisper, log-mel frames", "80 numbers each, 128 in large-v3", 100, 1, None, *_WHISPER),
    SoundModel("Whisper, positions", "two frames each, 1,500 for 30 s", 50, 1, None, *_WHISPER),
    SoundModel("SoundStream, 6 kbps", "codebooks of 1,024", 75, 8, 10, *_STREAM, checked=False),
    SoundModel("EnCodec, 1.5 kbps", "codebooks of 1,024", 75, 2, 10, *_ENCODEC),
    SoundModel("EnCodec, 6 kbps", "codebooks of 1,024", 75, 8, 10, *_ENCODEC),
    SoundModel("EnCodec, 24 kbps", "codebooks of 1,024", 75, 32, 10, *_ENCODEC),
    SoundModel("Mimi, in Moshi", "codebooks of 2,048", 12.5, 8, 11, *_MIMI),
    SoundModel("Gemini 2.5 and 3", "tokens; Google’s Distributed Cloud says 25", GEMINI_RATE, 1, None, *GEMINI),
)
"""What other models take, each with the day on which its source was read, or the day of the paper."""
