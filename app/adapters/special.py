"""Special tokens spelled out in a text: find them, refuse them, or cut the text at them."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np
import regex

from app.adapters.spans import column, joined
from app.errors import SpecialTokenRefused
from app.types import SPECIAL, CutWord, Encoding, SpecialPolicy, Trace, TracedWord


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
    return with_stretches(encode, _stretches(text, tokens, special), tokens=tokens)


def with_stretches(
    encode: Callable[[str], Encoding], found: Iterable[tuple[str, bool]], *, tokens: Mapping[str, int]
) -> Encoding:
    """Encode a text in stretches, of which some are special tokens, and the others are encoded each on its own."""
    stretches = list(found)
    if len(stretches) < 2 and not any(token for _, token in stretches):
        return encode("".join(piece for piece, _ in stretches))
    parts, shifts, here = [], [], (0, 0)
    for piece, token in stretches:
        parts.append(_one(piece, tokens[piece]) if token else encode(piece))
        shifts.append(here)
        here = (here[0] + len(piece.encode()), here[1] + len(piece))
    return joined(parts, shifts)


def traced(follow: Callable[[str], Trace], text: str, *, tokens: Mapping[str, int], special: SpecialPolicy) -> Trace:
    """A trace under a policy, by what follows an encoder that knows no special tokens."""
    words: list[TracedWord] = []
    normal, here = "", 0
    empty = follow("")
    known: dict[str, CutWord] = {}
    for piece, token in _stretches(text, tokens, special):
        size = len(piece.encode())
        if token:
            cut = known.get(piece) or known.setdefault(
                piece, CutWord(piece, ((tokens[piece], 0, len(piece)),), special=True)
            )
            words.append(TracedWord(cut, here, here + size))
            normal += piece
        else:
            found = follow(piece)
            normal += found.normal
            words += (
                found.words
                if not here
                else [TracedWord(word.cut, word.byte_start + here, word.byte_end + here) for word in found.words]
            )
        here += size
    return replace(empty, words=words, normal=normal)


def _stretches(text: str, tokens: Mapping[str, int], special: SpecialPolicy) -> Iterator[tuple[str, bool]]:
    """The text in stretches, and which of them are special tokens."""
    if special == "refuse":
        refuse(text, tokens)
    here = 0
    for offset, token in find(text, tokens) if special == "parse" else ():
        if here < offset:
            yield text[here:offset], False
        yield token, True
        here = offset + len(token)
    if here < len(text):
        yield text[here:], False


def _one(token: str, id: int) -> Encoding:
    size, chars = len(token.encode()), len(token)
    zero = column([0])
    return Encoding(
        np.array([id], np.uint32), zero, column([size]), zero, column([chars]), np.array([SPECIAL], np.uint8)
    )
