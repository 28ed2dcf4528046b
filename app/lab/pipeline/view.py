"""What the page shows of a run beside its bands: tokens before and after, differences, parts to copy, and a picture."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import accumulate, groupby
from typing import Any
from unicodedata import bidirectional

from ... import __version__
from ...files.tokenizer_json.components import as_component
from ...scratch.compat.pipeline.batches import PipelineEncoding, PipelineToken
from ..palette import tone
from ..steps.drawing import PAD, Box, Drawing, Label, Stroke
from ..steps.step import Mark
from ..steps.tiles import visible
from ..typefaces import is_rtl, measure
from .cards import OFF, active, with_own_map
from .layout import BandCell, BandPiece, BandRow, tables
from .run import PipelineRun
from .sources import PipelineSource

MAX_TOKENS = 400
"""The number of tokens of a list that are shown."""
MAX_WORDS = 500
MAX_CHARACTERS = 100
"""The numbers of words and of characters up to which two texts are compared: the time grows with their square."""
WORD = re.compile(r"\s?[^\s]*|\s", re.DOTALL)
MAX_MAP = 20_000
LETTER = 18
SMALL = 13
ID = 11
ROW = 44
TALL = 28
"""Sizes of letters of pieces, of what stands beside them and of ids; height of a row, and of a piece."""
TITLE = 40
SPACE = 24
"""Room of the title, and between the tables of a long text."""
MARKS: dict[str, Mark] = {"inserted": "byte", "special": "byte", "unknown": "special", "padding": "rest"}
LEGEND = "Underlined: other characters than above · dashed: inserted · strong edge: unknown token · ×: removed"


@dataclass(frozen=True, slots=True)
class DiffSegment:
    """Text that both have, or that only one has."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class PipelineExample:
    """A text with the tokenizer that it shows; `options` are fields of the page."""

    id: str
    title: str
    tokenizer: str
    text: str
    pair: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)


EXAMPLES = (
    PipelineExample(
        "bert", "BERT: lower case, no accents", "bert-base-uncased", "Héllo,  WÖRLD! Tokenization isn’t hard."
    ),
    PipelineExample("gpt-4", "GPT-4o: pattern and bytes", "o200k_base", "Hello, 🌍! 你好! It's 2024."),
    PipelineExample("t5", "T5: character map and ▁", "t5", "The ﬁrst  cafe\u0301 №\u00a03"),
    PipelineExample("gemma", "Gemma 4: spaces as ▁, bytes as fallback", "gemma4", "Once upon a time … 𐎀 <bos>"),
    PipelineExample("clip", "CLIP: ends of words", "clip", "A PHOTO of  a café"),
    PipelineExample(
        id="pair",
        title="Pair, truncated and padded",
        tokenizer="bert-base-uncased",
        text="Which stage drops the spaces between the words of a text?",
        pair="The pre-tokenizer does, and the decoder puts them back.",
        options={"max_length": 16, "stride": 2, "pad": "fixed", "length": 20},
    ),
)


def tokens(run: PipelineRun, other: PipelineRun | None) -> list[tuple[PipelineToken, bool]]:
    """Return the first tokens of an encoding, each with whether the other has no equal one at its place."""
    own = run.encodings[0].tokens
    theirs = {(token.id, token.start, token.end) for token in other.encodings[0].tokens} if other else set()
    return [
        (token, other is not None and (token.id, token.start, token.end) not in theirs) for token in own[:MAX_TOKENS]
    ]


