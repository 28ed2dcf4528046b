"""All the ways a unigram model can cut a text, not only the best: the n best, or one drawn by its likelihood.

To train on cuts that are drawn, a new one each time, makes a model robust: subword regularization (Kudo 2018).
"""

from heapq import nlargest
from math import exp, log
from random import Random

from app.scratch.unigram import Unigram

Cut = list[tuple[int, int]]
"""Ids, and how many characters each covers."""


def n_best(model: Unigram, text: str, n: int) -> list[tuple[float, Cut]]:
    """The n best cuts of a normalized text with their scores, the best first.

    The n best ways to reach a place are among the n best ways to reach each earlier one, and one piece more. Made
    for a word or a sentence: each way is kept as it grows.

    >>> scores = {"the": -2.53, "there": -3.91, "re": -3.0, "t": -3.9, "h": -3.9, "e": -2.7, "r": -3.5}
    >>> model = Unigram({piece: id for id, piece in enumerate(scores, 1)}, scores)
    >>> [(round(score, 2), cut) for score, cut in n_best(model, "there", 2)]
    [(-3.91, [(2, 5)]), (-5.53, [(1, 3), (3, 2)])]
    """
    ways: list[list[tuple[float, Cut]]] = [[] for _ in range(len(text) + 1)]
    ways[0] = [(0.0, [])]
    for start in range(len(text)):
        ways[start] = nlargest(n, ways[start], key=lambda way: way[0])
        for end, score, id in model.edges(text, start):
            ways[end] += [(sum_ + score, [*cut, (id, end - start)]) for sum_, cut in ways[start]]
    return nlargest(n, ways[-1], key=lambda way: way[0])


def sample(model: Unigram, text: str, *, temperature: float, source: Random) -> Cut:
    """A cut drawn with a probability in proportion to exp(temperature · score): at 0 all are alike, the higher the
    more the best wins.

    Forward, the weights of all ways to each place are added up; backward, from the end, each piece is drawn by the
    share of them that goes through it.

    >>> scores = {"the": -2.53, "there": -3.91, "re": -3.0, "t": -3.9, "h": -3.9, "e": -2.7, "r": -3.5}
    >>> model = Unigram({piece: id for id, piece in enumerate(scores, 1)}, scores)
    >>> sample(model, "there", temperature=9, source=Random(1))
    [(2, 5)]
    """
    weights = [0.0] + [float("-inf")] * len(text)
    back: list[list[tuple[int, int, float]]] = [[] for _ in weights]
    for start in range(len(text)):
        for end, score, id in model.edges(text, start):
            weight = weights[start] + temperature * score
            weights[end] = _log_sum(weights[end], weight)
            back[end].append((id, start, weight))
    cut: Cut = []
    end = len(text)
    while end:
        shares = [exp(weight - weights[end]) for _, _, weight in back[end]]
        ((id, start, _),) = source.choices(back[end], shares)
        cut.append((id, end - start))
        end = start
    return cut[::-1]


def _log_sum(a: float, b: float) -> float:
    """log(exp(a) + exp(b)), without leaving the range of a float."""
    low, high = sorted((a, b))
    return high + log(1 + exp(low - high))
