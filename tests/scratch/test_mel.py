"""Log-mel frames against transformers' extractor of Whisper."""

import numpy as np
from tokenarium.scratch.mel import RATE, mel_filters, mel_frames, scale_as_whisper


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
