"""Divide a text into parts of at most some tokens, and tell whether ids are those of their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ..lab import canonical
from ..lab.chunks import chunking
from ..lab.chunks.boundaries import At
from ..lab.chunks.chunking import ChunkOptions, TextChunk, fit
from ..lab.models import resolve_model
from ..lab.option_schema import from_mapping
from .loading import DEFAULT_TOKENIZER, registry


def is_canonical(ids: Sequence[int], tokenizer: str = DEFAULT_TOKENIZER) -> bool:
    """Return whether ids are those that the tokenizer gives for their text; others are lost once they become text.

    >>> is_canonical([24912], "gpt-4o"), is_canonical([4161, 746], "gpt-4o")
    (True, False)

    Raises what `load` raises, and `UnknownId`.
    """
    return canonical.is_canonical(registry(), ids, tokenizer=resolve_model(registry(), tokenizer))


def chunks(
    text: str,
    tokenizer: str = DEFAULT_TOKENIZER,
    size: int = 512,
    overlap: int = 0,
    *,
    at: At = "token",
    language: str = "en",
    add_special_tokens: bool = True,
) -> list[TextChunk]:
    """Return the parts of a text that cover it, each of which alone has at most `size` tokens.

    Those that the tokenizer adds around a text count, unless `add_special_tokens` is false: of 512 tokens of BERT,
    `[CLS]` and `[SEP]` are two.

    A part ends at the last boundary within that size, and never inside a grapheme cluster. `at` says at which: after a
    `token`, a `sentence` of the language with the code `language`, a `paragraph`, before a Markdown `heading`, or
    before a definition in `code`; where none fits, at a finer one. It begins with up to `overlap` tokens of the part
    before; without overlap, the texts join to the whole one. A part has its span in code points of the text, its
    tokens alone and within the text, and the kind of boundary.

    >>> [(part.text, part.start, part.tokens) for part in chunks("One. Two. Three.", "gpt-4o", 4, at="sentence")]
    [('One. ', 0, 3), ('Two. Three.', 5, 4)]

    Raises what `load` raises, `Invalid` for a size, an overlap or a kind that there is not, and for a grapheme cluster
    with more tokens than `size`.
    """
    id = resolve_model(registry(), tokenizer)
    asked = {"text": text, "tokenizer": id, "size": size, "overlap": overlap, "at": at, "language": language}
    asked["add_special_tokens"] = add_special_tokens
    return [*chunking.chunk(registry(), from_mapping(ChunkOptions, asked))]


def truncate(
    text: str,
    tokenizer: str = DEFAULT_TOKENIZER,
    size: int = 512,
    *,
    keep: Literal["start", "end"] = "start",
    add_special_tokens: bool = True,
) -> str:
    """Return the beginning of a text, or its `end`, that alone has at most `size` tokens; a shorter text as it is.

    Those that the tokenizer adds around a text count, as for `chunks`, unless `add_special_tokens` is false.

    >>> truncate("Hello, big world", "gpt-4o", 3), truncate("Hello, big world", "gpt-4o", 2, keep="end")
    ('Hello, big', ' big world')
    >>> truncate("Hello, big world", "bert", 4), truncate("Hello, big world", "bert", 4, add_special_tokens=False)
    ('Hello, ', 'Hello, big world')

    Raises what `load` raises, and `Invalid` for a negative size, or one without room for what is added.
    """
    id = resolve_model(registry(), tokenizer)
    fitted = fit(registry(), text, tokenizer=id, size=size, keep=keep, add_special_tokens=add_special_tokens)
    return fitted.text
