"""tokenarium serve refuses what it cannot do in a sentence, before it starts anything."""

import socket

import pytest


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
