"""The main loop of a worker process: it takes work from its socket, one piece after another, within its limits."""

import gc
import logging
import math
import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from ctypes import CDLL
from dataclasses import dataclass
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from traceback import format_tb
from typing import Any

from ..errors import UNWRITABLE, OverLimit, TokenariumError, from_disk
from ..memory import offer_to_oom_killer, set_apart
from ..settings import Settings

Make = Callable[[Settings], Any]
Work = Callable[..., Any]
NETWORK_EVENTS = frozenset(
    f"socket.{name}" for name in ("connect", "bind", "sendto", "sendmsg", "getaddrinfo", "gethostbyname")
)

NICE = 5
"""Niceness of a worker, so that the server, which must answer at once, has priority."""
COLLECT_EVERY = 100
"""Pieces of work between two collections of the garbage of all of them."""
LOADING = "loading"
LOADED = "loaded"
RETIRING = "retiring"
"""Messages to the server: loading begins, it has ended; this worker should be replaced after its work."""
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
"""The numbers of parameters of glibc's `mallopt`."""
PR_SET_PDEATHSIG = 1
"""The number of an operation of Linux' `prctl`."""
log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Process:
    """The state of a worker process: its connection to the server, and the seconds that loading may take.

    `inherited`: the resident memory with which the process began.
    """

    connection: Connection | None = None
    load_seconds: int = 0
    inherited: int = 0


_process = _Process()


def serve(connection: Connection, settings: Settings, make: Make, folder: Path | None) -> None:
    """Call functions with what `make(settings)` returns until the server closes the connection.

    What they write for a while lies in the folder. A process without one is soon replaced.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server alone ends its processes
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end_with_parent()
    os.nice(NICE)
    offer_to_oom_killer()
    if folder:
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
    confine(settings)
    share_arenas()
    keep_memory()
    _process.connection = connection
    _process.load_seconds = settings.load_seconds
    _process.inherited = resident_bytes()
    made = make(settings)
    set_apart()
    if folder is None:
        retire()
    try:
        for number in count(1):
            function, args = connection.recv()
            allow(settings.max_cpu)
            allow_memory(settings.max_memory)
            connection.send(outcome(function, made, args, settings.max_memory))
            if number % COLLECT_EVERY == 0:
                gc.collect()
                set_apart()
    except MemoryError:
        os.abort()  # even the error could not be sent: the exit code tells the server
    except (EOFError, ConnectionError):
        return


def outcome(function: Work, made: Any, args: tuple[Any, ...], memory: int) -> tuple[str, Any]:
    """Return the message to the server: `done` with the result of a function, or `error`.

    >>> outcome(lambda made, n: n + 1, None, (2,), 0)
    ('done', 3)
    """
    try:
        return "done", function(made, *args)
    except TokenariumError as error:
        return "error", error
    except MemoryError:
        return "error", OverLimit(f"This takes more than {memory:,} bytes of memory.", limit=memory)
    except BaseException as error:  # a library's panic is no Exception, and not every error can be pickled
        if isinstance(error, OSError) and error.errno in UNWRITABLE:
            return "error", from_disk(error)
        log.error("%s in a worker\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
        return "error", RuntimeError(f"{type(error).__name__} in a worker")


def end_with_parent() -> None:
    """Have this process killed when the one that forked it ends, which ends with the server; on Linux."""
    with suppress(OSError, AttributeError):
        CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def confine(settings: Settings) -> None:
    """Write no core file and no stack of Rust, and close the network to Python code in this process.

    A library in Rust that panics for want of memory, and then needs some for its stack, waits for itself for ever. The
    network is closed to Python's sockets, not to those of native libraries; if the settings name tokenizers of a
    hub, it is open.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ["RUST_BACKTRACE"] = "0"
    if all(Path(name).expanduser().exists() for name in settings.hub):
        sys.addaudithook(refuse)


def refuse(event: str, args: tuple[Any, ...]) -> None:
    """Raise `PermissionError` for an event of the network; an audit hook."""
    if event in NETWORK_EVENTS:
        raise PermissionError("A worker has no network.")


def share_arenas() -> None:
    """Have all threads allocate from one heap, where the C library is glibc.

    Otherwise each thread that loads a tokenizer has a heap of its own, in which what was evicted remains as gaps. Large
    blocks, such as bodies, lie outside it, and are returned to the system at once.
    """
    with suppress(OSError, AttributeError):
        CDLL(None).mallopt(M_ARENA_MAX, 1)
        CDLL(None).mallopt(M_MMAP_THRESHOLD, 2**18)


def keep_memory() -> None:
    """Keep what is freed for the next work, where the C library is glibc, until `release_memory` returns it.

    The pages of the answer to a megabyte take a sixth of its time if they come from the system for each answer.
    """
    with suppress(OSError, AttributeError):
        CDLL(None).mallopt(M_MMAP_THRESHOLD, 2**25)
        CDLL(None).mallopt(M_TRIM_THRESHOLD, 2**27)


def allow(seconds: int) -> None:
    """Allow this process so many more seconds of processor time; SIGXCPU then kills it."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(time.process_time()) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def allow_memory(size: int) -> None:
    """Allow this process to take so many more bytes of private memory than it holds.

    What it holds already, such as imported modules, tokenizers and caches, then decides nothing about the work that
    comes. Linux counts private memory (`RLIMIT_DATA`); macOS enforces nothing.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = private_bytes() + size
    resource.setrlimit(resource.RLIMIT_DATA, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))


def private_bytes() -> int:
    """Return the size of the private memory of this process in bytes, or 0 where the system does not say."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[5]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


def resident_bytes() -> int:
    """Return the resident memory of this process in bytes, or 0 where the system does not say."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * resource.getpagesize()


def own_bytes() -> int:
    """Return by how much the resident memory of this process has grown since it was forked, in bytes."""
    return max(0, resident_bytes() - _process.inherited)


def is_worker() -> bool:
    """True in a worker process; a server without workers does their work itself."""
    return _process.connection is not None


def retire() -> None:
    """Have the server replace this worker after its work. In a process that is no worker, this does nothing."""
    if _process.connection is not None:
        _process.connection.send((RETIRING, None))


@contextmanager
def exempt_loading() -> Iterator[None]:
    """Exempt what is done here, which is loading, from the limits of the work that needs it; it has one of its own.

    In a process that is no worker, this does nothing.
    """
    if _process.connection is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_CPU)
    begun = time.process_time()
    allow(2 * _process.load_seconds)  # more than the server waits, also where a library has several threads
    _process.connection.send((LOADING, None))
    try:
        yield
    finally:
        _process.connection.send((LOADED, None))
        if soft != resource.RLIM_INFINITY:
            soft += math.ceil(time.process_time() - begun)
            resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
