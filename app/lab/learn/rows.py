"""Scenes about the rows of a vocabulary: those that training never touches, and a model that needs no list of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from unicodedata import category

import numpy as np

from ...errors import plural
from ...registry import Registry
from ...scratch.bpe import encode_by_pairs
from ...scratch.hash_characters import ROWS, STRIDE, HashedRow, iter_rows, join_positions
from ...scratch.learn_bpe import learn
from ...scratch.untrained_rows import RowMoves, Rows, alike, iter_moves
from ..steps.drawing import Drawing
from ..steps.step import Fact, Row, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, character_row, make_row, two_decimals, visible
from .code import trace_lines
from .prose import LONG_WORDS, PHRASES, SIGNS, count_times, declaration_words, say
from .scene import Question, Trace, ask, limit_text
from .texts import draw_bars

MERGES = 6
"""Merges that are learned at most."""
SHOWN_ROUNDS = (1, 10, 60)
"""Readings of the text after which the rows are shown."""
MOST = 40
"""Characters of a text."""
MODEL = "o200k_base"


@dataclass(frozen=True, slots=True)
class LearnedText:
    """A vocabulary that BPE has learned from a text, the letters first, and the ids of the text."""

    vocabulary: tuple[str, ...]
    letters: int
    ids: tuple[int, ...]

    @property
    def unused(self) -> list[int]:
        """The ids that the text does not have."""
        return [id for id in range(len(self.vocabulary)) if id not in self.ids]


def learn_text(text: str) -> LearnedText:
    """Return the vocabulary of a text and its ids.

    >>> learned = learn_text("these theses")
    >>> [learned.vocabulary[id] for id in learned.ids], [learned.vocabulary[id] for id in learned.unused]
    (['thes', 'e', 'thes', 'es'], ['h', 's', 't', 'th'])
    """
    words = text.split()
    merges = [(first, second) for first, second, _ in learn(Counter(words), MERGES)]
    letters = sorted({*"".join(words)})
    vocabulary = tuple(dict.fromkeys([*letters, *(first + second for first, second in merges)]))
    ids = tuple(vocabulary.index(token) for word in words for token in encode_by_pairs([*word], merges))
    return LearnedText(vocabulary, len(letters), ids)


def trace_untrained(text: str, registry: Registry) -> Trace:
    """Trace how BPE learns a vocabulary from a text, and how a small model then trains its rows on the same text."""
    learned = learn_text(text)
    size, unused = len(learned.vocabulary), learned.unused
    vocabulary, row = _row(range(size), learned, "vocabulary"), _row(learned.ids, learned, "text")
    merges = plural(size - learned.letters, "merge")
    steps = [Step(say("untrained.steps.start", merges=merges, tokens=plural(size, "token")), (vocabulary,))]
    steps.append(Step(say("untrained.steps.cut", tokens=plural(len(learned.ids), "token")), (vocabulary, row)))
    left = say("untrained.steps.unused", unused=plural(len(unused), "token")) if unused else say("untrained.steps.all")
    table = _count(learned)
    steps.append(Step(left, (_row(range(size), learned, "vocabulary", unused), row), table=table))
    for line, step in trace_lines(iter_moves([*learned.ids, learned.ids[0]], size)):
        if step.rounds in SHOWN_ROUNDS:
            sentence = say("untrained.steps.rounds", rounds=count_times(step.rounds))
            steps.append(Step(sentence, (), line, table, figure=_draw(learned, step.read)))
    if unused:
        facts, figure = _directions(step, learned), _draw(learned, step.predict)
        steps.append(Step(say("untrained.steps.predict"), (), line, table, facts, figure=figure))
    return Trace(steps, _ask_unused(learned))


def _row(ids: Sequence[int], learned: LearnedText, label: str, missed: Sequence[int] = ()) -> TileRow:
    return make_row((Tile(learned.vocabulary[id], id, mark="missed" if id in missed else "") for id in ids), label)


def _name_shown(learned: LearnedText) -> list[int]:
    """Return the ids that table and picture show: those that were learned, and one letter that the text still has."""
    used = [id for id in range(learned.letters) if id not in learned.unused]
    return [*used[:1], *range(learned.letters, len(learned.vocabulary))]


def _count(learned: LearnedText) -> Table:
    counts = Counter(learned.ids)
    rows = [
        Row(((Tile(learned.vocabulary[id], id),), f"{counts[id]}"), chosen=not counts[id])
        for id in _name_shown(learned)
    ]
    left_out = len(learned.vocabulary) - len(rows)
    return tabulate("How often the text has each token", ("token", "times"), rows, left_out=left_out)


def _draw(learned: LearnedText, moves: Rows) -> Drawing:
    lengths = np.linalg.norm(moves, axis=1)
    values = {visible(learned.vocabulary[id]): float(lengths[id]) for id in _name_shown(learned)}
    unused = {visible(learned.vocabulary[id]) for id in learned.unused}
    return draw_bars(values, "By how much each row has moved", ".2f", unused)


def _directions(step: RowMoves, learned: LearnedText) -> tuple[Fact, ...]:
    used = [*dict.fromkeys(learned.ids)]
    return (
        Fact("cosine between rows of unused tokens", two_decimals(alike(step.predict[learned.unused]))),
        Fact("cosine between rows of used tokens", two_decimals(alike(step.predict[used]))),
    )


def _ask_unused(learned: LearnedText) -> Question:
    """Return the question how many tokens of the vocabulary the text does not have."""
    size, unused = len(learned.vocabulary), learned.unused
    merged = sum(id >= learned.letters for id in unused)
    return ask(
        "untrained.question",
        len(unused),
        [(merged, "merged"), (len(unused) - merged, "letters"), (0, "none"), (size - len(unused), "used")],
        (_row(range(size), learned, "vocabulary"), _row(learned.ids, learned, "text")),
        shown_at=2,
        tokens=", ".join(visible(learned.vocabulary[id]) for id in unused),
    )


def sample_repeated(random: Random) -> str:
    """Return two long words, each some times, and a third one."""
    first, second, third = random.sample(LONG_WORDS, 3)
    words = [first, second] * random.randint(1, 2) + [first, third]
    random.shuffle(words)
    return " ".join(words)


def find_twin(character: str, rows: int = ROWS) -> str:
    """Return a visible character that takes the same row of every table, or "".

    >>> find_twin("a"), find_twin("中"), find_twin("🌍")
    ('䁡', 'อ', '㌍')
    """
    for number in range(ord(character) % rows, 0x110000, rows):
        if chr(number) != character and category(chr(number))[0] in "LNPS":
            return chr(number)
    return ""


def trace_characters(text: str, registry: Registry) -> Trace:
    """Trace the rows of the first character, one that takes the same ones, and the positions of a text."""
    limit_text(len(text), MOST, "characters")
    letters = character_row(text, "characters")
    first = Tile(text[0], NO_ID + ord(text[0]))
    code = f"{ord(text[0]):,}"
    start = say("characters.steps.start", characters=plural(len(text), "character"))
    steps = [Step(start, (letters,))]
    found = list[HashedRow]()
    for line, one in trace_lines(iter_rows(text[0])):
        found.append(one)
        sentence = say(
            "characters.steps.row",
            table=one.table,
            character=first,
            code=code,
            prime=one.prime,
            rows=f"{ROWS:,}",
            row=f"{one.row:,}",
        )
        steps.append(Step(sentence, (letters,), line, _tabulate(found, chosen=True), symbols=("row",)))
    vector = say("characters.steps.vector", character=first, tables=len(found))
    steps.append(Step(vector, (letters,), table=_tabulate(found), symbols=("vector",)))
    if twin := find_twin(text[0]):
        other = Tile(twin, NO_ID + ord(twin))
        apart = f"{abs(ord(twin) - ord(text[0])):,}"
        sentence = say("characters.steps.twin", twin=other, character=first, apart=apart, rows=f"{ROWS:,}")
        steps.append(Step(sentence, (letters,), table=_tabulate(found), symbols=("row",)))
    positions = join_positions(text)
    joined = make_row((Tile(one, NO_ID + at) for at, one in enumerate(positions)), "positions")
    columns = (tuple(map(len, positions)), (1,) * len(positions))
    tokens = len(registry.get(MODEL).encode(text))
    facts = (
        Fact("characters", f"{len(text)}"),
        Fact("positions", f"{len(positions)}"),
        Fact("bytes", f"{len(text.encode())}"),
        Fact("GPT-4o’s tokens", f"{tokens}"),
    )
    end = say("characters.steps.end", positions=plural(len(positions), "position"))
    steps.append(Step(end, (letters, joined), facts=facts, columns=columns))
    return Trace(steps, _ask_positions(text, len(positions), tokens, letters))


def _tabulate(found: list[HashedRow], *, chosen: bool = False) -> Table:
    rows = ((f"{one.table}", f"{one.prime}", f"{one.row:,}") for one in found)
    heads = ("table", "prime", "row")
    return tabulate("Rows of the first character", heads, rows, chosen=(len(found) - 1,) if chosen else ())


def _ask_positions(text: str, positions: int, tokens: int, letters: TileRow) -> Question:
    size = -(-len(text.encode()) // STRIDE)
    return ask(
        "characters.question",
        positions,
        [(len(text), "characters"), (tokens, "tokens"), (size, "bytes"), (len(text) // STRIDE, "rest")],
        (letters,),
        shown_at=-1,
        characters=plural(len(text), "character"),
        positions=plural(positions, "position"),
    )


def sample_characters(random: Random) -> str:
    """Return some words of one of several scripts, with a sign at the end of some."""
    codes = ("eng", "rus", "hin", "jpn", "kor", "arb")
    words = random.choices(declaration_words(random.choice(codes)), k=random.randint(1, 4))
    text = random.choice((random.choice(PHRASES), " ".join(words)))
    return (text[: MOST - 2] + random.choice(("", f" {random.choice(SIGNS)}"))).strip()
