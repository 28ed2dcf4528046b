"""What remains of a hall at its end: each poll with its votes over time, where phones were lost, written questions."""

from collections.abc import Iterator
from dataclasses import dataclass

from .state import HallState, Poll

TIMES = 24
"""Moments of a poll at which its votes are reported, at most."""


@dataclass(frozen=True, slots=True)
class PollReport:
    """A poll. `times` are seconds since it was asked, each with the number of votes for each choice by then."""

    poll: Poll
    counts: list[int]
    times: list[tuple[float, list[int]]]

    @property
    def total(self) -> int:
        """The number of phones that voted."""
        return sum(self.counts)

    @property
    def changes(self) -> int:
        """The number of votes that replaced an earlier one."""
        return sum(before is not None for _, before, _ in self.poll.history)


def report_polls(state: HallState) -> list[PollReport]:
    """Return the polls of a hall in the order in which they were asked."""
    return [PollReport(poll, poll.counts(), count_over_time(poll)) for poll in state.all_polls.values()]


def count_over_time(poll: Poll) -> list[tuple[float, list[int]]]:
    """Return the votes for each choice at some seconds after a poll was asked, the last of them after all votes.

    >>> count_over_time(Poll("1", "?", ["a", "b"], 10.0, history=[(11.0, None, 0), (12.5, None, 1), (13.0, 0, 1)]))
    [(1.0, [1, 0]), (2.5, [1, 1]), (3.0, [0, 2])]
    """
    counts = [0] * len(poll.choices)
    times: list[tuple[float, list[int]]] = []
    step = max(1, -(-len(poll.history) // TIMES))
    for number, (at, before, choice) in enumerate(poll.history, 1):
        if before is not None:
            counts[before] -= 1
        counts[choice] += 1
        if number % step == 0 or number == len(poll.history):
            times.append((round(max(0.0, at - poll.asked), 1), [*counts]))
    return times


def csv_rows(state: HallState) -> Iterator[tuple[object, ...]]:
    """Yield the report as rows, the first one the heads: all kinds of rows have the same columns."""
    yield "kind", "number", "text", "choice", "right", "seconds", "count"
    for number, report in enumerate(report_polls(state), 1):
        poll = report.poll
        for at, choice in enumerate(poll.choices):
            right = "" if poll.answer is None else "yes" if at == poll.answer else "no"
            yield "votes", number, poll.prompt, choice, right, None, report.counts[at]
            for seconds, counts in report.times:
                yield "votes over time", number, poll.prompt, choice, right, seconds, counts[at]
    for step in state.lost_steps():
        yield (
            "lost",
            step.at,
            f"{step.title}: {step.caption}" if step.caption else step.title,
            *[None] * 3,
            len(step.phones),
        )
    for number, question in enumerate(state.ranked(shown=False), 1):
        yield "question", number, question.text, None, None, round(question.asked - state.opened), len(question.phones)
