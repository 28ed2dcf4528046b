"""The state of a job, computed from its events: every kind has a first event, progress, and a last one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

State = Literal["running", "finished", "failed", "cancelled", "interrupted"]
Folded = TypeVar("Folded", bound="JobProgress")


@dataclass(slots=True)
class JobProgress:
    """What a job does, the share that is done (0 to 1, None if unknown), how it ended, and its first and last event."""

    started: Mapping[str, Any] = field(default_factory=dict)
    doing: str = "Starting"
    share: float | None = None
    end: State | None = None
    result: Mapping[str, Any] = field(default_factory=dict)
    problem: Mapping[str, Any] | None = None

    @classmethod
    def from_events(cls: type[Folded], events: Iterable[Mapping[str, Any]]) -> Folded:
        """The state after these events.

        >>> JobProgress.from_events([{"kind": "doing", "what": "Pruning", "share": 0.5}]).share
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
            case "doing":
                self.doing = event["what"]
                self.share = event.get("share")
            case "downloading":
                self.share = event["read"] / event["of"] if event["of"] else None
            case "finished":
                self.end = "finished"
                self.result = event
            case "failed":
                self.end = "failed"
                self.problem = {name: value for name, value in event.items() if name != "kind"}
            case "cancelled":
                self.end = "cancelled"
            case "interrupted":
                self.end = self.end or "interrupted"

    def serialize(self) -> dict[str, Any]:
        """What the job does or how it ended, the share that is done, and the problem, as plain data."""
        doing = self.end.capitalize() if self.end else self.doing
        return {"doing": doing, "share": 1.0 if self.end == "finished" else self.share, "problem": self.problem}
