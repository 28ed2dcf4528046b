"""The progress of a training, computed from its events: what a person wants to see, updated event by event."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...jobs.event_reader import NEWEST, RATE_SECONDS
from ..option_schema import from_mapping
from .options import TrainingOptions


@dataclass(slots=True)
class TrainingProgress:
    """The state of a training. `points` are (size, tokens in the corpus); `rate` is in tokens per second."""

    options: TrainingOptions = field(default_factory=TrainingOptions)
    corpus: str = ""
    bytes: int = 0
    stage: str = "waiting"
    status: str = "Starting"
    read: int = 0
    words: int = 0
    pieces: int = 0
    target: int = 0
    round: int = 0
    points: list[tuple[int, int]] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    newest: deque[str] = field(default_factory=lambda: deque(maxlen=NEWEST))
    notes: list[str] = field(default_factory=list)
    summary: Mapping[str, Any] | None = None
    problem: Mapping[str, Any] | None = None
    saved_id: str | None = None
    files: Mapping[str, int] = field(default_factory=dict)
    refusals: Mapping[str, str] = field(default_factory=dict)
    started: Mapping[str, Any] = field(default_factory=dict)
    _recent: deque[tuple[float, int]] = field(default_factory=deque)

    @classmethod
    def from_events(cls, events: Iterable[Mapping[str, Any]]) -> "TrainingProgress":
        """The state after these events.

        >>> TrainingProgress.from_events([{"kind": "counting", "read": 5, "of": 10, "words": 2}]).share
        0.5
        """
        progress = cls()
        for event in events:
            progress.add(event)
        return progress

    def add(self, event: Mapping[str, Any]) -> None:
        """Update the state by one event."""
        match event["kind"]:
            case "started":
                self.started = event
                self.options = from_mapping(TrainingOptions, event["options"])
                self.corpus = event["corpus"]
                self.bytes = event["bytes"]
            case "counting":
                self.stage = "counting"
                self.status = "Pre-tokenizing the corpus"
                self.read = event["read"]
                self.bytes = event["of"]
                self.words = event["words"]
            case "learning":
                self._learn(event)
            case "doing":
                self.stage = "doing"
                self.status = event["what"]
            case "note":
                self.notes.append(event["text"])
            case "finished":
                self.stage = "finished"
                self.summary = event["summary"]
                self.saved_id = event["kept"]
                self.files = event["files"]
                self.refusals = event["refusals"]
            case "failed":
                self.stage = "failed"
                self.problem = event
            case "cancelled":
                self.stage = "cancelled"
            case "kept":
                self.saved_id = event["id"]

    def _learn(self, event: Mapping[str, Any]) -> None:
        self.stage = "learning"
        self.round = event.get("round", 0)
        self.pieces = event["pieces"]
        self.target = event["of"]
        self.lengths = event["lengths"]
        self.status = f"Pruning tokens, round {self.round}" if self.round else "Learning tokens"
        self.newest.extend(event["newest"])
        self.points.extend((size, tokens) for size, tokens in event["points"])
        self._recent.extend((at, pieces) for at, pieces in event.get("recent", [(event["at"], self.pieces)]))
        while self._recent[0][0] < event["at"] - RATE_SECONDS:
            self._recent.popleft()

    @property
    def share(self) -> float | None:
        """The share of this stage that is complete, 0 to 1; None where it cannot be known."""
        if self.stage == "counting":
            return self.read / self.bytes if self.bytes else None
        if self.stage == "learning" and self.target and not self.round:
            return min(1.0, self.pieces / self.target)
        return None

    @property
    def rate(self) -> float | None:
        """Tokens learned per second, over the last few seconds."""
        if not self._recent:
            return None
        (start, few) = self._recent[0]
        (end, many) = self._recent[-1]
        return (many - few) / (end - start) if end > start and many > few else None

    @property
    def remaining(self) -> float | None:
        """Seconds left at this rate."""
        return (self.target - self.pieces) / self.rate if self.rate and self.stage == "learning" else None


def measures(metrics: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The metrics on held-out text, each a name and a value for people; those that are not defined are left out.

    >>> metrics = {"characters": 400, "bytes": 500, "words": 80, "tokens": 100, "baseline": "o200k_base",
    ...            "baseline_tokens": 125, "saved": 0.2}
    >>> for name, value in measures(metrics):
    ...     print(name, value)
    tokens 100
    characters per token 4.00
    bytes per token 5.00
    tokens per word 1.25
    o200k_base 125 tokens
    tokens saved 20.0 %
    """
    tokens = metrics["tokens"]
    rows = [
        ("tokens", f"{tokens:,}"),
        ("characters per token", f"{metrics['characters'] / tokens:.2f}"),
        ("bytes per token", f"{metrics['bytes'] / tokens:.2f}"),
    ]
    if metrics.get("unknown"):
        rows.append(("unknown tokens", f"{metrics['unknown']:,}"))
    if metrics["words"]:
        rows.append(("tokens per word", f"{tokens / metrics['words']:.2f}"))
    if metrics["saved"] is not None:
        rows.append((metrics["baseline"], f"{metrics['baseline_tokens']:,} tokens"))
        rows.append(("tokens saved", f"{100 * metrics['saved']:.1f} %".replace("-", "−")))
    return rows
