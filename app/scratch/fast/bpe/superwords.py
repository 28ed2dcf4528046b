"""The passage from words to whole texts in a training of superwords: equal to `scratch.superwords` (Liu et al. 2025).

The teaching file merges each text from its first symbol on. Here a text is cut where no merge can join its parts, which
for usual patterns are words again, and each distinct part is merged once; so memory is that of the texts themselves,
and time grows with the distinct parts.
"""

from collections.abc import Iterable, Iterator, Mapping
from operator import add
from typing import NamedTuple

from .encode_pairs import merge_pairs
from .symbol_corpus import SymbolCorpus


class Superwords(NamedTuple):
    """The size of the vocabulary from which merges may cross words; the texts with counts, and their pattern."""

    transition: int
    texts: Mapping[str, int]
    pattern: str


def apply_merges(texts: Iterable[str], corpus: SymbolCorpus) -> Iterator[str]:
    """Yield texts of initial symbols after all merges that a corpus has made, in their order.

    >>> from tokenarium.scratch.fast.bpe.symbol_corpus import characters
    >>> corpus = characters({"ab": 1, "c": 1})
    >>> corpus.merge("\\0\\1", "ab"), [*apply_merges(["\\0\\1\\2\\0\\1"], corpus)]
    ({}, ['\\x03\\x02\\x03'])
    """
    merges: dict[tuple[str, str], tuple[int, str]] = {}
    first: dict[str, str] = {}
    last: dict[str, str] = {}
    joined = set[str]()  # the pairs of initial symbols at which some merge joins two parts
    for rank, (new, pair) in enumerate(corpus.made_of.items()):
        a, b = pair[0], pair[1]
        merges[a, b] = rank, new
        first[new] = first.get(a, a)
        last[new] = last.get(b, b)
        joined.add(last.get(a, a) + first.get(b, b))
    merged: dict[str, str] = {}
    for text in texts:
        parts = list[str]()
        start = 0
        ends = [end for end, pair in enumerate(map(add, text, text[1:]), 1) if pair not in joined]
        for end in [*ends, len(text)]:
            part = text[start:end]
            if part not in merged:
                merged[part] = "".join(symbol for symbol, _ in merge_pairs(part, merges))
            parts.append(merged[part])
            start = end
        yield "".join(parts)
