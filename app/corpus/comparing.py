"""Compare what several vocabularies make of a corpus: fertility, bytes per token and cost by group."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..lab.prices import MILLION, load_prices
from .counting import TOTAL, CorpusCounts, totals
from .counts import DocumentCounts


@dataclass(frozen=True, slots=True)
class GroupComparison:
    """A group of documents, or everything under the name "", and its tally by tokenizer, the fewest tokens first.

    `ratio` is the most tokens over the fewest.
    """

    name: str
    tallies: Mapping[str, DocumentCounts]

    @property
    def fewest(self) -> str:
        return next(iter(self.tallies))

    @property
    def most(self) -> str:
        return [*self.tallies][-1]

    @property
    def ratio(self) -> float:
        few = self.tallies[self.fewest].tokens
        return self.tallies[self.most].tokens / few if few else 0.0


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What a corpus costs as input of a model, in dollars; the price for a million tokens is of a day and a source."""

    model: str
    tokenizer: str
    tokens: int
    price: float
    date: str
    source: str

    @property
    def total(self) -> float:
        return self.tokens * self.price / MILLION


def compare_groups(counts: CorpusCounts) -> list[GroupComparison]:
    """Return the groups of a count, those first in which the tokenizers differ most.

    >>> one, two = DocumentCounts(tokens=10), DocumentCounts(tokens=30)
    >>> found = compare_groups(CorpusCounts({"en": {"a": one, "b": one}, "hi": {"a": two, "b": one}}))
    >>> [(group.name, group.fewest, group.ratio) for group in found]
    [('hi', 'b', 3.0), ('en', 'a', 1.0)]
    """
    found = [_group(name, tallies) for name, tallies in counts.groups.items() if name != TOTAL and tallies]
    return sorted(found, key=lambda group: (-group.ratio, group.name))


def compare_all(counts: CorpusCounts) -> GroupComparison | None:
    """Return the comparison of the whole corpus; None if nothing was read."""
    every = totals(counts)
    return _group("", every) if every else None


def costs(tallies: Mapping[str, DocumentCounts]) -> list[ModelCost]:
    """Return the cost for each model whose own tokenizer counted and whose price is known, the most expensive first."""
    found = [
        ModelCost(
            model=one.name,
            tokenizer=one.tokenizer,
            tokens=tallies[one.tokenizer].tokens,
            price=one.price,
            date=one.date,
            source=one.source,
        )
        for one in load_prices()
        if one.price is not None and one.tokenizer in tallies
    ]
    return sorted(found, key=lambda cost: (-cost.total, cost.model))


def rows(counts: CorpusCounts, base: str) -> Iterator[tuple[GroupComparison, str, DocumentCounts, float]]:
    """Yield (group, tokenizer, tally, tokens relative to those of `base`), everything last."""
    every = compare_all(counts)
    for group in [*compare_groups(counts), *([every] if every else [])]:
        first = group.tallies[base].tokens
        for id, tally in group.tallies.items():
            yield group, id, tally, tally.tokens / first if first else 0.0


def _group(name: str, tallies: Mapping[str, DocumentCounts]) -> GroupComparison:
    return GroupComparison(name, dict(sorted(tallies.items(), key=lambda one: (one[1].tokens, one[0]))))
