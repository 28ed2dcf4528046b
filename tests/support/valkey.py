"""A server of Valkey or Redis that holds nothing before and leaves nothing behind."""

import shutil
import socket
import subprocess
from contextlib import contextmanager
from tempfile import TemporaryDirectory

import pytest

from tests.support.servers import wait_for

NAMES = ("valkey-server", "redis-server")


@contextmanager
def valkey():
    """The address of a server that answers."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if not path:
        pytest.fail("No valkey-server or redis-server on the PATH. Install one; `make test` does.")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with TemporaryDirectory() as folder:
        command = [
            path,
            "--port",
            str(port),
            "--bind",
            "127.0.0.1",
            "--dir",
            folder,
            "--save",
            "",
            "--appendonly",
            "no",
        ]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            wait_for(lambda: _listens(port))
            yield f"redis://127.0.0.1:{port}/0"
        finally:
            process.terminate()
            process.wait(30)


def _listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
