"""tokenarium serve refuses what it cannot do in a sentence, before it starts anything."""

import asyncio
import socket
from contextlib import ExitStack

import pytest
import uvloop
from tokenarium.commands.server import ACCEPTED_AT_ONCE, listen
from uvicorn import Config


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_port_in_use_is_a_sentence(said, monkeypatch, workers):
    for name in ("PORT", "TOKENARIUM_WORKERS_PER_PROCESS", "OPENBLAS_NUM_THREADS", "PROMETHEUS_MULTIPROC_DIR"):
        monkeypatch.setenv(name, "1")  # what the command sets is undone after the test
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        status, out, err = said("serve", "--port", port, "--workers", workers)
    sentence = f"The server cannot listen on port {port} of 127.0.0.1: address already in use."
    assert (status, out) == (1, "")
    assert err == f"tokenarium: Not available. {sentence} --port and --host choose others.\n"


@pytest.mark.parametrize("workers", ["0", "-1", "many"])
def test_fewer_than_one_process_is_refused(said, workers):
    for command in (["serve"], ["corpus", "count", __file__], ["du", __file__]):
        status, out, err = said(*command, f"--workers={workers}")
        assert (status, out) == (2, "")
        assert f"argument --workers: must be a whole number from 1, not '{workers}'" in err


def test_many_connections_are_accepted_in_one_pass_of_the_loop():
    config = Config("", host="127.0.0.1", port=0)
    passes, accepted = 0, []

    class Visitor(asyncio.Protocol):
        def connection_made(self, transport):
            accepted.append(passes)
            transport.close()

    async def run():
        nonlocal passes
        loop = asyncio.get_running_loop()
        servers = [await loop.create_server(Visitor, sock=one) for one in sockets]
        while len(accepted) < ACCEPTED_AT_ONCE:
            passes += 1
            await asyncio.sleep(0)
        for server in servers:
            server.close()

    with ExitStack() as opened:
        sockets = [opened.enter_context(one) for one in listen(config)]
        for _ in range(ACCEPTED_AT_ONCE):  # all wait before the loop begins
            opened.enter_context(socket.create_connection(sockets[0].getsockname()))
        uvloop.run(run())
    assert len(accepted) == ACCEPTED_AT_ONCE
    assert accepted[0] == accepted[-1]
