"""What the page shows of a run beside its bands: tokens before and after, differences of texts, parts to copy."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from ...scratch.compat.batches import Encoded, Token
from .cards import active, with_own_map
from .changes import as_component
from .run import Run

MAX_TOKENS = 400
"""The number of tokens of a list that are shown."""
MAX_PRODUCT = 4_000_000
"""Above this product of lengths, two texts are not compared beyond what they begin and end with."""
MAX_MAP = 20_000


@dataclass(frozen=True, slots=True)
class Difference:
    """Text that both have, or that only one has."""

    text: str
    kind: str


def tokens(run: Run, other: Run | None) -> list[tuple[Token, bool]]:
    """Return the first tokens of an encoding, each with whether the other has no equal one at its place."""
    own = run.encodings[0].tokens
    theirs = {(token.id, token.start, token.end) for token in other.encodings[0].tokens} if other else set()
    return [
        (token, other is not None and (token.id, token.start, token.end) not in theirs) for token in own[:MAX_TOKENS]
    ]


def text_difference(old: str, new: str) -> list[Difference]:
    """Return two texts as one: what both have, what only the old one has, what only the new one has.

    >>> [(run.text, run.kind) for run in text_difference("Ab", "ab!")]
    [('A', 'lost'), ('a', 'new'), ('b', 'same'), ('!', 'new')]
    """
    if len(old) * len(new) > MAX_PRODUCT:
        return [Difference(old, "lost"), Difference(new, "new")] if old != new else [Difference(old, "same")]
    runs = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            runs.append(Difference(old[a:b], "same"))
            continue
        runs += [Difference(part, kind) for part, kind in ((old[a:b], "lost"), (new[c:d], "new")) if part]
    return runs


def part_of_json(stage: str, parts: Sequence[Mapping[str, Any]]) -> str:
    """Return a stage as it stands in a tokenizer.json; a long character map is named `own`."""
    kept = active(parts)
    kept = [with_own_map(part) if len(str(part.get("precompiled_charsmap"))) > MAX_MAP else part for part in kept]
    return json.dumps({stage: as_component(stage, kept)}, ensure_ascii=False, indent=2)


def rows(encodings: Sequence[Encoded], most: int = 12) -> list[tuple[str, Encoded]]:
    """Return encodings with their overflowing parts, each with a name."""
    named: list[tuple[str, Encoded]] = []
    for number, one in enumerate(encodings):
        name = "Text" if number == 0 else f"Line {number}"
        named.append((name, one))
        named += [(f"{name}, overflow {i}", part) for i, part in enumerate(one.overflowing, 1)]
    return named[:most]
