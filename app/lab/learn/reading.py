"""Scenes about what a model reads: ids, characters and bytes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from random import Random

from ...errors import plural
from ...registry import Registry
from ...scratch.bytes import byte_values
from ...scratch.characters import characters
from ...scratch.embedding import TokenIds, make_untrained_row, read_embeddings
from ..steps.step import Cell, Fact, Step, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, character_row, make_row, significant
from .code import trace_lines
from .colours import distinguish, share_columns
from .prose import SIGNS, declaration_words, say
from .scene import Question, Trace, ask
from .texts import token_tiles

MODEL = "o200k_base"
"""The tokenizer of the first scene, of GPT-4o and later models."""
OTHER_WORDS = ("blueberry", "watermelon", "grapefruit")
MOST_OTHERS = 2
MOST_KNOWN = 16
"""Of the question of the first scene: words whose tokens it sets beside those of the text, and how many of these and of
all it takes."""
MOST_ROWS = 8
"""Rows of the matrix that the first scene shows."""
SHOWN_CHARACTERS = 40
"""Characters of a text that the second scene shows."""


def trace_ids(text: str, registry: Registry) -> Trace:
    """Trace a text as the letters that a person sees, the ids that a model gets, and the rows that it looks up."""
    tokenizer = registry.get(MODEL, "scratch")

    def encode(text: str) -> list[int]:
        ids: list[int] = tokenizer.encode(text).ids.tolist()
        return ids

    ends = tokenizer.encode(text).char_ends.tolist()
    columns = share_columns(range(1, len(text) + 1), ends, ends)
    characters = plural(len(text), "character")
    steps = [Step(say("ids.steps.start", characters=characters), (character_row(text),))]
    tokens = token_tiles(tokenizer, encode(text))
    ids = make_row((Tile(f"{tile.key}", tile.key) for tile in tokens), "model", limit=len(tokens))
    shown = (character_row(text, "you"), TileRow(tuple(tokens), "tokens"), ids)
    rows: list[tuple[Cell, ...]] = []
    for line, step in trace_lines(read_embeddings(text, encode, partial(make_untrained_row, width=4))):
        if isinstance(step, TokenIds):
            gets = say("ids.steps.ids", characters=characters, numbers=plural(len(tokens), "number"))
            steps.append(Step(gets, shown, line, symbols=("id",), columns=columns))
        else:
            numbers = ", ".join(f"{number:+.3f}".replace("-", "−") for number in step.numbers)
            rows.append((f"{step.id:,}", (tokens[step.place],), numbers))
    heads = ("row", "of", "its first 4 numbers")
    table = tabulate("Rows of the matrix, before training", heads, rows, most=MOST_ROWS)
    steps.append(Step(say("ids.steps.rows"), shown, line, table, symbols=("row", "id"), columns=columns))
    question = _sees_question(text, tokens, lambda part: token_tiles(tokenizer, encode(part)))
    return distinguish(Trace(steps, question))


def _sees_question(text: str, tokens: Sequence[Tile], encode: Callable[[str], Sequence[Tile]]) -> Question | None:
    """Return the question which text some ids stand for: those of a text, but for the first one."""
    others = [tile for word in OTHER_WORDS for tile in encode(word) if tile.text not in text][:MOST_OTHERS]
    known = {tile.key: tile for tile in (*tokens, *others)}
    if len(known) > MOST_KNOWN:
        return None
    written = [others[0], *(tokens[1:] or tokens)]
    entries = tuple(Tile(f"{tile.text}→{id}", id, at) for at, (id, tile) in enumerate(sorted(known.items())))
    return ask(
        "ids.question",
        _join(written),
        [
            (text, "same", {"token": others[0].text}),
            (_join(written[::-1]), "backwards"),
            (_join(sorted(written, key=lambda tile: tile.key)), "sorted"),
            (_join(written)[::-1], "letters"),
        ],
        (TileRow(entries),),
        near=False,
        spelled=" · ".join(tile.text for tile in written),
        ids=", ".join(f"{tile.key}" for tile in written),
    )


def _join(tokens: Sequence[Tile]) -> str:
    return "".join(tile.text for tile in tokens)


def trace_bytes(text: str, registry: Registry) -> Trace:
    """Trace a text by runs of characters of the same size in UTF-8, with their code points and bytes.

    Of a long text, the first `SHOWN_CHARACTERS` characters have steps, and the whole is counted.
    """
    rows = _unit_rows(text)
    columns = share_columns(*([tile.at + 1 for tile in row.tiles] for row in rows))
    steps = [Step(say("bytes.steps.start"), (character_row(text),), facts=_sizes(text, ""))]
    walk = [*zip(text[:SHOWN_CHARACTERS], trace_lines(characters(text)), strict=False)]
    sizes = [end - start for _, (_, (_, start, end)) in walk]
    for size, group in groupby(range(len(walk)), key=sizes.__getitem__):
        run = [*group]
        first, last = run[0], run[-1]
        line, (code_point, _, _) = walk[last][1]
        part = Tile(text[first : last + 1], NO_ID + ord(text[first]), first, "new")
        count = plural(size, "byte")
        sentence = say("bytes.steps.character", character=part, code_point=f"{code_point:,}", bytes=count)
        if last > first:
            number = plural(last + 1 - first, "character")
            sentence = say("bytes.steps.run", characters=part, count=number, bytes=count)
        marked = tuple(_mark_characters(row, range(first, last + 1)) for row in rows)
        steps.append(Step(sentence, marked, line, facts=_sizes(text[: last + 1], "so far"), columns=columns))
    *_, (line, (_, _, end)) = trace_lines(byte_values(text))
    sentence = say("bytes.steps.end", tokens=plural(end, "token"))
    steps.append(Step(sentence, rows, line, None, _sizes(text, ""), ("bytes", "tokens"), columns=columns))
    return distinguish(Trace(steps, _units_question(text)))


def _unit_rows(text: str) -> tuple[TileRow, ...]:
    """Return three rows: the characters, their code points and their bytes; `at` of a tile is that of the character."""
    shown = [*enumerate(text[:SHOWN_CHARACTERS])]
    units = {
        "characters": [(one, at, one) for at, one in shown],
        "code points": [(f"{ord(one)}", at, one) for at, one in shown],
        "bytes": [(f"{byte}", at, one) for at, one in shown for byte in one.encode()],
    }
    left = len(text) - len(shown)
    return tuple(
        TileRow(tuple(Tile(unit, NO_ID + ord(one), at) for unit, at, one in row), label, left_out_after=left)
        for label, row in units.items()
    )


def _mark_characters(row: TileRow, run: range) -> TileRow:
    """Return a row with the tiles of a run of characters marked as new."""
    return replace(row, tiles=tuple(replace(tile, mark="new") if tile.at in run else tile for tile in row.tiles))


def _sizes(text: str, note: str) -> tuple[Fact, ...]:
    size = len(text.encode())
    return (
        Fact("characters", f"{len(text):,}", note),
        Fact("bytes", f"{size:,}", note),
        Fact("bytes per character", significant(size / len(text)), note),
    )


def _units_question(text: str) -> Question:
    size, wide = len(text.encode()), len(text.encode("utf-16-le"))
    return ask(
        "bytes.question",
        size,
        [(len(text), "characters"), (wide, "utf-16"), (4 * len(text), "utf-32")],
        (character_row(text),),
        shown_at=-1,
        bytes=plural(size, "byte"),
    )


def sample_greeting(random: Random) -> str:
    """Return a word of one of several scripts, with a sign or without."""
    words = declaration_words(random.choice(("deu_1996", "fra", "rus", "ell_monotonic", "heb", "hin", "kor", "eng")))
    return random.choice(words) + random.choice(("", "!", " " + random.choice(SIGNS), " €5"))
