"""Special tokens spelled out in a text: find them, refuse them, or cut the text at them."""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

import numpy as np
import regex

from app.adapters.spans import column, joined
from app.errors import SpecialTokenRefused
from app.types import SPECIAL, Encoding, SpecialPolicy


@lru_cache(maxsize=64)
def _pattern(tokens: tuple[str, ...]) -> "regex.Pattern[str]":
    return regex.compile("|".join(regex.escape(token) for token in sorted(tokens, key=len, reverse=True)))


def find(text: str, tokens: Mapping[str, int]) -> Iterator[tuple[int, str]]:
    """Where special tokens are spelled, longest first among those that begin together.

    >>> list(find("a<s>b", {"<s>": 1}))
    [(1, '<s>')]
    """
    if not tokens:
        return iter(())
    return ((match.start(), match.group()) for match in _pattern(tuple(tokens)).finditer(text))


def refuse(text: str, tokens: Mapping[str, int]) -> None:
    """Raise `SpecialTokenRefused` at the first special token that is spelled out."""
    for offset, token in find(text, tokens):
        raise SpecialTokenRefused(token, offset)


def with_policy(
    encode: Callable[[str], Encoding], text: str, *, tokens: Mapping[str, int], special: SpecialPolicy
) -> Encoding:
    """Encode under a policy with an encoder that knows no special tokens.

    Under `parse` the stretches between special tokens are encoded each on its own.
    """
    if special == "refuse":
        refuse(text, tokens)
    found = list(find(text, tokens)) if special == "parse" else []
    if not found:
        return encode(text)
    parts, shifts, here = [], [], (0, 0)
    for offset, token in [*found, (len(text), "")]:
        for piece, make in ((text[here[1] : offset], encode), (token, lambda spelled: _one(spelled, tokens[spelled]))):
            if piece:
                parts.append(make(piece))
                shifts.append(here)
                here = (here[0] + len(piece.encode()), here[1] + len(piece))
    return joined(parts, shifts)


def _one(token: str, id: int) -> Encoding:
    size, chars = len(token.encode()), len(token)
    zero = column([0])
    return Encoding(
        np.array([id], np.uint32), zero, column([size]), zero, column([chars]), np.array([SPECIAL], np.uint8)
    )
