"""Servers as a user starts them."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
from tokenarium.settings import ROOT

PATIENT = {"TOKENARIUM_MAX_SECONDS": "1000", "TOKENARIUM_MAX_WAIT": "1000"}
"""Limits on the clock that no busy machine reaches. A test of such a limit sets it."""


@contextmanager
def serving(*args, **env):
    """A patient server that answers, as (process, address); afterwards it and all its workers are gone."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tokenarium", "serve", "--port", str(port), *args]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | PATIENT | env, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        with httpx.Client(base_url=address, timeout=None) as client:  # to make a client takes longer than to ask
            wait_for(lambda: answers(client))
        yield process, address
        family = descendants(process.pid)
    finally:
        process.terminate()
        assert process.wait(90) in (0, -signal.SIGTERM)
    wait_for(lambda: not any(map(is_running, family)))


def wait_for(true):
    """Wait until a function returns what is true, and return it; the time limit of the test ends a wait in vain."""
    while not (found := true()):
        time.sleep(0.05)
    return found


def answers(client):
    try:
        return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def children(pid):
    """The process ids of those that a process has started."""
    with suppress(OSError):  # it has ended
        lists = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children")]
        return [int(child) for one in lists for child in one.split()]
    return []


def descendants(pid):
    found = [pid]
    for one in found:
        found += children(one)
    return found[1:]


def is_running(pid):
    """False for one that has ended, also where its parent has not noticed."""
    with suppress(OSError):
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False
