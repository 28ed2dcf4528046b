"""How unsure a small model is of the next byte: its entropy, by which BLT cuts texts into patches (Pagnoni 2024).

The model counts what has followed each context of up to 5 bytes, and mixes the counts of long contexts, which are
exact but rare, with those of short ones. The weight of the shorter context is by how many kinds of bytes have followed
the longer one: after `q` that is one kind, so the longer one is trusted (Witten and Bell 1991).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from typing import NamedTuple

Counts = Mapping[bytes, Mapping[int, int]]


class Predicted(NamedTuple):
    """A byte of the text, what was expected in its place, and how unsure that was, in nats."""

    at: int
    byte: int
    spread: Sequence[float]
    entropy: float


def count_contexts(texts: Iterable[bytes], *, least: Sequence[int]) -> Counts:
    """Return how often each byte follows each context; `least[n]` is how often a context of n bytes must occur.

    >>> count_contexts([b"abab"], least=[1, 2])
    {b'': Counter({97: 2, 98: 2}), b'a': Counter({98: 2})}
    """
    counts: dict[bytes, Counter[int]] = {}
    for text in texts:
        for at, byte in enumerate(text):
            for length in range(min(at, len(least) - 1) + 1):
                counts.setdefault(text[at - length : at], Counter())[byte] += 1
    return {context: followed for context, followed in counts.items() if followed.total() >= least[len(context)]}


def distribution(before: bytes, counts: Counts, *, order: int = 5, weight: float = 1) -> list[float]:
    """Return the probability of each of the 256 bytes after some bytes, from the shortest context to the longest.

    `weight` is that of the shorter context for each kind of byte that followed the longer; Witten and Bell's is 1.

    >>> spread = distribution(b"xa", {b"": {97: 2, 98: 2}, b"a": {98: 2}})
    >>> round(spread[97], 3), round(spread[98], 3), round(sum(spread), 9)
    (0.112, 0.778, 1.0)
    """
    spread = [1 / 256] * 256
    for length in range(min(order, len(before)) + 1):
        followed = counts.get(before[len(before) - length :])
        if followed is not None:
            kinds, total = weight * len(followed), sum(followed.values())
            spread = [(followed.get(byte, 0) + kinds * p) / (total + kinds) for byte, p in enumerate(spread)]
    return spread


def entropy(spread: Iterable[float]) -> float:
    """Return −Σ p ln p: 0 if one outcome is certain, ln 256 = 5.55 if all bytes are equally probable.

    >>> round(entropy([0.5, 0.5]), 3), round(entropy([1 / 256] * 256), 3)
    (0.693, 5.545)
    """
    return -sum(p * log(p) for p in spread if p)


def iter_predictions(text: bytes, counts: Counts, *, order: int = 5, weight: float = 1) -> Iterator[Predicted]:
    """Yield what the model expected at each byte of a text.

    >>> for step in iter_predictions(b"ab", {b"": {97: 2, 98: 2}, b"a": {98: 2}}):
    ...     print(chr(step.byte), round(step.spread[step.byte], 2), round(step.entropy, 2))
    a 0.33 2.93
    b 0.78 1.29
    """
    for at, byte in enumerate(text):
        spread = distribution(text[max(0, at - order) : at], counts, order=order, weight=weight)
        yield Predicted(at, byte, spread, entropy(spread))
