"""Learning a unigram vocabulary: begin with far too many tokens, estimate how probable each is, prune the least useful.

Estimation is expectation maximization (EM): count each token in all segmentations of the corpus, weighted by how
probable they are, and divide these counts by their sum: these are the next probabilities. Pruning removes the tokens
without which the corpus stays most probable; EM runs once more at the end (Kudo 2018).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import exp, inf, log
from typing import NamedTuple

from .unigram import segment, segmentations

Scores = Mapping[str, float]
RAREST = 1e-9
"""The lowest expected count: one that is rounded to 0 would have no logarithm."""


class SeedVocabulary(NamedTuple):
    """The tokens to begin with and their log-probabilities."""

    scores: Scores


class EstimatedScores(NamedTuple):
    """New log-probabilities, the expected counts they come from, and the log-likelihood of the corpus before."""

    scores: Scores
    counts: Mapping[str, float]
    likelihood: float


class PrunedVocabulary(NamedTuple):
    """The tokens that are left, and how much log-likelihood the corpus loses without each one that there was."""

    scores: Scores
    losses: Mapping[str, float]


def iter_learning_steps(
    words: Mapping[str, int], *, size: int, rounds: int = 2, begin: Mapping[str, int] | None = None
) -> Iterator[SeedVocabulary | EstimatedScores | PrunedVocabulary]:
    """Yield every step, until there are `size` tokens, or only characters. `words` has how often each word occurs.

    `begin` has the tokens to begin with and their counts, by default those of `seeds`.

    >>> for step in iter_learning_steps({"hug": 10, "pug": 5, "hugs": 5}, size=6):
    ...     print(type(step).__name__, len(step.scores))
    SeedVocabulary 11
    EstimatedScores 11
    EstimatedScores 11
    PrunedVocabulary 8
    EstimatedScores 8
    EstimatedScores 8
    PrunedVocabulary 6
    EstimatedScores 6
    EstimatedScores 6
    >>> sorted(step.scores)
    ['g', 'h', 'hug', 'p', 's', 'u']
    """
    size = max(size, len(set().union(*words)))
    weights = {token: count * len(token) for token, count in (begin or seeds(words)).items()}
    scores = {token: log(weight / sum(weights.values())) for token, weight in weights.items()}
    yield SeedVocabulary(scores)
    while True:
        for _ in range(rounds):
            counts, likelihood = compute_expected_counts(words, scores)
            counts = {token: max(count, RAREST) for token, count in counts.items()}
            total = sum(counts.values())
            scores = {token: log(count / total) for token, count in counts.items()}
            yield EstimatedScores(scores, counts, likelihood)
        if len(scores) <= size:
            return
        lost = losses(words, scores)
        best = sorted(scores, key=lambda token: -lost[token])[: max(size, len(scores) * 3 // 4)]
        scores = {token: scores[token] for token in best if lost[token] > -inf}
        yield PrunedVocabulary(scores, lost)


def seeds(words: Mapping[str, int], *, longest: int = 16) -> Counter[str]:
    """Return the tokens to begin with and their counts: characters, and substrings that occur more than once.

    >>> sorted(seeds({"abcd": 1, "abce": 1}))
    ['a', 'abc', 'b', 'bc', 'c', 'd', 'e']
    """
    counts, followers = Counter[str](), dict[str, set[str]]()
    for word, count in words.items():
        for start, end in combinations(range(len(word) + 1), 2):
            if end - start <= longest:
                counts[word[start:end]] += count
                after = {word[end]} if end < len(word) else {"", " "}  # behind a word there may be anything
                followers.setdefault(word[start:end], set()).update(after)
    # where the same character always follows (ab and c), the longer token does for both
    useful = [token for token in counts if counts[token] > 1 and len(followers[token]) > 1]
    return Counter({token: counts[token] for token in counts if len(token) == 1 or token in useful})


def compute_expected_counts(words: Mapping[str, int], scores: Scores) -> tuple[dict[str, float], float]:
    """Return how often each token is expected, over all segmentations, and the log-likelihood of the corpus.

    >>> counts, likelihood = compute_expected_counts({"ab": 3}, {"a": log(0.5), "b": log(0.25), "ab": log(0.25)})
    >>> {token: round(count, 3) for token, count in counts.items()}, round(likelihood / 3, 3), round(log(0.375), 3)
    ({'a': 1.0, 'b': 1.0, 'ab': 2.0}, -0.981, -0.981)
    """
    counts, likelihood = dict.fromkeys(scores, 0.0), 0.0
    for word, count in words.items():
        weighted = [(tokens, exp(sum(map(scores.__getitem__, tokens)))) for tokens in segmentations(word, scores)]
        total = sum(weight for _, weight in weighted)
        likelihood += count * log(total)
        for tokens, weight in weighted:
            for token in tokens:
                counts[token] += count * weight / total
    return counts, likelihood


def losses(words: Mapping[str, int], scores: Scores) -> dict[str, float]:
    """Return an estimate of the log-likelihood lost without each token: its best split replaces it, all else stays.

    >>> lost = losses({"hug": 9, "hu": 1}, {"h": -3.0, "u": -3.0, "g": -3.0, "hu": -2.0, "hug": -1.0})
    >>> {token: round(loss, 2) for token, loss in lost.items()}
    {'h': inf, 'u': inf, 'g': inf, 'hu': 2.49, 'hug': 11.55}
    """
    uses, lost = count_uses(words, scores), dict[str, float]()
    total = uses.total()
    for token in scores:
        best = find_split(token, scores)
        if not best:  # nothing can take its place
            lost[token] = inf
        elif not uses[token] or sum(map(scores.__getitem__, best)) > scores[token]:
            lost[token] = -inf  # it is in no best segmentation
        else:
            lost[token] = estimate_loss(uses[token], total, [uses[other] for other in best])
    return lost


def estimate_loss(uses: int, total: int, parts: Sequence[int]) -> float:
    """Return the log-likelihood lost if the uses of a token, of all `total` ones, go to the parts that replace it.

    `parts` are their uses so far. Each grows by those of the token, and the total by those of all parts but one.

    >>> round(estimate_loss(9, 10, [1, 0]), 2), round(9 * (log(9 / 10) - log(10 / 19) - log(9 / 19)), 2)
    (11.55, 11.55)
    """
    grown = total + uses * (len(parts) - 1)
    return uses * (log(uses / total) - sum(log((part + uses) / grown) for part in parts))


def count_uses(words: Mapping[str, int], scores: Scores) -> Counter[str]:
    """Return how often each token is in the best segmentations of the corpus.

    >>> count_uses({"aab": 3}, {"a": -1.0, "b": -1.0, "ab": -1.5})
    Counter({'a': 3, 'ab': 3})
    """
    uses = Counter[str]()
    for word, count in words.items():
        for token in segment(word, scores).tokens:
            uses[token] += count
    return uses


def find_split(token: str, scores: Scores) -> list[str]:
    """Return the best segmentation of a token into other tokens, empty if there is none.

    >>> find_split("aab", {"a": -1.0, "b": -1.0, "ab": -1.5, "aab": -2.0})
    ['a', 'ab']
    """
    others = [tokens for tokens in segmentations(token, scores) if len(tokens) > 1]
    return max(others, key=lambda tokens: sum(map(scores.__getitem__, tokens)), default=[])


def learn(words: Mapping[str, int], *, size: int) -> Scores:
    """Return the tokens that are left and their log-probabilities.

    >>> sorted(learn({"hug": 10, "pug": 5, "hugs": 5}, size=6))
    ['g', 'h', 'hug', 'p', 's', 'u']
    """
    return [*iter_learning_steps(words, size=size)][-1].scores
