"""The events of a training."""

from collections.abc import Mapping
from typing import Any, Literal, NotRequired, TypedDict

MAX_POINTS = 500
"""Points of the growth of a vocabulary that a summary has at least, once there are that many; at most twice as many."""
NEWEST = 16
"""Tokens that a summary has of those learned last."""
RATE_SECONDS = 3.0
"""The rate of learning is measured over the last few seconds."""


class StartedEvent(TypedDict):
    """The options, and the corpus: its name for people, its bytes and its hash."""

    kind: Literal["started"]
    options: dict[str, Any]
    corpus: str
    bytes: int
    sha256: str


class CountingEvent(TypedDict):
    """Progress of pre-tokenization: `read` of `of` bytes, and the number of different words."""

    kind: Literal["counting"]
    read: int
    of: int
    words: int


class LearningEvent(TypedDict):
    """Progress of learning: `pieces` of `of` tokens, `at` seconds after the start.

    `points` are (size of the vocabulary, tokens in the corpus) since the last event, where the trainer reports them.
    `newest` are the last tokens learned. `lengths[n]` counts tokens of length n + 1, its last item all longer ones
    too. Unigram adds its `round` and the log `likelihood`; its vocabulary shrinks towards `of`.
    """

    kind: Literal["learning"]
    pieces: int
    of: int
    at: float
    points: list[tuple[int, int]]
    newest: list[str]
    lengths: list[int]
    round: NotRequired[int]
    likelihood: NotRequired[float]


class DoingEvent(TypedDict):
    """Work whose progress cannot be counted."""

    kind: Literal["doing"]
    what: str


class NoteEvent(TypedDict):
    """A remark without which the result would be misread."""

    kind: Literal["note"]
    text: str


Event = StartedEvent | CountingEvent | LearningEvent | DoingEvent | NoteEvent


def note(text: str) -> NoteEvent:
    """Return a `NoteEvent`.

    >>> note("Few words.")
    {'kind': 'note', 'text': 'Few words.'}
    """
    return {"kind": "note", "text": text}


def make_doing_event(what: str) -> DoingEvent:
    """Return a `DoingEvent`."""
    return {"kind": "doing", "what": what}


def merge_progress(before: Mapping[str, Any] | None, event: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an event of progress that stands for those before it, too.

    One of learning gets their points, their newest tokens, and `recent`: the (seconds, tokens) that the rate is
    measured over.

    >>> first = {"kind": "learning", "pieces": 2, "at": 0.5, "points": [(2, 9)], "newest": ["a"]}
    >>> second = {**first, "pieces": 3, "at": 4.0, "points": [(3, 8)], "newest": ["b"]}
    >>> last = merge_progress(merge_progress(None, first), second)
    >>> last["points"], last["newest"], last["recent"]
    ([(2, 9), (3, 8)], ['a', 'b'], [(4.0, 3)])
    """
    if event["kind"] != "learning":
        return event
    known = before or {"points": (), "newest": (), "recent": ()}
    points = [*known["points"], *event["points"]]
    if len(points) > 2 * MAX_POINTS:
        points = [*points[:-1:2], points[-1]]
    newest = [*known["newest"], *event["newest"]][-NEWEST:]
    recent = [one for one in known["recent"] if one[0] >= event["at"] - RATE_SECONDS]
    return {**event, "points": points, "newest": newest, "recent": [*recent, (event["at"], event["pieces"])]}
