"""The progress of a training, computed from its events: what a person wants to see, updated event by event."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...jobs.events import JobProgress
from ..option_schema import from_mapping
from .events import NEWEST, RATE_SECONDS
from .options import TrainingOptions

STAGES = frozenset(("counting", "learning", "doing", "finished", "failed", "cancelled"))


@dataclass(slots=True)
class TrainingProgress(JobProgress):
    """The state of a training. `points` are (size, tokens in the corpus); `rate` is in tokens per second."""

    options: TrainingOptions = field(default_factory=TrainingOptions)
    corpus: str = ""
    bytes: int = 0
    stage: str = "waiting"
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
    saved_id: str | None = None
    files: Mapping[str, int] = field(default_factory=dict)
    refusals: Mapping[str, str] = field(default_factory=dict)
    _recent: deque[tuple[float, int]] = field(default_factory=deque)

    def add(self, event: Mapping[str, Any]) -> None:
        """Update the state by one event.

        >>> TrainingProgress.from_events([{"kind": "counting", "read": 5, "of": 10, "words": 2}]).share
        0.5
        """
        JobProgress.add(self, event)  # a dataclass with slots has no super()
        if event["kind"] in STAGES:
            self.stage = event["kind"]
            self.share = None
        match event["kind"]:
            case "started":
                self.options = from_mapping(TrainingOptions, event["options"])
                self.corpus = event["corpus"]
                self.bytes = event["bytes"]
            case "counting":
                self.doing = "Pre-tokenizing the corpus"
                self.read = event["read"]
                self.bytes = event["of"]
                self.words = event["words"]
                self.share = self.read / self.bytes if self.bytes else None
            case "learning":
                self._learn(event)
            case "note":
                self.notes.append(event["text"])
            case "finished":
                self.summary = event["summary"]
                self.saved_id = event["kept"]
                self.files = event["files"]
                self.refusals = event["refusals"]
            case "failed":
                self.problem = event
            case "kept":
                self.saved_id = event["id"]

    def _learn(self, event: Mapping[str, Any]) -> None:
        self.round = event.get("round", 0)
        self.pieces = event["pieces"]
        self.target = event["of"]
        self.share = min(1.0, self.pieces / self.target) if self.target and not self.round else None
        self.lengths = event["lengths"]
        self.doing = f"Pruning tokens, round {self.round}" if self.round else "Learning tokens"
        self.newest.extend(event["newest"])
        self.points.extend((size, tokens) for size, tokens in event["points"])
        self._recent.extend((at, pieces) for at, pieces in event.get("recent", [(event["at"], self.pieces)]))
        while self._recent[0][0] < event["at"] - RATE_SECONDS:
            self._recent.popleft()

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
    if metrics["baseline_tokens"]:
        rows.append((metrics["baseline"], f"{metrics['baseline_tokens']:,} tokens"))
    if metrics["saved"] is not None:
        rows.append(("tokens saved", f"{100 * metrics['saved']:.1f} %".replace("-", "−")))
    return rows
