"""The questions that phones answer, in every form, and what remains of them: votes for each answer, also over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from .state import HallState

Form = Literal["choose", "type", "estimate", "mark", "order"]
"""How a question is answered: choose · type a text · type a number that comes near · mark boundaries · put in order."""
NEAR = 0.1
"""How far a right estimate may be from the number, as a share of it."""
MAX_TYPED = 80
"""Characters of an answer that is typed."""
MAX_ANSWERS = 8
"""Different answers that are listed where phones can answer anything."""
TIMES = 24
"""Moments of a poll at which its votes are reported, at most."""


@dataclass(frozen=True, slots=True)
class Tally:
    """An answer, as it is read and as it was sent, and the number of its votes."""

    label: str
    answer: str
    count: int
    right: bool


@dataclass(slots=True)
class Poll:
    """A question to all phones, the `number`th of its hall.

    `choices` are what is chosen, the letters between which boundaries are marked, or what is put in order. An answer is
    a text: the number of a choice, what is typed, or the places of boundaries or numbers of parts with commas between
    them. `history` is each vote: its time, the answer before it, and the answer. A poll may have no `right` answer.
    `pieces` are the words and tokens of each choice as the stage tells them (app/web/hall_slides.py), or none.
    """

    id: str
    number: int
    prompt: str
    form: Form
    choices: list[str]
    unit: str
    asked: float
    pieces: Sequence[Sequence[Mapping[str, Any]]] = ()
    votes: dict[str, str] = field(default_factory=dict)
    history: list[tuple[float, str | None, str]] = field(default_factory=list)
    revealed: float | None = None
    right: str | None = None
    reason: str = ""

    def read(self, sent: Sequence[str]) -> str:
        """Return the answer that the fields of a form have sent, or "" if it is none.

        >>> poll = Poll("1", 1, "Where?", "mark", ["a", "b", "c"], "", 0.0)
        >>> poll.read(["2", "1"]), poll.read(["3"]), poll.read([])
        ('1,2', '', '')
        """
        if self.form in ("type", "estimate"):
            typed = " ".join(sent[-1].split())[:MAX_TYPED] if sent else ""
            return typed if self.form == "type" or self._number(typed) is not None else ""
        numbers = [int(one) for one in sent if one.isascii() and one.isdecimal() and len(one) < 4]
        valid = {
            "choose": len(numbers) == 1 and numbers[0] < len(self.choices),
            "mark": bool(numbers) and {*numbers} <= {*range(1, len(self.choices))},
            "order": sorted(numbers) == [*range(len(self.choices))],
        }[self.form]
        if not valid or len(numbers) != len(sent):
            return ""
        return ",".join(map(str, sorted({*numbers}) if self.form == "mark" else numbers))

    def reveal(self, at: float, right: str | None, reason: str) -> None:
        """Take no votes from now on. Without a right answer, as of an opinion, `right` is None."""
        sent = [right or ""] if self.form in ("type", "estimate") else (right or "").split(",")
        self.revealed, self.right, self.reason = at, self.read(sent) or None, reason

    def label(self, answer: str) -> str:
        """Return an answer as it is read.

        >>> poll = Poll("1", 1, "Where?", "mark", ["a", "b", "c"], "", 0.0)
        >>> poll.label("1,2")
        'a|b|c'
        """
        if self.form in ("type", "estimate"):
            return f"{answer.removesuffix(self.unit).strip()} {self.unit}".strip()
        numbers = [int(one) for one in answer.split(",")]
        if self.form == "mark":
            return "|".join("".join(self.choices[a:b]) for a, b in pairwise([0, *numbers, len(self.choices)]))
        return ", then ".join(self.choices[number] for number in numbers)

    def spell(self, answer: str) -> Sequence[Mapping[str, Any]]:
        """Return the words and tokens of a choice; none of another answer.

        >>> poll = Poll("1", 1, "Which?", "choose", ["th", "no"], "", 0.0, pieces=[[{"text": "th", "tone": 1}], []])
        >>> poll.spell("0")
        [{'text': 'th', 'tone': 1}]
        """
        return self.pieces[int(answer)] if self.form == "choose" and self.pieces else ()

    def is_right(self, answer: str) -> bool:
        """True for the right answer, and for an estimate that comes near it."""
        if self.right is None or answer == self.right or self.form not in ("type", "estimate"):
            return answer == self.right
        number, right = self._number(answer), self._number(self.right)
        if number is None or right is None:
            return False
        return abs(number - right) <= (NEAR * abs(right) if self.form == "estimate" else 0)

    def tally(self) -> list[Tally]:
        """Return the votes for each choice, or for the answers that were given most often and the right one."""
        counts = Counter(self.votes.values())
        answers = [f"{number}" for number in range(len(self.choices))]
        if self.form != "choose":
            answers = [answer for answer, _ in counts.most_common(MAX_ANSWERS)]
            answers += [] if self.right is None or any(map(self.is_right, answers)) else [self.right]
        return [Tally(self.label(one), one, counts[one], self.is_right(one)) for one in answers]

    def times(self) -> list[tuple[float, list[int]]]:
        """Return the votes for each answer of the tally at some seconds after it was asked, the last after all votes.

        >>> history = [(11.0, None, "0"), (12.5, None, "1"), (13.0, "0", "1")]
        >>> Poll("1", 1, "?", "choose", ["a", "b"], "", 10.0, history=history).times()
        [(1.0, [1, 0]), (2.5, [1, 1]), (3.0, [0, 2])]
        """
        answers = [one.answer for one in self.tally()]
        counts = Counter[str | None]()
        times: list[tuple[float, list[int]]] = []
        step = max(1, -(-len(self.history) // TIMES))
        for number, (at, before, answer) in enumerate(self.history, 1):
            counts[before] -= 1
            counts[answer] += 1
            if number % step == 0 or number == len(self.history):
                times.append((round(max(0.0, at - self.asked), 1), [counts[one] for one in answers]))
        return times

    @property
    def changes(self) -> int:
        """Votes that were changed."""
        return sum(before is not None for _, before, _ in self.history)

    def _number(self, typed: str) -> float | None:
        try:
            number = float(typed.removesuffix(self.unit).strip(" %").replace(",", ""))
        except ValueError:
            return None
        return number if isfinite(number) else None


def csv_rows(state: HallState) -> Iterator[tuple[object, ...]]:
    """Yield the report as rows, the first one the heads: all kinds of rows have the same columns."""
    yield "kind", "number", "text", "choice", "right", "seconds", "count"
    for poll in [*state.all_polls.values()]:  # another may be asked meanwhile
        tally, times = poll.tally(), poll.times()
        for at, one in enumerate(tally):
            right = "" if poll.right is None else "yes" if one.right else "no"
            yield "votes", poll.number, poll.prompt, one.label, right, None, one.count
            for seconds, counts in times:
                yield "votes over time", poll.number, poll.prompt, one.label, right, seconds, counts[at]
    for step in state.lost_steps():
        text = f"{step.title}: {step.caption}" if step.caption else step.title
        yield "lost", step.at, text, None, None, None, len(step.phones)
    for number, question in enumerate(state.ranked(shown=False), 1):
        yield "question", number, question.text, None, None, round(question.asked - state.opened), len(question.phones)
