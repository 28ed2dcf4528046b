"""Tokens of a conversation: the written text is cut, and each token told where it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from app.adapters.special import find, with_stretches
from app.lab.chat.provenance import Origin
from app.lab.chat.rendering import Rendering
from app.lab.tokenize import Tokenization, check_length, tokenize, with_template
from app.registry import Registry
from app.types import SPECIAL, Encoding

Source = Literal["template", "special", "role", "text", "tools", "option", "injected", "unattributed"]
"""What a token is: text of the template · a special token of it · the name of a role · what a message says · a
definition of a tool · an option of the template · a special token that a message spelled · not known."""
Reading = Literal["text", "parse"]
"""What becomes of special tokens that messages spell: text, or special tokens, as servers have it that parse the
written text whole."""

SOURCES: tuple[Source, ...] = get_args(Source)
SAID = frozenset({"text", "tools", "option"})
"""What may come from anyone; a special token in it is none of the template’s."""
NOWHERE = -1


@dataclass(frozen=True)
class Chat:
    """A conversation in tokens. By token, `sources` is a place in `SOURCES`, and `messages` the message it belongs to.

    `spelled` are the special tokens that messages spell: where, and which.
    """

    done: Tokenization
    origins: tuple[Origin | None, ...]
    by_character: NDArray[np.int32]
    sources: NDArray[np.uint8]
    messages: NDArray[np.int32]
    spelled: tuple[tuple[int, str], ...]

    def count(self, source: Source) -> int:
        """How many tokens come from there."""
        return int(np.count_nonzero(self.sources == SOURCES.index(source)))

    @cached_property
    def overhead(self) -> int:
        """Tokens that no message says."""
        return len(self.sources) - self.count("text")

    def origin(self, at: int) -> Origin | None:
        """Where a character of the written text comes from."""
        return self.origins[int(self.by_character[at])]


def cut(
    registry: Registry,
    tokenizer: str,
    rendering: Rendering,
    *,
    special: Reading = "text",
    add_special_tokens: bool = False,
    limit: int,
) -> Chat:
    """The tokens of a conversation that was written out with its origins.

    Raises `UnknownTokenizer`, `LoneSurrogate`, `TooLarge` where the written text has more bytes than the limit.
    """
    text = rendering.text
    check_length([text], limit=limit, pointer="/messages")
    info = registry.info(tokenizer)
    origins = tuple(dict.fromkeys(origin for _, origin in rendering.origins)) or (None,)
    codes, lengths = {origin: code for code, origin in enumerate(origins)}, [length for length, _ in rendering.origins]
    by_character = np.repeat(np.array([codes[origin] for _, origin in rendering.origins], np.int32), lengths)
    places = list(find(text, info.special_tokens))
    standing = [
        _stands({origins[code] for code in set(by_character[at : at + len(token)].tolist())}) for at, token in places
    ]
    spelled = tuple(place for place, stands in zip(places, standing, strict=True) if not stands)
    cuts = [place for place, stands in zip(places, standing, strict=True) if stands or special == "parse"]
    done = _cut(registry, tokenizer, text, cuts, add_special_tokens=add_special_tokens)
    sources, messages = _attributed(done.encoding, origins, by_character, spelled)
    return Chat(done, origins, by_character, sources, messages, spelled)


def _stands(found: set[Origin | None]) -> bool:
    """Whether a special token whose characters come from there is the template’s own."""
    kinds = {origin.kind if origin else "template" for origin in found}
    return "template" in kinds and not kinds & SAID


def _cut(
    registry: Registry, tokenizer: str, text: str, places: list[tuple[int, str]], *, add_special_tokens: bool
) -> Tokenization:
    """The text cut with special tokens at these places and nowhere else."""
    pieces: list[Tokenization] = []

    def encode(stretch: str) -> Encoding:
        pieces.append(tokenize(registry, stretch, tokenizer=tokenizer))
        return pieces[-1].encoding

    loaded = registry.get(tokenizer)
    encoding = with_stretches(encode, _stretches(text, places), tokens=loaded.info.special_tokens)
    if add_special_tokens:
        encoding = with_template(encoding, loaded, size=(len(text.encode()), len(text)))
    notes = tuple(dict.fromkeys(note for piece in pieces for note in piece.notes))
    return Tokenization(text, loaded, encoding, notes)


def _stretches(text: str, places: list[tuple[int, str]]) -> Iterator[tuple[str, bool]]:
    here = 0
    for at, token in places:
        if here < at:
            yield text[here:at], False
        yield token, True
        here = at + len(token)
    if here < len(text):
        yield text[here:], False


def _attributed(
    encoding: Encoding,
    origins: tuple[Origin | None, ...],
    by_character: NDArray[np.int32],
    spelled: tuple[tuple[int, str], ...],
) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """By token, its source and its message. One that lies in several goes to where most of its characters come from."""
    if not len(by_character):
        return np.full(len(encoding), SOURCES.index("special"), np.uint8), np.full(len(encoding), NOWHERE, np.int32)
    starts, ends = encoding.char_starts, encoding.char_ends
    codes = by_character[np.minimum(starts, len(by_character) - 1)]
    for row in np.flatnonzero(codes != by_character[np.maximum(ends - 1, 0)]).tolist():
        if starts[row] < ends[row]:
            codes[row] = _most(by_character[starts[row] : ends[row]])
    kinds = [SOURCES.index(origin.kind if origin else "unattributed") for origin in origins]
    numbers = [NOWHERE if origin is None or origin.message is None else origin.message for origin in origins]
    sources, messages = np.array(kinds, np.uint8)[codes], np.array(numbers, np.int32)[codes]
    special = (encoding.flags & SPECIAL) != 0
    injected = special & np.isin(starts, [at for at, _ in spelled]) & (starts < ends)
    sources[special], sources[injected] = SOURCES.index("special"), SOURCES.index("injected")
    messages[special & ~injected] = NOWHERE
    return sources, messages


def _most(codes: NDArray[np.int32]) -> int:
    """The commonest, the later one where two are as common.

    >>> _most(np.array([4, 4, 2], np.int32)), _most(np.array([4, 2], np.int32))
    (4, 2)
    """
    counts = Counter(codes[::-1].tolist())
    return int(counts.most_common(1)[0][0])
