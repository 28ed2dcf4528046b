"""What a merge does to the likelihood of a corpus: the idea of WordPiece, beside the score that stands for it.

A corpus of N tokens, of which each token t occurs n(t) times, has the log-likelihood Σ n(t) · log(n(t) / N) under
its own frequencies. A merge makes it shorter and changes three counts.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import log
from typing import NamedTuple


class PairGain(NamedTuple):
    """A pair, how often it occurs, its score in `learn_wordpiece`, and what its merge adds to the log-likelihood."""

    pair: tuple[str, str]
    times: int
    score: float
    gain: float


def log_likelihood(words: Sequence[Sequence[str]], counts: Sequence[int]) -> float:
    """Return the log-likelihood of words that occur so often each.

    >>> round(log_likelihood([["a", "b"]], [1]), 3), log_likelihood([["ab"]], [1])
    (-1.386, 0.0)
    """
    tokens = Counter[str]()
    for word, count in zip(words, counts, strict=True):
        for token in word:
            tokens[token] += count
    total = tokens.total()
    return sum(n * log(n / total) for n in tokens.values())


def join(word: Sequence[str], pair: tuple[str, str], joined: str) -> list[str]:
    """Return a word with each occurrence of a pair joined, from the left.

    >>> join(["a", "##b", "##a", "##b"], ("##a", "##b"), "##ab")
    ['a', '##b', '##ab']
    """
    tokens = [*word]
    for i in range(len(tokens)):
        if tuple(tokens[i : i + 2]) == pair:
            tokens[i : i + 2] = [joined]
    return tokens


def iter_gains(words: Mapping[tuple[str, ...], int]) -> Iterator[PairGain]:
    """Yield what each pair of neighbours would gain, in the order of the corpus.

    >>> words = {("h", "##u", "##g"): 10, ("p", "##u", "##n"): 12, ("h", "##u", "##g", "##s"): 5}
    >>> for one in iter_gains(words):
    ...     print(*one.pair, one.times, round(one.score, 3), round(one.gain, 1))
    h ##u 15 0.037 21.3
    ##u ##g 15 0.037 21.3
    p ##u 12 0.037 16.2
    ##u ##n 12 0.037 16.2
    ##g ##s 5 0.067 9.5
    """
    counts = [*words.values()]
    tokens, pairs = Counter[str](), Counter[tuple[str, str]]()
    for word, count in words.items():
        for token in word:
            tokens[token] += count
        for pair in pairwise(word):
            pairs[pair] += count
    before = log_likelihood([*words], counts)
    for (first, second), count in pairs.items():
        joined = first + second.removeprefix("##")
        merged = [join(word, (first, second), joined) for word in words]
        gain = log_likelihood(merged, counts) - before
        yield PairGain((first, second), count, count / (tokens[first] * tokens[second]), gain)
