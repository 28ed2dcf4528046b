"""Servers as a user starts them."""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager

import httpx
import psutil
from tokenarium.settings import ROOT


@contextmanager
def serving(*args, **env):
    """A server that answers, as (process, address); afterwards it and all its workers are gone."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tokenarium", "serve", "--port", str(port), *args]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | env, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        with httpx.Client(base_url=address, timeout=60) as client:  # to make a client takes longer than to ask
            wait_for(lambda: answers(client))
        yield process, address
        family = descendants(process.pid)
    finally:
        process.terminate()
        assert process.wait(60) in (0, -signal.SIGTERM)
    wait_for(lambda: not set(family) & set(processes()))


def wait_for(true, seconds=90):
    until = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < until, "It does not come to pass."
        time.sleep(0.05)
    return found


def answers(client):
    try:
        return client.get("/healthz").status_code == 200
    except httpx.TransportError:
        return False


def processes():
    """By process id, its parent's."""
    return {one.info["pid"]: one.info["ppid"] for one in psutil.process_iter(["pid", "ppid"])}


def descendants(pid):
    found, parents = [pid], processes()
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found[1:]
