"""BPE by hand: a learner merges pairs of a text, beside what the teaching file merges, up to a vocabulary size.

The state is the text and the pairs in their order, so that a link carries it. `learn_bpe` counts the pairs and says
what the machine takes, and `bpe` applies the learner's merges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

from ...errors import Invalid
from ...scratch.bpe import encode_by_pairs
from ...scratch.learn_bpe import Merged, PairCounts, iter_learning_steps
from ..option_schema import Items, Options, declare
from ..tokenize import utf8_length

TEXT = "the thin thing thinks the other thing"
MAX_TEXT = 200
"""Characters of the longest text."""
MAX_MERGES = 48
"""Merges of the longest game, which a form can send."""
MERGES = 6
"""Merges until training stops, unless a vocabulary size is chosen."""
RACE = 4
"""Merges of the machine that set the goal, unless one is chosen."""
Spelled = tuple[str, str]
Symbols = Mapping[str, tuple[str, ...]]
Outcome = Literal["", "won", "even", "lost"]
Verdict = Literal["same", "tie", "rarer", "over"]


class HandOptions(Options):
    """The state of the game. Without a `size` and a `goal`, the text decides."""

    text: str = declare("Your text", TEXT)
    merges: Items[str] = declare("Merges", [], field="merge")
    pair: str = declare("Pair", "")
    size: int | None = declare("Stop at vocabulary size", None, help="Letters and merges together.", ge=1, le=300)
    goal: int | None = declare("Goal of the race: tokens left", None, help="Fewer merges win.", ge=1, le=200)


@dataclass(frozen=True, slots=True)
class HandMerge:
    """A merge: the pair, how often it occurred, and the tokens of the text after it."""

    pair: Spelled
    count: int
    tokens: int


class HandTurn(NamedTuple):
    """A merge of the learner, what the machine takes in its place, and the machine's own merge of the same number."""

    merge: HandMerge
    advice: HandMerge | None
    machine: HandMerge | None

    @property
    def verdict(self) -> Verdict:
        """What the machine says to the merge; `over` if it has stopped, as no pair occurs twice."""
        if self.advice is None:
            return "over"
        if self.merge.pair == self.advice.pair:
            return "same"
        return "tie" if self.merge.count == self.advice.count else "rarer"


class HandTile(NamedTuple):
    """A token of the text, its index in the vocabulary, and the pair that it makes with the next one of its word."""

    text: str
    id: int
    pair: str


@dataclass(frozen=True, slots=True)
class HandGame:
    """The text after the learner's merges, and the machine's whole training.

    `merges` are the pairs that could be applied, `letters` is the size of the vocabulary before any, and `advice` is
    what the machine takes next. `chosen` is the pair that was picked, with its count and the tokens that would be left.
    """

    words: tuple[tuple[HandTile, ...], ...]
    turns: tuple[HandTurn, ...]
    machine: tuple[HandMerge, ...]
    vocabulary: tuple[str, ...]
    letters: int
    tokens: tuple[int, int]
    advice: HandMerge | None
    chosen: HandMerge | None
    limit: int
    goal: int

    @property
    def merges(self) -> tuple[str, ...]:
        return tuple(" ".join(turn.merge.pair) for turn in self.turns)

    def key(self, token: str) -> int:
        """Return a number that gives a token its colour: its index in the vocabulary, or another one."""
        return self.vocabulary.index(token) if token in self.vocabulary else sum(map(ord, token))

    @property
    def full(self) -> bool:
        """True if the vocabulary has its size: training stops."""
        return len(self.vocabulary) >= self.limit or len(self.turns) == MAX_MERGES

    @property
    def over(self) -> bool:
        """True if nothing can be merged any more."""
        return self.full or not any(tile.pair for word in self.words for tile in word)

    @property
    def needs(self) -> int | None:
        """Merges with which the machine reaches the goal; None if it stops before."""
        counts = [self.tokens[0], *(merge.tokens for merge in self.machine)]
        return next((number for number, tokens in enumerate(counts) if tokens <= self.goal), None)

    @property
    def took(self) -> int | None:
        """Merges with which the learner reached the goal."""
        return next((number for number, turn in enumerate(self.turns, 1) if turn.merge.tokens <= self.goal), None)

    @property
    def outcome(self) -> Outcome:
        """How the race has ended, "" if it has not."""
        if self.took is None:
            return ""
        if self.needs is None or self.took < self.needs:
            return "won"
        return "even" if self.took == self.needs else "lost"