def text_difference(old: str, new: str) -> list[DiffSegment]:
    """Return two texts as one: what both have, what only the old one has, what only the new one has.

    Word by word, and within words that differ character by character.

    >>> [(run.text, run.kind) for run in text_difference("Ab c", "ab c")]
    [('A', 'lost'), ('a', 'new'), ('b c', 'same')]
    """
    runs = list[DiffSegment]()
    for same, one, other in _opcodes(WORD.findall(old), WORD.findall(new), MAX_WORDS):
        before = "".join(one)
        after = "".join(other)
        parts = [(same, before, after)] if same else _opcodes(before, after, MAX_CHARACTERS)
        for alike, lost, added in parts:
            shown = [(lost, "same")] if alike else [(lost, "lost"), (added, "new")]
            runs += [DiffSegment("".join(text), kind) for text, kind in shown if text]
    joined = ((kind, [run.text for run in group]) for kind, group in groupby(runs, key=lambda run: run.kind))
    return [DiffSegment("".join(texts), kind) for kind, texts in joined]


def _opcodes(old: Sequence[str], new: Sequence[str], most: int) -> Iterator[tuple[bool, Sequence[str], Sequence[str]]]:
    """Yield equal and differing stretches in turn; they are not compared where one text is longer than `most`."""
    if max(len(old), len(new)) > most:
        yield old == new, old, new
        return
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        yield tag == "equal", old[a:b], new[c:d]


def direction(text: str) -> str:
    """Return the direction in which a text is read, that of its first letter.

    >>> direction("12 ab"), direction("مرحبا")
    ('ltr', 'rtl')
    """
    strong = (bidirectional(char) for char in text[:1000])
    return "rtl" if next((one for one in strong if one in ("L", "R", "AL")), "L") != "L" else "ltr"


def format_stage_json(stage: str, parts: Sequence[Mapping[str, Any]]) -> str:
    """Return a stage as it stands in a tokenizer.json; a long character map is named `own`."""
    return _dump({stage: as_component(stage, [*map(_with_short_map, active(parts))])})


def format_part_json(part: Mapping[str, Any]) -> str:
    """Return a component as it stands in a tokenizer.json, also one that is switched off."""
    return _dump(_with_short_map({name: value for name, value in part.items() if name != OFF}))


def format_model_json(source: PipelineSource, options: Mapping[str, Any]) -> str:
    """Return a model as it stands in a tokenizer.json, without its vocabulary."""
    return _dump({"type": source.kind, **options})


def _with_short_map(part: Mapping[str, Any]) -> Mapping[str, Any]:
    return with_own_map(dict(part)) if len(str(part.get("precompiled_charsmap"))) > MAX_MAP else part


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def sequence_start(run: PipelineRun, token: PipelineToken) -> int | None:
    """Return where the text of a token begins on the page: a second text stands behind the first. None for no text."""
    return None if token.sequence is None else len(run.question.text) if token.sequence else 0


def rows(encodings: Sequence[PipelineEncoding], most: int = 12) -> list[tuple[str, PipelineEncoding]]:
    """Return encodings with their overflowing parts, each with a name."""
    named: list[tuple[str, PipelineEncoding]] = []
    for number, one in enumerate(encodings):
        name = "Text" if number == 0 else f"Line {number}"
        named.append((name, one))
        named += [(f"{name}, overflow {i}", part) for i, part in enumerate(one.overflowing, 1)]
    return named[:most]


def draw_pipeline(run: PipelineRun) -> Drawing:
    """Return the tables of a run one below the other, those of a text from right to left begin at the right."""
    systems, whole = tables(run)
    title = f"A text through the pipeline of {run.source.id}"
    boxes, strokes, labels = list[Box](), list[Stroke](), [Label(PAD, 28, title, bold=True, middle=False)]
    left = 2 * PAD + max(_head_width(row) for rows in systems for row in rows)
    columns = [_columns(rows) for rows in systems]
    right = max(left + sum(widths) for widths in columns)
    rtl = is_rtl([run.question.text])
    y = float(TITLE)
    for rows, widths in zip(systems, columns, strict=True):
        for row in rows:
            strokes.append(Stroke(f"M{PAD} {y + ROW:g}H{right:g}"))
            labels += _head(row, y)
            for cell, x, width in _places(row, widths):
                place = right - x - width if rtl else left + x
                cell = replace(cell, pieces=cell.pieces[::-1]) if rtl else cell
                _draw_cell(boxes, strokes, labels, row, cell, place, y, width)
            y += ROW
        y += SPACE
    notes = [LEGEND, f"Made with Tokenarium {__version__}"]
    if not whole:
        notes.insert(0, "The pieces of the first characters; those that follow are left out.")
    for note in notes:
        labels.append(Label(PAD, y, note, middle=False, face="sans", size=SMALL, soft=True))
        y += SPACE
    wide = max(right, *(measure(note, "sans", SMALL) for note in notes), measure(title, "serif", 20, bold=True)) + PAD
    return Drawing(wide, y, tuple(boxes), tuple(strokes), tuple(labels), says=title)


