"""The scene about bytes that make no character, as a translation can end with them."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from random import Random

from ...errors import plural
from ...registry import Registry
from ...scratch.recover_characters import iter_readings, recover
from ..steps.step import Step, Table, Tile, TileRow, tabulate
from ..steps.tiles import NO_ID, character_row
from .code import trace_lines
from .prose import SIGNS, declaration_words, say
from .scene import Question, Trace, ask, limit_text

MOST_BYTES = 40
LEADS = (("00–7f", "1"), ("80–bf", "continues"), ("c2–df", "2"), ("e0–ef", "3"), ("f0–f4", "4"))
"""First and last byte of a range, and how long a character is that begins with one of them."""


def damage(text: str) -> bytes:
    """Return the bytes of a text without one byte of a character that has several, drawn from the text.

    >>> damage("naïve").hex(" ") in ("6e 61 c3 76 65", "6e 61 af 76 65"), damage("plain")
    (True, b'plain')
    """
    data = text.encode()
    places = [at for at, byte in enumerate(data) if byte > 127]
    if not places:
        return data
    lost = Random(text).choice(places)
    return data[:lost] + data[lost + 1 :]


def count_left(text: str, data: bytes) -> tuple[int, ...]:
    r"""Return how many bytes of each character are left in the damaged bytes.

    >>> count_left("aé!", b"a\xa9!")
    (1, 1, 1)
    """
    pairs = zip(text.encode(), data, strict=False)
    lost = next((at for at, (one, other) in enumerate(pairs) if one != other), len(data))
    ends = [*accumulate(len(one.encode()) for one in text)]
    broken = bisect_right(ends, lost)
    return tuple(len(one.encode()) - (at == broken) for at, one in enumerate(text))


def trace_recovery(text: str, registry: Registry) -> Trace:
    """Trace the bytes of a text of which one is lost, and the most characters that can be read from the rest."""
    size = len(text.encode())
    limit_text(size, MOST_BYTES, "bytes")
    data = damage(text)
    lost = size - len(data)
    letters = character_row(text, "text")
    columns = ((1,) * len(text), count_left(text, data))
    damaged = say("recovery.steps.damaged", lost=plural(lost, "byte"))
    steps = [
        Step(say("recovery.steps.start", bytes=plural(size, "byte")), (letters,)),
        Step(damaged, (letters, _byte_row(data)), table=_leads(), columns=columns),
    ]
    for line, step in trace_lines(iter_readings(data)):
        count = plural(step.most, "character")
        sentence = say("recovery.steps.skip", end=step.end, count=count)
        if step.character:
            tile = Tile(step.character, NO_ID + ord(step.character), mark="new")
            sentence = say("recovery.steps.read", character=tile, end=step.end, count=count)
        row = _byte_row(data, range(step.end - (len(step.character.encode()) or 1), step.end))
        steps.append(Step(sentence, (letters, row), line, symbols=("most",), columns=columns))
    found = recover(data)
    rows = (letters, _byte_row(data), character_row(found, "read"))
    end = say("recovery.steps.end", found=plural(len(found), "character"), all=len(text))
    whole = tuple(int(left == len(one.encode())) for one, left in zip(text, columns[1], strict=True))
    steps.append(Step(end, rows, symbols=("most",), columns=(*columns, whole)))
    return Trace(steps, _ask_recovered(text, data, found) if lost else None)


def _byte_row(data: bytes, new: range = range(0)) -> TileRow:
    tiles = (Tile(f"{byte:02x}", NO_ID + byte, at, "new" if at in new else "") for at, byte in enumerate(data))
    return TileRow(tuple(tiles), "bytes")


def _leads() -> Table:
    return tabulate("What a byte begins", ("byte", "bytes of its character"), LEADS)


def _ask_recovered(text: str, data: bytes, found: str) -> Question:
    before = len(data[: _first_fault(data)].decode())
    return ask(
        "recovery.question",
        len(found),
        [(len(text), "all"), (len(data), "bytes"), (before, "before")],
        (_byte_row(data),),
        table=_leads(),
        shown_at=-1,
        found=plural(len(found), "character"),
    )


def _first_fault(data: bytes) -> int:
    """Return the number of bytes before the first that is no UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return len(data)


def sample_damaged(random: Random) -> str:
    """Return a word or two with characters of several bytes."""
    word = random.choice(
        [one for one in declaration_words("deu_1996", "fra", "rus", "hin", "kor") if not one.isascii()]
    )
    text = f"{word} {random.choice(SIGNS)}"
    return text if len(text.encode()) <= MOST_BYTES else random.choice(SIGNS) + "é!"
