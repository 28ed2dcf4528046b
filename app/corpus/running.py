"""Run a function over the parts of a corpus on any executor, so that an interrupted run goes on where it ended.

The result of a part is kept under a key of everything it depends on: the file and its version, the range,
and what the work itself names, such as the tokenizers' files. Whoever runs the same again only reads it.
"""

import hashlib
import json
import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any, Generic, Protocol, Self, TypeVar

from .. import __version__
from ..errors import WorkerLost
from .addresses import describe_error
from .results import ResultCache
from .types import SourcePart, Unread

Item = TypeVar("Item")
Result = TypeVar("Result")
SourceParts = tuple[SourcePart, ...]
PENDING = 4
"""Parts for each worker that are submitted ahead."""
TRIES = 3
"""How often a part is done whose process dies, the first time beside others, then alone."""
CHECK_SECONDS = 5.0
"""How long is waited for a result before an executor is asked whether it can still give any."""
TICK_SECONDS = 1.0
"""How often progress is shown where no part is done."""
SMALL = 1 << 17
GROUP_BYTES = 1 << 20
GROUP_PARTS = 1000
"""Whole files below `SMALL` bytes are done many at once: so many bytes or files at most."""


@dataclass(frozen=True)
class Work(Generic[Item, Result]):
    """What is done with each part, or with each run of parts, and how its result is kept.

    `do` runs in any process, so it must be picklable; it says in its result what could not be read, and then `complete`
    is false and the part is done again next time. `depends` names all that a result depends on beside its part.
    `make_failure` is the result of a part that cannot be done since processes die of it; without it, that is an error.
    """

    do: Callable[[Item], Result]
    depends: str
    dump: Callable[[Result], bytes]
    load: Callable[[bytes], Result]
    complete: Callable[[Result], bool]
    make_failure: Callable[[Item, Exception], Result] | None = None
    divide: Callable[[Item], Sequence[Item]] = lambda item: (item,)
    """Returns what an item consists of; of one whose process died, each is done alone."""

    def key(self, part: Item) -> str:
        """Return the name under which the result of a part is kept."""
        return hashlib.sha256(json.dumps([__version__, repr(part), self.depends]).encode()).hexdigest()[:32]


class NotKept(Exception):
    """A part has no result that is kept."""


