"""Tokenize a rendered conversation and attribute each token to a message, the template or another source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ...files.special_tokens import find, split_at_tokens, with_segments
from ...registry import Registry
from ...types import SPECIAL, Encoding
from ..tokenize import Tokenization, check_length, check_special, tokenize, with_special_tokens
from .attribution import Origin
from .rendering import Rendering

Source = Literal["template", "special", "role", "text", "tools", "option", "injected", "unattributed"]
"""Where a token comes from: text of the template · a special token of the template · the role of a message · the
content of a message · a tool definition · an option of the template · a special token in a message · unknown."""
SpecialHandling = Literal["text", "parse"]
"""Special tokens in messages: as plain text, or parsed, as a server does that parses the whole rendered text."""

SOURCES: tuple[Source, ...] = get_args(Source)
UNTRUSTED = frozenset({"text", "tools", "option"})
"""Origins that may come from anyone; a special token with such characters is not the template's own."""
NO_MESSAGE = -1


@dataclass(frozen=True)
class ChatTokens:
    """A tokenized conversation.

    `sources` has for each token an index into `SOURCES`, and `messages` the index of its message or `NO_MESSAGE`.
    `origin_codes` has for each character an index into `origins`. `special_in_text` are the special tokens that do not
    come from the template: their positions in the text and the tokens.
    """

    tokenization: Tokenization
    origins: tuple[Origin | None, ...]
    origin_codes: NDArray[np.int32]
    sources: NDArray[np.uint8]
    messages: NDArray[np.int32]
    special_in_text: tuple[tuple[int, str], ...]

    def count(self, source: Source) -> int:
        """Return the number of tokens from a source."""
        return int(np.count_nonzero(self.sources == SOURCES.index(source)))

    @property
    def written(self) -> Set[Origin | None]:
        """The origins of the characters of the text."""
        return {*self.origins} if self.tokenization.text else set()

    @cached_property
    def overhead(self) -> int:
        """The number of tokens that are not the content of a message."""
        return len(self.sources) - self.count("text")

    def origin(self, position: int) -> Origin | None:
        """Return the origin of a character of the rendered text."""
        return self.origins[int(self.origin_codes[position])]


def tokenize_chat(
    registry: Registry,
    tokenizer: str,
    rendering: Rendering,
    *,
    special: SpecialHandling = "text",
    add_special_tokens: bool = False,
    limit: int,
) -> ChatTokens:
    """Tokenize a conversation that was rendered with origins.

    Special tokens that the template wrote are parsed; those in messages only if `special` is `parse`.

    Raises `UnknownTokenizer`, `LoneSurrogate`, `TooLarge` if the rendered text has more bytes than the limit,
    `Invalid` for another `special`.
    """
    text = rendering.text
    check_special(special, get_args(SpecialHandling))
    check_length([text], limit=limit, pointer="/messages")
    info = registry.info(tokenizer)
    origins = tuple(dict.fromkeys(origin for _, origin in rendering.origins)) or (None,)
    codes = {origin: code for code, origin in enumerate(origins)}
    lengths = [length for length, _ in rendering.origins]
    origin_codes = np.repeat(np.array([codes[origin] for _, origin in rendering.origins], np.int32), lengths)
    # Which special tokens did the template write, and which are part of what somebody said?
    own: list[tuple[int, str]] = []
    in_text: list[tuple[int, str]] = []
    for position, token in find(text, info.special_tokens):
        token_codes = set(origin_codes[position : position + len(token)].tolist())
        (own if _from_template({origins[code] for code in token_codes}) else in_text).append((position, token))
    parsed = sorted([*own, *in_text]) if special == "parse" else [] if info.split_special_tokens else own
    tokenization = _tokenize_segments(registry, tokenizer, text, parsed, add_special_tokens=add_special_tokens)
    sources, messages = _attribute_tokens(tokenization.encoding, origins, origin_codes, in_text)
    return ChatTokens(
        tokenization=tokenization,
        origins=origins,
        origin_codes=origin_codes,
        sources=sources,
        messages=messages,
        special_in_text=tuple(in_text),
    )


def _from_template(origins: set[Origin | None]) -> bool:
    """Return whether a special token whose characters have these origins is the template's own.

    A template may build one around a role, as in `<|user|>`, so that not all characters need to be the template's.
    """
    kinds = {origin.kind if origin else "template" for origin in origins}
    return "template" in kinds and not kinds & UNTRUSTED


def _tokenize_segments(
    registry: Registry, tokenizer: str, text: str, special: list[tuple[int, str]], *, add_special_tokens: bool
) -> Tokenization:
    """Tokenize a text with special tokens at these positions only; the segments between are encoded as plain text."""
    parts: list[Tokenization] = []

    def encode(segment: str) -> Encoding:
        parts.append(tokenize(registry, segment, tokenizer=tokenizer))
        return parts[-1].encoding

    loaded = registry.get(tokenizer)
    segments = split_at_tokens(text, special, loaded.info.token_rules)
    encoding = with_segments(encode, segments, info=loaded.info)
    if add_special_tokens:
        encoding = with_special_tokens(encoding, loaded, size=(len(text.encode()), len(text)))
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return Tokenization(text, loaded, encoding, notes)


def _attribute_tokens(
    encoding: Encoding,
    origins: tuple[Origin | None, ...],
    origin_codes: NDArray[np.int32],
    special_in_text: list[tuple[int, str]],
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """Return the source and the message of each token: those of most of its characters if it has several."""
    if not len(origin_codes):  # an empty text: only added special tokens
        return np.full(len(encoding), SOURCES.index("special"), np.uint8), np.full(len(encoding), NO_MESSAGE, np.int32)
    starts = encoding.char_starts
    ends = encoding.char_ends
    # The origin of a token's first character, corrected below for the few tokens that span several origins.
    codes = origin_codes[np.minimum(starts, len(origin_codes) - 1)]
    for row in np.flatnonzero(codes != origin_codes[np.maximum(ends - 1, 0)]).tolist():
        if starts[row] < ends[row]:
            codes[row] = _most_frequent(origin_codes[starts[row] : ends[row]])
    kinds = [SOURCES.index(origin.kind if origin else "unattributed") for origin in origins]
    numbers = [NO_MESSAGE if origin is None or origin.message is None else origin.message for origin in origins]
    sources = np.array(kinds, np.uint8)[codes]
    messages = np.array(numbers, np.int32)[codes]
    special = (encoding.flags & SPECIAL) != 0
    injected = special & np.isin(starts, [position for position, _ in special_in_text]) & (starts < ends)
    sources[special], sources[injected] = SOURCES.index("special"), SOURCES.index("injected")
    messages[special & ~injected] = NO_MESSAGE
    return sources, messages


def _most_frequent(codes: NDArray[np.int32]) -> int:
    """Return the most frequent code, of equally frequent ones the last.

    >>> _most_frequent(np.array([4, 4, 2], np.int32)), _most_frequent(np.array([4, 2], np.int32))
    (4, 2)
    """
    # `most_common` returns the first of equals; reversed, that is the last.
    counts = Counter(codes[::-1].tolist())
    return int(counts.most_common(1)[0][0])
