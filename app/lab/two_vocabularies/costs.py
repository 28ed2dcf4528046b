"""What the difference of two vocabularies costs: tokens of a text, and of the same declaration in every language."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ...errors import TooLarge
from ...registry import Registry
from ..languages.atlas import add_trained_columns, read_atlas
from ..tokenize import tokenize

MAX_TEXT = 100_000
"""The maximum length of a text, in characters."""


@dataclass(frozen=True, slots=True)
class LanguageCost:
    """The tokens of the declaration in one language. `ratio` is those of the second by those of the first."""

    code: str
    name: str
    script: str
    a: int
    b: int
    unread: bool

    @property
    def ratio(self) -> float:
        return self.b / self.a if self.a else 1.0


def count_text_costs(registry: Registry, text: str, a: str, b: str) -> tuple[int, int]:
    """Return the number of tokens of a text in both. Raises `TooLarge`, `LoneSurrogate` and what encoding raises."""
    if len(text) > MAX_TEXT:
        raise TooLarge(f"The text has {len(text):,} characters; at most {MAX_TEXT:,} are counted.", limit=MAX_TEXT)
    one, other = (len(tokenize(registry, text, tokenizer=id).encoding) for id in (a, b))
    return one, other


def count_language_costs(registry: Registry, store: Path, a: str, b: str) -> list[LanguageCost]:
    """Return the counts of every language, the largest change first; none if one of both has not been counted.

    `unread` are languages that one of both does not support, where few tokens say nothing.

    >>> from tokenarium.settings import Settings
    >>> costs = count_language_costs(Registry(Settings()), Settings().store, "gpt2", "o200k_base")
    >>> max(costs, key=lambda cost: cost.a / cost.b).name
    'Georgian'
    """
    atlas = add_trained_columns(read_atlas(store), registry)
    columns = {column.id: column for column in atlas.columns}
    if not {a, b} <= {*columns}:
        return []
    first = columns[a]
    second = columns[b]
    costs = []
    for row, language in enumerate(atlas.languages):
        unread = atlas.cell(row, first).unread or atlas.cell(row, second).unread
        tokens = first.tokens[row], second.tokens[row]
        costs.append(LanguageCost(language.code, language.name, language.script, *tokens, unread))
    return sorted(costs, key=lambda cost: (-max(cost.ratio, 1 / cost.ratio if cost.ratio else 1.0), cost.name))
