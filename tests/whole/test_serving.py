"""The server as a user starts it: a process of its own, real sockets, real signals."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import httpx
import psutil
import pytest
from tokenarium.jobs.events import EVENTS, LOCK, RESULT
from tokenarium.lab.chat.limits import MAX_SECONDS
from tokenarium.lab.surgery.jobs import ARCHIVE
from tokenarium.settings import ROOT
from tokenarium.workers import MAX_ATTEMPTS

from tests.conftest import TIER
from tests.support.servers import children, descendants, is_running, serving, wait_for

pytestmark = pytest.mark.timeout(float(os.environ.get("PYTEST_TIMEOUT", "300")))
"""The first test with a server waits until it and its workers have started: two minutes on a busy machine."""
COUNTED = re.compile(r'requests_total{method="POST",route="/tokenize",status="200"} (\S+)')
UNDER_WAY = re.compile(r"requests_in_flight [2-9]")  # one of which is the question
KILLS = re.compile(r"worker_kills_total (\d\S*)")
LARGE = {"tokenizer": "gpt2", "text": "Hello" * 20_000, "include": ["ids"]}
LONG = {"tokenizer": "bert-base-uncased", "text": "word " * 30_000, "include": []}


def workers(server):
    """The workers of a server, once it has two of them: another process forks them."""
    found = [pid for child in children(server.pid) for pid in descendants(child)]
    return found if len(found) >= 2 else []


@pytest.fixture(scope="module")
def small():
    """A server that does one thing at a time, and lets one wait: its process, and a client of it."""
    limits = {"TOKENARIUM_SLOTS": "1", "TOKENARIUM_WAITING": "1", "TOKENARIUM_MAX_TEXT": "12000000"}
    with serving(**limits) as (server, address), httpx.Client(base_url=address, timeout=None) as client:
        yield server, client


@pytest.fixture(scope="module")
def pair():
    """A server that does two things at a time: its process, and its address."""
    with serving(TOKENARIUM_SLOTS="2") as served:
        yield served


def test_health_is_answered_while_too_much_else_is_shed(small):
    _, client = small
    with ThreadPoolExecutor(12) as many:
        asked = [many.submit(client.post, "/tokenize", json=LONG) for _ in range(12)]
        while not all(one.done() for one in asked):
            assert client.get("/healthz").status_code == 200
            time.sleep(0.05)  # for the others to have the processor
        responses = [one.result() for one in asked]
        assert {response.status_code for response in responses} == {200, 503}
        assert {one.headers["retry-after"] for one in responses if one.status_code == 503} == {"1"}
        assert client.post("/tokenize", json=LARGE).status_code == 200


def test_nobody_notices_that_workers_are_killed(pair):
    """As many as KILLS says, else four or nightly ten, and of each request one less than it is started anew.

    They do not follow the clock: on a busy machine a request takes longer than three kills that are 100 ms apart.
    """
    server, address = pair
    wait_for(lambda: workers(server))
    done, killed, killed_before = threading.Event(), 0, [0, 0, 0]

    def ask(person):
        codes = set()
        with httpx.Client(base_url=address, timeout=None) as client:
            while not done.is_set():
                codes.add(client.post("/tokenize", json=LARGE).status_code)
                killed_before[person] = killed
                codes.add(client.post("/", data={"tokenizer": "bytes", "text": "Hello"}).status_code)
                killed_before[person] = killed
        return codes

    with ThreadPoolExecutor(3) as people:
        asked = [people.submit(ask, person) for person in range(3)]
        try:
            while killed < int(os.environ.get("KILLS", {"commit": "4", "nightly": "10"}[TIER])) and not any(
                one.done() for one in asked
            ):
                if killed - min(killed_before) < MAX_ATTEMPTS - 1:
                    for pid in workers(server)[killed % 3 :][:1]:
                        with suppress(ProcessLookupError):  # it was renewed meanwhile
                            os.kill(pid, signal.SIGKILL)
                            killed += 1
                time.sleep(0.1)
        finally:
            done.set()
        assert [one.result() for one in asked] == [{200}] * 3
    assert len(wait_for(lambda: workers(server))) >= 2


@pytest.mark.parametrize("behind", [b"", b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_work_of_a_client_that_is_gone_is_stopped(small, behind):
    """Also where another request waits behind it."""
    server, client = small
    body = json.dumps(LONG | {"text": "word " * 800_000}).encode()  # seconds of work
    head = b"POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
    kills, before = count_kills(client), processor_seconds(workers(server))
    with socket.create_connection(("127.0.0.1", client.base_url.port)) as leaving:
        leaving.sendall(head % len(body) + body + behind)
        wait_for(lambda: (processor_seconds(workers(server)) - before).total() > 0.3)  # it has begun
    wait_for(lambda: count_kills(client) > kills)


def count_kills(client):
    return float(KILLS.search(client.get("/metrics").text)[1])


def processor_seconds(pids):
    """The processor time of each process, as a counter."""
    spent = Counter()
    for pid in pids:
        with suppress(psutil.NoSuchProcess):  # it was renewed meanwhile
            spent[pid] = sum(psutil.Process(pid).cpu_times()[:2])
    return spent


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.nightly)])
def test_a_server_that_is_told_to_end_finishes_what_is_under_way(number, tmp_path):
    with serving(TOKENARIUM_SLOTS="1", TMPDIR=str(tmp_path)) as (server, address), ThreadPoolExecutor(1) as one:
        wait_for(lambda: workers(server))
        with httpx.Client(base_url=address, timeout=None) as client:
            asked = one.submit(client.post, "/tokenize", json=LONG)
            wait_for(lambda: UNDER_WAY.search(client.get("/metrics").text) or asked.done())
            server.send_signal(number)
            assert asked.result().json()["count"] == 30_000
        assert server.wait(60) in (0, -number)
    assert [*tmp_path.glob("tokenarium-*")] == []


def test_downloads_that_are_under_way_end_with_the_server(tmp_path):
    """As many as there are connections, each of a result that one job has made, and each again and again."""
    job, packed = tmp_path / ".surgeries" / ("x" * 22), os.urandom(2**21)
    (job / RESULT).mkdir(parents=True)
    (job / RESULT / ARCHIVE).write_bytes(packed)
    (job / LOCK).touch()
    (job / EVENTS).write_text('{"kind": "finished", "files": {}}\n')
    downloaded = Counter()

    def download(address, person):
        with httpx.Client(base_url=address, timeout=None) as client:
            request = client.build_request("GET", f"/api/surgery/{job.name}/download/{ARCHIVE}")
            while True:
                try:
                    answer = client.send(request, stream=True)
                except httpx.TransportError:
                    return  # the server takes no more
                assert answer.read() == packed
                downloaded[person] += 1

    with serving(TOKENARIUM_LOCAL=str(tmp_path)) as (server, address), ThreadPoolExecutor(64) as people:
        asked = [people.submit(download, address, person) for person in range(64)]
        wait_for(lambda: len(downloaded) == 64 or any(one.done() for one in asked))
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) in (0, -signal.SIGTERM)
        assert [one.result() for one in asked] == [None] * 64


def test_a_template_without_end_is_stopped_while_health_is_answered(small):
    """Few rounds, each of them long."""
    slow = "{% set big = 'x' * 3000000 %}{% for i in range(9999) %}{% set y = big | list | length %}{% endfor %}"
    sent = {"tokenizer": "mistral-v3", "messages": [{"role": "user", "content": "Hello"}], "chat_template": slow}
    _, client = small
    with ThreadPoolExecutor(1) as one:
        asked, beside = one.submit(client.post, "/api/chat", json=sent), 0
        while not asked.done():
            assert client.get("/healthz").status_code == 200
            beside += not asked.done()
            time.sleep(0.05)
        told = asked.result().json()
        assert beside
        assert (told["status"], told["code"], told["limit"]) == (422, "template-limit", MAX_SECONDS)


def test_agents_are_answered_by_workers_and_shed_as_others_are(small):
    """Six at once, of which the server works on one and lets one wait."""
    _, client = small
    headers = {"accept": "application/json, text/event-stream"}

    def call(text):
        arguments = {"name": "count", "arguments": {"text": text, "tokenizer": "bert-base-uncased"}}
        body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": arguments}
        return client.post("/mcp", json=body, headers=headers)

    with ThreadPoolExecutor(6) as many:
        answers = [*many.map(call, ["word " * 60_000] * 6)]
    assert {answer.status_code for answer in answers} == {200, 503}
    counted = [answer.json()["result"]["structuredContent"] for answer in answers if answer.status_code == 200]
    assert {one["count"] for one in counted} == {60_000}
    assert call("one more word").json()["result"]["structuredContent"]["count"] == 3


def test_templates_that_users_send_leave_a_worker_to_others(pair):
    rounds = "{% for i in range(99999) %}{% for j in range(99999) %}"
    slow = rounds + "{% set y = messages[0].content.upper() %}{% endfor %}{% endfor %}"
    sent = {"tokenizer": "mistral-v3", "messages": [{"role": "user", "content": "Hello"}], "chat_template": slow}
    text = {"tokenizer": "gpt2", "text": "The quick brown fox. " * 900, "include": ["ids"]}
    server, address = pair
    wait_for(lambda: workers(server))
    with ThreadPoolExecutor(2) as many:
        with httpx.Client(base_url=address, timeout=None) as client:
            assert client.post("/tokenize", json=text).status_code == 200
            asked = [many.submit(httpx.post, f"{address}/api/chat", json=sent, timeout=None) for _ in range(2)]
            answered = 0
            while not all(one.done() for one in asked):
                assert client.post("/tokenize", json=text).status_code == 200
                answered += not any(one.done() for one in asked)  # else it may have waited for one of them
                time.sleep(0.05)
        assert {(one.result().status_code, one.result().json()["code"]) for one in asked} == {(422, "template-limit")}
        assert answered


def test_several_processes_end_when_the_one_that_started_them_is_killed():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tokenarium", "serve", "--port", str(port), "--workers", "2"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout.readline() == f"Tokenarium is at http://127.0.0.1:{port}\n"
        assert httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=None).status_code == 200
        family = descendants(server.pid)
        server.kill()
    assert len(family) >= 2
    wait_for(lambda: not any(map(is_running, family)))


@pytest.mark.nightly
def test_several_processes_can_listen_and_any_tells_what_all_have_answered():
    apart = {"connection": "close"}  # each request may meet another of them

    def answered():
        told = COUNTED.search(client.get("/metrics").text)
        return told and int(float(told[1])) == 12

    with (
        serving("--workers", "2", TOKENARIUM_SLOTS="1") as (_, address),
        httpx.Client(base_url=address, timeout=None, headers=apart) as client,
    ):
        texts = [*[LARGE] * 4, *[{"tokenizer": "bytes", "text": "a", "include": []}] * 8]
        told = [client.post("/tokenize", json=text).json()["count"] for text in texts]
        assert told == [20_000] * 4 + [1] * 8
        for _ in range(4):
            wait_for(answered)
        for _ in range(6):  # each of them keeps the limits of a connection
            with socket.create_connection(("127.0.0.1", httpx.URL(address).port)) as other:
                other.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n")
                assert other.recv(12) == b"HTTP/1.1 400"
