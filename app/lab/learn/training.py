"""Scenes about training: WordPiece, which merges by a score, and Unigram, which removes tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise
from math import inf
from random import Random
from typing import NamedTuple

from ...errors import Invalid, plural
from ...registry import Registry
from ...scratch import learn_bpe, learn_wordpiece
from ...scratch.learn_unigram import (
    EstimatedScores,
    PrunedVocabulary,
    Scores,
    SeedVocabulary,
    compute_expected_counts,
    count_uses,
    find_split,
    seeds,
)
from ...scratch.learn_unigram import iter_learning_steps as learning_unigram
from ...scratch.learn_wordpiece import PairScores
from ...scratch.unigram import segment
from ..steps.learning_unigram import write_loss
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, Words, tabulate
from ..steps.tiles import format_change, log_score, make_row, significant, two_decimals
from .code import trace_lines
from .merging import MOST_PAIRS, Corpus, Pair, corpus, trace_merges
from .prose import SHORT_WORDS, say
from .scene import Question, Trace, ask

MERGES = 12
"""Merges of WordPiece of a scene at most."""
LONGEST = 8
"""Characters of the longest word for Unigram's teaching file, which tries all 2 ** (n - 1) segmentations."""


def short_words(text: str) -> Mapping[str, int]:
    """Return the words of a corpus and their counts. Raises `Invalid` if one is too long for Unigram's scenes."""
    counts = corpus(text)
    longest = max(counts, key=len)
    if len(longest) > LONGEST:
        message = f"This scene trains on words of at most {LONGEST} characters; {longest[:20]} has {len(longest)}."
        raise Invalid(message, pointer="/text", limit=LONGEST)
    return counts


def trace_wordpiece_training(text: str, registry: Registry) -> Trace:
    """Trace the training of WordPiece on words with counts, or on running text."""
    counts = corpus(text)
    made: list[list[Ranked]] = []

    def rank(step: PairScores, now: Corpus, vocabulary: Sequence[str]) -> tuple[list[Pair], Table]:
        made.append(_rank_pairs(now, counts, vocabulary, step.scores))
        return [one.pair for one in made[-1] if one.score == made[-1][0].score], _scores(made[-1])

    learner = learn_wordpiece.iter_learning_steps(counts)
    steps = trace_merges("learn-wordpiece", "score", learner, spell_words(counts), rank, MERGES)
    return Trace(steps, _next_by_score(made[0], steps[0].rows) if made else None)


def spell_words(counts: Mapping[str, int]) -> dict[tuple[str, ...], int]:
    """Return words as WordPiece spells them, with their counts.

    >>> spell_words({"hug": 5})
    {('h', '##u', '##g'): 5}
    """
    return {tuple(char if not at else f"##{char}" for at, char in enumerate(word)): n for word, n in counts.items()}


class Ranked(NamedTuple):
    """A pair, its count, the counts of its parts, and its score."""

    pair: tuple[Tile, Tile]
    together: int
    parts: tuple[int, int]
    score: Fraction


def _rank_pairs(
    words: Sequence[Sequence[int]],
    counts: Mapping[str, int],
    vocabulary: Sequence[str],
    scores: Mapping[tuple[int, int], Fraction],
) -> list[Ranked]:
    """Return the pairs with what their scores come from, the highest score first."""
    symbols = Counter[int]()
    pairs = Counter[tuple[int, int]]()
    for word, count in zip(words, counts.values(), strict=True):
        for symbol in word:
            symbols[symbol] += count
        for pair in pairwise(word):
            pairs[pair] += count
    return [
        Ranked((Tile(vocabulary[a], a), Tile(vocabulary[b], b, 1)), pairs[a, b], (symbols[a], symbols[b]), score)
        for (a, b), score in sorted(scores.items(), key=lambda item: -item[1])
    ]


def _scores(ranked: Sequence[Ranked]) -> Table:
    rows = (
        (one.pair, f"{one.together}", f"{one.parts[0]} · {one.parts[1]}", significant(float(one.score)))
        for one in ranked
    )
    return tabulate("Adjacent pairs", ("pair", "together", "parts", "score"), rows, chosen=(0,), most=MOST_PAIRS)