def play(options: HandOptions) -> HandGame:
    """Return the game after some merges. Merges that the text does not have, or that come too late, are left out.

    >>> game = play(HandOptions(text="low low lower", merges=["l o", "lo w"], size=7))
    >>> [(turn.merge.count, turn.merge.tokens, turn.verdict) for turn in game.turns], game.full
    ([(3, 8, 'same'), (3, 5, 'same')], True)

    Raises `Invalid` for a text that is too long, a pair that is none, and a size below the number of letters.
    """
    utf8_length(options.text, pointer="/text")
    if len(options.text) > MAX_TEXT:
        message = f"BPE by hand takes a text of at most {MAX_TEXT} characters; this one has {len(options.text):,}."
        raise Invalid(message, pointer="/text", limit=MAX_TEXT)
    written = options.text.split()
    counts = Counter(written)
    letters = sorted({*"".join(written)})
    limit = options.size or len(letters) + MERGES
    if limit < len(letters):
        message = f"This text has {len(letters)} different letters, so its vocabulary has at least this size."
        raise Invalid(message, pointer="/size")
    machine = _train(counts)
    turns, symbols, vocabulary = _follow(counts, options.merges, machine, letters, limit)
    pairs, advice = _ask(symbols, counts, vocabulary)
    ids = {token: id for id, token in enumerate(vocabulary)}
    before = sum(map(len, written))
    goal = options.goal or (machine[min(RACE, len(machine)) - 1].tokens if machine else before)
    return HandGame(
        words=tuple(_tiles(symbols[word], ids) for word in written),
        turns=turns,
        machine=machine,
        vocabulary=tuple(vocabulary),
        letters=len(letters),
        tokens=(before, _length(symbols, counts)),
        advice=advice,
        chosen=_try(options.pair, pairs, symbols, counts) if options.pair else None,
        limit=limit,
        goal=goal,
    )


def _train(counts: Mapping[str, int]) -> tuple[HandMerge, ...]:
    """Return all merges of the machine."""
    return tuple(
        HandMerge(step.pair, step.frequency, _weigh(step.words, counts))
        for step in iter_learning_steps(counts)
        if isinstance(step, Merged)
    )


def _follow(
    counts: Mapping[str, int], merges: Sequence[str], machine: Sequence[HandMerge], letters: Sequence[str], limit: int
) -> tuple[tuple[HandTurn, ...], Symbols, list[str]]:
    """Return the turns of the learner, the words in symbols after them, and the vocabulary."""
    turns: list[HandTurn] = []
    symbols: Symbols = {word: (*word,) for word in counts}
    vocabulary = [*letters]
    for spelled in merges[:MAX_MERGES]:
        pairs, advice = _ask(symbols, counts, vocabulary)
        merge = _try(spelled, pairs, symbols, counts)
        if merge is None or len(vocabulary) >= limit:
            continue
        rival = machine[len(turns)] if len(turns) < len(machine) else None
        turns.append(HandTurn(merge, advice, rival))
        symbols = _merge(symbols, merge.pair)
        if "".join(merge.pair) not in vocabulary:
            vocabulary.append("".join(merge.pair))
    return tuple(turns), symbols, vocabulary


def _ask(
    symbols: Symbols, counts: Mapping[str, int], vocabulary: Sequence[str]
) -> tuple[Mapping[Spelled, int], HandMerge | None]:
    """Return how often each pair occurs, and what the machine would merge now."""
    steps = iter_learning_steps({symbols[word]: count for word, count in counts.items()}, alphabet=vocabulary)
    counted, best = next(steps), next(steps, None)
    assert isinstance(counted, PairCounts)
    pairs = {(vocabulary[a], vocabulary[b]): count for (a, b), count in counted.pairs.items()}
    if not isinstance(best, Merged):
        return pairs, None
    return pairs, HandMerge(best.pair, best.frequency, _weigh(best.words, counts))


def _try(spelled: str, pairs: Mapping[Spelled, int], symbols: Symbols, counts: Mapping[str, int]) -> HandMerge | None:
    """Return the merge of a pair, None if it does not occur. Raises `Invalid` if the text names no pair."""
    first, space, second = spelled.partition(" ")
    if not (first and space and second) or " " in second:
        raise Invalid("A pair is two tokens with a space between, such as t h.", pointer="/pair")
    count = pairs.get((first, second))
    if not count:
        return None
    return HandMerge((first, second), count, _length(_merge(symbols, (first, second)), counts))


def _merge(symbols: Symbols, pair: Spelled) -> Symbols:
    return {word: tuple(encode_by_pairs(tokens, [pair])) for word, tokens in symbols.items()}


def _length(symbols: Symbols, counts: Mapping[str, int]) -> int:
    return _weigh([symbols[word] for word in counts], counts)


def _weigh(words: Iterable[Sequence[object]], counts: Mapping[str, int]) -> int:
    return sum(len(word) * count for word, count in zip(words, counts.values(), strict=True))


def _tiles(tokens: Sequence[str], ids: Mapping[str, int]) -> tuple[HandTile, ...]:
    pairs = [*map(" ".join, pairwise(tokens)), ""]
    return tuple(HandTile(token, ids[token], pair) for token, pair in zip(tokens, pairs, strict=True))
