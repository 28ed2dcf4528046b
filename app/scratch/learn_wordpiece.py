"""Learning WordPiece: like BPE, but the best pair is the one with the highest count(ab) / (count(a) · count(b)).

A pair of rare symbols that nearly always occur together so beats a frequent pair of symbols that are frequent anyway.
Schuster and Nakajima 2012 choose what makes the corpus most likely; Google never published its code, and this score is
how the method is commonly explained.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from .learn_bpe import Merged, Pair, TieRule, best_pair, count_pairs, replace


class PairScores(NamedTuple):
    """The score of each pair of ids that is frequent enough."""

    scores: Mapping[Pair, Fraction]


def iter_learning_steps(
    counts: Mapping[str, int], *, ties: TieRule = "first-seen", min_frequency: int = 2
) -> Iterator[PairScores | Merged]:
    """Yield the scores of all pairs and the merge that follows, in turn, until no pair is frequent enough.

    >>> steps = iter_learning_steps({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    >>> scored, merged = next(steps), next(steps)
    >>> merged.pair, merged.frequency, str(max(scored.scores.values()))  # 5 of 20 ##g and all 5 ##s: 5 / (20 · 5)
    (('##g', '##s'), 5, '1/20')
    """
    spelled = [[char if i == 0 else "##" + char for i, char in enumerate(word)] for word in counts]
    vocabulary = sorted({symbol for word in spelled for symbol in word})
    words = [[vocabulary.index(symbol) for symbol in word] for word in spelled]
    while True:
        symbols, pairs = Counter[int](), count_pairs(words, counts.values())
        for word, count in zip(words, counts.values(), strict=True):
            for symbol in word:
                symbols[symbol] += count
        frequent = {(a, b): n for (a, b), n in pairs.items() if n >= min_frequency}
        scores = {(a, b): Fraction(n, symbols[a] * symbols[b]) for (a, b), n in frequent.items()}
        yield PairScores(scores)
        best = best_pair(scores, vocabulary, ties)
        if best is None:
            return
        first, second = vocabulary[best[0]], vocabulary[best[1]]
        vocabulary.append(first + second.removeprefix("##"))  # within a token there is no mark
        words = [replace(word, best, len(vocabulary) - 1) for word in words]
        yield Merged((first, second), pairs[best], words, [*vocabulary])


def learn(
    counts: Mapping[str, int], merges: int | None = None, *, ties: TieRule = "first-seen"
) -> list[tuple[str, str, int]]:
    """Return the merges in order, each as a pair and its frequency.

    >>> learn({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}, 3)
    [('##g', '##s', 5), ('h', '##u', 15), ('hu', '##gs', 5)]
    """
    return [
        (*step.pair, step.frequency) for step in iter_learning_steps(counts, ties=ties) if isinstance(step, Merged)
    ][:merges]
