"""The universal vocabulary of movements: 256 symbols and 768 merges, trained by our own BPE and read from the store."""

from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np

from ....formats.tiktoken_ranks import dump_ranks, load_ranks
from ....scratch.fast.bpe.train import train_bpe
from ....scratch.fast.dct_tokens import compute_ranges, flatten, transform
from ....settings import Settings
from ....types import TrainedVocab
from .movements import corpus

FOLDER = "actions"
FILE = "actions.tiktoken"
SIZE = 1024
SEED = 20
MOVEMENTS = 3_000
SCALES = (5, 10, 10, 20)
"""Scales of the training: mostly that of FAST, so that the vocabulary serves others, too."""


def train_vocabulary() -> dict[bytes, int]:
    """Return the ranks of the tokens, trained on movements made by formula; the same on every machine.

    Movements are words, and symbols their characters, so a token can be as long as a movement.
    """
    words = Counter[str]()
    for number, movement in enumerate(corpus(SEED, MOVEMENTS)):
        series = np.array(movement)
        centre, half = compute_ranges(series)
        levels = np.rint(transform((series - centre) / half) * SCALES[number % len(SCALES)])
        words[flatten(levels.astype(np.int64)).decode("latin-1")] += 1
    alphabet = [chr(symbol) for symbol in range(256)]
    *_, vocabulary = train_bpe(words, size=SIZE, unit="characters", alphabet=alphabet)
    assert isinstance(vocabulary, TrainedVocab)
    return {piece.encode("latin-1"): rank for rank, piece in enumerate(vocabulary.pieces)}


def save(store: Path, ranks: dict[bytes, int]) -> Path:
    """Write the ranks to the store, as a tiktoken file, and return its path."""
    path = store / FOLDER / FILE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(dump_ranks(ranks))
    return path


@cache
def ranks() -> dict[bytes, int]:
    """Return the ranks of the store's vocabulary, read once.

    >>> len(ranks()), ranks()[bytes([127])]
    (1024, 127)
    """
    return load_ranks((Settings().store / FOLDER / FILE).read_bytes())
