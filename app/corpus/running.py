"""Run a function over the parts of a corpus on any executor, so that an interrupted run goes on where it ended.

The result of a part is kept in a folder under a key of everything it depends on: the file and its version, the range,
and what the work itself names, such as the tokenizers' files. Whoever runs the same again only reads it.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Generic, TypeVar

from .. import __version__
from .sinks import write_whole as write_whole
from .sources import Part

Result = TypeVar("Result")
PENDING = 4
"""Parts for each worker that are submitted ahead."""


@dataclass(frozen=True)
class Work(Generic[Result]):
    """What is done with each part, and how its result is kept.

    `do` runs in any process, so it must be picklable; it says in its result what could not be read, and then `complete`
    is false and the part is done again next time. `depends` names all that a result depends on beside its part.
    """

    do: Callable[[Part], Result]
    depends: str
    dumped: Callable[[Result], bytes]
    loaded: Callable[[bytes], Result]
    complete: Callable[[Result], bool]

    def key(self, part: Part) -> str:
        """Return the name under which the result of a part is kept."""
        source = part.source
        place = [source.path, source.version, source.format, part.start, part.end]
        return hashlib.sha256(json.dumps([__version__, place, self.depends]).encode()).hexdigest()[:32]


def run(
    work: Work[Result], todo: Iterable[Part], executor: Executor, *, kept: Path | None = None, workers: int = 2
) -> Iterator[tuple[Part, Result]]:
    """Yield each part with its result, in the order in which they are done; those in the folder `kept` are read there.

    Whatever has been done is kept there, also if this is interrupted.
    """
    waiting = iter(todo)
    pending: dict[Future[Result], Part] = {}
    while True:
        for part in islice(waiting, max(0, round(PENDING * workers) - len(pending))):
            known = _read(work, kept / work.key(part)) if kept else None
            if known is None:
                pending[executor.submit(work.do, part)] = part
            else:
                yield part, known
        if not pending:
            return
        done, _ = wait(pending, return_when=FIRST_COMPLETED)
        for future in done:
            part, result = pending.pop(future), future.result()
            if kept and work.complete(result):
                write_whole(kept / work.key(part), work.dumped(result))
            yield part, result


def _read(work: Work[Result], path: Path) -> Result | None:
    try:
        return work.loaded(path.read_bytes())
    except (OSError, ValueError, KeyError, TypeError):  # not there, or not whole
        return None
