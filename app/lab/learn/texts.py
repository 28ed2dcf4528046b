"""Scenes about kinds of text: numbers, code and the languages of the world."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import TYPE_CHECKING

from ...errors import Invalid
from ...scratch.digits import aligned, grouping
from ...types import Tokenizer
from ..steps.frames import Row, Tile
from ..steps.tiles import MAX_TILES, NO_ID, plural
from .code import lit
from .scene import MAX_MOMENTS, Claim, Moment, Play, Question, Scene, Table, TableRow, Words, choices

if TYPE_CHECKING:
    from ...registry import Registry


def token_row(tokenizer: Tokenizer, text: str, label: str, *, limit: int = MAX_TILES) -> Row:
    """Return the tokens of a text as a row."""
    ids = tokenizer.encode(text).ids.tolist()
    tiles = tuple(Tile(tokenizer.entry(id).piece, id, at) for at, id in enumerate(ids[:limit]))
    return Row(tiles, label, left_out_after=max(0, len(ids) - limit))


# 13. Numbers

NUMBER = re.compile(r"[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?")
COUNTERS = (("GPT-2", "gpt2"), ("GPT-4o", "o200k_base"), ("Qwen 3", "qwen3"))
"""The models of the scene: one that merges what was frequent, one that cuts threes from the left, one single digits."""


def numbers(text: str, registry: Registry) -> Play:
    """Play the numbers of a text in groups from the left and from the right, and as three tokenizers cut them."""
    spans = [match.span() for match in NUMBER.finditer(text)][:6]
    if not spans:
        raise Invalid("Type a number to see how it is cut.", pointer="/text")
    found = [text[start:end] for start, end in spans]
    digits = [Row(tuple(Tile(digit, NO_ID + ord(digit), at) for at, digit in enumerate(one)), "") for one in found]
    moments = [Moment((f"You see {plural(len(found), 'number')}, digit by digit.",), tuple(digits))]
    schemes: list[tuple[str, list[list[str]]]] = []
    for label, from_right in (("from the left", False), ("from the right", True)):
        cut: list[list[str]] = []
        for line, (number, tokens) in lit("digits.grouping", grouping(found, from_right=from_right)):
            cut.append(tokens)
            says = f"In threes {label}, {number} is {' · '.join(tokens)}."
            rows = tuple(_digit_row(one, label) for one in cut)
            table = _columns([*schemes, (label, cut)])
            moments.append(Moment((says,), rows, line, table, symbols=frozenset({"place"})))
        schemes.append((label, cut))
    for model, id in COUNTERS:
        cut = [_within(registry.get(id, "scratch"), text, *span) for span in spans]
        schemes.append((model, cut))
        says = f"{model}: {plural(sum(map(len, cut)), 'token')}. {_verdict(cut)}"
        rows = tuple(_digit_row(one, model) for one in cut)
        moments.append(Moment((says,), rows, table=_columns(schemes), symbols=frozenset({"value"})))
    return Play(moments[:MAX_MOMENTS], _grouped(found, schemes))


def _within(tokenizer: Tokenizer, text: str, start: int, end: int) -> list[str]:
    """Return the parts of tokens that lie in a span of characters of the text."""
    encoding = tokenizer.encode(text)
    spans = zip(encoding.char_starts.tolist(), encoding.char_ends.tolist(), strict=True)
    return [text[max(a, start) : min(b, end)] for a, b in spans if a < end and b > start]


def _digit_row(tokens: Sequence[str], label: str) -> Row:
    # The key is the token itself, so that the same digits have the same colour in every row.
    return Row(
        tuple(Tile(token, NO_ID + int("0" + re.sub(r"\D", "", token)[:9]), at) for at, token in enumerate(tokens)),
        label,
    )


def _verdict(cut: Sequence[Sequence[str]]) -> str:
    if len(cut) < 2:
        return "With a second number you would see whether their columns align."
    return "The columns align." if aligned(cut) else "The columns do not align."


def _columns(schemes: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> Table:
    rows = tuple(
        TableRow(
            (
                label,
                " | ".join(" ".join(tokens) for tokens in cut),
                ("yes" if aligned(cut) else "no") if len(cut) > 1 else "",
            )
        )
        for label, cut in schemes
    )
    return Table("How the numbers are cut", ("", "tokens", "columns align"), rows)


def _grouped(found: Sequence[str], schemes: Sequence[tuple[str, Sequence[Sequence[str]]]]) -> Question | None:
    at = max(range(len(found)), key=lambda at: len(found[at]))
    ways = {label: " ".join(cut[at]) for label, cut in schemes}
    right = ways["GPT-4o"]
    reason = "Its pattern takes up to three digits at a time, and it begins on the left."
    wrong: list[tuple[Words, str]] = [
        ((ways["from the right"],), "A person writes it so, but a pattern reads from the left."),
        ((ways["GPT-2"],), "So does GPT-2, which merges digits that were frequent neighbours."),
        ((" ".join(found[at]),), "Single digits are what Llama 2 and Qwen take."),
        ((found[at],), "No token of GPT-4o has more than three digits."),
    ]
    options = choices((right,), reason, wrong)
    return Question((f"How does GPT-4o cut {found[at]}?",), options) if len(options) > 1 else None


def sample_sum(random: Random) -> str:
    """Return a sum of two numbers of different lengths."""
    return f"{random.randint(10_000, 9_999_999)} + {random.randint(1000, 99_999)}"


NUMBERS = Scene(
    "numbers",
    "Numbers",
    Claim("A number is cut like a word, so the same digit may be alone, or one of three, or belong to its neighbours."),
    (
        Claim(
            "Counted from the right, the tokens of a column stand for the same places; models add better when digits "
            "are grouped so.",
            "source",
            "singh-2024",
        ),
        Claim("Patterns read from the left, and so GPT-4 and GPT-4o group from the left.", place="their patterns"),
        Claim(
            "In 9.11 the last token is 11, in 9.9 it is 9: nothing in them says that these are hundredths and tenths."
        ),
    ),
    "1234567 + 89012",
    "A sum, or any numbers",
    numbers,
    (
        (
            "1,234,567 + 89,012",
            "With commas, groups from the left are the groups from the right, and the columns align.",
        ),
        ("9.11 9.9", "The token 11 is more than the token 9, though the number is less."),
    ),
    ("digits.grouping", "digits.places", "digits.aligned"),
    sample_sum,
    needs=("pretokenize",),
    opens=(("Playground", "/"), ("Compare", "/compare")),
    equation=True,
)
