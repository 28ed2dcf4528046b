"""Where a token of a text comes from: merge tree or lattice, reasons, neighbours by id, and other tokenizers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ...errors import TokenariumError
from ...registry import Registry
from ...types import SPECIAL, UNKNOWN, Token
from ..tokenize import Tokenization
from ..vocabulary.word_variants import MAX_WORD, list_forms
from .drawing import Drawing, tree
from .encoding import MAX_CHARACTERS, EncodingRun, encode
from .lattice import lattice
from .step import Boundary, Tile
from .tiles import spell

OTHERS = ("o200k_base", "cl100k_base", "tekken", "gpt2", "mistral-v3")
"""Tokenizers to compare with, the first of them that are here and not the one at hand."""
SHOWN_OTHERS = 3
NEAR = 2


@dataclass(frozen=True, slots=True)
class TokenOrigin:
    """How a token came about. `step` is the number of the step in Steps that made it, `caption` what it says.

    `drawing` is its merge tree, or the lattice of its word; None where the text is too long to follow. `neighbours` are
    the tokens with the ids around it, `others` the tokens of other tokenizers on the same span, `variants` the single
    tokens that spell the same word in other case or without the space: what a `logit_bias` has to name.
    """

    step: int | None
    caption: tuple[str | Tile, ...]
    drawing: Drawing | None
    kind: str
    boundary: Boundary | None
    neighbours: tuple[tuple[int, str], ...]
    others: Mapping[str, tuple[Tile, ...]]
    variants: Mapping[int, str]


def origin(registry: Registry, tokenization: Tokenization, index: int) -> TokenOrigin:
    """Return where a token of a tokenization comes from; parts that cannot be known are empty."""
    token = next(tokenization.tokens(index, index + 1))
    neighbours = tuple(_neighbours(tokenization, token.entry.id))
    short = len(tokenization.text) <= MAX_CHARACTERS and not token.inserted
    span = (token.byte_start, token.byte_end)
    others = _others(registry, tokenization, span) if short else {}
    variants = _variants(tokenization, token)
    run = _encode_text(registry, tokenization) if short else None
    inserted = len(tokenization.encoding) - len(run.ids) if run else 0
    # Only a prefix shifts the tokens, and the run has none.
    at = index - (len(tokenization.tokenizer.info.prefix) if inserted else 0)
    if not run or not 0 <= at < len(run.ids) or run.ids[at] != token.entry.id:
        return TokenOrigin(
            step=None,
            caption=(),
            drawing=None,
            kind="",
            boundary=None,
            neighbours=neighbours,
            others=others,
            variants=variants,
        )
    number, node, boundary, word_lattice = run.origin(at)
    step = next(run.steps(number, number + 1))
    drawing = lattice(word_lattice) if word_lattice else tree((node,)) if node else None
    kind = "Lattice" if word_lattice else "Merge tree"
    return TokenOrigin(
        step=number,
        caption=step.sentence,
        drawing=drawing,
        kind=kind,
        boundary=boundary,
        neighbours=neighbours,
        others=others,
        variants=variants,
    )


def _encode_text(registry: Registry, tokenization: Tokenization) -> EncodingRun | None:
    info = tokenization.tokenizer.info
    parsed = bool(np.any(tokenization.encoding.flags & SPECIAL)) or _spells_unknown(tokenization)
    special: Literal["text", "parse"] = "parse" if parsed else "text"
    try:
        run = encode(registry, tokenization.text, tokenizer=info.id, special=special)
    except TokenariumError:  # a tokenizer that no engine here can follow
        return None
    return run if isinstance(run, EncodingRun) else None


def _spells_unknown(tokenization: Tokenization) -> bool:
    """True if the unknown token is spelled out in the text, as only parsing it gives its id."""
    encoding = tokenization.encoding
    unknown = np.flatnonzero(encoding.flags & UNKNOWN)[:MAX_CHARACTERS]
    return any(
        tokenization.data[encoding.byte_starts[row] : encoding.byte_ends[row]]
        == tokenization.entry(int(encoding.ids[row])).piece.encode()
        for row in unknown
    )


def _neighbours(tokenization: Tokenization, id: int) -> list[tuple[int, str]]:
    near = []
    for other in range(max(0, id - NEAR), id + NEAR + 1):
        try:
            near.append((other, spell(tokenization.tokenizer.entry(other).raw)))
        except TokenariumError:  # ids have gaps, and end
            continue
    return near


def _variants(tokenization: Tokenization, token: Token) -> dict[int, str]:
    word = tokenization.text[token.char_start : token.char_end].strip()
    if not word or token.inserted or len(word) > MAX_WORD or tokenization.tokenizer.info.grows:
        return {}
    found: dict[int, str] = {}
    for text in list_forms(word):
        ids = tokenization.tokenizer.encode(text).ids.tolist()
        if len(ids) == 1:
            found.setdefault(ids[0], spell(tokenization.tokenizer.entry(ids[0]).raw))
    return found


def _others(registry: Registry, tokenization: Tokenization, span: tuple[int, int]) -> dict[str, tuple[Tile, ...]]:
    """Return the tokens of other tokenizers that overlap a span of bytes."""
    known = {info.id: info.title for info in registry.infos()}
    ids = [id for id in OTHERS if id in known and id != tokenization.tokenizer.info.id][:SHOWN_OTHERS]
    return {known[id]: _find_overlapping(registry, id, tokenization.text, span) for id in ids}


def _find_overlapping(registry: Registry, id: str, text: str, span: tuple[int, int]) -> tuple[Tile, ...]:
    tokenizer = registry.get(id)
    encoding = tokenizer.encode(text)
    inside = np.flatnonzero((encoding.byte_starts < span[1]) & (encoding.byte_ends > span[0]))
    entries = (tokenizer.entry(int(encoding.ids[row])) for row in inside[:16])
    return tuple(Tile(spell(entry.raw), entry.id) for entry in entries)
