"""The scene of parallel text: a vocabulary for each language, and each batch as matrices of ids with a mask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from random import Random

from ...errors import Invalid, plural
from ...registry import Registry
from ...scratch.learn_words import IncludedWord, WordFrequencies, look_up, select_words
from ...scratch.padding import pad_rows
from ...scratch.words import split
from ..steps.step import Mark, Row, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, make_row
from .code import trace_lines
from .colours import distinguish
from .prose import say
from .scene import Question, Trace, ask, limit_text

BEGIN, END, BLANK, UNKNOWN = SPECIAL = ("<s>", "</s>", "<blank>", "<unk>")
MARKS: Mapping[str, Mark] = {BEGIN: "special", END: "special", BLANK: "rest", UNKNOWN: "unknown"}
SIDES = ("source", "target")
MIN_FREQUENCY = 2
MAX_TOKENS = 12
"""Tokens of a vocabulary, the special ones among them."""
MOST_PAIRS = 4
MOST_WORDS = 9
"""Pairs of sentences of a batch, and words of a sentence."""
Sentences = Sequence[Sequence[str]]


def trace_parallel(text: str, registry: Registry) -> Trace:
    """Trace the vocabularies of both sides of pairs of sentences, and then the matrix and the mask of each side."""
    sides = _read_pairs(text)
    pairs = [*zip(*sides, strict=True)]
    typed = tuple(_make_row(words, {}, side) for pair in pairs for words, side in zip(pair, SIDES, strict=True))
    steps = [
        Step(say("parallel.steps.start", pairs=plural(len(pairs), "pair of sentences", "pairs of sentences")), typed)
    ]
    vocabularies: list[tuple[dict[str, int], Table]] = []
    for side, sentences in zip(SIDES, sides, strict=True):
        counts: Mapping[str, int] = {}
        ids: dict[str, int] = {}
        rows = tuple(_make_row(words, {}, side) for words in sentences)
        selected = select_words(
            chain(*sentences), min_frequency=MIN_FREQUENCY, max_size=MAX_TOKENS, special=SPECIAL, alphabetical=True
        )
        for line, step in trace_lines(selected):
            if isinstance(step, WordFrequencies):
                counts, ids = step.counts, {**step.vocabulary}
                steps.append(Step(say("parallel.steps.count", side=side), rows, line, _tabulate(side, counts, {})))
            elif isinstance(step, IncludedWord):
                ids[step.word] = step.id
                kept = line
        sentence = say("parallel.steps.vocabulary", side=side, words=plural(len(ids) - len(SPECIAL), "word"))
        rows = tuple(_make_row(words, ids, side) for words in sentences)
        table = _tabulate(side, counts, ids)
        steps.append(Step(sentence, rows, kept if len(ids) > len(SPECIAL) else line, table))
        vocabularies.append((ids, table))
    for side, sentences, (ids, table) in zip(SIDES, sides, vocabularies, strict=True):
        steps += [replace(step, table=table) for step in _trace_batch(side, sentences, ids)]
    return distinguish(Trace(steps, _ask_size(sides[0], typed)))


def _read_pairs(text: str) -> list[list[list[str]]]:
    """Return the sentences of both sides as words. Raises `Invalid` for a line that is no pair of sentences."""
    sides: list[list[list[str]]] = [[], []]
    for line in filter(str.strip, text.splitlines()):
        parts = [[word for _, word in split(part) if word.strip()] for part in line.split("|")]
        if len(parts) != len(SIDES) or not all(parts):
            raise Invalid("Type pairs of sentences, each on a line with a | between them.", pointer="/text")
        for side, words in zip(sides, parts, strict=True):
            limit_text(len(words), MOST_WORDS, "words in a sentence")
            side.append(words)
    limit_text(len(sides[0]), MOST_PAIRS, "pairs")
    return sides


def _make_row(words: Sequence[str], ids: Mapping[str, int], label: str) -> TileRow:
    """Return words as a row: coloured if they have an id."""
    return make_row((Tile(word, ids[word]) if word in ids else Tile(word, NO_ID, mark="rest") for word in words), label)


def _tabulate(side: str, counts: Mapping[str, int], ids: Mapping[str, int]) -> Table:
    """Return what is counted, or, with ids, the vocabulary: the special tokens first."""
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    special = [Row((token, "", f"{ids[token]}")) for token in SPECIAL if token in ids]
    rows = [Row((word, f"{counts[word]}", f"{ids.get(word, '')}"), chosen=word in ids) for word in ordered]
    return tabulate(f"The {side}", ("token", "count", "id"), [*special, *rows], most=MAX_TOKENS + 1)


def _trace_batch(side: str, sentences: Sentences, ids: Mapping[str, int]) -> list[Step]:
    """Return the step with the tokens of each sentence of a side, and the one with its matrix and mask."""
    spelled = {id: token for token, id in ids.items()}
    found = [[*trace_lines(look_up([BEGIN, *words, END], ids, unknown=UNKNOWN))] for words in sentences]
    batch = [[one.id for _, one in sentence] for sentence in found]
    unknown = sum(id == ids[UNKNOWN] for id in chain(*batch))
    rows = tuple(make_row((_token(id, spelled[id]) for id in one), side) for one in batch)
    sentence = say("parallel.steps.look-up", side=side, unknown=plural(unknown, "word"))
    steps = [Step(sentence, rows, found[-1][-1][0])]
    padded = [*trace_lines(pad_rows(batch, pad=ids[BLANK]))]
    line, wide = padded[-1][0], len(padded[0][1].ids)
    matrix = [make_row((_token(id, spelled[id], f"{id}") for id in row.ids), side) for _, row in padded]
    mask = [make_row((Tile(f"{on}", NO_ID, mark="" if on else "rest") for on in row.mask), "mask") for _, row in padded]
    filled = sum(row.mask.count(0) for _, row in padded)
    sentence = say("parallel.steps.matrix", side=side, rows=len(batch), columns=wide, filled=plural(filled, "place"))
    return [*steps, Step(sentence, (*matrix, *mask), line, columns=((1,) * wide,) * (2 * len(batch)))]


def _token(id: int, token: str, text: str = "") -> Tile:
    return Tile(text or token, id, mark=MARKS.get(token, ""))


def _ask_size(sentences: Sentences, typed: tuple[TileRow, ...]) -> Question:
    longest, rows = max(map(len, sentences)), len(sentences)
    filled = sum(len(words) + 2 for words in sentences)
    return ask(
        "parallel.question",
        rows * (longest + 2),
        [(rows * longest, "bare"), (filled, "ragged"), (rows * (longest + 1), "one"), (longest + 2, "row")],
        tuple(row for row in typed if row.label == SIDES[0]),
        shown_at=6,
        rows=plural(rows, "row"),
        columns=longest + 2,
        longest=plural(longest, "word"),
    )


PAIRS = (("ein", "a"), ("der", "the"), ("kein", "no"))
NOUNS = (("Hund", "dog"), ("Bär", "bear"), ("Vogel", "bird"), ("Fisch", "fish"))
VERBS = (("läuft", "runs"), ("schläft", "sleeps"), ("singt", "sings"))


def sample_pairs(random: Random) -> str:
    """Return some short German sentences with their translations."""
    lines = []
    for _ in range(random.randint(2, MOST_PAIRS)):
        clauses = [[random.choice(one) for one in (PAIRS, NOUNS, VERBS)] for _ in range(random.randint(1, 2))]
        both = ([" ".join(word[side] for word in clause) for clause in clauses] for side in (0, 1))
        lines.append(" | ".join(word.join(side) for word, side in zip((" und ", " and "), both, strict=True)))
    return "\n".join(lines)
