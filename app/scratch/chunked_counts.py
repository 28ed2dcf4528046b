"""Counting the words of a large corpus in parallel: chunks that end where a document ends, counted apart, then added.

A word that lies on both sides of a cut would be counted as two others. No word crosses a special token, so a cut is
moved to the beginning of the next one (Stanford's CS336 does this with `<|endoftext|>`).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

END_OF_TEXT = "<|endoftext|>"


class CutChunks(NamedTuple):
    """The chunks of a text; they join to it."""

    chunks: Sequence[str]


class ChunkCounts(NamedTuple):
    """The words of one chunk with their counts, and the sum of the counts so far."""

    number: int
    counts: Counter[str]
    total: Counter[str]


def cut_evenly(text: str, parts: int) -> list[int]:
    """Return where a text is cut into parts of equal length.

    >>> cut_evenly("to be or not to be", 3)
    [6, 12]
    """
    return [len(text) * part // parts for part in range(1, parts)]


def move_cuts(text: str, cuts: Iterable[int], border: str = END_OF_TEXT) -> list[int]:
    """Return each cut moved to the next border behind it, or to the end of the text, each once.

    >>> move_cuts("to be|or not|to be", [2, 3, 9, 14], "|")
    [5, 12, 18]
    """
    found = (text.find(border, cut) for cut in cuts)
    return sorted({len(text) if place < 0 else place for place in found})


def count_in_chunks(
    text: str, cuts: Iterable[int], pretokenize: Callable[[str], Iterable[str]], border: str = END_OF_TEXT
) -> Iterator[CutChunks | ChunkCounts]:
    """Yield the chunks between the cuts, and then the words of each; the border is no word, and no word crosses it.

    Workers can count the chunks at the same time: no count needs another one.

    >>> cut, *counted = count_in_chunks("to be|or not|to be", [5], str.split, "|")
    >>> cut.chunks, counted[-1].total["be"]
    (['to be', '|or not|to be'], 2)
    >>> *_, wrong = count_in_chunks("to be|or not|to be", [4], str.split, "|")
    >>> wrong.total
    Counter({'to': 2, 'b': 1, 'e': 1, 'or': 1, 'not': 1, 'be': 1})
    """
    places = [0, *cuts, len(text)]
    chunks = [text[start:end] for start, end in pairwise(places) if start < end]
    yield CutChunks(chunks)
    total = Counter[str]()
    for number, chunk in enumerate(chunks):
        counts = Counter[str]()
        for document in chunk.split(border):
            counts.update(pretokenize(document))
        total += counts
        yield ChunkCounts(number, counts, total.copy())
