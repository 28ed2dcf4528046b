"""Special tokens spelled out in a text: find them, refuse them, or split the text at them.

Added tokens that are not special, such as `<think>`, are tokens under every policy: `added`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from ..errors import SpecialTokenRefused
from ..scratch.fast.literals import Literals
from ..types import SPECIAL, Encoding, EncodingTrace, Segmentation, SpecialPolicy, TracedWord
from .spans import column, concatenate_encodings

NONE: Mapping[str, int] = MappingProxyType({})


_literals = lru_cache(maxsize=64)(Literals)


def find(text: str, tokens: Mapping[str, int]) -> Iterator[tuple[int, str]]:
    """Yield (offset, token) of special tokens in a text, the longest of those that begin together.

    >>> list(find("a<s>b", {"<s>": 1}))
    [(1, '<s>')]
    """
    return ((start, text[start:end]) for start, end in _literals(tuple(tokens)).spans(text))


def refuse(text: str, tokens: Mapping[str, int]) -> None:
    """Raise `SpecialTokenRefused` if the text contains a special token."""
    for offset, token in find(text, tokens):
        raise SpecialTokenRefused(token, offset)


def with_policy(
    encode: Callable[[str], Encoding],
    text: str,
    *,
    tokens: Mapping[str, int],
    special: SpecialPolicy,
    added: Mapping[str, int] = NONE,
) -> Encoding:
    """Encode under a policy with an encoder that knows no special tokens.

    Under `parse` each segment between special tokens is encoded on its own.
    """
    if special == "text" and not added:
        return encode(text)
    return with_segments(encode, _segments(text, tokens, added, special), tokens=tokens, added=added)


def with_segments(
    encode: Callable[[str], Encoding],
    segments: Iterable[tuple[str, bool]],
    *,
    tokens: Mapping[str, int],
    added: Mapping[str, int] = NONE,
) -> Encoding:
    """Encode segments of a text, given as (text, whether it is a special token), each on its own."""
    segments = list(segments)
    if len(segments) < 2 and not any(is_token for _, is_token in segments):
        return encode("".join(segment for segment, _ in segments))
    parts = []
    shifts = []
    shift = (0, 0)
    for segment, is_token in segments:
        parts.append(_encode_one(segment, tokens, added) if is_token else encode(segment))
        shifts.append(shift)
        shift = (shift[0] + len(segment.encode()), shift[1] + len(segment))
    return concatenate_encodings(parts, shifts)


def trace_with_policy(
    trace: Callable[[str], EncodingTrace],
    text: str,
    *,
    tokens: Mapping[str, int],
    special: SpecialPolicy,
    added: Mapping[str, int] = NONE,
) -> EncodingTrace:
    """Trace under a policy with a tracer that knows no special tokens."""
    words: list[TracedWord] = []
    normal = ""
    byte_offset = 0
    cache: dict[str, Segmentation] = {}
    for segment, is_token in _segments(text, tokens, added, special):
        size = len(segment.encode())
        if is_token:
            if segment not in cache:
                id = added.get(segment, tokens.get(segment, 0))
                cache[segment] = Segmentation(segment, ((id, 0, len(segment)),), special=True)
            words.append(TracedWord(cache[segment], byte_offset, byte_offset + size))
            normal += segment
        else:
            part = trace(segment)
            normal += part.normal
            words += _shift_words(part.words, byte_offset) if byte_offset else part.words
        byte_offset += size
    return replace(trace(""), words=words, normal=normal)  # everything else is the same for every text


def _shift_words(words: Iterable[TracedWord], offset: int) -> Iterator[TracedWord]:
    return (TracedWord(word.segmentation, word.byte_start + offset, word.byte_end + offset) for word in words)


def _segments(
    text: str, tokens: Mapping[str, int], added: Mapping[str, int], special: SpecialPolicy
) -> Iterator[tuple[str, bool]]:
    """Yield the segments of a text, and whether each is a special or added token."""
    if special == "refuse":
        refuse(text, tokens)
    position = 0
    matched = added
    if special == "parse":
        matched = {**tokens, **added} if added else tokens
    for offset, token in find(text, matched):
        if position < offset:
            yield text[position:offset], False
        yield token, True
        position = offset + len(token)
    if position < len(text):
        yield text[position:], False


def _encode_one(token: str, tokens: Mapping[str, int], added: Mapping[str, int]) -> Encoding:
    """Return the encoding of one special or added token."""
    size = len(token.encode())
    chars = len(token)
    id, flag = (added[token], 0) if token in added else (tokens[token], SPECIAL)
    zero = column([0])
    return Encoding(
        ids=np.array([id], np.uint32),
        byte_starts=zero,
        byte_ends=column([size]),
        char_starts=zero,
        char_ends=column([chars]),
        flags=np.array([flag], np.uint8),
    )
