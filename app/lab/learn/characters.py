"""The scene about a model that reads characters without a list of them."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING
from unicodedata import category

from ...errors import Invalid, plural
from ...scratch.hash_characters import ROWS, STRIDE, HashedRow, iter_rows, join_positions
from ..steps.frames import Fact, Tile, TileRow
from ..steps.tiles import NO_ID, character_row
from .code import trace_lines
from .prose import fill, fill_words
from .samples import PHRASES, SIGNS, declaration_words
from .scene import Question, SceneTable, Step, TableRow, Trace, Words, build_scene, choices

if TYPE_CHECKING:
    from ...registry import Registry

MOST = 40
"""Characters of a text."""
MODEL = "o200k_base"


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
    if len(text) > MOST:
        message = f"This scene plays at most {MOST} characters; this text has {len(text)}."
        raise Invalid(message, pointer="/text", limit=MOST)
    letters = character_row(text, "characters")
    first = Tile(text[0], NO_ID + ord(text[0]))
    code = f"{ord(text[0]):,}"
    start = fill("characters.steps.start", characters=plural(len(text), "character"))
    steps = [Step((start,), (letters,))]
    found = list[HashedRow]()
    for line, one in trace_lines("hash_characters.iter_rows", iter_rows(text[0])):
        found.append(one)
        sentence = fill_words(
            "characters.steps.row",
            table=f"{one.table}",
            character=first,
            code=code,
            prime=f"{one.prime}",
            rows=f"{ROWS:,}",
            row=f"{one.row:,}",
        )
        steps.append(Step(sentence, (letters,), line, _tabulate(found, chosen=True), symbols=frozenset({"row"})))
    vector = fill_words("characters.steps.vector", character=first, tables=f"{len(found)}")
    steps.append(Step(vector, (letters,), table=_tabulate(found), symbols=frozenset({"vector"})))
    if twin := find_twin(text[0]):
        other = Tile(twin, NO_ID + ord(twin))
        apart = f"{abs(ord(twin) - ord(text[0])):,}"
        sentence = fill_words("characters.steps.twin", twin=other, character=first, apart=apart, rows=f"{ROWS:,}")
        steps.append(Step(sentence, (letters,), table=_tabulate(found), symbols=frozenset({"row"})))
    positions = join_positions(text)
    joined = TileRow(tuple(Tile(one, NO_ID + at, at) for at, one in enumerate(positions)), "positions")
    columns = (tuple(map(len, positions)), (1,) * len(positions))
    tokens = len(registry.get(MODEL).encode(text))
    facts = (
        Fact("characters", f"{len(text)}"),
        Fact("positions", f"{len(positions)}"),
        Fact("bytes", f"{len(text.encode())}"),
        Fact("GPT-4o’s tokens", f"{tokens}"),
    )
    end = fill("characters.steps.end", positions=plural(len(positions), "position"))
    steps.append(Step((end,), (letters, joined), facts=facts, columns=columns))
    return Trace(steps, _ask_positions(text, tokens, letters))


def _tabulate(found: list[HashedRow], *, chosen: bool = False) -> SceneTable:
    rows = tuple(
        TableRow((f"{one.table}", f"{one.prime}", f"{one.row:,}"), chosen=chosen and one is found[-1]) for one in found
    )
    return SceneTable("Rows of the first character", ("table", "prime", "row"), rows)


def _ask_positions(text: str, tokens: int, letters: TileRow) -> Question:
    positions = len(join_positions(text))
    wrong: list[tuple[Words, str]] = [
        ((f"{len(text)}",), fill("characters.question.characters")),
        ((f"{tokens}",), fill("characters.question.tokens")),
        ((f"{-(-len(text.encode()) // STRIDE)}",), fill("characters.question.bytes")),
        ((f"{len(text) // STRIDE}",), fill("characters.question.rest")),
    ]
    given = Step((fill("characters.question.given"),), (letters,))
    joined = plural(positions, "position")
    reason = fill("characters.question.reason", characters=plural(len(text), "character"), positions=joined)
    right = choices((f"{positions}",), reason, wrong)
    return Question((fill("characters.question.prompt"),), right, given, shown_at=-1)


def sample_characters(random: Random) -> str:
    """Return some words of one of several scripts, with a sign at the end of some."""
    codes = ("eng", "rus", "hin", "jpn", "kor", "arb")
    words = random.choices(declaration_words(random.choice(codes)), k=random.randint(1, 4))
    text = random.choice((random.choice(PHRASES), " ".join(words)))
    return (text[: MOST - 2] + random.choice(("", f" {random.choice(SIGNS)}"))).strip()


CHARACTERS = build_scene(
    id="characters",
    trace=trace_characters,
    code=("hash_characters.iter_rows", "hash_characters.join_positions"),
    sample=sample_characters,
    needs=("bytes", "vectors"),
    equation=True,
)