def _head_width(row: BandRow) -> float:
    return max(measure(row.title, "sans", SMALL + 2), measure(row.type, "sans", SMALL))


def _head(row: BandRow, y: float) -> Iterator[Label]:
    """Yield the name of a stage, and below it that of its component."""
    yield Label(PAD, y + (18 if row.type else 26), row.title, middle=False, face="sans", size=SMALL + 2)
    if row.type:
        yield Label(PAD, y + 35, row.type, middle=False, face="sans", size=SMALL, soft=True)


def _piece_width(piece: BandPiece) -> float:
    number = 0 if piece.id is None else measure(str(piece.id), "sans", ID) + 4
    return max(measure(visible(piece.text), "mono", LETTER) + 10, number)


def _cell_width(cell: BandCell) -> float:
    return sum(_piece_width(piece) + 2 for piece in cell.pieces)


def _columns(rows: Sequence[BandRow]) -> list[float]:
    """Return the widths of columns in which every cell has room, those that span several at last."""
    count = max((sum(cell.span for cell in row.cells) for row in rows), default=0)
    widths = [6.0] * count
    cells = [
        (cell.span, at - cell.span, _cell_width(cell))
        for row in rows
        for cell, at in zip(row.cells, accumulate(cell.span for cell in row.cells), strict=True)
    ]
    for span, at, need in sorted(cells):
        lacking = need - sum(widths[at : at + span])
        for column in range(at, at + span):
            widths[column] += max(0, lacking) / span
    return widths


def _places(row: BandRow, widths: Sequence[float]) -> Iterator[tuple[BandCell, float, float]]:
    """Yield the cells of a row with their places and widths."""
    at, x = 0, 0.0
    for cell in row.cells:
        width = sum(widths[at : at + cell.span])
        yield cell, x, width
        at, x = at + cell.span, x + width


def _draw_cell(
    boxes: list[Box],
    strokes: list[Stroke],
    labels: list[Label],
    row: BandRow,
    cell: BandCell,
    x: float,
    y: float,
    width: float,
) -> None:
    middle = x + width / 2
    if cell.gone:
        strokes.append(Stroke(f"M{middle - 4:.1f} {y + 18:g}l8 8m0 -8l-8 8", "strike"))
    x = middle - _cell_width(cell) / 2
    for piece in cell.pieces:
        own = _piece_width(piece)
        plain = piece.id is None
        numbered = not plain and row.stage == "model"
        top = y + (2 if numbered else (ROW - TALL) / 2)
        mark = MARKS.get(piece.kind, "missed" if plain else "")
        color = 0 if piece.id is None else tone(piece.id)
        share = 0.0 if plain else 1.0
        boxes.append(Box(x, top, own, visible(piece.text), color, height=TALL, size=LETTER, mark=mark, share=share))
        if piece.kind == "changed":
            strokes.append(Stroke(f"M{x + 5:.1f} {top + TALL - 4:.1f}H{x + own - 5:.1f}", "strike"))
        if numbered:
            labels.append(Label(x + own / 2, y + 41, str(piece.id), face="sans", size=ID))
        x += own + 2
