"""The frames of an encoding that are not about one word's model: the text, what it is changed to, how it is cut into
words, and a word that was met before."""

from app.lab.steps.encode.merging import reached
from app.lab.steps.encode.tiles import MOST, characters, quoted, token, window, word
from app.lab.steps.frames import Fact, Frame, Row, Tile
from app.scratch.older_unicode import lower
from app.types import CutWord, Trace

NAMED = 5
"""Pieces that a note names."""


def frames(text: str, trace: Trace) -> list[Frame]:
    """What there is before the model sees its first word."""
    found = [_text(text)]
    if not text:
        return found
    if trace.normal != text:
        found.append(_normalized(text, trace, len(found)))
    found.append(_cut(trace, len(found)))
    return found


def _text(text: str) -> Frame:
    size, count = len(text.encode()), len(text)
    caption = (
        f"The text: {count:,} character{'s' * (count != 1)}, {size:,} byte{'s' * (size != 1)} in UTF-8."
        if text
        else "The text is empty: no tokens."
    )
    facts = (Fact("characters", f"{count:,}"), Fact("bytes", f"{size:,}"))
    return Frame(0, "text", (caption,), (characters(text),), facts=facts)


def _normalized(text: str, trace: Trace, step: int) -> Frame:
    if trace.normal == lower(text):
        how = "The text is written in lower case."
    elif trace.method == "attempts":
        how = "The text is cleaned: lower case, no accents, no control characters, spaces about Chinese ones."
    elif trace.normal.replace("▁", " ") in (f" {text}", text):
        front = ", and one is put in front" if len(trace.normal) > len(text) else ""
        how = f"Each space is written as ▁{front}."
    else:
        how = "The text is normalized: this is what the model sees."
    change = f"{len(trace.normal) - len(text):+,}".replace("-", "−")
    facts = (Fact("characters", f"{len(trace.normal):,}", "" if change == "+0" else change),)
    rows = (characters(text, "before"), characters(trace.normal, "after"))
    return Frame(step, "normalize", (how,), rows, facts=facts)


def _cut(trace: Trace, step: int) -> Frame:
    count = len(trace.words)
    tiles = tuple(
        word(found.cut, at=i, mark="special" if found.cut.special else "")
        for i, found in zip(window(count, 0), trace.words, strict=False)
    )
    row = Row(tiles, left_out_after=count - len(tiles))
    return Frame(step, "pre-tokenize", (_how(trace),), (row,), facts=(Fact("pieces", f"{count:,}"),))


def _how(trace: Trace) -> str:
    number = f"{len(trace.words):,} piece{'s' * (len(trace.words) != 1)}"
    special = " The special tokens are taken out first." if any(found.cut.special for found in trace.words) else ""
    if trace.pattern and trace.method == "units":
        return f"A pattern cuts the text into {number}, each a token."
    if trace.pattern:
        return f"A pattern cuts the text into {number}. Nothing joins across a cut.{special}"
    if trace.method == "attempts":
        return f"White space and punctuation cut the text into {number}; white space is dropped.{special}"
    if trace.method == "units":
        return f"The text is {number}, each a token.{special}"
    alone = f"No token reaches across these cuts, so each of {number} can be followed alone."
    return f"There is no pre-tokenizer. {alone}{special}" if len(trace.words) > 1 else "There is no pre-tokenizer."


def again(trace: Trace, cut: CutWord, step: int) -> Frame:
    """A word that was cut before."""
    tiles = tuple(token(trace, cut, i, at=i) for i in range(min(MOST, len(cut.tokens))))
    caption: tuple[str | Tile, ...] = (
        word(cut),
        " was cut before, and is cut the same again: ",
        *quoted(tiles[:NAMED]),
    )
    ending = " …" if len(cut.tokens) > NAMED else "."
    if len(cut.tokens) == 1:
        caption, ending = (word(cut), " was met before: the same token again"), "."
    row = Row(tiles, left_out_after=len(cut.tokens) - len(tiles))
    facts = (Fact("tokens of the piece", f"{len(cut.tokens):,}"),)
    return Frame(step, "model", (*caption, ending), (row,), facts=facts)


def notes(trace: Trace) -> tuple[str, ...]:
    """What a reader must know."""
    if trace.method != "merges":
        return ()
    odd = {found.cut.symbols: None for found in trace.words if found.cut.whole and not reached(found.cut)}
    if not odd:
        return ()
    named = ", ".join(f"“{word_.decode()}”" if isinstance(word_, bytes) else word_ for word_ in [*odd][:NAMED])
    more = f" and {len(odd) - NAMED:,} more" if len(odd) > NAMED else ""
    return (f"In the vocabulary whole, though no merges up to their rank make them: {named}{more}.",)
