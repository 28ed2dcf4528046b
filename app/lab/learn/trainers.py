"""Scenes about trainers: the likelihood that WordPiece's score stands for, and three trainers on the same words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import log
from operator import attrgetter
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
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, Words, tabulate
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
    labels = [f"×{count}" if count > 1 else "" for count in counts.values()]
    rows = corpus_rows(now, [*ids], labels)
    before = log_score(log_likelihood([*words], [*words.values()]))
    facts = (Fact("tokens", f"{total}"), Fact("log-likelihood", before))
    steps = [Step(say("likelihood.steps.start", tokens=plural(total, "token")), rows, facts=facts)]
    gains: list[PairGain] = []
    for line, one in trace_lines(iter_gains(words)):
        gains.append(one)
        if len(gains) <= MOST_PAIRS:
            first, second = _tiles(one, ids)
            sentence = say("likelihood.steps.pair", first=first, second=second, gain=f"{one.gain:.1f}")
            marked = corpus_rows(now, [*ids], labels, pair=(first.key, second.key))
            steps.append(Step(sentence, marked, line, _tabulate(gains, ids), symbols=("gain",)))
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
    rows = (
        Row((_tiles(one, ids), f"{one.times}", significant(one.score), f"{one.gain:.1f}"), chosen=one is best)
        for one in sorted(gains, key=lambda one: -one.gain)
    )
    heads = ("pair", "count", "score", "gain")
    return tabulate("What a merge adds to the log-likelihood", heads, rows, most=MOST_PAIRS)


def _best(gains: Sequence[PairGain]) -> tuple[PairGain, PairGain, PairGain]:
    """Return the most frequent pair, the one of the highest score, and the one of the largest gain."""
    count, score, gain = (max(gains, key=attrgetter(name)) for name in ("times", "score", "gain"))
    return count, score, gain


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
    in_order = sorted(gains, key=lambda one: -one.times)
    shown = in_order[:MOST_PAIRS]
    if estimates[likely.pair] < first or first < 1.03 * second or likely not in shown:
        return None
    others = [one for one in shown if one not in (frequent, scored, likely)]
    alike = [one for one in others if one.pair[0].startswith("##") == likely.pair[0].startswith("##")]
    if len(alike) >= 3:  # pairs within words are longer and gain more often: their length would give them away
        others = alike
    offered = [("frequent", frequent), ("scored", scored), *(("less", one) for one in others)]
    cells = (
        (_tiles(one, ids), f"{one.times}", significant(one.score), f"{log(total * one.score):.2f}") for one in in_order
    )
    heads = ("pair", "count", "score", "log(N · score)")
    return ask(
        "likelihood.question",
        _spell(likely, ids),
        [(_spell(one, ids), why, {"gain": f"{one.gain:.1f}"}) for why, one in offered if one is not likely],
        rows,
        table=tabulate(f"N = {total} tokens", heads, cells, most=MOST_PAIRS),
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
    merging, pruning = _Merging("BPE", words), _Pruning(words)
    trainers: Trainers = (merging, _Merging("WordPiece", words), pruning)
    start = say("trainers.steps.start", words=plural(len(words), "word"))
    before = [len(trainer.tokens) for trainer in trainers]
    steps = [Step(start, _vocabularies(trainers), facts=_sizes(trainers))]
    for _ in range(ROUNDS):
        for trainer in trainers:
            if (step := trainer.step()) is not None:
                line, sentence = step
                steps.append(Step(sentence, _vocabularies(trainers, trainer), line, facts=_sizes(trainers)))
    steps.append(_compare_words(merging, pruning, words))
    longest = max(words, key=len)
    cuts = (
        (trainer.name, trainer.chooses, f"{size} → {len(trainer.tokens)}", " ".join(trainer.tokenize(longest)))
        for size, trainer in zip(before, trainers, strict=True)
    )
    table = tabulate("The same words, three trainers", ("trainer", "chooses", "vocabulary", longest), cuts)
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


def _compare_words(merging: _Merging, pruning: _Pruning, words: Mapping[str, int]) -> Step:
    """Return the step with each word as BPE and as Unigram cut it, and the log-probability of both.

    Each vocabulary has the probabilities that EM estimates for its own tokens.
    """
    while pruning.step():  # so that EM has followed the last pruning
        pass
    uses = Counter[str]()
    for word, count in words.items():
        uses.update({token: count for token in merging.tokens if token in word})
    *_, estimated = learning_unigram(words, size=len(uses), begin=uses)
    rows = list[Row]()
    for word in words:
        cuts = ((merging.tokenize(word), estimated.scores), (pruning.tokenize(word), pruning.tokens))
        cells = [(" ".join(tokens), log_score(sum(map(scores.__getitem__, tokens)))) for tokens, scores in cuts]
        rows.append(Row((word, *cells[0], *cells[1]), chosen=cells[0][0] != cells[1][0]))
    differ = sum(row.chosen for row in rows)
    table = tabulate("Word by word", ("word", "BPE", "log p", "Unigram", "log p"), rows, most=MOST_PAIRS)
    sentence = say("trainers.steps.words", words=plural(differ, "word") if differ else "no word")
    return Step(sentence, _vocabularies((merging, pruning)), table=table, symbols=("merges", "path"))


def _vocabularies(
    trainers: Sequence[_Merging | _Pruning], acting: _Merging | _Pruning | None = None
) -> tuple[TileRow, ...]:
    return tuple(trainer.row(acts=trainer is acting) for trainer in trainers)


def _sizes(trainers: Trainers) -> tuple[Fact, ...]:
    return tuple(Fact(f"{trainer.name}: tokens", f"{len(trainer.tokens)}") for trainer in trainers)


def _families(registry: Registry) -> Table:
    """Return the models of the tokenizers that are part of this site, by algorithm."""
    models: dict[str, list[str]] = {family: [] for family in NAMES}
    for info in registry.infos():
        if info.origin == "bundled" and info.family in NAMES and info.models:
            models[info.family].append(info.models[0])
    rows = ((NAMES[family], f"{len(names)}", ", ".join(names[:MODELS])) for family, names in models.items())
    return tabulate("Tokenizers of this site, by algorithm", ("algorithm", "tokenizers", "models, for example"), rows)


def _begins_with(before: Sequence[int], words: Mapping[str, int]) -> Question:
    """Return the question for the size of Unigram's first vocabulary; step 0 shows it."""
    characters, pieces, seeds = before
    parts = len({word[i:j] for word in words for i in range(len(word)) for j in range(i + 1, len(word) + 1)})
    rows = (make_row((Tile(char, ord(char)) for char in word), f"×{count}") for word, count in words.items())
    return ask(
        "trainers.question",
        seeds,
        [(characters, "bpe"), (pieces, "wordpiece"), (parts, "parts"), (parts + characters, "more")],
        tuple(rows),
        shown_at=0,
        tokens=plural(characters, "token"),
        seeds=seeds,
        characters=plural(characters, "character"),
    )
