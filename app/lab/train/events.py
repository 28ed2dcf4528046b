"""What a training tells while it goes on: plain data, each one line of JSON, about ten a second."""

from collections.abc import Iterator
from time import monotonic
from typing import Any, Literal, NotRequired, TypedDict

EVERY = 0.1
"""Seconds from one event of a kind to the next, at least."""


class Started(TypedDict):
    """What was asked for, and of how much text; `corpus` says in words what it is."""

    kind: Literal["started"]
    options: dict[str, Any]
    corpus: str
    bytes: int
    sha256: str


class Counting(TypedDict):
    """How much of the corpus has been cut into words, in bytes, and how many different words there are."""

    kind: Literal["counting"]
    read: int
    of: int
    words: int


class Learning(TypedDict):
    """How many pieces there are, of how many, and where the trainer tells, how long the corpus is in them.

    `points` are sizes of the vocabulary since the last event with the corpus' length in tokens, the last of them now.
    `newest` are the last ones in the order in which they were learned, `lengths` how many there are of each length,
    from 1 on, the last for all that are longer. Unigram tells its `round` and its `likelihood`, and begins with too
    many pieces: `of` is then where it will end.
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


class Doing(TypedDict):
    """What goes on where nothing can be counted."""

    kind: Literal["doing"]
    what: str


class Note(TypedDict):
    """What one must know to read the result right."""

    kind: Literal["note"]
    text: str


Event = Started | Counting | Learning | Doing | Note


def note(text: str) -> Note:
    """A note.

    >>> note("Few words.")
    {'kind': 'note', 'text': 'Few words.'}
    """
    return {"kind": "note", "text": text}


def doing(what: str) -> Doing:
    """What goes on now."""
    return {"kind": "doing", "what": what}


class Pace:
    """Lets one event through every so often; `at` is the seconds since it began.

    >>> pace = Pace()
    >>> pace.due(), pace.due()
    (True, False)
    """

    def __init__(self) -> None:
        self._begun = monotonic()
        self._next = 0.0

    @property
    def at(self) -> float:
        return round(monotonic() - self._begun, 3)

    def due(self) -> bool:
        """Whether it is time for an event."""
        at = monotonic() - self._begun
        if at < self._next:
            return False
        self._next = at + EVERY
        return True


def paced(events: Iterator[Any]) -> Iterator[Any]:
    """Events as seldom as `Pace` has it, the last in any case.

    >>> list(paced(iter(range(1000))))[-1]
    999
    """
    pace, last, told = Pace(), None, True
    for last in events:
        told = pace.due()
        if told:
            yield last
    if not told:
        yield last
