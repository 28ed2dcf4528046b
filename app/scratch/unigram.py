"""Unigram: each token has a probability, and of all segmentations of a text the most probable one is taken.

The score of a token is the logarithm of its probability, so the best segmentation has the highest sum of scores.
Viterbi's algorithm finds it without trying all of them: the best path to a position is the best path to an earlier
position, and one more token (Kudo 2018).
"""

from collections.abc import Iterator, Mapping
from math import inf
from typing import NamedTuple

PENALTY = 10.0
"""An unknown character scores this much less than the least probable token."""


class Relaxed(NamedTuple):
    """A better way to a position: the token that ends there, where it begins and ends, and the sum of scores."""

    token: str
    start: int
    end: int
    score: float


class ScoredSegmentation(NamedTuple):
    """The best segmentation and the sum of its scores."""

    tokens: list[str]
    score: float


def viterbi(text: str, scores: Mapping[str, float]) -> Iterator[Relaxed | ScoredSegmentation]:
    """Yield each better way to a position, and at last the best segmentation.

    >>> steps = viterbi("ab", {"a": -1.0, "b": -2.0, "ab": -2.5})
    >>> [(step.token, step.score) for step in steps if isinstance(step, Relaxed)]
    [('a', -1.0), ('ab', -2.5)]
    """
    unknown = min(scores.values(), default=0.0) - PENALTY
    best, start_of = [0.0] + [-inf] * len(text), [0] * (len(text) + 1)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            token = text[start:end]
            score = best[start] + scores.get(token, unknown if len(token) == 1 else -inf)
            if score > best[end]:
                best[end], start_of[end] = score, start
                yield Relaxed(token, start, end, score)
    tokens, end = list[str](), len(text)
    while end:  # from the end back to the beginning, along the best path
        tokens.insert(0, text[start_of[end] : end])
        end = start_of[end]
    yield ScoredSegmentation(tokens, best[-1])


def segment(text: str, scores: Mapping[str, float]) -> ScoredSegmentation:
    """Return the best segmentation.

    >>> from math import log
    >>> p = {"the": 0.08, "there": 0.02, "re": 0.05, "th": 0.06, "e": 0.07, "r": 0.03, "t": 0.02, "h": 0.02}
    >>> scores = {token: log(probability) for token, probability in p.items()}
    >>> tokens, score = segment("there", scores)
    >>> tokens, round(score, 3), round(scores["the"] + scores["re"], 3)
    (['there'], -3.912, -5.521)
    """
    *_, last = viterbi(text, scores)
    return ScoredSegmentation(*last[-2:]) if isinstance(last, ScoredSegmentation) else ScoredSegmentation([], 0.0)


def segmentations(word: str, scores: Mapping[str, float]) -> list[list[str]]:
    """Return all segmentations of a word: of n characters, up to 2 ** (n - 1). This is what Viterbi need not do.

    >>> segmentations("abc", {"a": -1, "b": -1, "c": -1, "ab": -1, "abc": -1})
    [['a', 'b', 'c'], ['ab', 'c'], ['abc']]
    """
    ends = [end for end in range(1, len(word) + 1) if word[:end] in scores]
    return [[word[:end], *rest] for end in ends for rest in segmentations(word[end:], scores)] if word else [[]]
