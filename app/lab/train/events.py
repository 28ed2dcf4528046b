"""The events of a training."""

from typing import Any, Literal, NotRequired, TypedDict


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


def doing(what: str) -> DoingEvent:
    """Return a `DoingEvent`."""
    return {"kind": "doing", "what": what}
