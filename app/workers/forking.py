"""The main loop of the zygote: a process with one thread that prepares what all workers share, and forks them.

It makes the app once. What it loads afterwards, the workers that it forks from then on have in memory as well: each
page is one for all of them, until one of them writes to it.
"""

import logging
import os
import pickle
import signal
import socket
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from traceback import format_tb
from typing import Any

from ..memory import set_apart
from ..settings import Settings
from .process import NICE, Make, confine, serve, share_arenas

HEAD = struct.Struct("!i")
"""The length of a message, which `multiprocessing.connection` also puts before it."""
FORK = "fork"
PREPARE = "prepare"
EXITED = "exited"
DONE = "done"
"""Messages: fork a worker that answers on the socket sent along; call functions; a worker has exited; it is done."""
Call = tuple[Callable[..., object], tuple[Any, ...]]
"""A function of what the zygote has made, and its further arguments."""
log = logging.getLogger(__name__)


def pack_message(message: object) -> bytes:
    """Return a message with its length before it."""
    data = pickle.dumps(message, protocol=5)
    return HEAD.pack(len(data)) + data


def run_zygote(control: socket.socket, settings: Settings, make: Make) -> None:
    """Call `make(settings)`, then do what the server says until it closes the socket; then kill all workers."""
    # The server alone ends its processes. Ctrl-C in a terminal signals the whole process group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.nice(NICE)
    confine(settings)
    share_arenas()
    made = make(settings)
    workers: set[int] = set()

    def reap(*_: object) -> None:
        with suppress(ChildProcessError, OSError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                workers.discard(ended[0])
                control.sendall(pack_message((EXITED, (ended[0], os.waitstatus_to_exitcode(ended[1])))))

    signal.signal(signal.SIGCHLD, reap)
    try:
        control.sendall(pack_message((DONE, None)))
        while True:
            (kind, calls), ends = _receive(control)
            if kind == FORK:
                worker_end = socket.socket(fileno=ends[0])
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
                pid = _fork(control, worker_end, settings, made)
                worker_end.close()
                workers.add(pid)
                control.sendall(pack_message((DONE, pid)))
                signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
            else:
                control.sendall(pack_message((DONE, _call_all(calls, made))))
    except (EOFError, ConnectionError):
        for pid in [*workers]:
            os.kill(pid, signal.SIGKILL)


def _receive(control: socket.socket) -> tuple[Any, list[int]]:
    """Return the next message and the descriptors sent along. Raises `EOFError` when the server is gone."""
    head, ends, _, _ = socket.recv_fds(control, HEAD.size, 1)
    while len(head) < HEAD.size:
        head += _part(control, HEAD.size - len(head))  # raises at the end of the stream
    data = b""
    while len(data) < HEAD.unpack(head)[0]:
        data += _part(control, HEAD.unpack(head)[0] - len(data))
    return pickle.loads(data), ends


def _part(control: socket.socket, size: int) -> bytes:
    if not (data := control.recv(size)):
        raise EOFError
    return data


def _fork(control: socket.socket, worker_end: socket.socket, settings: Settings, made: Any) -> int:
    """Fork a worker, and return its process id. In the worker itself, this does not return."""
    set_apart()
    if pid := os.fork():
        return pid
    code = 1
    try:
        control.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
        serve(worker_end, settings, made)
        code = 0
    except BaseException as error:
        log.error("%s in a worker\n%s", type(error).__name__, "".join(format_tb(error.__traceback__)))
    finally:
        os._exit(code)


def _call_all(calls: Sequence[Call], made: Any) -> int:
    """Call functions one after another until one fails; return how many have succeeded."""
    for number, (function, args) in enumerate(calls):
        try:
            function(made, *args)
        except Exception as error:
            log.info("%s in the zygote: %s", type(error).__name__, error)
            return number
    return len(calls)
