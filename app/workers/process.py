"""What runs in a worker: it takes work from its socket, one thing after another, within its limits."""

import logging
import math
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from traceback import format_tb
from typing import Any

from app.errors import OverLimit, TokenariumError
from app.settings import Settings

Make = Callable[[Settings], Any]
Work = Callable[..., Iterable[Any]]
REACHING_OUT = frozenset(
    f"socket.{name}" for name in ("connect", "bind", "sendto", "sendmsg", "getaddrinfo", "gethostbyname")
)

NICE = 5
"""How much a worker stands back for the server, which must answer at once."""
log = logging.getLogger(__name__)


def serve(server: socket.socket, settings: Settings, make: Make) -> None:
    """Make what is worked with, then work until the server hangs up.

    The server alone decides when a worker ends: a signal that is sent to all of a group is not for it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.nice(NICE)
    confine(settings)
    connection = Connection(server.detach())
    made = make(settings)
    try:
        connection.send(("done", None))
        while True:
            function, args = connection.recv()
            allow(settings.max_cpu)
            for told in outcome(function, made, args, settings.max_memory):
                connection.send(told)
    except MemoryError:
        os.abort()
    except (EOFError, ConnectionError):
        return


def outcome(function: Work, made: Any, args: tuple[Any, ...], memory: int) -> Iterator[tuple[str, Any]]:
    """What is told the server: each part that the function gives, and how it ended.

    >>> list(outcome(lambda made, n: range(n), None, (2,), 0))
    [('part', 0), ('part', 1), ('done', None)]
    """
    try:
        for part in function(made, *args):
            yield "part", part
    except GeneratorExit:
        raise
    except TokenariumError as error:
        yield "error", error
    except MemoryError:
        yield "error", OverLimit(f"This takes more than {memory:,} bytes of memory.", limit=memory)
    except BaseException as error:  # a library's panic is no Exception, and not every error can be sent
        log.error("%s in a worker\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
        yield "error", RuntimeError(f"{type(error).__name__} in a worker")
    else:
        yield "done", None


def confine(settings: Settings) -> None:
    """Limit the memory of this process, and keep Python code in it from the network.

    Of memory, Linux counts what is the process's own (`RLIMIT_DATA`); macOS counts nothing. The network is closed to
    what goes through Python's sockets, not to a library's own; where the settings name a hub's tokenizers, it is open.
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    most = settings.max_memory if hard == resource.RLIM_INFINITY else min(settings.max_memory, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if all(Path(name).is_dir() for name in settings.hub):
        sys.addaudithook(refuse)


def refuse(event: str, args: tuple[Any, ...]) -> None:
    """An audit hook that raises `PermissionError` for what reaches out."""
    if event in REACHING_OUT:
        raise PermissionError("A worker has no network.")


def allow(seconds: int) -> None:
    """Let this process use so much more processor time, in whole seconds; beyond that it is killed by SIGXCPU."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(time.process_time()) + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
