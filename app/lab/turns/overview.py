"""The conversations of a log in rows: how many ids each loses, and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...errors import TokenariumError
from ...registry import Registry
from .prefixes import PrefixCheck
from .report import TurnsOptions, TurnsReport, examine_turns
from .trajectory import Trajectory, TrajectoryLog

MAX_ROWS = 50
"""Conversations that are compared for rows; the command compares all."""


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation of a log, which is numbered from 1: its report, or why there is none."""

    number: int
    trajectory: Trajectory
    report: TurnsReport | None = None
    error: str = ""

    @property
    def worst(self) -> PrefixCheck | None:
        """The check that loses most, as in the verdict; None if nothing is lost."""
        return self.report.worst if self.report else None

    @property
    def lost(self) -> int:
        return self.worst.lost if self.worst else 0


def list_rows(registry: Registry, log: TrajectoryLog, options: TurnsOptions, *, limit: int) -> list[ConversationRow]:
    """Return a row for each of the first conversations; one that cannot be rendered has its reason."""
    return [*_examine(registry, log, options, limit)]


def _examine(registry: Registry, log: TrajectoryLog, options: TurnsOptions, limit: int) -> Iterator[ConversationRow]:
    for number, trajectory in enumerate(log.trajectories[:MAX_ROWS], 1):
        try:
            report = examine_turns(registry, trajectory, options, limit=limit, mend=False)
        except TokenariumError as error:
            yield ConversationRow(number, trajectory, error=error.detail)
        else:
            yield ConversationRow(number, trajectory, report)
