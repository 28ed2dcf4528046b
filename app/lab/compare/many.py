"""Many texts through several tokenizers: tokens by text and tokenizer, and their sums."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.lab.compare.comparison import Cut, compare
from app.registry import Registry


@dataclass(frozen=True, slots=True)
class Row:
    """One text: its bytes, and its tokens by tokenizer, None where that failed."""

    name: str
    bytes: int
    tokens: Mapping[str, int | None]


def rows(registry: Registry, texts: Mapping[str, str], tokenizers: Sequence[str], *, limit: int) -> Iterable[Row]:
    """A row a text, each as soon as it is counted. Raises what `compare` raises."""
    for name, text in texts.items():
        found = compare(registry, text, tokenizers, limit=limit)
        counts = {column.id: column.measures.tokens if isinstance(column, Cut) else None for column in found.columns}
        yield Row(name, len(found.passage.data), counts)


def total(counted: Sequence[Row]) -> Row:
    """The sum of rows; a tokenizer that failed on one has none.

    >>> total([Row("a", 3, {"x": 1, "y": 2}), Row("b", 2, {"x": 4, "y": None})])
    Row(name='All', bytes=5, tokens={'x': 5, 'y': None})
    """
    sums: dict[str, int | None] = {}
    for id in counted[0].tokens if counted else ():
        found = [row.tokens[id] for row in counted]
        sums[id] = None if None in found else sum(count for count in found if count is not None)
    return Row("All", sum(row.bytes for row in counted), sums)
