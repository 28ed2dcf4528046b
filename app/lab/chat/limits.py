"""Limits: what one rendering of a chat template may take, kept where the sandbox can see it coming."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any

from app.errors import OverLimit

MOST_STEPS = 200_000
"""Rounds of loops and calls in one rendering."""
MOST_SECONDS = 5.0
LONGEST = 4_000_000
"""Characters of a text that a template makes, and items of a list."""
WIDTH = re.compile(r"%[-+ #0-9.]*(?:\*|[0-9]{6})|\{[^{}]*[0-9]{6}")
"""What asks for a wide field, in the two ways to format."""


@dataclass(slots=True)
class Budget:
    """What is left to one rendering, and the time it takes place at."""

    now: datetime
    deadline: float
    steps: int = MOST_STEPS

    def step(self) -> None:
        """Take one step. Raises `OverLimit`."""
        self.steps -= 1
        if self.steps < 0:
            raise OverLimit(f"The template takes more than {MOST_STEPS:,} steps.", limit=MOST_STEPS)
        if time.monotonic() > self.deadline:
            raise OverLimit(f"The template takes more than {MOST_SECONDS:g} seconds.", limit=int(MOST_SECONDS))


_budget: ContextVar[Budget] = ContextVar("budget")


@contextmanager
def budgeted(now: datetime) -> Iterator[None]:
    """One rendering takes place in here."""
    token = _budget.set(Budget(now, time.monotonic() + MOST_SECONDS))
    try:
        yield
    finally:
        _budget.reset(token)


def budget() -> Budget:
    """What is left to the rendering that takes place now."""
    return _budget.get()


def check_size(size: int) -> None:
    """Raise `OverLimit` for a text or a list of this length."""
    if size > LONGEST:
        raise OverLimit(f"The template makes a text or a list longer than {LONGEST:,}.", limit=LONGEST)


def within(pieces: Iterable[str]) -> Iterator[str]:
    """The pieces as long as they together are no longer than a text may be."""
    size = 0
    for piece in pieces:
        size += len(piece)
        check_size(size)
        yield piece


def modest(filter: Callable[..., Any]) -> Callable[..., Any]:
    """The filter, but for numbers that ask for too much."""

    @wraps(filter)
    def checked(*args: Any, **kwargs: Any) -> Any:
        check_numbers(*args, *kwargs.values())
        return filter(*args, **kwargs)

    return checked


def check_numbers(*values: Any) -> None:
    for value in values:
        if isinstance(value, int):
            check_size(abs(value))


def check_widths(text: str) -> None:
    if WIDTH.search(text):
        raise OverLimit(f"The template makes a text or a list longer than {LONGEST:,}.", limit=LONGEST)