def _next_by_score(ranked: Sequence[Ranked], rows: tuple[TileRow, ...]) -> Question | None:
    """Return the question for the first pair; None if several have the highest score."""
    if len(ranked) < 2 or ranked[1].score == ranked[0].score:
        return None
    best = ranked[0]
    frequent = max(ranked, key=lambda one: one.together)

    def join_pair(one: Ranked) -> Words:
        return one.pair[0], " ", one.pair[1]

    def explain_score(one: Ranked) -> str:
        return f"{one.together} ÷ ({one.parts[0]} · {one.parts[1]}) = {significant(float(one.score))}"

    offered = [("frequent", frequent)] if frequent is not best else []
    offered += [("lower", one) for one in (ranked[1], ranked[len(ranked) // 2], ranked[-1], *ranked[2:])]
    wrong = [(join_pair(one), why, {"score": explain_score(one)}) for why, one in offered]
    return ask("learn-wordpiece.question", join_pair(best), wrong, rows, shown_at=2, score=explain_score(best))


def sample_hugs(random: Random) -> str:
    """Return a table of four short words with counts."""
    return "\n".join(f"{word} {random.randint(2, 15)}" for word in random.sample(SHORT_WORDS, 4))


KEPT = 3
"""Tokens of several characters that training leaves."""
MOST_TOKENS = 10
"""Tokens of a table."""
OFFERED = 5
CLEARLY = 1.03
"""Of the question which token is missed least: tokens, and the ratio of the two smallest estimates."""


def trace_unigram_training(text: str, registry: Registry) -> Trace:
    """Trace the training of Unigram: too many tokens, their probabilities, and the pruning."""
    words = short_words(text)
    size = len(set().union(*words)) + KEPT
    traced = [*trace_lines(learning_unigram(words, size=size))]
    first = traced[0][1].scores
    keys = {token: number for number, token in enumerate(first)}
    prunings = [at for at, (_, step) in enumerate(traced) if isinstance(step, PrunedVocabulary)]
    steps = list[Step]()
    before = first
    likelihood = ""
    for at, (line, step) in enumerate(traced):
        pruned = bool(prunings) and at > prunings[0]
        gone = [token for token in before if token not in step.scores]
        before, earlier = step.scores, before
        tokens = plural(len(gone), "token")
        symbols: tuple[str, ...] = ("p",)
        sentence = say("learn-unigram.steps.start", tokens=plural(len(first), "token"))
        if isinstance(step, EstimatedScores):
            likelihood = two_decimals(step.likelihood)
            again = isinstance(traced[at - 1][1], EstimatedScores)
            sentence = say("learn-unigram.steps.again") if again else say("learn-unigram.steps.count")
            symbols = ("count", "p")
            if pruned:
                sentence = say("learn-unigram.steps.last")
        elif isinstance(step, PrunedVocabulary):
            sentence = say("learn-unigram.steps.prune", tokens=tokens)
            symbols = ("loss",)
            if pruned:
                sentence = say("learn-unigram.steps.further", tokens=tokens)
        if pruned and isinstance(step, EstimatedScores) and at < len(traced) - 1:
            continue  # after the first pruning only the last estimate is shown
        facts = [Fact("tokens", f"{len(step.scores)}", format_change(-len(gone)) if gone else "")]
        estimated = isinstance(step, EstimatedScores)  # a pruned vocabulary has none before its next estimate
        facts += [Fact("log-likelihood", likelihood if estimated else "…")] if likelihood else []
        rows = (_tokens(earlier, step.scores, keys), *_best_ways(words, step.scores, keys))
        steps.append(Step(sentence, rows, line, _tabulate_tokens(step), tuple(facts), symbols))
        if isinstance(step, PrunedVocabulary) and at == prunings[0]:
            steps += _compute_loss(step.losses, earlier, words, steps[-1], keys)
    if not prunings:
        return Trace(steps)
    steps.append(_compare_seeds(words, size, keys))
    step = traced[prunings[0]][1]
    assert isinstance(step, PrunedVocabulary)
    return Trace(steps, _least_missed(prunings[0], step.losses, traced[prunings[0] - 1][1].scores, words))


def _compute_loss(
    losses: Scores, scores: Scores, words: Mapping[str, int], shown: Step, keys: Mapping[str, int]
) -> Iterator[Step]:
    """Yield the step that computes the smallest estimate of a loss with its numbers, if there is one."""
    uses = count_uses(words, scores)
    estimated = sorted((token for token in losses if -inf < losses[token] < inf), key=losses.__getitem__)
    splits = {token: find_split(token, scores) for token in estimated}
    for token in estimated[:1]:
        sentence = say(
            "learn-unigram.steps.loss",
            token=Tile(token, keys[token]),
            split=" ".join(splits[token]),
            computed=write_loss(uses[token], uses.total(), [uses[one] for one in splits[token]]),
            loss=two_decimals(losses[token]),
        )
        rows = ((one, f"{uses[one]}", " ".join(splits[one]), two_decimals(losses[one])) for one in estimated)
        heads = ("token", "uses", "best split", "loss")
        table = tabulate(f"N = {uses.total()} uses", heads, rows, chosen=(0,), most=MOST_TOKENS)
        yield replace(shown, sentence=sentence, table=table)


def _compare_seeds(words: Mapping[str, int], size: int, keys: Mapping[str, int]) -> Step:
    """Return the step that begins with the characters and the merges of BPE, beside the usual seed."""
    merged = Counter({first + second: count for first, second, count in learn_bpe.learn(words)})
    for word, count in words.items():
        merged.update({character: count * word.count(character) for character in dict.fromkeys(word)})
    rows = []
    ends: list[Scores] = []
    for name, begin in (("substrings", seeds(words)), ("merges of BPE", merged)):
        *_, last = learning_unigram(words, size=size, begin=begin)
        ends.append(last.scores)
        likelihood = compute_expected_counts(words, last.scores)[1]
        kept = sorted((token for token in last.scores if len(token) > 1), key=lambda token: -last.scores[token])
        rows.append((name, f"{len(begin)} → {len(last.scores)}", two_decimals(likelihood), " ".join(kept)))
    numbers = {token: number for number, token in enumerate({**keys, **merged})}
    shown = (_tokens(ends[1], ends[1], numbers), *_best_ways(words, ends[1], numbers))
    table = tabulate("Two seeds", ("seed", "tokens", "log-likelihood", "kept"), rows)
    result = "same" if {*ends[0]} == {*ends[1]} else "differ"
    sentence = say(f"learn-unigram.steps.{result}", begin=len(merged), first=len(keys))
    return Step(sentence, shown, table=table, symbols=("p",))


def _tokens(before: Scores, now: Scores, keys: Mapping[str, int]) -> TileRow:
    """Return the tokens by probability, those that go marked."""
    order = sorted(before, key=lambda token: -before[token])
    return make_row((Tile(token, keys[token], mark="" if token in now else "missed") for token in order), "tokens")


def _best_ways(words: Mapping[str, int], scores: Scores, keys: Mapping[str, int]) -> Iterator[TileRow]:
    for word, count in islice(words.items(), 6):
        yield make_row((Tile(token, keys[token]) for token in segment(word, scores).tokens), f"×{count}")


def _tabulate_tokens(step: SeedVocabulary | EstimatedScores | PrunedVocabulary) -> Table:
    """Return the tokens with what this step computes of them: the best first, or those first that go."""
    order = sorted(step.scores, key=lambda token: -step.scores[token])
    if isinstance(step, PrunedVocabulary):
        order = sorted((token for token in step.losses if len(token) > 1), key=step.losses.__getitem__)
        pruned = (Row((token, _loss(step.losses[token])), struck=token not in step.scores) for token in order)
        return tabulate("Lost without it; characters stay", ("token", "log-likelihood"), pruned, most=MOST_TOKENS)
    if isinstance(step, EstimatedScores):
        rows = ((token, two_decimals(step.counts[token]), log_score(step.scores[token])) for token in order)
        return tabulate("Expected counts", ("token", "count", "log p"), rows, most=MOST_TOKENS)
    guesses = ((token, log_score(step.scores[token])) for token in order)
    return tabulate("First guess: count · length", ("token", "log p"), guesses, most=MOST_TOKENS)


def _loss(loss: float) -> str:
    return "everything" if loss == inf else "nothing" if loss == -inf else two_decimals(loss)


def _least_missed(shown_at: int, losses: Scores, scores: Scores, words: Mapping[str, int]) -> Question | None:
    """Return the question which token is missed least; None if the estimate that is given does not tell it clearly."""
    uses = count_uses(words, scores)
    splits = {token: find_split(token, scores) for token in scores if -inf < losses[token] < inf}
    split_scores = {token: sum(map(scores.__getitem__, split)) for token, split in splits.items()}
    estimates = {token: uses[token] * (scores[token] - split_scores[token]) for token in splits}
    order = sorted(splits, key=losses.__getitem__)[:OFFERED]
    least = sorted(estimates, key=estimates.__getitem__)[:2]
    if len(least) < 2 or least[0] != order[0] or estimates[least[1]] < CLEARLY * estimates[least[0]]:
        return None
    right, *others = order
    rarest = min(order, key=scores.__getitem__)
    others.sort(key=lambda token: token != rarest)
    rows = (
        (token, f"{uses[token]}", log_score(scores[token]), " ".join(splits[token]), log_score(split_scores[token]))
        for token in sorted(order)
    )
    heads = ("token", "uses", "log p", "best split", "its log p")
    return ask(
        "learn-unigram.question",
        right,
        [(one, "rare" if one == rarest else "other", {"loss": _loss(losses[one])}) for one in others],
        table=tabulate("Before the first pruning", heads, rows),
        shown_at=shown_at,
        loss=_loss(losses[right]),
    )


def sample_short_words(random: Random) -> str:
    """Return a table of five words that share parts."""
    return "\n".join(f"{word} {random.randint(2, 9)}" for word in random.sample(SHORT_WORDS, 5))