class NoExecutor(Executor):
    """An executor for work of which all results are kept: it raises `NotKept` for any other."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        raise NotKept


class Summable(Protocol):
    """Counts of a part, which add up to those of a corpus, and say what was not read."""

    unread: Unread

    def __iadd__(self, other: Any, /) -> Self: ...
    def dump(self) -> dict[str, Any]: ...
    @classmethod
    def load(cls, data: dict[str, Any], /) -> Self: ...


Sum = TypeVar("Sum", bound=Summable)


def sum_results(
    kind: type[Sum],
    do: Callable[[SourcePart], Sum],
    depends: str,
    todo: Iterable[SourcePart],
    executor: Executor,
    *,
    together: Callable[[SourceParts], Sum | None] | None = None,
    saved: ResultCache | None = None,
    progress: Callable[[SourcePart], None] = lambda part: None,
    workers: int = 2,
) -> Sum:
    """Return the sum of what a function counts in each part; see `Work` and `run`.

    `together` may count small files at once, or return None.
    """

    def make_failure(group: SourceParts, error: Exception) -> Sum:
        one = kind()
        for part in group:
            one.unread += Unread.of_part(part, error)
        return one

    work = Work(
        do=partial(_sum_group, do, together),
        depends=depends,
        dump=lambda one: json.dumps(one.dump()).encode(),
        load=lambda data: kind.load(json.loads(data)),
        complete=lambda one: not one.unread.failed,
        make_failure=make_failure,
        divide=lambda group: [(part,) for part in group],
    )
    total = kind()
    tick = getattr(progress, "tick", None)
    for group, one in run(work, group_small(todo), executor, saved=saved, workers=workers, tick=tick):
        total = total.__iadd__(one)  # mypy knows no += of a type variable
        for part in group:
            progress(part)
    return total


def _sum_group(
    do: Callable[[SourcePart], Sum], together: Callable[[SourceParts], Sum | None] | None, group: SourceParts
) -> Sum:
    """Return the sum of what a function counts in each part of a group. Runs in any process."""
    if together and (sum := together(group)) is not None:
        return sum
    first, *others = map(do, group)
    for one in others:
        first = first.__iadd__(one)
    return first


def group_small(parts: Iterable[SourcePart]) -> Iterator[SourceParts]:
    """Yield parts alone, and small files that follow one another as one."""
    group: list[SourcePart] = []
    size = 0
    for part in parts:
        is_small = not part.start and part.end == part.source.bytes < SMALL
        if group and (not is_small or size + part.end > GROUP_BYTES or len(group) == GROUP_PARTS):
            yield tuple(group)
            group = []
            size = 0
        if is_small:
            group.append(part)
            size += part.end
        else:
            yield (part,)
    if group:
        yield tuple(group)


def run(
    work: Work[Item, Result],
    todo: Iterable[Item],
    executor: Executor,
    *,
    saved: ResultCache | None = None,
    workers: int = 2,
    tick: Callable[[], object] | None = None,
) -> Iterator[tuple[Item, Result]]:
    """Yield each part with its result, in the order in which they are done; those in `saved` are read there.

    Whatever has been done is kept there, also if this is interrupted; if it cannot be, that is logged once. A part
    whose process died is done again by an executor that can `restart`. `tick` is called each second in which no part
    is done. Raises `WorkerLost` for one that fails `TRIES` times if the work has no `make_failure`, and whatever the
    function raises.
    """
    return _Run(work, iter(todo), executor, saved, max(1, round(PENDING * workers)), tick).results()


class _Run(Generic[Item, Result]):
    def __init__(
        self,
        work: Work[Item, Result],
        waiting: Iterator[Item],
        executor: Executor,
        saved: ResultCache | None,
        most: int,
        tick: Callable[[], object] | None,
    ) -> None:
        self._tick = tick or (lambda: None)
        self._checked = monotonic()
        self._work = work
        self._waiting = waiting
        self._executor = executor
        self._kept = saved
        self._most = most
        self._pending: dict[Future[Result], Item] = {}
        self._suspects: deque[Item] = deque()
        self._tries: Counter[Item] = Counter()
        self._broken = False

    def results(self) -> Iterator[tuple[Item, Result]]:
        while True:
            yield from self._submit_next()
            if not self._pending:
                if self._kept:
                    self._kept.trim()
                return
            yield from self._collect_done()

    def _submit_next(self) -> Iterator[tuple[Item, Result]]:
        """Submit what comes next, and yield what is known already."""
        if self._broken and not self._pending:  # by now each of them is done or known to be lost
            self._executor.restart()  # type: ignore[attr-defined]
            self._broken = False
        if self._suspects:  # processes died while these were pending: whose fault it is shows if each is alone
            if not self._pending:
                self._submit(self._suspects.popleft())
            return
        while not self._broken and len(self._pending) < self._most and (part := next(self._waiting, None)):
            known = self._read(part)
            if known is None:
                self._submit(part)
            else:
                yield part, known

    def _submit(self, part: Item) -> None:
        self._pending[self._executor.submit(self._work.do, part)] = part

    def _collect_done(self) -> Iterator[tuple[Item, Result]]:
        done, _ = wait(self._pending, timeout=min(TICK_SECONDS, CHECK_SECONDS), return_when=FIRST_COMPLETED)
        if not done:
            self._tick()
        if done:
            self._checked = monotonic()
        elif monotonic() - self._checked >= CHECK_SECONDS:
            self._checked = monotonic()
            if check := getattr(self._executor, "check", None):
                check()
        for future in done:
            part = self._pending.pop(future)
            try:
                result = future.result()
            except (BrokenExecutor, WorkerLost, MemoryError) as error:
                if (lost := self._handle_failure(part, error)) is not None:
                    yield part, lost
                continue
            if self._work.complete(result):
                self._save(part, result)
            yield part, result

    def _handle_failure(self, part: Item, error: Exception) -> Result | None:
        """Return the result of a part that has failed, or None if it is done again."""
        if isinstance(error, BrokenExecutor) and hasattr(self._executor, "restart"):
            self._broken = True
        if len(pieces := self._work.divide(part)) > 1:
            self._suspects.extend(pieces)
            return None
        if isinstance(error, BrokenExecutor) and hasattr(self._executor, "restart"):
            self._tries[part] += 1
            if self._tries[part] < TRIES:
                self._suspects.append(part)
                return None
            error = WorkerLost("The process died each time this was done, at last with nothing beside it.")
        if self._work.make_failure is None:
            raise error
        return self._work.make_failure(part, error)

    def _read(self, part: Item) -> Result | None:
        data = self._kept.find_result(self._work.key(part)) if self._kept else None
        try:
            return None if data is None else self._work.load(data)
        except (ValueError, KeyError, TypeError):  # not whole
            return None

    def _save(self, part: Item, result: Result) -> None:
        if self._kept is None:
            return
        try:
            self._kept.keep_result(self._work.key(part), self._work.dump(result))
        except OSError as error:
            logging.getLogger(__name__).warning(
                "Results cannot be kept in %s: %s. This run goes on; another one begins anew.",
                self._kept.path,
                describe_error(error),
            )
            self._kept = None  # said once
