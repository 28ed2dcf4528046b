"""All the ways a unigram model can cut a text, not only the best: how each place is reached, the n best, or one that
is drawn by its likelihood.

To train on cuts that are drawn, a new one each time, makes a model robust: subword regularization (Kudo 2018).
"""

from array import array
from heapq import nlargest
from math import exp, inf, log
from random import Random

from app.types import Arcs

Cut = list[tuple[int, int]]
"""Ids, and how many characters each covers."""
Way = tuple[int, int, "Way"] | None
"""The last piece of a way to a place, id and length, and the way to where that begins."""


def forward(model: Arcs, text: str, sum_: float) -> list[tuple[int, int, float]]:
    """How each place behind the first is best reached from a sum of scores: (where the last piece begins, its id,
    the sum), in the arithmetic of the model, so that the way back from the end is the cut it gives.

    >>> from app.scratch.unigram import Unigram
    >>> forward(Unigram({"a": 1, "b": 2, "ab": 3}, {"a": -1.0, "b": -2.0, "ab": -2.5}), "ab", 0.0)
    [(0, 1, -1.0), (0, 3, -2.5)]
    """
    sums = array(model.size, [0.0]) * (len(text) + 1)
    reached: list[tuple[int, int]] = [(-1, 0)] * (len(text) + 1)
    sums[0], rounded = sum_, array(model.size, [0.0])
    for start in range(len(text)):
        if sums[start] < model.lowest:
            off, sums[start] = sums[start], 0.0
            for end in range(start + 1, min(start + model.longest, len(sums))):
                if reached[end][0] >= 0:
                    sums[end] -= off
        for end, score, id in model.edges(text, start):
            rounded[0] = sums[start] + score
            if reached[end][0] < 0 or rounded[0] > sums[end]:
                sums[end], reached[end] = rounded[0], (start, id)
    return [(start, id, sums[end]) for end, (start, id) in enumerate(reached)][1:]


def sums_before(model: Arcs, text: str) -> list[float]:
    """By place, the best sum from the beginning to there, as exact as floats are.

    >>> from app.scratch.unigram import Unigram
    >>> sums_before(Unigram({"a": 1, "b": 2, "ab": 3}, {"a": -1.0, "b": -2.0, "ab": -2.5}), "ab")
    [0.0, -1.0, -2.5]
    """
    sums = [0.0] + [-inf] * len(text)
    for start in range(len(text)):
        for end, score, _ in model.edges(text, start):
            sums[end] = max(sums[end], sums[start] + score)
    return sums


def sums_behind(model: Arcs, text: str) -> list[float]:
    """By place, the best sum from there to the end.

    >>> from app.scratch.unigram import Unigram
    >>> sums_behind(Unigram({"a": 1, "b": 2, "ab": 3}, {"a": -1.0, "b": -2.0, "ab": -2.5}), "ab")
    [-2.5, -2.0, 0.0]
    """
    sums = [0.0] * (len(text) + 1)
    for start in range(len(text) - 1, -1, -1):
        sums[start] = max(score + sums[end] for end, score, _ in model.edges(text, start))
    return sums


def likelihood(model: Arcs, text: str) -> float:
    """The logarithm of the sum of the probabilities of all cuts: what a cut's own is to be measured by.

    >>> from app.scratch.unigram import Unigram
    >>> round(likelihood(Unigram({"a": 1, "aa": 2}, {"a": log(0.5), "aa": log(0.25)}), "aa"), 3) == round(log(0.5), 3)
    True
    """
    weights = [0.0] + [-inf] * len(text)
    for start in range(len(text)):
        for end, score, _ in model.edges(text, start):
            weights[end] = _log_sum(weights[end], weights[start] + score)
    return weights[-1]


def n_best(model: Arcs, text: str, n: int) -> list[tuple[float, Cut]]:
    """The n best cuts of a normalized text with their scores, the best first.

    The n best ways to reach a place are among the n best ways to reach each earlier one, and one piece more. Ways
    share their beginnings.

    >>> from app.scratch.unigram import Unigram
    >>> scores = {"the": -2.53, "there": -3.91, "re": -3.0, "t": -3.9, "h": -3.9, "e": -2.7, "r": -3.5}
    >>> model = Unigram({piece: id for id, piece in enumerate(scores, 1)}, scores)
    >>> [(round(score, 2), cut) for score, cut in n_best(model, "there", 2)]
    [(-3.91, [(2, 5)]), (-5.53, [(1, 3), (3, 2)])]
    """
    ways: list[list[tuple[float, Way]]] = [[] for _ in range(len(text) + 1)]
    ways[0] = [(0.0, None)]
    for start in range(len(text)):
        ways[start] = nlargest(n, ways[start], key=lambda way: way[0])
        for end, score, id in model.edges(text, start):
            ways[end] += [(sum_ + score, (id, end - start, way)) for sum_, way in ways[start]]
    return [(sum_, _unrolled(way)) for sum_, way in nlargest(n, ways[-1], key=lambda way: way[0])]


def _unrolled(way: Way) -> Cut:
    cut: Cut = []
    while way is not None:
        cut.append(way[:2])
        way = way[2]
    return cut[::-1]


def sample(model: Arcs, text: str, *, temperature: float, source: Random) -> Cut:
    """A cut drawn with a probability in proportion to exp(temperature · score): at 0 all are alike, the higher the
    more the best wins.

    Forward, the weights of all ways to each place are added up; backward, from the end, each piece is drawn by the
    share of them that goes through it.

    >>> from app.scratch.unigram import Unigram
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
