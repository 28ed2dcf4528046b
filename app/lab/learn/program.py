"""The scene about tiktoken as a program: special tokens, the pattern, look-ups and merges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from random import Random
from typing import cast

from ...errors import plural
from ...registry import Registry
from ...scratch.pretokenize import pretokenize
from ...scratch.tiktoken_program import EncodedPiece, ParsedSpecial, RefusedSpecial, iter_encoding
from ...types import Tokenizer
from ..steps.patterns import expression
from ..steps.step import Fact, Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, make_row, percent
from .code import trace_lines
from .prose import LONG_WORDS, PHRASES, say
from .scene import Question, Trace, ask
from .texts import token_tiles, trace_text

MODEL = "cl100k_base"
"""The tokenizer of the scene, of GPT-4."""
SPECIAL = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}
"""Its special tokens."""
CALLS: tuple[tuple[str, Set[str], Set[str] | None], ...] = (
    ("encode(text)", frozenset(), None),
    ("encode(text, disallowed_special=())", frozenset(), frozenset()),
    ('encode(text, allowed_special="all")', frozenset(SPECIAL), frozenset()),
)
"""Three calls: what one types, which special tokens are allowed, and which are refused; None for all others."""
MOST_MERGED = 2
"""Pieces whose merges have a step."""
Part = RefusedSpecial | ParsedSpecial | EncodedPiece
Run = Sequence[tuple[tuple[str, int], Part]]
"""The parts of a call, each with the line that made it."""


def cut(text: str) -> Iterator[str]:
    """Yield the pieces of a text by the pattern of GPT-4."""
    return (piece for _, piece in pretokenize(text, expression("cl100k")))


def trace_program(text: str, registry: Registry) -> Trace:
    """Trace three calls of tiktoken's `encode` on a text, and the pieces of the second one."""
    tokenizer = registry.get(MODEL, "scratch")
    ranks = cast("Mapping[bytes, int]", trace_text(registry, MODEL, "a").ids)
    runs: list[Run] = [
        [*trace_lines(iter_encoding(text, cut, ranks, SPECIAL, allowed, disallowed))]
        for _, allowed, disallowed in CALLS
    ]
    whole = TileRow((Tile(text, NO_ID),), "text")
    steps = [Step(say("tiktoken.steps.start"), (whole,)), _first_call(runs[0], whole)]
    steps += _show_pieces(runs[1], whole, tokenizer)
    for number in (1, 2):
        run, call = runs[number], CALLS[number][0]
        sentence = say("tiktoken.steps.call", call=call, tokens=plural(_count(run), "token"))
        special = (line for line, part in run if isinstance(part, ParsedSpecial))
        line = next(special, run[-1][0])
        steps.append(Step(sentence, (whole, _token_row(run, tokenizer)), line, _tabulate_calls(runs[: number + 1])))
    return Trace(steps, _ask_parsed(runs, _token_row(runs[1], tokenizer)))


def _first_call(run: Run, whole: TileRow) -> Step:
    line, part = run[0]
    if isinstance(part, RefusedSpecial):
        sentence = say("tiktoken.steps.refused", token=Tile(part.token, NO_ID + 1, mark="special"))
    else:
        sentence = say("tiktoken.steps.accepted", tokens=plural(_count(run), "token"))
    return Step(sentence, (whole,), line, _tabulate_calls([run]))


def _show_pieces(run: Run, whole: TileRow, tokenizer: Tokenizer) -> Iterator[Step]:
    """Yield the pieces of the pattern, how many of them are tokens, and the merges of some that are not."""
    pieces = [(line, part) for line, part in run if isinstance(part, EncodedPiece)]
    row = make_row((Tile(part.piece, NO_ID + at) for at, (_, part) in enumerate(pieces)), "pieces")
    known = [line for line, part in pieces if part.whole]
    looked_up = Fact("looked up whole", f"{len(known)}", percent(len(known) / len(pieces)))
    sentence = say("tiktoken.steps.pieces", pieces=plural(len(pieces), "piece"), known=len(known))
    facts = (Fact("pieces", f"{len(pieces)}"), looked_up)
    yield Step(sentence, (whole, row), known[0] if known else pieces[0][0], facts=facts)
    for line, part in [one for one in pieces if not one[1].whole][:MOST_MERGED]:
        piece = Tile(part.piece, NO_ID, mark="missed")
        merged = say("tiktoken.steps.merged", piece=piece, tokens=plural(len(part.ids), "token"))
        yield Step(merged, (whole, row, _token_row([(line, part)], tokenizer)), line)


def _token_row(run: Run, tokenizer: Tokenizer) -> TileRow:
    """Return the tokens of a call."""
    tiles: list[Tile] = []
    for _, part in run:
        if isinstance(part, ParsedSpecial):
            tiles.append(Tile(part.token, part.id, mark="special"))
        elif isinstance(part, EncodedPiece):
            tiles += token_tiles(tokenizer, part.ids)
    return make_row(tiles, "tokens")


def _count(run: Run) -> int:
    return sum(len(part.ids) if isinstance(part, EncodedPiece) else 1 for _, part in run)


def _tabulate_calls(runs: Sequence[Run]) -> Table:
    results = ["ValueError" if isinstance(run[0][1], RefusedSpecial) else f"{_count(run)}" for run in runs]
    rows = ((call, result) for (call, _, _), result in zip(CALLS, results, strict=False))
    return tabulate("What each call gives", ("call", "tokens"), rows)


def _ask_parsed(runs: Sequence[Run], row: TileRow) -> Question | None:
    """Return the question how many tokens are left if special tokens are parsed; None if the text spells none."""
    special = [part for _, part in runs[2] if isinstance(part, ParsedSpecial)]
    if not special:
        return None
    plain, parsed = _count(runs[1]), _count(runs[2])
    return ask(
        "tiktoken.question",
        parsed,
        [(plain, "plain"), (parsed - len(special), "dropped"), (plain + len(special), "added")],
        given=Step(say("tiktoken.question.given", special=special[0].token), (row,)),
        shown_at=-1,
        call=CALLS[2][0],
        plain=plain,
        parsed=parsed,
        special=plural(len(special), "special token"),
    )


def sample_call(random: Random) -> str:
    """Return a text that spells a special token."""
    token = random.choice([*SPECIAL])
    return random.choice((f"{token}{random.choice(PHRASES)}", f"{random.choice(LONG_WORDS)}{token}Go on."))
