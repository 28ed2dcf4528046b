"""A second of sound, and WAV files."""

import io

import numpy as np
from scipy.io import wavfile
from tokenarium.lab.beyond.sounds import RATE

SECOND = np.sin(np.arange(RATE) / 20) / 2


def written(samples, rate=RATE):
    file = io.BytesIO()
    wavfile.write(file, rate, samples)
    return file.getvalue()
