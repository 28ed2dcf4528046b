"""Why tokens changed: the first stage at which a changed pipeline differs from the tokenizer's own, token by token."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal
from unicodedata import combining

from ...scratch.compat.pipeline.bands import Band, Piece
from .cards import canonical
from .layout import MARGIN, MAX_SHOWN, TITLES
from .run import PipelineRun

MAX_CHANGES = 20
"""The maximum number of changes whose reasons are found, all within the part of the text that the page shows."""
WORDS = ("pre_tokenizer", "model")
"""The stages whose pieces are words or tokens; before them, pieces are only runs of one text."""
Action = Literal["off", "new", "moved", "replaced", "other", "follows"]
"""The component no longer runs · runs now · runs at another place · runs in place of another one · has other
parameters · is the same, but the first at which the difference can be seen."""
Unit = Literal["text", "words", "tokens"]
Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StageDifference:
    """The first stage at which two pipelines differ: its component, what is with it, and what each of them has there.

    `unit` says whether `old` and `new` are one text, words or tokens.
    """

    stage: str
    type: str
    action: Action
    unit: Unit
    old: tuple[str, ...]
    new: tuple[str, ...]

    @property
    def title(self) -> str:
        """The name of the stage in a sentence."""
        return TITLES[self.stage].lower()


@dataclass(frozen=True, slots=True)
class TokenChange:
    """Tokens that differ for a part of the text, `start` to `end` in code points of it, and the reason.

    A special token that a post-processor adds or no longer adds has no part of the text: `start` is `end`.
    """

    text: str
    start: int
    end: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    reason: StageDifference


@dataclass(frozen=True, slots=True)
class _Step:
    """A band with its component as text, so that equal ones can be found in two pipelines."""

    key: str
    stage: str
    type: str
    band: Band


def explain_changes(old: PipelineRun, new: PipelineRun) -> list[TokenChange]:
    """Return the tokens of the text that differ between two runs, each with the first stage that differs.

    Those of a second text are left out.
    """
    before = _steps(old)
    after = _steps(new)
    moves = [*_moves(before, after)]
    text = old.question.text
    changes = []
    for start, end in _changed_stretches(before[-1].band, after[-1].band, text)[:MAX_CHANGES]:
        reason = _first_difference(moves, (start, end), len(text))
        tokens = [_state(steps[-1].band, (start, end), len(text), words=True) for steps in (before, after)]
        changes.append(TokenChange(text[start:end], start, end, tokens[0], tokens[1], reason))
    return [*changes, *_special_changes(old, new)]


def _steps(run: PipelineRun) -> list[_Step]:
    """Return the bands of a text up to the model, each with its component."""
    steps = []
    for band in map(_beginning, run.bands):
        parts = run.parts.get(band.stage) or ()
        part = parts[band.component] if band.component is not None and band.component < len(parts) else None
        if part is not None:
            key = json.dumps(canonical(band.stage, part), default=str)
            steps.append(_Step(band.stage + key, band.stage, str(part["type"]), band))
        elif band.stage == "model":
            options = json.dumps(dict(run.options), sort_keys=True, default=str)
            steps.append(_Step(options, band.stage, run.source.kind, band))
        else:
            steps.append(_Step(f"{band.stage} {band.component}", band.stage, "", band))
    return steps


def _beginning(band: Band) -> Band:
    """Return a band without the pieces behind the part of the text that the page shows."""
    count = sum(start <= MAX_SHOWN + MARGIN for start in band.starts)
    return Band(band.stage, band.component, band.pieces[:count], band.ids and band.ids[:count])


Move = tuple[_Step, _Step, _Step, Action]
"""Where each of two pipelines is, the step that was taken last, and what it is in the new one."""


def _moves(old: Sequence[_Step], new: Sequence[_Step]) -> Iterator[Move]:
    """Yield the pairs of steps at which two pipelines can be compared, from the input to the tokens."""
    left = old[0]
    right = new[0]
    own, others = ([(step.stage, step.type) for step in steps] for steps in (old, new))
    keys = [{step.key for step in steps} for steps in (old, new)]
    for tag, a, b, c, d in SequenceMatcher(None, own, others, autojunk=False).get_opcodes():
        if tag == "equal":
            for left, right in zip(old[a:b], new[c:d], strict=True):
                yield left, right, right, "follows" if left.key == right.key else "other"
        elif tag == "replace":
            left = old[b - 1]
            right = new[d - 1]
            yield left, right, right, "replaced"
        else:
            for left in old[a:b]:
                yield left, right, left, "moved" if left.key in keys[1] else "off"
            for right in new[c:d]:
                yield left, right, right, "moved" if right.key in keys[0] else "new"


def _first_difference(moves: Sequence[Move], stretch: Stretch, size: int) -> StageDifference:
    """Return the first difference of two pipelines for a part of the text."""
    for left, right, step, action in moves:
        words = left.stage in WORDS or right.stage in WORDS
        part = _grow((left.band, right.band), stretch)
        old, new = (_state(one.band, part, size, words=words) for one in (left, right))
        if old != new or step.stage == "model":
            unit: Unit = "tokens" if left.stage == right.stage == "model" else "words" if words else "text"
            return StageDifference(step.stage, step.type, action, unit, old, new)
    raise ValueError("Both pipelines end with a model.")


def _changed_stretches(old: Band, new: Band, text: str) -> list[Stretch]:
    """Return the parts of the text whose tokens differ, in order; those that overlap are one, as are combining marks
    and what they follow."""
    rows = [{*zip(band.ids or (), band.starts, band.ends, strict=True)} for band in (old, new)]
    stretches = list[Stretch]()
    for _, start, end in sorted(rows[0] ^ rows[1], key=lambda row: row[1:]):
        last = stretches[-1] if stretches else (0, 0)
        mark = start == last[1] and start < len(text) and combining(text[start])
        if stretches and (start < last[1] or (start, end) == last or mark):
            stretches[-1] = (stretches[-1][0], max(end, stretches[-1][1]))
        else:
            stretches.append((start, end))
    return stretches


def _is_aligned(piece: Piece) -> bool:
    """True if each character of a piece stands for one of the input, so that it can be divided."""
    return len(piece[0]) == piece[2] - piece[1]


def _overlapping(band: Band, stretch: Stretch) -> list[Piece]:
    """Return the pieces of a part of the text, with those inserted in front of it or in it."""
    begin, stop = stretch
    return [
        piece
        for piece in band.pieces
        if (piece[1] < stop and begin < piece[2]) or (piece[1] == piece[2] and begin <= piece[1] < max(stop, begin + 1))
    ]


def _grow(bands: Sequence[Band], stretch: Stretch) -> Stretch:
    """Return the smallest part of the text around another that divides no word, and no text that cannot be divided."""
    while True:
        wide = stretch
        for band in bands:
            for piece in _overlapping(band, wide):
                if band.stage in WORDS or not _is_aligned(piece):
                    wide = min(wide[0], piece[1]), max(wide[1], piece[2])
        if wide == stretch:
            return wide
        stretch = wide


def _state(band: Band, stretch: Stretch, size: int, *, words: bool) -> tuple[str, ...]:
    """Return the words or tokens of a band in a part of the text, or its text there.

    Where it is compared with `words`, a text that goes on beyond the part has an ellipsis there.
    """
    pieces = _overlapping(band, stretch)
    if band.stage in WORDS:
        return tuple(text for text, *_ in pieces)
    begin, stop = stretch
    text = "".join(
        piece[0][max(0, begin - piece[1]) : len(piece[0]) - max(0, piece[2] - stop)] if _is_aligned(piece) else piece[0]
        for piece in pieces
    )
    if words and text:
        text = f"{'…' if begin else ''}{text}{'…' if stop < size else ''}"
    return (text,) if text or not words else ()


def _special_changes(old: PipelineRun, new: PipelineRun) -> Iterator[TokenChange]:
    """Yield the special tokens that one run has more than the other, or in another order."""
    lost, added = (tuple(token.text for token in run.encodings[0].tokens if token.special) for run in (old, new))
    if lost == added:
        return
    own, changed = ([str(part["type"]) for part in run.parts["post_processor"] or ()] for run in (old, new))
    action: Action = "off" if len(changed) < len(own) else "new" if len(changed) > len(own) else "other"
    parts = own if action == "off" else changed
    others = changed if action == "off" else own
    name = next((one for one in parts if one not in others), parts[-1] if parts else "")
    yield TokenChange("", 0, 0, lost, added, StageDifference("post_processor", name, action, "tokens", lost, added))
