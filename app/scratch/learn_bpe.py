"""Learning BPE: count the adjacent pairs, merge the most frequent one everywhere, and count again.

Gage 1994 compressed data in this way; Sennrich et al. 2016 made it learn the subwords of a corpus. The merges in their
order are all that `bpe` needs to encode any other text.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple

Pair = tuple[int, int]
TieRule = Literal["first-seen", "smallest", "lexicographic", "lexicographically-greatest"]
"""Which of equally good pairs is merged: the first one in the corpus · the one of the smallest ids, as Hugging Face's
trainer does · the first by spelling · the last by spelling, as in Stanford's CS336. Published examples often do not say
which."""


class PairCounts(NamedTuple):
    """How often each pair of ids occurs."""

    pairs: Mapping[Pair, int]


class Merged(NamedTuple):
    """A merge: the spellings of the pair and its count; all words after it, in ids, and the vocabulary, by id."""

    pair: tuple[str, str]
    frequency: int
    words: list[list[int]]
    vocabulary: list[str]


def iter_learning_steps(
    counts: Mapping[Any, int],
    *,
    ties: TieRule = "first-seen",
    min_frequency: int = 2,
    alphabet: Sequence[str] | None = None,
    allowed: Callable[[Pair, Sequence[str]], bool] = lambda pair, vocabulary: True,
) -> Iterator[PairCounts | Merged]:
    """Yield the counts of all pairs and the merge that follows, in turn, until no pair is frequent enough.

    `counts` has how often each word occurs; a word is a string or a tuple of symbols. Ids are numbers in order of the
    `alphabet`, by default the sorted symbols of the corpus. A pair that is not `allowed` stays.

    >>> [step.pair for step in iter_learning_steps({"cddcdycdyc": 1}) if isinstance(step, Merged)]
    [('c', 'd'), ('cd', 'y')]
    """
    vocabulary = [*(alphabet or sorted({symbol for word in counts for symbol in word}))]
    words = [[vocabulary.index(symbol) for symbol in word] for word in counts]
    while True:
        pairs = count_pairs(words, counts.values())
        yield PairCounts(pairs)
        frequent = {pair: n for pair, n in pairs.items() if n >= min_frequency and allowed(pair, vocabulary)}
        best = best_pair(frequent, vocabulary, ties)
        if best is None:
            return
        first, second = vocabulary[best[0]], vocabulary[best[1]]
        vocabulary.append(first + second)
        words = [replace(word, best, len(vocabulary) - 1) for word in words]
        yield Merged((first, second), pairs[best], words, [*vocabulary])


def count_pairs(words: Iterable[Sequence[int]], counts: Iterable[int]) -> Counter[Pair]:
    """Return how often each pair of neighbours occurs; `counts` has how often each word does.

    >>> count_pairs([[0, 1, 2], [1, 2]], [5, 1])
    Counter({(1, 2): 6, (0, 1): 5})
    """
    pairs = Counter[Pair]()
    for word, count in zip(words, counts, strict=True):
        for pair in pairwise(word):
            pairs[pair] += count
    return pairs


def best_pair(values: Mapping[Pair, Any], vocabulary: Sequence[str], ties: TieRule) -> Pair | None:
    """Return the pair of the highest value, or None where there is none.

    >>> best_pair({(1, 0): 2, (0, 1): 2, (0, 0): 1}, "ab", "first-seen")
    (1, 0)
    >>> best_pair({(0, 1): 2, (0, 2): 2}, ["a", "b", "ba"], "lexicographically-greatest")
    (0, 2)
    """
    if ties == "first-seen":  # a dict keeps the order of insertion, and max() the first of equals
        return max(values, key=values.__getitem__, default=None)
    if ties == "smallest":
        return min(values, key=lambda pair: (-values[pair], pair), default=None)
    if ties == "lexicographic":
        return min(values, key=lambda pair: (-values[pair], vocabulary[pair[0]], vocabulary[pair[1]]), default=None)
    return max(values, key=lambda pair: (values[pair], vocabulary[pair[0]], vocabulary[pair[1]]), default=None)


def replace(word: Sequence[int], pair: Pair, new: int) -> list[int]:
    """Return a word with a new id for each occurrence of a pair, from the left.

    >>> replace([0, 0, 0, 1], (0, 0), 2)
    [2, 0, 1]
    """
    ids = [*word]
    for i in range(len(ids)):
        if tuple(ids[i : i + 2]) == pair:
            ids[i : i + 2] = [new]
    return ids


def learn(counts: Mapping[Any, int], merges: int | None = None, **options: Any) -> list[tuple[str, str, int]]:
    """Return the merges in order, each as a pair and its frequency.

    >>> learn({"low": 5, "lower": 2, "new": 6, "newer": 3}, 4)
    [('n', 'e', 9), ('ne', 'w', 9), ('l', 'o', 7), ('lo', 'w', 7)]
    >>> words = {"low": 5, "lowest": 2, "new": 6, "widest": 3}
    >>> [(a + b, n) for a, b, n in learn({(*word, "</w>"): n for word, n in words.items()}, 5)]
    [('w</w>', 11), ('lo', 7), ('ne', 6), ('new</w>', 6), ('low</w>', 5)]
    """
    return [
        (*step.pair, step.frequency) for step in iter_learning_steps(counts, **options) if isinstance(step, Merged)
    ][:merges]
