"""The merges of two BPE vocabularies: how many both have, whether in the same order, and those that only one has.

A `tokenizer.json` lists pairs. Ranks and SentencePiece's scores merge any two neighbours that make a token, so there a
merge is the token that it makes; where one of the two vocabularies is such, both are compared as such.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from ...store import Record
from ..vocabulary.columns import VocabularyColumns
from ..vocabulary.merges import Merges, Source, load_merges

SAMPLES = 40
"""Merges that only one vocabulary has and that are shown, the earliest."""
Rule = bytes | tuple[bytes, int]
"""What a merge makes; of a listed one with the length of its left part in bytes."""


@dataclass(frozen=True, slots=True)
class Merge:
    """A merge: the parts, what it makes, and its place in the order."""

    parts: tuple[bytes, ...]
    made: bytes
    place: int


@dataclass(frozen=True)
class TwoMerges:
    """The merges of two vocabularies.

    `sources` are those of `Merges.source`, `counts` the numbers of merges. `listed` is True if pairs were compared, not
    tokens. `prefix` is the number of merges at the beginning that are the same in both, `in_order` the greatest number
    of shared ones whose order is the same. `only_a` and `only_b` are the first that one lacks.
    """

    sources: tuple[Source, Source]
    counts: tuple[int, int]
    listed: bool
    shared: int
    prefix: int
    in_order: int
    only_a: tuple[Merge, ...]
    only_b: tuple[Merge, ...]

    @property
    def equal(self) -> bool:
        """True if both have the same merges in the same order."""
        return self.prefix == self.counts[0] == self.counts[1]


def compare_merges(
    records: tuple[Record, Record], columns: tuple[VocabularyColumns, VocabularyColumns]
) -> TwoMerges | None:
    """Compare the merges of two tokenizers, None if one has no merges. Raises `BadFile`."""
    a, b = (load_merges(record, some) for record, some in zip(records, columns, strict=True))
    if "none" in (a.source, b.source):
        return None
    listed = a.pairs is not None and b.pairs is not None
    rules_a, rules_b = (_rules(merges, some, listed) for merges, some in zip((a, b), columns, strict=True))
    places_b = {rule: place for place, rule in enumerate(rules_b)}
    places = [place for rule in rules_a if (place := places_b.get(rule)) is not None]
    same = (i for i, (one, other) in enumerate(zip(rules_a, rules_b, strict=False)) if one != other)
    prefix = next(same, min(len(rules_a), len(rules_b)))
    known = {*rules_a}
    return TwoMerges(
        sources=(a.source, b.source),
        counts=(len(rules_a), len(rules_b)),
        listed=listed,
        shared=len(places),
        prefix=prefix,
        in_order=prefix + count_longest_rising(places[prefix:]),
        only_a=tuple(_samples(a, columns[0], _first(rules_a, places_b))),
        only_b=tuple(_samples(b, columns[1], _first(rules_b, known))),
    )


def _first(rules: Sequence[Rule], known: Collection[Rule]) -> list[tuple[int, Rule]]:
    """Return the first rules that are not known, with their places."""
    found = []
    for place, rule in enumerate(rules):
        if rule not in known:
            found.append((place, rule))
            if len(found) == SAMPLES:
                break
    return found


def _rules(merges: Merges, columns: VocabularyColumns, listed: bool) -> list[Rule]:
    """Return the merges in their order, each once."""
    raw_of = dict(zip(columns.ids.tolist(), columns.raws, strict=True))
    if merges.pairs is not None:
        made, left = (column.tolist() for column in merges.pairs)
        if not listed:
            return list(dict.fromkeys(raw_of[id] for id in made))
        symbols = merges.symbols
        ids = merges.ids
        pairs = ((raw_of[id], len(raw_of[ids[symbols[id][:size]]])) for id, size in zip(made, left, strict=True))
        return list(dict.fromkeys(pairs))
    if merges.source == "ranks":
        return [raw_of[id] for id in sorted(merges.symbols) if len(raw_of[id]) > 1]
    by_score = sorted((id for id, name in merges.symbols.items() if len(name) > 1), key=lambda id: -merges.scores[id])
    return [raw_of[id] for id in by_score]


def _samples(merges: Merges, columns: VocabularyColumns, rules: Sequence[tuple[int, Rule]]) -> Iterator[Merge]:
    """Yield merges with their parts."""
    raw_of = dict(zip(columns.ids.tolist(), columns.raws, strict=True))
    made = {rule for _, rule in rules}
    id_of = {raw: id for id, raw in raw_of.items() if raw in made and id in merges.symbols}
    for place, rule in rules:
        if isinstance(rule, tuple):
            raw, size = rule
            yield Merge((raw[:size], raw[size:]), raw, place)
            continue
        nodes = merges.tree(id_of[rule])
        nodes = nodes[0].parts if len(nodes) == 1 else nodes
        parts = (raw_of[node.id] if node.id is not None else _bytes(node.symbol) for node in nodes)
        yield Merge(tuple(parts), rule, place)


def _bytes(symbol: str | bytes) -> bytes:
    return symbol if isinstance(symbol, bytes) else symbol.encode()


def count_longest_rising(numbers: Sequence[int]) -> int:
    """Return the length of the longest rising subsequence.

    >>> count_longest_rising([3, 1, 2, 5, 4])
    3
    """
    ends: list[int] = []
    for number in numbers:
        at = bisect_left(ends, number)
        ends[at : at + 1] = [number]
    return len(ends)
