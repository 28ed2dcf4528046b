"""The lattice of all segmentations by a unigram model: the sums at each position, the n best, or a random sample.

`scratch.unigram.segmentations` enumerates up to 2 ** (n - 1) segmentations. Here each position of the lattice is
computed once, from earlier ones. The results are equal, because a sum depends only on the last piece and the sum before
it. Subword regularization trains a model on segmentations that are sampled again in each epoch (Kudo 2018).
"""

from heapq import nlargest
from math import exp, inf, log
from random import Random

from ....types import UnigramLattice

Path = list[tuple[int, int]]
"""A segmentation: ids, each with the number of characters that it covers."""
LinkedPath = tuple[int, int, "LinkedPath"] | None
"""A path to a position as a linked list: the id and length of its last piece, and the path to where that begins."""


def sums_before(model: UnigramLattice, text: str) -> list[float]:
    """Return, by position, the best sum from the beginning of the text to there, in 64 bits.

    >>> from tokenarium.scratch.fast.unigram.encode import Unigram
    >>> sums_before(Unigram({"a": 1, "b": 2, "ab": 3}, {"a": -1.0, "b": -2.0, "ab": -2.5}), "ab")
    [0.0, -1.0, -2.5]
    """
    sums = [0.0] + [-inf] * len(text)
    for start in range(len(text)):
        for end, score, _ in model.edges(text, start):
            sums[end] = max(sums[end], sums[start] + score)
    return sums


def sums_behind(model: UnigramLattice, text: str) -> list[float]:
    """Return, by position, the best sum from there to the end of the text.

    >>> from tokenarium.scratch.fast.unigram.encode import Unigram
    >>> sums_behind(Unigram({"a": 1, "b": 2, "ab": 3}, {"a": -1.0, "b": -2.0, "ab": -2.5}), "ab")
    [-2.5, -2.0, 0.0]
    """
    sums = [0.0] * (len(text) + 1)
    for start in range(len(text) - 1, -1, -1):
        sums[start] = max(score + sums[end] for end, score, _ in model.edges(text, start))
    return sums


def likelihood(model: UnigramLattice, text: str) -> float:
    """Return the log-probability of a text: the logarithm of the sum of the probabilities of all segmentations.

    >>> from tokenarium.scratch.fast.unigram.encode import Unigram
    >>> round(likelihood(Unigram({"a": 1, "aa": 2}, {"a": log(0.5), "aa": log(0.25)}), "aa"), 3) == round(log(0.5), 3)
    True
    """
    weights = [0.0] + [-inf] * len(text)
    for start in range(len(text)):
        for end, score, _ in model.edges(text, start):
            weights[end] = _log_sum(weights[end], weights[start] + score)
    return weights[-1]


def n_best(model: UnigramLattice, text: str, n: int) -> list[tuple[float, Path]]:
    """Return the n best segmentations of a normalized text with their scores, the best first.

    Each of the n best paths to a position extends one of the n best paths to an earlier position by one piece, so
    more than n need not be kept. Paths are linked lists that share their beginnings: to extend one takes constant
    time.

    >>> from tokenarium.scratch.fast.unigram.encode import Unigram
    >>> scores = {"the": -2.53, "there": -3.91, "re": -3.0, "t": -3.9, "h": -3.9, "e": -2.7, "r": -3.5}
    >>> model = Unigram({piece: id for id, piece in enumerate(scores, 1)}, scores)
    >>> [(round(score, 2), path) for score, path in n_best(model, "there", 2)]
    [(-3.91, [(2, 5)]), (-5.53, [(1, 3), (3, 2)])]
    """
    paths: list[list[tuple[float, LinkedPath]]] = [[] for _ in range(len(text) + 1)]
    paths[0] = [(0.0, None)]
    for start in range(len(text)):
        paths[start] = nlargest(n, paths[start], key=lambda path: path[0])
        for end, score, id in model.edges(text, start):
            paths[end] += [(sum_ + score, (id, end - start, path)) for sum_, path in paths[start]]
    return [(sum_, _unroll(path)) for sum_, path in nlargest(n, paths[-1], key=lambda path: path[0])]


def _unroll(linked: LinkedPath) -> Path:
    """Return a linked path as a list, from the first piece to the last."""
    path: Path = []
    while linked is not None:
        path.append(linked[:2])
        linked = linked[2]
    return path[::-1]


def sample(model: UnigramLattice, text: str, *, temperature: float, source: Random) -> Path:
    """Return a random segmentation with a probability proportional to exp(temperature · score); 0 is uniform.

    The forward pass sums the weights of all paths to each position. The backward pass, from the end, draws each piece
    with its share of that sum (forward filtering, backward sampling).

    >>> from tokenarium.scratch.fast.unigram.encode import Unigram
    >>> scores = {"the": -2.53, "there": -3.91, "re": -3.0, "t": -3.9, "h": -3.9, "e": -2.7, "r": -3.5}
    >>> model = Unigram({piece: id for id, piece in enumerate(scores, 1)}, scores)
    >>> sample(model, "there", temperature=9, source=Random(1))
    [(2, 5)]
    """
    weights = [0.0] + [-inf] * len(text)
    back: list[list[tuple[int, int, float]]] = [[] for _ in weights]
    for start in range(len(text)):
        for end, score, id in model.edges(text, start):
            weight = weights[start] + temperature * score
            weights[end] = _log_sum(weights[end], weight)
            back[end].append((id, start, weight))
    path: Path = []
    end = len(text)
    while end:
        shares = [exp(weight - weights[end]) for _, _, weight in back[end]]
        ((id, start, _),) = source.choices(back[end], shares)
        path.append((id, end - start))
        end = start
    return path[::-1]


def _log_sum(a: float, b: float) -> float:
    """Return log(exp(a) + exp(b)) without an overflow or underflow of exp()."""
    low, high = sorted((a, b))
    return high + log(1 + exp(low - high))
