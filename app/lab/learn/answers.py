"""Answers to the questions of the course, whether they were chosen, typed, marked or put in order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from random import Random

from ..steps.step import Step, Words
from .scene import TOO_HIGH, TOO_LOW, AnswerChoice, Kind, Question, to_plain_text

ANSWER_SHOWN = "shown"
"""What is sent in place of an answer: none was given, and the right one is shown."""
NEAR = 0.1
"""How far an estimate may be from the number, as a share of it."""
MOST_TYPED = 80
"""Characters of an answer at most."""
TYPED = re.compile(r"(\d+(?:\.\d+)?)\s*%?")


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: what was sent, the number of the choice that it is, if it is one, and why it is right or wrong."""

    sent: str
    choice: int | None = None
    right: bool = False
    reason: str = ""


def join_values(question: Question | None, values: Sequence[str]) -> str:
    """Return what the fields of a question have sent as one text; "" if there is nothing, or too little to judge.

    >>> question = Question(("Where?",), (AnswerChoice(("a b",), True, "", "1"),), kind="mark", parts=("a", "b"))
    >>> join_values(question, ["2", "1", ""]), join_values(question, ["1", "shown"]), join_values(question, [""])
    ('1,2', 'shown', '')
    """
    sent = [value for value in values if value]
    if question is None or not sent or ANSWER_SHOWN in sent:
        return ANSWER_SHOWN if ANSWER_SHOWN in sent else ""
    if question.kind == "mark":
        return ",".join(f"{at}" for at in sorted({int(one) for one in sent if one.isascii() and one.isdecimal()}))
    if question.kind == "order":
        return ",".join(sent) if len(sent) == len(question.parts) else ""
    return sent[-1][:MOST_TYPED]


def judge(question: Question | None, sent: str) -> Answer | None:
    """Return the answer that a form has sent; None if it is empty.

    >>> right, wrong = AnswerChoice(("10",), True, "It is."), AnswerChoice(("4",), False, "Ten is more.", "four")
    >>> question = Question(("How many?",), (right, wrong))
    >>> [answer and answer.choice for answer in (judge(question, sent) for sent in ("", "0", "four", "shown"))]
    [None, 0, 1, None]
    >>> [judge(replace(question, kind="type"), sent).reason for sent in (" 10 ", "4", "12")]
    ['It is.', 'Ten is more.', 'That is too high.']
    >>> [judge(replace(question, kind="estimate"), sent).right for sent in ("9", "11", "8.9")]
    [True, True, False]
    """
    sent = " ".join(sent.split())
    if question is None or not sent:
        return None
    if sent == ANSWER_SHOWN:
        return Answer(ANSWER_SHOWN)
    found = _find(question, sent)
    if found is not None:
        choice = question.choices[found]
        return Answer(sent, found, choice.right, choice.reason)
    if question.kind in ("choose", "merge"):
        return Answer(ANSWER_SHOWN)
    return Answer(sent, None, False, _comment(question, sent))


def _find(question: Question, sent: str) -> int | None:
    """Return the number of the choice that was sent."""
    if question.kind in ("choose", "mark", "order", "merge"):
        values = [choice.value or f"{number}" for number, choice in enumerate(question.choices)]
        return values.index(sent) if sent in values else None
    labels = [" ".join(to_plain_text(choice.label).split()) for choice in question.choices]
    numbers = [_read(label.removesuffix(question.unit)) for label in labels]
    number = _read(sent.removesuffix(question.unit))
    right = numbers[question.answer]
    if number is None or right is None:
        return labels.index(sent) if sent in labels else None
    if question.kind == "estimate" and abs(number - right) <= NEAR * right:
        return question.answer
    return numbers.index(number) if number in numbers else None


def _read(text: str) -> float | None:
    match = TYPED.fullmatch(text.strip().replace(",", ""))
    return float(match[1]) if match else None


def _comment(question: Question, sent: str) -> str:
    """Return what is to say about an answer that is none of the choices."""
    value = question.right.value
    if question.kind == "mark":
        own, right = ({*text.split(",")} for text in (sent, value))
        return f"You found {len(own & right)} of the {len(right)} boundaries, and marked {len(own - right)} others."
    if question.kind == "order":
        own_order, order = (text.split(",") for text in (sent, value))
        placed = sum(one == other for one, other in zip(own_order, order, strict=False))
        return f"{placed} of the {len(order)} {'is' if placed == 1 else 'are'} in place."
    number, right_number = (
        _read(text.removesuffix(question.unit)) for text in (sent, to_plain_text(question.right.label))
    )
    if right_number is None:
        return "It is something else."
    if number is None:
        return "That is not a number."
    return TOO_HIGH if number > right_number else TOO_LOW


def ask_boundaries(
    prompt: Words,
    letters: Sequence[str],
    right: Sequence[str],
    reason: str,
    wrong: Sequence[tuple[Sequence[str], str]],
    given: Step,
    shown_at: int = 1,
) -> Question | None:
    """Return the question where a word is cut; None if it is not cut at all.

    `right` and the first of each pair in `wrong` are the parts of the word.

    >>> question = ask_boundaries(("Where?",), "abc", ("a", "bc"), "So.", [(("ab", "c"), "No.")], Step(()))
    >>> [(choice.label, choice.value) for choice in question.choices]
    [(('a bc',), '1'), (('ab c',), '2')]
    """
    ways = {_boundaries(parts): AnswerChoice((" ".join(parts),), False, why) for parts, why in reversed(wrong)}
    ways[_boundaries(right)] = AnswerChoice((" ".join(right),), True, reason)
    return _ask("mark", prompt, letters, ways, given, shown_at) if len(right) > 1 else None


def _ask(
    kind: Kind, prompt: Words, parts: Sequence[str], ways: Mapping[str, AnswerChoice], given: Step, shown_at: int
) -> Question:
    """Return a question whose answers are known by their values, the right one first."""
    options = (replace(choice, value=value) for value, choice in ways.items() if value)
    return Question(
        prompt, tuple(sorted(options, key=lambda one: not one.right)), given, shown_at, kind=kind, parts=tuple(parts)
    )


def _boundaries(parts: Sequence[str]) -> str:
    return ",".join(f"{end}" for end in [*accumulate(map(len, parts))][:-1])


def mix_parts(parts: Iterable[str]) -> tuple[str, ...]:
    """Return what is to be put in order in an order that follows from the parts alone, and so says nothing.

    >>> mix_parts(["s e", "i d", "a s"]) == mix_parts(["a s", "s e", "i d"])
    True
    """
    mixed = sorted(parts)
    Random(", ".join(mixed)).shuffle(mixed)
    return tuple(mixed)


def ask_order(
    prompt: Words,
    right: Sequence[str],
    reason: str,
    wrong: Sequence[tuple[Sequence[str], str]],
    given: Step,
    shown_at: int,
) -> Question | None:
    """Return the question in which order things happen; None if two of them are the same.

    A value has the numbers of the parts in order.

    >>> question = ask_order(("In which order?",), ("b", "a"), "So.", [(("a", "b"), "No.")], Step(()), 1)
    >>> question.parts, question.choices[0].value
    (('b', 'a'), '0,1')
    """
    parts = mix_parts(right)
    if len({*parts}) < len(parts):
        return None

    def order(one: Sequence[str]) -> str:
        return ",".join(f"{parts.index(part)}" for part in one)

    ways = {order(one): AnswerChoice((", then ".join(one),), False, why) for one, why in reversed(wrong)}
    ways[order(right)] = AnswerChoice((", then ".join(right),), True, reason)
    return _ask("order", prompt, parts, ways, given, shown_at)
