"""What a hall is after the events of its log: the slide, the polls, who is lost where, questions, and the phones."""

from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from .polls import Poll

Event = Mapping[str, Any]
LOG_VERSION = 3
"""The version of the events below; a hall whose log has another one is opened anew."""
BUDGETS = {"vote": 200_000, "change": 100_000, "lost": 100_000, "question": 500, "upvote": 100_000}
"""Events of phones that a hall takes, of each kind; to change a vote is another kind than to vote."""
MAX_STEPS = 2_000
"""Steps at which phones can say that they are lost: the first ones."""
MAX_POLLS = 500
MAX_CHOICES = 3_000
"""Choices of all questions together."""
FRESH_SECONDS = 30.0
"""Seconds for which the phones that a process has announced count."""


def name_step(title: str, at: int, address: str) -> str:
    """Return the name of a step, by which phones say where they are lost."""
    return blake2b(f"{title}|{at}|{address}".encode(), digest_size=6).hexdigest()


def find_slot(event: Event) -> str | None:
    """Return the slot of which a log keeps only the latest event, or None where it keeps them all.

    >>> find_slot({"kind": "slide"}), find_slot({"kind": "shown", "id": "1"}), find_slot({"kind": "asked", "id": "q"})
    ('slide', 'shown 1', 'again')
    >>> find_slot({"kind": "asked", "id": "q", "prompt": "Which?"})
    """
    match event["kind"]:
        case "slide" | "next" | "leader" | "handover" as kind:
            return str(kind)
        case "phones":
            return f"phones {event['process']}"
        case "shown":
            return f"shown {event['id']}"
        case "asked" | "revealed" if not event.keys() & {"prompt", "right"}:  # which came before, and comes again
            return "again"
    return None


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
    taken: Counter[str] = field(default_factory=Counter)  # events of phones, of each kind of `BUDGETS`
    led: int = 0  # bytes of the events of the lecturer that the log keeps
    events: int = 0
    slides: int = 0
    polls: int = 0
    shown: int = 0
    upvotes: int = 0

    def apply(self, event: Event, size: int = 0) -> None:
        """Change the state by the next event of the log, which has a size in bytes."""
        self.events += 1
        if event["kind"] == "opened":
            self.version = event.get("version", 1)
            self.opened, self.key, self.leader = event["at"], event["key"], event["leader"]
        elif self.version != LOG_VERSION:
            return
        elif "phone" in event:
            self.taken[self.budget_of(event)] += 1
            if not self.closed:
                self._apply_phone(event)
        else:
            self.led += size if find_slot(event) is None else 0
            self._apply_leader(event)

    def budget_of(self, event: Event) -> str:
        """Return the kind of an event of a phone, as `BUDGETS` has it."""
        poll = self.all_polls.get(event.get("poll", ""))
        return "change" if poll and event["phone"] in poll.votes else event["kind"]

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
                self.phones[event["process"]] = event["at"], {*event["names"]}
            case "closed":
                self.closed = True
                self.slides += 1
                self.polls += 1
                self.shown += 1
            case _:
                self._apply_stage(event)

    def _apply_stage(self, event: Event) -> None:
        match event["kind"]:
            case "step":
                self.steps.setdefault(event["key"], LostStep(event["title"], event["at"], event["caption"]))
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
                question = WrittenQuestion(event["id"], event["text"], event["at"], phones={phone})
                self.questions[event["id"]] = question
            case "upvote":
                if (wanted := self.questions.get(event["id"])) is not None and wanted.shown:
                    wanted.phones.add(phone)
                    self.upvotes += 1

    def _show_slide(self, event: Event) -> None:
        """Show a slide in place of whatever was shown; a question that does not stand on it is over."""
        covered = self.spotlight
        self.slide, self.next, self.spotlight = event, None, ""
        self.slides += 1
        poll = self.all_polls.get(event["question"])
        if poll is not self.poll or covered:
            self.poll = poll
            self.polls += 1

    def _ask(self, event: Event) -> None:
        """Begin a poll, or come back to one, with its votes."""
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
