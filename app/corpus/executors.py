"""Where parts are done: in processes of this machine, which are started again when one dies."""

import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from multiprocessing import get_context, parent_process
from multiprocessing.context import BaseContext
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")


class Processes(Executor):
    """A process pool that can be started again once it is broken."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._pool = self._start_pool()

    def submit(self, fn: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Future[Result]:
        """Run a function in a process. A pool that has broken since gives a future with that error."""
        try:
            return self._pool.submit(fn, *args, **kwargs)
        except BrokenExecutor as error:
            future: Future[Result] = Future()
            future.set_exception(error)
            return future

    def restart(self) -> None:
        """Give up the processes and start others."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._pool = self._start_pool()

    def give_up(self) -> None:
        """End the processes at once, whatever they do: an interrupted one would go on with what is next."""
        running = [*(self._pool._processes or {}).values()]
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.terminate()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._pool.shutdown(wait, cancel_futures=cancel_futures)

    def _start_pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self._workers, mp_context=process_context(), initializer=_end_with_parent)


def process_context() -> BaseContext:
    """Return how processes are started: on Linux as copies of this one, which have its modules and vocabularies.

    Where other threads run here, such a copy could wait for a lock forever, so that each starts anew.
    """
    copied = sys.platform == "linux" and threading.active_count() == 1
    return get_context("fork" if copied else "spawn")


def _end_with_parent() -> None:
    """End this process when the one that started it is killed, from which it would wait for work for ever."""

    def wait() -> None:
        parent = parent_process()
        if parent:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()
