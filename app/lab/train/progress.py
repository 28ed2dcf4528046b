"""How far a training is, from what it has told: what a person wants to see of it, kept up with event by event."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.lab.train.options import Options
from app.lab.train.order import options_of

RECENT = 3.0
"""Seconds that a rate is told over."""
NEWEST = 16


@dataclass(slots=True)
class Progress:
    """The state of a training. `points` are (pieces, tokens of the corpus); `rate` is in pieces a second."""

    options: Options = field(default_factory=Options)
    corpus: str = ""
    bytes: int = 0
    stage: str = "waiting"
    says: str = "Starting"
    read: int = 0
    words: int = 0
    pieces: int = 0
    of: int = 0
    round: int = 0
    points: list[tuple[int, int]] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    newest: deque[str] = field(default_factory=lambda: deque(maxlen=NEWEST))
    notes: list[str] = field(default_factory=list)
    summary: Mapping[str, Any] | None = None
    problem: Mapping[str, Any] | None = None
    kept: str | None = None
    files: Mapping[str, int] = field(default_factory=dict)
    refusals: Mapping[str, str] = field(default_factory=dict)
    at: float = 0.0
    started: Mapping[str, Any] = field(default_factory=dict)
    _recent: deque[tuple[float, int]] = field(default_factory=deque)

    @classmethod
    def of_events(cls, events: Iterable[Mapping[str, Any]]) -> "Progress":
        """The state after some events.

        >>> Progress.of_events([{"kind": "counting", "read": 5, "of": 10, "words": 2}]).share
        0.5
        """
        made = cls()
        for event in events:
            made.add(event)
        return made

    def add(self, event: Mapping[str, Any]) -> None:
        """Take one event more into account."""
        match event["kind"]:
            case "started":
                self.started, self.options = event, options_of(event["options"])
                self.corpus, self.bytes = event["corpus"], event["bytes"]
            case "counting":
                self.stage, self.says = "counting", "Cutting the corpus into words"
                self.read, self.bytes, self.words = event["read"], event["of"], event["words"]
            case "learning":
                self._learn(event)
            case "doing":
                self.stage, self.says = "doing", event["what"]
            case "note":
                self.notes.append(event["text"])
            case "finished":
                self.stage, self.summary, self.kept = "finished", event["summary"], event["kept"]
                self.files, self.refusals = event["files"], event["refusals"]
            case "failed":
                self.stage, self.problem = "failed", event
            case "cancelled":
                self.stage = "cancelled"
            case "kept":
                self.kept = event["id"]

    def _learn(self, event: Mapping[str, Any]) -> None:
        self.stage, self.at = "learning", event["at"]
        self.pieces, self.of, self.lengths = event["pieces"], event["of"], event["lengths"]
        self.round = event.get("round", 0)
        self.says = f"Taking pieces away, round {self.round}" if self.round else "Learning pieces"
        self.newest.extend(event["newest"])
        self.points.extend((size, tokens) for size, tokens in event["points"])
        self._recent.append((self.at, self.pieces))
        while self._recent[0][0] < self.at - RECENT:
            self._recent.popleft()

    @property
    def share(self) -> float | None:
        """How much of what goes on is done, of 1; None where nobody can tell."""
        if self.stage == "counting":
            return self.read / self.bytes if self.bytes else None
        if self.stage == "learning" and self.of and not self.round:
            return min(1.0, self.pieces / self.of)
        return None

    @property
    def rate(self) -> float | None:
        """Pieces learned a second, of late."""
        (before, few), (now, many) = (self._recent[0], self._recent[-1]) if self._recent else ((0, 0), (0, 0))
        return (many - few) / (now - before) if now > before and many > few else None

    @property
    def remaining(self) -> float | None:
        """Seconds that are left, if it goes on like this."""
        return (self.of - self.pieces) / self.rate if self.rate and self.stage == "learning" else None
