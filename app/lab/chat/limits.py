"""Limits of a chat template that a user wrote: its processor time, and the size of what it makes.

All renderings of a request share what they may take together (`share_limits`).

Such a template runs in a worker, whose limit on memory holds for it as well. A loop in Python is interrupted here;
what takes its time within one operation in C, such as the string of a list that contains itself a billion times, ends
with its worker.
"""

import ctypes
import threading
import time
from _thread import start_new_thread
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from multiprocessing import parent_process
from signal import ITIMER_PROF, setitimer
from typing import Any, TypeVar

from ...errors import OverLimit, TemplateLimit

MAX_SECONDS = 2
"""Processor time of one rendering by a template of a user."""
SECONDS_TOGETHER = 10
"""Processor time of all renderings of a request by such templates."""
LENGTH_TOGETHER = 60_000_000
"""Characters of all turns of a request, whose texts are kept together; with its tokens, each takes some 20 bytes."""
SECONDS_IN_C = 1
"""Further seconds after which a worker ends that cannot be interrupted."""
MAX_LENGTH = 4_000_000
"""Characters of a string that a template makes, and items of a list."""
MAX_BITS = 4096
"""Bits of an integer."""
INTERVAL = 0.02
"""Seconds between two readings of the clock."""
T = TypeVar("T")


class Overtime(BaseException):
    """The time is over; no `except Exception` of a filter catches it."""


@dataclass(slots=True)
class _Shares:
    """What is left for the renderings of a request."""

    seconds: float
    length: int


_shares: ContextVar[_Shares | None] = ContextVar("shares", default=None)


@contextmanager
def share_limits(seconds: float = SECONDS_TOGETHER, length: int = LENGTH_TOGETHER) -> Iterator[None]:
    """Let all renderings in here share the limits of one request."""
    token = _shares.set(_Shares(seconds, length))
    try:
        yield
    finally:
        _shares.reset(token)


def keep_texts(length: int) -> None:
    """Count the characters of texts that a request keeps. Raises `OverLimit` once they are too many together."""
    if (shares := _shares.get()) is None:
        return
    shares.length -= length
    if shares.length < 0:
        raise OverLimit(
            f"All turns together are longer than {LENGTH_TOGETHER:,} characters. Send fewer at once.",
            limit=LENGTH_TOGETHER,
        )


def run_limited(work: Callable[[], T], seconds: float = MAX_SECONDS) -> T:
    """Return what `work` returns. Raises `TemplateLimit` once this thread has had so much processor time, or all
    renderings of the request have had theirs.

    >>> run_limited(lambda: 7)
    7
    """
    shares = _shares.get() or _Shares(seconds, 0)
    allowed, began = min(seconds, shares.seconds), time.thread_time()
    try:
        if allowed > 0:
            return _interrupt(work, allowed)
        raise Overtime
    except Overtime:
        raise overtime(seconds, together=allowed < seconds) from None
    except MemoryError:
        raise TemplateLimit("The template needs more memory than it may take.") from None
    finally:
        shares.seconds -= time.thread_time() - began


def _interrupt(work: Callable[[], T], seconds: float) -> T:
    """Return what `work` returns. Raises `Overtime` once this thread has had so much processor time.

    In a process that `multiprocessing` has started, SIGPROF ends the process if that is not soon enough.
    """
    if parent_process() is not None:
        setitimer(ITIMER_PROF, seconds + SECONDS_IN_C)
    watch = _Watch(seconds)
    try:
        try:
            watch.start()
            return work()
        finally:
            watch.stop()
    except Overtime:
        watch.stop()
        raise
    finally:
        if parent_process() is not None:
            setitimer(ITIMER_PROF, 0)


def overtime(seconds: float = MAX_SECONDS, *, together: bool = False) -> TemplateLimit:
    """Return the error of a template that ran too long, or whose renderings in a request did `together`.

    >>> overtime().detail
    'The template ran longer than 2 s.'
    """
    if together:
        return TemplateLimit(f"All renderings together ran longer than {SECONDS_TOGETHER} s.", limit=SECONDS_TOGETHER)
    return TemplateLimit(f"The template ran longer than {seconds:g} s.", limit=int(seconds))


class _Watch:
    """Raises `Overtime` in the thread that made it once that has had so much processor time, until `stop`.

    It raises it again and again, since Python drops an exception in a callback of the garbage collector.
    """

    def __init__(self, seconds: float) -> None:
        self._thread = threading.get_ident()
        self._clock = time.pthread_getcpuclockid(self._thread)  # which a thread that has ended has no more
        self._end = time.thread_time() + seconds
        self._stopped = threading.Event()
        self._raising = threading.Lock()
        self._raised = False

    def start(self) -> None:
        """Watch, in a thread without an object: to free one calls back into Python, where the exception is dropped."""
        start_new_thread(self._watch, ())

    def _watch(self) -> None:
        while not self._stopped.wait(INTERVAL):
            with self._raising:
                if not self._stopped.is_set() and time.clock_gettime(self._clock) > self._end:
                    self._raised = True
                    _raise_in(self._thread)

    def stop(self) -> None:
        """Raise it no more, and catch what is not yet delivered.

        It is raised once more here: without an exception to deliver, CPython 3.11 leaves its flag of pending work up,
        which slows every call from then on and lets a tracing function loop for ever.
        """
        self._stopped.set()
        with self._raising:
            pass
        if self._raised:
            with suppress(Overtime):
                _raise_in(self._thread)
                time.sleep(0)


def _raise_in(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Overtime))


def check_size(value: T) -> T:
    """Return a value. Raises `TemplateLimit` for a string or list that is too long, or an integer that is too large."""
    if isinstance(value, str | bytes | list | tuple):
        check_length(len(value))
    elif isinstance(value, int):
        check_bits(value.bit_length())
    return value


def check_length(length: int) -> None:
    """Raise `TemplateLimit` for the length of a string or list that is too long."""
    if length > MAX_LENGTH:
        raise TemplateLimit(f"The template makes a string or a list longer than {MAX_LENGTH:,}.", limit=MAX_LENGTH)


def check_bits(bits: int) -> None:
    """Raise `TemplateLimit` for the bits of an integer that is too large."""
    if bits > MAX_BITS:
        raise TemplateLimit(f"The template makes an integer of more than {MAX_BITS:,} bits.", limit=MAX_BITS)


def check_operation(operator: str, left: Any, right: Any) -> None:
    """Raise `TemplateLimit` for a multiplication or a power whose result would be too large.

    >>> check_operation("*", "ab", 5)
    >>> check_operation("**", 9, 10**9)
    Traceback (most recent call last):
    tokenarium.errors.TemplateLimit: The template makes an integer of more than 4,096 bits.
    """
    if not isinstance(right, int) and isinstance(left, int):
        left, right = (right, left) if operator == "*" else (left, right)
    if not isinstance(right, int):
        return
    if operator == "*" and isinstance(left, str | bytes | list | tuple):
        check_length(len(left) * right)
    elif operator == "**" and isinstance(left, int):
        check_bits(left.bit_length() * right)


def check_pieces(pieces: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a string. Raises `TemplateLimit` as soon as it is too long."""
    size = 0
    for piece in pieces:
        size += len(piece)
        check_length(size)
        yield piece
