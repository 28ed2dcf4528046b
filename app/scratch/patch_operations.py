"""What patches save: the operations that a model needs for a byte of text (Pagnoni et al. 2024, section 4.5).

A large transformer runs once a token or once a patch, so that longer patches cost less. The small parts of BLT run once
a byte, whatever the patches are. A multiplication and an addition are two operations; a look-up in a table is none.
"""

from collections.abc import Iterator
from typing import NamedTuple

CONTEXT = 8_192
LAYERS, WIDTH = 32, 4_096
ENCODER_LAYERS, DECODER_LAYERS, LOCAL_WIDTH, WINDOW = 1, 6, 1_280, 512
SPLITS = 4
"""BLT with 8 billion parameters: a vector of a patch is split into 4 for the local parts."""


class PartOperations(NamedTuple):
    """A part of a model, and its operations for one byte of text."""

    part: str
    operations: float


def iter_operations(bytes: int, tokens: int, patches: float, vocabulary: int) -> Iterator[PartOperations]:
    """Yield the operations a byte of a model of tokens, and of each part of a model of patches that is as large.

    >>> for one in iter_operations(bytes=4400, tokens=1000, patches=1000, vocabulary=128_256):
    ...     print(f"{one.part}: {one.operations / 1e9:.2f} billion")
    tokens: 3.28 billion
    patches: 3.04 billion
    bytes: 0.29 billion
    between: 0.09 billion
    """
    long = bytes / tokens
    yield PartOperations("tokens", count_transformer(LAYERS, WIDTH, CONTEXT / long, vocabulary) / long)
    long = bytes / patches
    yield PartOperations("patches", count_transformer(LAYERS, WIDTH, CONTEXT / long) / long)
    encoder = count_transformer(ENCODER_LAYERS, LOCAL_WIDTH, WINDOW)
    yield PartOperations("bytes", encoder + count_transformer(DECODER_LAYERS, LOCAL_WIDTH, WINDOW, 256))
    pooled = count_cross_attention(ENCODER_LAYERS, LOCAL_WIDTH, keys=long, keys_a_query=long / SPLITS) * SPLITS / long
    written = count_cross_attention(DECODER_LAYERS, LOCAL_WIDTH, keys=SPLITS, keys_a_query=SPLITS / long)
    yield PartOperations("between", pooled + written)


def count_transformer(layers: int, width: int, context: float, vocabulary: int = 0) -> float:
    """Return the operations of a transformer for one position: attention, its matrices, feed-forward layers, output.

    >>> f"{count_transformer(LAYERS, WIDTH, CONTEXT) / 2:,.0f}"
    '7,516,323,840'
    """
    attention = 2 * width * (context + 1)
    matrices = 8 * width**2
    feed_forward = 16 * width**2
    return layers * (attention + matrices + feed_forward) + 2 * width * vocabulary


def count_cross_attention(layers: int, width: int, *, keys: float, keys_a_query: float) -> float:
    """Return the operations of cross-attention for one query, with the keys that it sees and those made for it.

    >>> f"{count_cross_attention(1, 1280, keys=4, keys_a_query=1):,.0f}"
    '13,120,000'
    """
    return layers * (2 * width * (keys + 1) + (2 * keys_a_query + 2) * 2 * width**2)
