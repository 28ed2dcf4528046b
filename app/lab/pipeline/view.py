"""What the page shows of a run beside its bands: tokens before and after, differences of texts, parts to copy."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any
from unicodedata import bidirectional

from ...scratch.compat.pipeline.batches import PipelineEncoding, PipelineToken
from .cards import OFF, active, with_own_map
from .changes import as_component
from .run import PipelineRun
from .sources import PipelineSource

MAX_TOKENS = 400
"""The number of tokens of a list that are shown."""
MAX_WORDS = 500
MAX_CHARACTERS = 100
"""The numbers of words and of characters up to which two texts are compared: the time grows with their square."""
WORD = re.compile(r"\s?[^\s]*|\s", re.DOTALL)
MAX_MAP = 20_000


@dataclass(frozen=True, slots=True)
class DiffSegment:
    """Text that both have, or that only one has."""

    text: str
    kind: str


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
    """Yield what is equal and what differs in turn; without a comparison where one is longer than `most`."""
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
