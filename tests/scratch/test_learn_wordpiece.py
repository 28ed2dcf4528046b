"""The learner of WordPiece makes the choices of the published score."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scratch.corpus import continued_characters
from app.scratch.learn_wordpiece import WordPieceLearner

COUNTS = st.dictionaries(st.text("abc", min_size=1, max_size=10), st.integers(1, 4), max_size=8)
TIES = ["first-seen", "smallest", "lexicographic"]


def learned(corpus, most=None, **options):
    steps = WordPieceLearner(corpus, **options).steps(most)
    return [(*(corpus.spellings[ord(symbol)] for symbol in step.pair), step.times) for step in steps]


def learned_by_definition(corpus, ties):
    """Count everything, merge the pair of the highest score, count again."""
    now = [[*map(ord, word)] for word in corpus.words]
    spellings, merges = [*corpus.spellings], []
    while True:
        seen, uses = Counter(), Counter()
        for word, count in zip(now, corpus.counts, strict=True):
            for symbol in word:
                uses[symbol] += count
            for pair in pairwise(word):
                seen[pair] += count
        keys = {
            "first-seen": dict(zip(seen, range(len(seen)), strict=True)).get,
            "smallest": lambda pair: pair,
            "lexicographic": lambda pair: [spellings[id] for id in pair],
        }
        scores = {pair: Fraction(n, uses[pair[0]] * uses[pair[1]]) for pair, n in seen.items() if n > 1}
        if not scores:
            return merges, now
        best = min(scores, key=lambda pair: (-scores[pair], keys[ties](pair)))
        merges.append((spellings[best[0]], spellings[best[1]], seen[best]))
        spellings.append(merges[-1][0] + merges[-1][1].removeprefix("##"))
        for word in now:
            for i in range(len(word)):
                if tuple(word[i : i + 2]) == best:
                    word[i : i + 2] = [len(spellings) - 1]


@pytest.mark.parametrize("ties", TIES)
@settings(max_examples=500)
@given(counts=COUNTS)
def test_the_heap_chooses_as_the_definition_does(ties, counts):
    corpus = continued_characters(counts)
    merges, left = learned_by_definition(continued_characters(counts), ties)
    assert learned(corpus, ties=ties) == merges
    assert [[*map(ord, word)] for word in corpus.words] == left


@pytest.mark.parametrize("ties", TIES)
@settings(max_examples=500)
@given(counts=COUNTS)
def test_candidates_stand_in_order_and_ties_are_counted(ties, counts):
    learner = WordPieceLearner(corpus := continued_characters(counts), ties=ties)
    for choice in learner.steps():
        found = learner.best(1000)
        scores = [learner.score(pair) for pair, _ in found]
        assert found[0] == choice[:2]
        assert dict(found) == {pair: count for pair, count in corpus.pairs.items() if count > 1}
        assert scores == sorted(scores, reverse=True)
        assert learner.tied() == scores.count(scores[0]) - 1
        assert learner.uses == Counter(corpus.occurrences())


def test_rare_parts_weigh_more_than_a_frequent_pair():
    counts = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    corpus = continued_characters(counts)
    assert learned(corpus, 3) == [("##g", "##s", 5), ("h", "##u", 15), ("hu", "##gs", 5)]
    assert corpus.spelled(4) == ["hugs"]


def test_a_continuation_loses_its_mark_inside_a_symbol():
    corpus = continued_characters({"playing": 2, "play": 3})
    assert [a + b for a, b, _ in learned(corpus)] == ["##i##n", "##in##g", "p##l", "pl##a", "pla##y", "play##ing"]
    assert (corpus.spelled(0), corpus.spelled(1)) == (["playing"], ["play"])
