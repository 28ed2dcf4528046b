"""The introduction of two minutes: a few texts as their tokens, without a formula or code."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...settings import Settings
from ..languages.declarations import declarations
from ..steps.frames import Tile, TileRow
from .scene import Step
from .texts import token_row

if TYPE_CHECKING:
    from ...registry import Registry

MODEL = "o200k_base"
SENTENCE = "The cat sat on the mat."
RARE = "Schadenfreude is rare"
LANGUAGE = "mya"
"""The language of the example, whose script the tokenizer saw rarely."""


@dataclass(frozen=True, slots=True)
class Introduction:
    """Two texts as tokens, the second with its ids; and the tokens of Article 1 in English and in another language."""

    sentence: TileRow
    rare: TileRow
    ids: Step
    size: int
    english: int
    other: int
    language: str


def introduce(registry: Registry) -> Introduction:
    """Return what the introduction shows, by the tokenizer of GPT-4o."""
    tokenizer = registry.get(MODEL, "scratch")
    rare = token_row(tokenizer, RARE, "")
    ids = TileRow(tuple(Tile(f"{tile.key}", tile.key, tile.at) for tile in rare.tiles), "ids")
    articles = declarations(Settings().store)
    texts = (articles[code].articles[1].partition("\n")[2] for code in ("eng", LANGUAGE))
    english, other = (len(tokenizer.encode(text).ids) for text in texts)
    return Introduction(
        sentence=token_row(tokenizer, SENTENCE, ""),
        rare=rare,
        ids=Step((), (replace(rare, label="tokens"), ids), columns=((1,) * len(rare.tiles),) * 2),
        size=registry.info(MODEL).tokens or 0,
        english=english,
        other=other,
        language=articles[LANGUAGE].name,
    )
