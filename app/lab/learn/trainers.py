"""The scene of the three trainers, which learn from the same words side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ...errors import plural
from ...scratch import learn_bpe, learn_wordpiece, wordpiece
from ...scratch.bpe import encode_by_pairs
from ...scratch.learn_bpe import Merged
from ...scratch.learn_unigram import PrunedVocabulary, Scores
from ...scratch.learn_unigram import iter_learning_steps as learning_unigram
from ...scratch.unigram import segment
from ..steps.frames import Fact, Tile, TileRow
from ..steps.tiles import MAX_TILES
from .code import trace_lines
from .prose import fill, fill_words
from .scene import Question, SceneTable, Step, TableRow, Trace, Words, build_scene, choices
from .training import sample_hugs, short_words

if TYPE_CHECKING:
    from ...registry import Registry

ROUNDS = 4
MODELS = 5
"""Models of a family that the last table names."""
NAMES = {"bpe": "BPE", "wordpiece": "WordPiece", "unigram": "Unigram"}


def trace_trainers(text: str, registry: Registry) -> Trace:
    """Trace the three trainers in turn on the same words."""
    words = short_words(text)
    trainers: Trainers = (_Merging("BPE", words), _Merging("WordPiece", words), _Pruning(words))
    start = fill("trainers.steps.start", words=plural(len(words), "word"))
    before = [len(trainer.tokens) for trainer in trainers]
    steps = [Step((start,), _vocabularies(trainers), facts=_sizes(trainers))]
    for _ in range(ROUNDS):
        for trainer in trainers:
            if (step := trainer.step()) is not None:
                line, sentence = step
                steps.append(Step(sentence, _vocabularies(trainers, trainer), line, facts=_sizes(trainers)))
    longest = max(words, key=len)
    cuts = tuple(
        TableRow(
            (trainer.name, trainer.chooses, f"{size} → {len(trainer.tokens)}", " ".join(trainer.tokenize(longest)))
        )
        for size, trainer in zip(before, trainers, strict=True)
    )
    table = SceneTable("The same words, three ways", ("trainer", "chooses", "vocabulary", longest), cuts)
    steps.append(Step((fill("trainers.steps.end"),), _vocabularies(trainers), table=table))
    steps.append(Step((fill("trainers.steps.models"),), table=_families(registry)))
    return Trace(steps, _begins_with(before, words))


class _Merging:
    """BPE or WordPiece at work: its tokens by id, and the merges so far."""

    def __init__(self, name: Literal["BPE", "WordPiece"], words: Mapping[str, int]) -> None:
        self.name = name
        self.chooses = "most frequent pair" if name == "BPE" else "pair of the highest score"
        self.merges = list[tuple[str, str]]()
        characters = [(char, "" if name == "BPE" or not at else "##") for word in words for at, char in enumerate(word)]
        self.tokens = sorted({mark + char for char, mark in characters})
        self._steps: Iterator[tuple[tuple[str, int], Any]] = (
            trace_lines("learn_bpe.iter_learning_steps", learn_bpe.iter_learning_steps(words))
            if name == "BPE"
            else trace_lines("learn_wordpiece.iter_learning_steps", learn_wordpiece.iter_learning_steps(words))
        )

    def step(self) -> tuple[tuple[str, int], Words] | None:
        """Learn one token; None if there is none."""
        for line, step in self._steps:
            if isinstance(step, Merged):
                self.tokens = step.vocabulary
                self.merges = [*self.merges, step.pair]
                a, b = (Tile(part, self.tokens.index(part), at) for at, part in enumerate(step.pair))
                return line, fill_words("trainers.steps.merge", trainer=self.name, pair=self.chooses, first=a, second=b)
        return None

    def row(self, *, acts: bool) -> TileRow:
        """Return the tokens, the newest first, and marked if this trainer has just made it."""
        order = sorted(range(len(self.tokens)), reverse=True)
        tiles = tuple(Tile(self.tokens[id], id, at, "new" if acts and not at else "") for at, id in enumerate(order))
        return TileRow(tiles[:MAX_TILES], self.name, left_out_after=max(0, len(tiles) - MAX_TILES))

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
        self._steps = trace_lines("learn_unigram.iter_learning_steps", learning_unigram(words, size=size))
        self.tokens: Scores = next(self._steps)[1].scores
        self._ids = {token: id for id, token in enumerate(self.tokens)}
        self._gone = list[str]()

    def step(self) -> tuple[tuple[str, int], Words] | None:
        """Remove tokens; None if there are few enough."""
        for line, step in self._steps:
            if isinstance(step, PrunedVocabulary):
                self._gone = [token for token in self.tokens if token not in step.scores]
                self.tokens = step.scores
                return line, fill_words("trainers.steps.prune", tokens=plural(len(self._gone), "token"))
            self.tokens = step.scores
        return None

    def row(self, *, acts: bool) -> TileRow:
        """Return the tokens, the most probable first, and behind them those that this trainer has just removed."""
        order = [*sorted(self.tokens, key=lambda token: -self.tokens[token]), *(self._gone if acts else ())]
        tiles = tuple(
            Tile(token, self._ids[token], at, "missed" if token in self._gone else "") for at, token in enumerate(order)
        )
        return TileRow(tiles[:MAX_TILES], self.name, left_out_after=max(0, len(tiles) - MAX_TILES))

    def tokenize(self, word: str) -> list[str]:
        """Return the tokens of a word."""
        return segment(word, self.tokens).tokens


Trainers = Sequence[_Merging | _Pruning]


def _vocabularies(trainers: Trainers, acting: _Merging | _Pruning | None = None) -> tuple[TileRow, ...]:
    return tuple(trainer.row(acts=trainer is acting) for trainer in trainers)


def _sizes(trainers: Trainers) -> tuple[Fact, ...]:
    return tuple(Fact(f"{trainer.name}: tokens", f"{len(trainer.tokens)}") for trainer in trainers)


def _families(registry: Registry) -> SceneTable:
    """Return the models of the tokenizers that are part of this site, by algorithm."""
    models = dict[str, list[str]]()
    for info in registry.infos():
        if info.origin == "bundled" and info.family in NAMES and info.models:
            models.setdefault(info.family, []).append(info.models[0])
    rows = tuple(
        TableRow((name, f"{len(models.get(family, []))}", ", ".join(models.get(family, [])[:MODELS])))
        for family, name in NAMES.items()
    )
    return SceneTable("Tokenizers of this site, by algorithm", ("algorithm", "tokenizers", "models, for example"), rows)


def _begins_with(before: Sequence[int], words: Mapping[str, int]) -> Question:
    """Return the question for the size of Unigram's first vocabulary; step 0 shows it."""
    characters, pieces, seeds = before
    substrings = {word[i:j] for word in words for i in range(len(word)) for j in range(i + 1, len(word) + 1)}
    reason = fill("trainers.question.reason", seeds=seeds, characters=plural(characters, "character"))
    wrong: list[tuple[Words, str]] = [
        ((f"{characters}",), fill("trainers.question.bpe")),
        ((f"{pieces}",), fill("trainers.question.wordpiece")),
        (
            (f"{len(substrings)}",),
            fill("trainers.question.parts"),
        ),
        ((f"{len(substrings) + characters}",), fill("trainers.question.more")),
    ]
    prompt = fill("trainers.question.prompt", tokens=plural(characters, "token"))
    rows = tuple(
        TileRow(tuple(Tile(char, ord(char), at) for at, char in enumerate(word)), f"×{count}")
        for word, count in words.items()
    )
    given = Step((fill("trainers.question.given"),), rows)
    return Question((prompt,), choices((f"{seeds}",), reason, wrong), given, shown_at=0)


TRAINERS = build_scene(
    id="trainers",
    trace=trace_trainers,
    code=("learn_bpe.iter_learning_steps", "learn_wordpiece.iter_learning_steps", "learn_unigram.iter_learning_steps"),
    sample=sample_hugs,
    needs=("learn-bpe", "learn-wordpiece", "learn-unigram"),
    rows=5,
)
