"""Special tokens spelled out in a text: find them, refuse them, or split the text at them.

Added tokens that are not special, such as `<think>`, are tokens under every policy: `added`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..errors import SpecialTokenRefused
from ..scratch.fast.longest_match import Literals
from ..types import (
    SPECIAL,
    Encoding,
    EncodingTrace,
    Segmentation,
    SpecialPolicy,
    TokenizerInfo,
    TokenRule,
    TracedWord,
)
from .spans import column, concatenate_encodings, encode_tiles

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
    encode: Callable[[str], Encoding], text: str, *, info: TokenizerInfo, special: SpecialPolicy
) -> Encoding:
    """Encode under a policy with an encoder that knows no special tokens.

    Under `parse` each segment between special tokens is encoded on its own.
    """
    if special == "text" and not info.added_tokens:
        return encode(text)
    return with_segments(encode, _segments(text, info, special), info=info)


def with_segments(
    encode: Callable[[str], Encoding], segments: Iterable[tuple[str, str | None]], *, info: TokenizerInfo
) -> Encoding:
    """Encode segments of a text, given as (text, the token that it is, or None), each on its own."""
    segments = list(segments)
    if len(segments) < 2 and not any(token for _, token in segments):
        return encode("".join(segment for segment, _ in segments))
    parts = []
    shifts = []
    shift = (0, 0)
    for segment, token in segments:
        parts.append(encode(segment) if token is None else _encode_one(segment, token, info))
        shifts.append(shift)
        shift = (shift[0] + len(segment.encode()), shift[1] + len(segment))
    return concatenate_encodings(parts, shifts)


def trace_with_policy(
    trace: Callable[[str], EncodingTrace], text: str, *, info: TokenizerInfo, special: SpecialPolicy
) -> EncodingTrace:
    """Trace under a policy with a tracer that knows no special tokens."""
    words: list[TracedWord] = []
    normal = ""
    byte_offset = 0
    cache: dict[str, Segmentation] = {}
    for segment, token in _segments(text, info, special):
        size = len(segment.encode())
        if token is not None:
            if segment not in cache:
                id = info.added_tokens.get(token, info.special_tokens.get(token, 0))
                cache[segment] = Segmentation(segment, ((id, 0, len(segment)),), special=True)
            words.append(TracedWord(cache[segment], byte_offset, byte_offset + size))
            normal += segment
        else:
            part = trace(segment)
            normal += part.normal
            words += [
                TracedWord(word.segmentation, word.byte_start + byte_offset, word.byte_end + byte_offset)
                for word in part.words
            ]
        byte_offset += size
    return replace(trace(""), words=words, normal=normal)  # everything else is the same for every text


def _segments(text: str, info: TokenizerInfo, special: SpecialPolicy) -> Iterator[tuple[str, str | None]]:
    """Return the segments of a text, each with the special or added token that it is."""
    if special == "refuse":
        refuse(text, info.special_tokens)
    matched = info.added_tokens
    if special == "parse":
        matched = {**info.special_tokens, **matched} if matched else info.special_tokens
    return split_at_tokens(text, find(text, matched), info.token_rules)


def split_at_tokens(
    text: str, found: Iterable[tuple[int, str]], rules: Mapping[str, Sequence[TokenRule]]
) -> Iterator[tuple[str, str | None]]:
    r"""Yield the parts of a text, each with the token that it is or None, given the (offset, token) of those in it.

    >>> [*split_at_tokens("a <x>\n<x>b", [(2, "<x>"), (6, "<x>")], {"<x>": ["rstrip"]})]
    [('a ', None), ('<x>\n', '<x>'), ('<x>', '<x>'), ('b', None)]
    """
    position = 0
    for start, token in found:
        end = start + len(token)
        if own := rules.get(token):
            from ..scratch.compat.pipeline.added_tokens import is_within_word, take_in_spaces  # with the pipeline

            if "single_word" in own and is_within_word(text, start, end):
                continue
            sides = {"lstrip": "lstrip" in own, "rstrip": "rstrip" in own}
            start, end = take_in_spaces(text, start, end, **sides, position=position)
        if end <= position:
            continue  # in the white space of the token before
        if position < start:
            yield text[position:start], None
        yield text[max(start, position) : end], token
        position = end
    if position < len(text):
        yield text[position:], None


def _encode_one(text: str, token: str, info: TokenizerInfo) -> Encoding:
    """Return the encoding of a text that is one special or added token."""
    added = token in info.added_tokens
    id = info.added_tokens[token] if added else info.special_tokens[token]
    flags = np.array([0 if added else SPECIAL], np.uint8)
    data = text.encode()
    return encode_tiles(np.array([id], np.uint32), column([len(data)]), text=text, data=data, flags=flags)
