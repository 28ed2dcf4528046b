"""Scenes about trainers: the likelihood that WordPiece's score stands for, and three trainers on the same words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import log
from random import Random
from typing import Any, Literal

from ...errors import plural
from ...registry import Registry
from ...scratch import learn_bpe, learn_wordpiece, wordpiece
from ...scratch.bpe import encode_by_pairs
from ...scratch.learn_bpe import Merged
from ...scratch.learn_unigram import PrunedVocabulary, Scores
from ...scratch.learn_unigram import iter_learning_steps as learning_unigram
from ...scratch.likelihood_gain import PairGain, iter_gains, log_likelihood
from ...scratch.unigram import segment
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, Words
from ..steps.tiles import log_score, make_row, significant
from .code import trace_lines
from .merging import MOST_PAIRS, corpus, corpus_rows
from .prose import say
from .scene import Question, Trace, ask
from .training import sample_hugs, short_words, spell_words

ROUNDS = 4
MODELS = 5
"""Models of a family that the last table names."""
NAMES = {"bpe": "BPE", "wordpiece": "WordPiece", "unigram": "Unigram"}


def trace_likelihood(text: str, registry: Registry) -> Trace:
    """Trace what the merge of each pair of a corpus adds to its log-likelihood, and set three rules side by side."""
    counts = corpus(text)
    words = spell_words(counts)
    ids = {token: id for id, token in enumerate(sorted({token for word in words for token in word}))}
    total = sum(len(word) * count for word, count in words.items())
    now = [[ids[token] for token in word] for word in words]
    rows = corpus_rows(now, [*ids], [f"×{count}" if count > 1 else "" for count in counts.values()])
    before = log_score(log_likelihood([*words], [*words.values()]))
    facts = (Fact("tokens", f"{total}"), Fact("log-likelihood", before))
    steps = [Step(say("likelihood.steps.start", tokens=plural(total, "token")), rows, facts=facts)]
    gains: list[PairGain] = []
    for line, one in trace_lines(iter_gains(words)):
        gains.append(one)
        pair = _tiles(one, ids)
        if len(gains) <= MOST_PAIRS:
            text_of = say("likelihood.steps.pair", first=pair[0], second=pair[1], gain=f"{one.gain:.1f}")
            marked = corpus_rows(now, [*ids], [row.label for row in rows], pair=tuple(tile.key for tile in pair))
            steps.append(Step(text_of, marked, line, _tabulate(gains, ids), symbols=("gain",)))
    if gains:
        steps.append(_compare_rules(gains, ids, rows))
    return Trace(steps, _ask_gain(gains, ids, total, rows))


def _tiles(one: PairGain, ids: dict[str, int]) -> tuple[Tile, Tile]:
    first, second = one.pair
    return Tile(first, ids[first]), Tile(second, ids[second], 1)


def _spell(one: PairGain, ids: dict[str, int]) -> Words:
    first, second = _tiles(one, ids)
    return first, " ", second


def _tabulate(gains: Sequence[PairGain], ids: dict[str, int], best: PairGain | None = None) -> Table:
    shown = sorted(gains, key=lambda one: -one.gain)[:MOST_PAIRS]
    rows = tuple(
        Row((_tiles(one, ids), f"{one.times}", significant(one.score), f"{one.gain:.1f}"), chosen=one is best)
        for one in shown
    )
    heads = ("pair", "count", "score", "gain")
    return Table("What a merge adds to the log-likelihood", heads, rows, len(gains) - len(shown))


def _best(gains: Sequence[PairGain]) -> tuple[PairGain, PairGain, PairGain]:
    """Return the most frequent pair, the one of the highest score, and the one of the largest gain."""
    count, score, gain = (max(gains, key=lambda one: key(one)) for key in (_count, _score, _gain))
    return count, score, gain


def _count(one: PairGain) -> float:
    return one.times


def _score(one: PairGain) -> float:
    return one.score


def _gain(one: PairGain) -> float:
    return one.gain


def _compare_rules(gains: Sequence[PairGain], ids: dict[str, int], rows: tuple[TileRow, ...]) -> Step:
    frequent, scored, likely = _best(gains)

    def tile(one: PairGain) -> Tile:
        return Tile("".join(one.pair), ids[one.pair[0]])

    sentence = say("likelihood.steps.end", frequent=tile(frequent), scored=tile(scored), likely=tile(likely))
    return Step(sentence, rows, table=_tabulate(gains, ids, likely), symbols=("gain", "score"))


def _ask_gain(gains: Sequence[PairGain], ids: dict[str, int], total: int, rows: tuple[TileRow, ...]) -> Question | None:
    """Return the question which pair gains most; None if the estimate that is given does not tell it clearly."""
    if len(gains) < 3:
        return None
    estimates = {one.pair: one.times * log(total * one.score) for one in gains}
    first, second = sorted(estimates.values(), reverse=True)[:2]
    frequent, scored, likely = _best(gains)
    if estimates[likely.pair] < first or first < 1.03 * second:
        return None
    shown = sorted(gains, key=lambda one: -one.times)[:MOST_PAIRS]
    if likely not in shown:
        return None
    wrong = []
    if frequent is not likely:
        wrong.append((_spell(frequent, ids), "frequent", {"gain": f"{frequent.gain:.1f}"}))
    if scored is not likely:
        wrong.append((_spell(scored, ids), "scored", {"gain": f"{scored.gain:.1f}"}))
    others = [one for one in shown if one not in (frequent, scored, likely)]
    alike = [one for one in others if one.pair[0].startswith("##") == likely.pair[0].startswith("##")]
    if len(alike) >= 3:  # pairs within words are longer and gain more often: their length would give them away
        others = alike
    wrong += [(_spell(one, ids), "less", {"gain": f"{one.gain:.1f}"}) for one in others]
    table_rows = tuple(
        Row((_tiles(one, ids), f"{one.times}", significant(one.score), f"{log(total * one.score):.2f}"))
        for one in shown
    )
    heads = ("pair", "count", "score", "log(N · score)")
    return ask(
        "likelihood.question",
        _spell(likely, ids),
        wrong,
        rows,
        table=Table(f"N = {total} tokens", heads, table_rows, len(gains) - len(shown)),
        shown_at=-1,
        gain=f"{likely.gain:.1f}",
    )


def sample_gains(random: Random) -> str:
    """Return a table of four short words; in every second one, the most frequent pair does not gain most."""
    differ = random.random() < 0.5
    while True:
        text = sample_hugs(random)
        frequent, _, likely = _best([*iter_gains(spell_words(corpus(text)))])
        if (frequent.pair != likely.pair) == differ:
            return text


def trace_trainers(text: str, registry: Registry) -> Trace:
    """Trace the three trainers in turn on the same words."""
    words = short_words(text)
    trainers: Trainers = (_Merging("BPE", words), _Merging("WordPiece", words), _Pruning(words))
    start = say("trainers.steps.start", words=plural(len(words), "word"))
    before = [len(trainer.tokens) for trainer in trainers]
    steps = [Step(start, _vocabularies(trainers), facts=_sizes(trainers))]
    for _ in range(ROUNDS):
        for trainer in trainers:
            if (step := trainer.step()) is not None:
                line, sentence = step
                steps.append(Step(sentence, _vocabularies(trainers, trainer), line, facts=_sizes(trainers)))
    longest = max(words, key=len)
    cuts = tuple(
        Row((trainer.name, trainer.chooses, f"{size} → {len(trainer.tokens)}", " ".join(trainer.tokenize(longest))))
        for size, trainer in zip(before, trainers, strict=True)
    )
    table = Table("The same words, three trainers", ("trainer", "chooses", "vocabulary", longest), cuts)
    steps.append(Step(say("trainers.steps.end"), _vocabularies(trainers), table=table))
    steps.append(Step(say("trainers.steps.models"), steps[-1].rows, table=_families(registry)))
    return Trace(steps, _begins_with(before, words))


class _Merging:
    """BPE or WordPiece at work: its tokens by id, and the merges so far."""

    def __init__(self, name: Literal["BPE", "WordPiece"], words: Mapping[str, int]) -> None:
        self.name = name
        self.chooses = "most frequent pair" if name == "BPE" else "pair of the highest score"
        self.merges = list[tuple[str, str]]()
        self.tokens = sorted(set().union(*(words if name == "BPE" else spell_words(words))))
        trainer = learn_bpe if name == "BPE" else learn_wordpiece
        self._steps: Iterator[tuple[tuple[str, int], Any]] = trace_lines(trainer.iter_learning_steps(words))

    def step(self) -> tuple[tuple[str, int], Words] | None:
        """Learn one token; None if there is none."""
        for line, step in self._steps:
            if isinstance(step, Merged):
                self.tokens = step.vocabulary
                self.merges = [*self.merges, step.pair]
                a, b = (Tile(part, self.tokens.index(part), at) for at, part in enumerate(step.pair))
                return line, say("trainers.steps.merge", trainer=self.name, pair=self.chooses, first=a, second=b)
        return None

    def row(self, *, acts: bool) -> TileRow:
        """Return the tokens, the newest first, and marked if this trainer has just made it."""
        order = sorted(range(len(self.tokens)), reverse=True)
        tiles = (Tile(self.tokens[id], id, mark="new" if acts and not at else "") for at, id in enumerate(order))
        return make_row(tiles, self.name)

    def tokenize(self, word: str) -> list[str]:
        """Return the tokens of a word."""
        if self.name == "BPE":
            return encode_by_pairs(list(word), self.merges)
        return wordpiece.encode(word, set(self.tokens))


class _Pruning:
    """Unigram at work: its tokens with their scores."""

    name = "Unigram"
    chooses = "least loss, to remove"

    def __init__(self, words: Mapping[str, int]) -> None:
        size = len(set().union(*words)) + ROUNDS
        self._steps = trace_lines(learning_unigram(words, size=size))
        self.tokens: Scores = next(self._steps)[1].scores
        self._ids = {token: id for id, token in enumerate(self.tokens)}
        self._gone = list[str]()

    def step(self) -> tuple[tuple[str, int], Words] | None:
        """Remove tokens; None if there are few enough."""
        for line, step in self._steps:
            if isinstance(step, PrunedVocabulary):
                self._gone = [token for token in self.tokens if token not in step.scores]
                self.tokens = step.scores
                return line, say("trainers.steps.prune", tokens=plural(len(self._gone), "token"))
            self.tokens = step.scores
        return None

    def row(self, *, acts: bool) -> TileRow:
        """Return the tokens, the most probable first, and behind them those that this trainer has just removed."""
        order = [*sorted(self.tokens, key=lambda token: -self.tokens[token]), *(self._gone if acts else ())]
        tiles = (Tile(token, self._ids[token], mark="missed" if token in self._gone else "") for token in order)
        return make_row(tiles, self.name)

    def tokenize(self, word: str) -> list[str]:
        """Return the tokens of a word."""
        return segment(word, self.tokens).tokens


Trainers = Sequence[_Merging | _Pruning]


def _vocabularies(trainers: Trainers, acting: _Merging | _Pruning | None = None) -> tuple[TileRow, ...]:
    return tuple(trainer.row(acts=trainer is acting) for trainer in trainers)


def _sizes(trainers: Trainers) -> tuple[Fact, ...]:
    return tuple(Fact(f"{trainer.name}: tokens", f"{len(trainer.tokens)}") for trainer in trainers)


def _families(registry: Registry) -> Table:
    """Return the models of the tokenizers that are part of this site, by algorithm."""
    models = dict[str, list[str]]()
    for info in registry.infos():
        if info.origin == "bundled" and info.family in NAMES and info.models:
            models.setdefault(info.family, []).append(info.models[0])
    rows = tuple(
        Row((name, f"{len(models.get(family, []))}", ", ".join(models.get(family, [])[:MODELS])))
        for family, name in NAMES.items()
    )
    return Table("Tokenizers of this site, by algorithm", ("algorithm", "tokenizers", "models, for example"), rows)


def _begins_with(before: Sequence[int], words: Mapping[str, int]) -> Question:
    """Return the question for the size of Unigram's first vocabulary; step 0 shows it."""
    characters, pieces, seeds = before
    substrings = {word[i:j] for word in words for i in range(len(word)) for j in range(i + 1, len(word) + 1)}
    rows = tuple(
        TileRow(tuple(Tile(char, ord(char), at) for at, char in enumerate(word)), f"×{count}")
        for word, count in words.items()
    )
    return ask(
        "trainers.question",
        seeds,
        [
            (characters, "bpe"),
            (pieces, "wordpiece"),
            (len(substrings), "parts"),
            (len(substrings) + characters, "more"),
        ],
        rows,
        shown_at=0,
        tokens=plural(characters, "token"),
        seeds=seeds,
        characters=plural(characters, "character"),
    )
