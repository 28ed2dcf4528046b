"""What the tests of workers have them do. A worker imports it before its first work, so that it is light."""

import gc
import os
import signal
import socket
import time
from pathlib import Path
from tempfile import NamedTemporaryFile

from tokenarium.errors import UnknownId
from tokenarium.workers.process import exempt_loading, resident_bytes, retire


def started_at(made):
    return os.getpid()


def numbers(made, count):
    return [*range(count)]


def ids(registry, text):
    return [*registry.get("gpt2").ids(text)]


def read_oom_score(made):
    return int(Path("/proc/self/oom_score_adj").read_text())


def read_variable(made, name):
    return os.environ[name]


def echo(made, data):
    return [data, len(data)]


def fail(made, error):
    raise error


def fail_at_last(made):
    raise UnknownId(7, vocab_size=5, pointer="/ids/0")


def spin(made):
    while True:
        pass


def sleep(made, told=None):
    if told:
        open(told, "w").close()
    signal.pause()


def load(made, seconds, then=0):
    with exempt_loading():
        time.sleep(seconds)
    time.sleep(then)


def nap(made, told):
    open(told, "w").close()
    time.sleep(0.05)


def hoard(made):
    return len(bytearray(10**9))


def abort(made):
    os.abort()


def die(made):
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(made, mark):
    if not os.path.exists(mark):
        open(mark, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


def reach_out(made, port):
    with socket.create_connection(("127.0.0.1", port), timeout=5):
        return "connected"


def retire_after(made):
    retire()
    return os.getpid()


def grow(made, size):
    before = resident_bytes()
    more = bytearray(b"x" * size)
    return resident_bytes() - before - len(more)


def to_collect(made):
    return len(gc.get_objects())


_held: list[bytearray] = []


def hold(made, size):
    _held.append(bytearray(b"x" * size))
    return os.getpid()


def write_a_temporary_file(made):
    with NamedTemporaryFile():
        signal.pause()


def list_temporary_folder(made, path):
    return os.listdir(path)


def never(settings):
    """Make nothing for a worker, and take for ever to do so."""
    signal.pause()
