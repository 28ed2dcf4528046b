"""What a hall is after the events of its log: the slide, the polls, who is lost where, questions, and what remains."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

Event = Mapping[str, Any]
PHONE_EVENTS = 100_000
"""Events of phones that a hall counts; those after them change nothing."""
MAX_QUESTIONS = 500
MAX_STEPS = 10_000
MAX_POLLS = 500
FRESH_SECONDS = 30.0
"""Seconds for which the number of phones that a process has announced counts."""
TIMES = 24
"""Moments of a poll at which its votes are reported, at most."""


@dataclass(slots=True)
class Slide:
    """A slide or step on the screen of the lecturer; `key` tells it from others."""

    key: str
    at: int
    total: int | None
    title: str
    caption: str
    rows: list[list[Mapping[str, Any]]]
    address: str


@dataclass(slots=True)
class LostStep:
    """A step, and the phones that are lost there."""

    title: str
    at: int
    caption: str
    phones: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Poll:
    """A question with choices to all phones. `history` is each vote: its time, the choice before it, and the choice."""

    id: str
    prompt: str
    choices: list[str]
    asked: float
    votes: dict[str, int] = field(default_factory=dict)
    history: list[tuple[float, int | None, int]] = field(default_factory=list)
    revealed: float | None = None
    answer: int | None = None
    reason: str = ""

    def counts(self) -> list[int]:
        """Return the number of votes for each choice."""
        counts = [0] * len(self.choices)
        for choice in self.votes.values():
            counts[choice] += 1
        return counts


@dataclass(slots=True)
class WrittenQuestion:
    """A question that somebody has written, and the phones that want it answered."""

    id: str
    text: str
    asked: float
    shown: bool = False
    phones: set[str] = field(default_factory=set)


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


@dataclass(slots=True)
class HallState:
    """A hall. Every process comes to the same state, as all read the same events in the same order.

    What is no longer allowed when an event is read, such as a vote after the answer, changes nothing. `slides`, `polls`
    and `shown` count the changes of what phones see of each.
    """

    opened: float = 0.0
    key: str = ""  # with which tokens of phones are signed
    leader: str = ""  # the hash of the secret of who leads
    handover: str = ""  # the hash of the secret with which another browser may begin to lead, once
    handover_until: float = 0.0
    closed: bool = False
    slide: Slide | None = None
    steps: dict[str, LostStep] = field(default_factory=dict)
    all_polls: dict[str, Poll] = field(default_factory=dict)
    poll: Poll | None = None
    questions: dict[str, WrittenQuestion] = field(default_factory=dict)
    phones: dict[str, tuple[float, int]] = field(default_factory=dict)
    phone_events: int = 0
    events: int = 0
    slides: int = 0
    polls: int = 0
    shown: int = 0
    upvotes: int = 0

    def apply(self, event: Event) -> None:
        """Change the state by the next event of the log."""
        self.events += 1
        if "phone" in event:
            self.phone_events += 1
            if not self.closed and self.phone_events <= PHONE_EVENTS:
                self._apply_phone(event)
        else:
            self._apply_leader(event)

    def count_phones(self, now: float) -> int:
        """Return the number of phones that follow, of all processes together."""
        return sum(count for at, count in self.phones.values() if now - at < FRESH_SECONDS)

    def ranked(self, *, shown: bool) -> list[WrittenQuestion]:
        """Return the written questions, or those that are shown, the most wanted first."""
        questions = [one for one in self.questions.values() if one.shown or not shown]
        return sorted(questions, key=lambda one: (-len(one.phones), one.asked))

    def lost_steps(self) -> list[LostStep]:
        """Return the steps where phones are lost, in the order in which they were first shown."""
        return [step for step in self.steps.values() if step.phones]

    def _apply_leader(self, event: Event) -> None:
        match event["kind"]:
            case "opened":
                self.opened, self.key, self.leader = event["at"], event["key"], event["leader"]
            case "leader":
                self.leader, self.handover = event["leader"], ""
            case "handover":
                self.handover, self.handover_until = event["secret"], event["until"]
            case "phones":
                self.phones[event["process"]] = event["at"], event["count"]
            case "slide":
                self._show_slide(event)
            case "asked":
                self._ask(event)
            case "revealed":
                self._reveal(event)
            case "shown":
                self._show_question(event)
            case "closed":
                self.closed = True
                self.slides += 1
                self.polls += 1
                self.shown += 1

    def _apply_phone(self, event: Event) -> None:
        phone = event["phone"]
        match event["kind"]:
            case "vote":
                self._vote(phone, event)
            case "lost":
                if (step := self.steps.get(event["step"])) is not None:
                    (step.phones.add if event["lost"] else step.phones.discard)(phone)
            case "question":
                if len(self.questions) < MAX_QUESTIONS:
                    question = WrittenQuestion(event["id"], event["text"], event["at"], phones={phone})
                    self.questions[event["id"]] = question
            case "upvote":
                if (wanted := self.questions.get(event["id"])) is not None and wanted.shown:
                    wanted.phones.add(phone)
                    self.upvotes += 1

    def _show_slide(self, event: Event) -> None:
        key = blake2b(f"{event['title']}|{event['at']}|{event['address']}".encode(), digest_size=6).hexdigest()
        names = ("at", "total", "title", "caption", "rows", "address")
        self.slide = Slide(key, **{name: event[name] for name in names})
        self.slides += 1
        if len(self.steps) < MAX_STEPS:
            self.steps.setdefault(key, LostStep(event["title"], event["at"], event["caption"]))

    def _ask(self, event: Event) -> None:
        """Begin a poll, or come back to one, with its votes."""
        if event["id"] not in self.all_polls and len(self.all_polls) >= MAX_POLLS:
            return
        begun = Poll(event["id"], event["prompt"], event["choices"], event["at"])
        self.poll = self.all_polls.setdefault(event["id"], begun)
        self.polls += 1

    def _reveal(self, event: Event) -> None:
        poll = self.all_polls.get(event["id"])
        if poll is None or not 0 <= event["answer"] < len(poll.choices):
            return
        if poll.revealed is None:
            poll.revealed, poll.answer, poll.reason = event["at"], event["answer"], event["reason"]
        self.poll = poll
        self.polls += 1

    def _vote(self, phone: str, event: Event) -> None:
        poll = self.all_polls.get(event["poll"])
        if poll is None or poll.revealed is not None or not 0 <= event["choice"] < len(poll.choices):
            return
        before = poll.votes.get(phone)
        if before != event["choice"]:
            poll.votes[phone] = event["choice"]
            poll.history.append((event["at"], before, event["choice"]))

    def _show_question(self, event: Event) -> None:
        if (question := self.questions.get(event["id"])) is not None:
            question.shown = event["shown"]
            self.shown += 1


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
