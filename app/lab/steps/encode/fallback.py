"""The frame in which what the vocabulary lacks becomes the tokens for its bytes, or the unknown token."""

from app.lab.steps.encode.tiles import MOST, OUTSIDE, quoted, token
from app.lab.steps.frames import Fact, Frame, Row, Tile
from app.lab.steps.spelling import spelled
from app.types import CutWord, Trace

NAMED = 5
"""Characters that a caption names."""


def fallback(trace: Trace, cut: CutWord, step: int) -> Frame:
    """A word of which the vocabulary lacks some characters, in its tokens."""
    lacking = [Tile(spelled(cut.symbols[start:end]), OUTSIDE, start) for start, end in cut.lacking[:NAMED]]
    more = f" and {len(cut.lacking) - NAMED:,} more" if len(cut.lacking) > NAMED else ""
    several = len(cut.lacking) > 1
    verb = " are" if several else " is"
    if trace.byte_ids:
        outcome = (
            "Each becomes the tokens for its bytes in UTF-8." if several else "It becomes the tokens for its bytes."
        )
    else:
        outcome = "What the vocabulary lacks becomes the unknown token."
    return Frame(
        step,
        "model",
        (*quoted(lacking), f"{more}{verb} not in the vocabulary. {outcome}"),
        (tokens(trace, cut),),
        facts=(Fact("tokens of the piece", f"{len(cut.tokens):,}"),),
    )


def tokens(trace: Trace, cut: CutWord) -> Row:
    """The tokens of a word, the first of many."""
    tiles = tuple(token(trace, cut, index, at=index) for index in range(min(MOST, len(cut.tokens))))
    return Row(tiles, left_out_after=len(cut.tokens) - len(tiles))
