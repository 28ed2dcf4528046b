"""The tokens of a conversation from which a model learns: those that the template marks as the assistant's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...types import Encoding
from .rendering import Spans


def mask_generations(encoding: Encoding, spans: Spans) -> NDArray[np.bool_]:
    """Return, by token of a rendered text, whether it is the assistant's, shape `(n,)`.

    It is the mask that transformers' `return_assistant_tokens_mask` gives: from the token of the first character of a
    span to that of the last one.

    >>> from tokenarium.registry import Registry
    >>> from tokenarium.settings import Settings
    >>> encoding = Registry(Settings()).get("bytes").encode("Q: x A: y")
    >>> mask_generations(encoding, ((8, 9),)).nonzero()[0].tolist()
    [8]
    """
    mask = np.zeros(len(encoding), np.bool_)
    for start, end in spans:
        first, last = (int(np.searchsorted(encoding.char_ends, place, side="right")) for place in (start, end - 1))
        if start < end and first < len(mask):
            mask[first : last + 1] = True
    return mask
