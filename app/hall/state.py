"""What a hall is after the events of its log: the slide, the polls, who is lost where, questions, and the phones."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from .polls import Poll

Event = Mapping[str, Any]
LOG_VERSION = 2
"""The version of the events below; a hall whose log has another one is opened anew."""
PHONE_EVENTS = 100_000
"""Events of phones that a hall counts; those after them change nothing."""
MAX_QUESTIONS = 500
MAX_STEPS = 10_000
MAX_POLLS = 500
FRESH_SECONDS = 30.0
"""Seconds for which the phones that a process has announced count."""


@dataclass(slots=True)
class LostStep:
    """A step, and the phones that are lost there."""

    title: str
    at: int
    caption: str
    phones: set[str] = field(default_factory=set)


@dataclass(slots=True)
class WrittenQuestion:
    """A question that somebody has written, and the phones that want it answered."""

    id: str
    text: str
    asked: float
    shown: bool = False
    phones: set[str] = field(default_factory=set)


@dataclass(slots=True)
class HallState:
    """A hall. Every process comes to the same state, as all read the same events in the same order.

    What is no longer allowed when an event is read, such as a vote after the answer, changes nothing. `slides`, `polls`
    and `shown` count the changes of what phones see of each.
    """

    version: int = 0
    opened: float = 0.0
    key: str = ""  # with which tokens of phones are signed
    leader: str = ""  # the hash of the secret of who leads
    handover: str = ""  # the hash of the secret with which another browser may begin to lead, once
    handover_until: float = 0.0
    closed: bool = False
    slide: Event | None = None  # what is on the screen; its `key` tells it from others
    next: Event | None = None  # what comes after it, with the notes of the lecturer
    turned: int = 0  # slides by which the page to lead from has gone on, less those by which it has gone back
    spotlight: str = ""  # the written question that is the slide
    steps: dict[str, LostStep] = field(default_factory=dict)
    all_polls: dict[str, Poll] = field(default_factory=dict)
    poll: Poll | None = None
    questions: dict[str, WrittenQuestion] = field(default_factory=dict)
    phones: dict[str, tuple[float, Set[str]]] = field(default_factory=dict)  # of each process
    phone_events: int = 0
    events: int = 0
    slides: int = 0
    polls: int = 0
    shown: int = 0
    upvotes: int = 0

    def apply(self, event: Event) -> None:
        """Change the state by the next event of the log."""
        self.events += 1
        if event["kind"] == "opened":
            self.version = event.get("version", 1)
            self.opened, self.key, self.leader = event["at"], event["key"], event["leader"]
        elif self.version != LOG_VERSION:
            return
        elif "phone" in event:
            self.phone_events += 1
            if not self.closed and self.phone_events <= PHONE_EVENTS:
                self._apply_phone(event)
        else:
            self._apply_leader(event)

    def count_phones(self, now: float, here: Iterable[str] = ()) -> int:
        """Return the number of phones that follow this process or any other, each counted once."""
        return len({*here}.union(*(names for at, names in self.phones.values() if now - at < FRESH_SECONDS)))

    def ranked(self, *, shown: bool) -> list[WrittenQuestion]:
        """Return the written questions, or those that are shown, the most wanted first."""
        questions = [one for one in self.questions.values() if one.shown or not shown]
        return sorted(questions, key=lambda one: (-len(one.phones), one.asked))

    def lost_steps(self) -> list[LostStep]:
        """Return the steps where phones are lost, in the order in which they were first shown."""
        return [step for step in self.steps.values() if step.phones]

    def _apply_leader(self, event: Event) -> None:
        match event["kind"]:
            case "leader":
                self.leader, self.handover = event["leader"], ""
            case "handover":
                self.handover, self.handover_until = event["secret"], event["until"]
            case "phones":
                _, names = self.phones.get(event["process"], (0.0, frozenset()))
                self.phones[event["process"]] = event["at"], (names | {*event["came"]}) - {*event["gone"]}
            case "closed":
                self.closed = True
                self.slides += 1
                self.polls += 1
                self.shown += 1
            case _:
                self._apply_stage(event)

    def _apply_stage(self, event: Event) -> None:
        match event["kind"]:
            case "slide":
                self._show_slide(event)
            case "next":
                self.next = event
            case "turned":
                self.turned += event["by"]
            case "asked":
                self._ask(event)
            case "revealed":
                self._reveal(event)
            case "shown":
                self._show_question(event)

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
        """Show a slide in place of whatever was shown; a question that does not stand on it is over."""
        key = blake2b(f"{event['title']}|{event['at']}|{event['address']}".encode(), digest_size=6).hexdigest()
        covered = self.spotlight
        self.slide, self.next, self.spotlight = {**event, "key": key}, None, ""
        self.slides += 1
        if len(self.steps) < MAX_STEPS:
            self.steps.setdefault(key, LostStep(event["title"], event["at"], event["caption"]))
        poll = self.all_polls.get(event["question"])
        if poll is not self.poll or covered:
            self.poll = poll
            self.polls += 1

    def _ask(self, event: Event) -> None:
        """Begin a poll, or come back to one, with its votes."""
        if event["id"] not in self.all_polls and len(self.all_polls) >= MAX_POLLS:
            return
        if (poll := self.all_polls.get(event["id"])) is None:
            said = {name: event[name] for name in ("id", "prompt", "form", "choices", "pieces", "unit")}
            poll = self.all_polls[event["id"]] = Poll(**said, number=len(self.all_polls) + 1, asked=event["at"])
        self.poll = poll
        self.polls += 1

    def _reveal(self, event: Event) -> None:
        poll = self.all_polls.get(event["id"])
        if poll is None:
            return
        if poll.revealed is None:
            poll.reveal(event["at"], event["right"], event["reason"])
        self.poll = poll
        self.polls += 1

    def _vote(self, phone: str, event: Event) -> None:
        poll = self.all_polls.get(event["poll"])
        if poll is None or poll.revealed is not None:
            return
        before = poll.votes.get(phone)
        if before != event["answer"]:
            poll.votes[phone] = event["answer"]
            poll.history.append((event["at"], before, event["answer"]))

    def _show_question(self, event: Event) -> None:
        if (question := self.questions.get(event["id"])) is not None:
            question.shown = event["shown"]
            if question.shown or self.spotlight == question.id:
                self.spotlight = question.id if question.shown else ""
            self.shown += 1
            self.slides += 1
            self.polls += 1
