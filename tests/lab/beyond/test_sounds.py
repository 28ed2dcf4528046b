"""Sounds: WAV files of every kind, the transform that loses nothing, and codebooks that learn on the spot."""

import io
import re
import struct
import wave
from contextlib import suppress
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tokenarium.errors import Invalid, TooLarge
from tokenarium.lab.beyond.sound_tokens import BUDGETS, inverse_mdct, mdct, quantize, spectrogram
from tokenarium.lab.beyond.sound_view import sound_view
from tokenarium.lab.beyond.sounds import RATE, SOUNDS, make_sound, read_wav, wav

from tests.support.sounds import SECOND, written


def of_24_bits(samples):
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setparams((1, 3, RATE, 0, "NONE", ""))
        writer.writeframes(b"".join(struct.pack("<i", int(sample * 2**23))[:3] for sample in samples))
    return file.getvalue()


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (written(np.round(SECOND * 128 + 128).astype(np.uint8)), 1 / 128),
        (written(np.round(SECOND * 2**15).astype(np.int16)), 1e-4),
        (of_24_bits(SECOND), 1e-6),
        (written(np.round(SECOND * 2**31).astype(np.int32)), 1e-9),
        (written(SECOND.astype(np.float32)), 1e-7),
        (written(SECOND), 0),
        (written(np.column_stack([2 * SECOND, 0 * SECOND])), 1e-12),
    ],
    ids=["8 bits", "16", "24", "32", "float", "double", "stereo"],
)
def test_every_kind_of_wav_has_the_same_samples(data, error):
    assert np.abs(read_wav(data) - SECOND).max() <= error


@pytest.mark.parametrize("rate", [8000, 11_025, 44_100, 48_000])
def test_a_sound_of_another_rate_keeps_its_tone_and_its_length(rate):
    samples = read_wav(written(np.sin(2 * np.pi * 1000 * np.arange(rate) / rate), rate))
    assert len(samples) == RATE
    expected = np.sin(2 * np.pi * 1000 * np.arange(RATE) / RATE)
    assert spectrogram(samples)[50].argmax() == spectrogram(expected)[50].argmax()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "not a WAV"),
        (b"RIFF", "not a WAV"),
        (b"no sound at all", "not a WAV"),
        (written(np.array([np.nan] * RATE)), "NaN"),
        (written(np.array([0.5, np.inf] * RATE)), "NaN"),
        (written(np.zeros(10)), "shorter"),
        (written(np.zeros(0)), "shorter|not a WAV"),
        (written(SECOND, 200_001), "200,001"),
    ],
)
def test_what_is_not_a_sound_is_refused_in_words(data, says):
    with pytest.raises(Invalid, match=says):
        read_wav(data)


def test_a_sound_that_is_too_long_is_refused():
    with pytest.raises(TooLarge, match=r"11\.0 seconds"):
        read_wav(written(np.zeros(11 * 8000), 8000))


@given(st.integers(0, 60), st.binary(max_size=80))
def test_a_damaged_wav_is_read_or_refused(start, damage):
    data = bytearray(wav(SECOND[:4000]))
    data[start : start + len(damage)] = damage
    with suppress(Invalid, TooLarge):
        assert np.abs(read_wav(bytes(data))).max() <= 1


@given(arrays(np.float64, st.integers(1, 500), elements=st.floats(-1, 1)))
def test_the_transform_loses_nothing_and_keeps_the_energy(samples):
    frames = mdct(samples)
    assert np.allclose(inverse_mdct(frames, len(samples)), samples, atol=1e-12)
    assert np.square(frames).sum() == pytest.approx(np.square(samples).sum())


@pytest.mark.parametrize("sound", SOUNDS, ids=lambda sound: sound.id)
def test_every_codebook_brings_sound_that_was_held_out_nearer(sound):
    made = quantize(make_sound(sound.id))
    held_out = [level.held_out for level in made.levels]
    assert len(held_out) == 8
    assert all(before < after for before, after in pairwise(held_out))
    errors = [np.square(made.sound(count) - made.samples).mean() for count in range(1, 9)]
    assert all(after < before for before, after in pairwise(errors))
    assert made.bits_per_second(8) == 12_000  # 250 frames a second, 8 codebooks, 6 bits
    assert made.positions == -(-len(made.samples) // 64) + 1


def spread(wave):
    """The height of a wave in each of its columns."""
    return [abs(int(low) - int(high)) for low, high in re.findall(r"M\d+ (\d+)V(\d+)", wave)]


def test_silence_and_noise_are_quantized_too():
    silent = quantize(np.zeros(RATE))
    assert [level.held_out for level in silent.levels] == [None] * 8
    assert not silent.sound(8).any()
    short = quantize(np.random.default_rng(0).normal(0, 0.1, 1600), size=1024)  # fewer frames than vectors
    assert short.levels[-1].learned >= short.levels[0].learned
    view = sound_view(short, 2, inline=True)
    assert view.listen.startswith("data:audio/wav;base64,UklGR")
    assert view.original.startswith("data:image/png;base64,iVBOR")
    assert view.wave.count("M") == view.rebuilt_wave.count("M") == 400
    coarse = sound_view(quantize(short.samples, size=16), 8)
    heights = [sum(spread(level.missing)) for level in coarse.levels]
    assert heights[0] > heights[2] > heights[-1] == 0
    for options in ({"size": 3}, {"codebooks": 0}, {"codebooks": 9}):
        with pytest.raises(Invalid):
            quantize(SECOND, **options)


def test_budgets_are_those_of_the_papers():
    budgets = {one.name: one for one in BUDGETS}
    assert budgets["Whisper, positions"].tokens * 30 == 1500
    assert budgets["EnCodec, 6 kbps"].bits_per_second == 6000
    assert budgets["EnCodec, 24 kbps"].bits_per_second == 24_000
    assert budgets["Mimi, in Moshi"].bits_per_second == 1100
    assert [one.name for one in BUDGETS if not one.checked] == ["SoundStream, 6 kbps"]
