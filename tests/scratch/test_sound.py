"""Log-mel frames against transformers' extractor of Whisper, and the laws of residual vector quantization."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tokenarium.scratch.mel import RATE, mel_filters, mel_frames, scale_as_whisper
from tokenarium.scratch.rvq import decode, encode_codebooks, learn_codebooks

VECTORS = arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 4)), elements=st.floats(-1e3, 1e3))


def test_log_mel_frames_are_those_of_whisper():
    from transformers import WhisperFeatureExtractor

    sound = np.random.default_rng(0).normal(0, 0.1, 2 * RATE) + np.sin(np.arange(2 * RATE) / 9)
    padded = np.pad(sound, (0, 28 * RATE))  # Whisper hears 30 s
    expected = WhisperFeatureExtractor()(sound, sampling_rate=RATE, return_tensors="np").input_features[0].T
    frames = scale_as_whisper(np.array([frame.bands for frame in mel_frames(padded)]))
    assert frames.shape == expected.shape == (3000, 80)
    assert np.abs(frames - expected).max() < 1e-4


def test_the_bands_are_narrow_for_low_tones_and_wide_for_high_ones():
    widths = (mel_filters() > 0).sum(axis=1)
    assert widths[0] <= 2 < 10 < widths[-1]


@given(VECTORS, VECTORS, st.integers(1, 8), st.integers(1, 12))
def test_no_codebook_makes_any_vector_worse(learned, others, codebooks, size):
    books = [*learn_codebooks(learned, codebooks, size, rounds=3)]
    width = min(learned.shape[1], others.shape[1])
    held_out = np.zeros((len(others), learned.shape[1]))
    held_out[:, :width] = others[:, :width]
    for vectors in (learned, held_out):
        steps = [*encode_codebooks(vectors, [book.vectors for book in books])]
        errors = [np.square(vectors).sum(axis=1), *(np.square(step.left).sum(axis=1) for step in steps)]
        for before, after in pairwise(errors):
            assert (after <= before * (1 + 1e-9) + 1e-3).all()
        again = decode([step.tokens for step in steps], [step.vectors for step in steps])
        assert np.allclose(again + steps[-1].left, vectors, atol=1e-6)


def test_learning_gives_the_same_codebooks_again():
    vectors = np.random.default_rng(1).normal(size=(200, 8))
    first, again = ([book.vectors for book in learn_codebooks(vectors, 3, 16)] for _ in range(2))
    assert all((one == other).all() for one, other in zip(first, again, strict=True))
