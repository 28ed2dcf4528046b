"""What slow, oversized and too many connections get from a real server, and that other clients get their answers."""

import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from select import select

import httpx
import pytest
from tokenarium.settings import Settings
from tokenarium.web.connections import Connections

from tests.support.servers import serving, wait_for

SMALL = {"tokenizer": "gpt2", "text": "Hello"}
HEAD = b"POST /tokenize HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n"
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
FEW = {"TOKENARIUM_SLOTS": "0", "TOKENARIUM_MAX_STREAMS": "2", "TOKENARIUM_MAX_CONNECTIONS": "20"}
HASTY = {
    "TOKENARIUM_SLOTS": "0",
    "TOKENARIUM_CONCURRENCY": "4",
    "TOKENARIUM_HEAD_TIMEOUT": "2",
    "TOKENARIUM_BODY_TIMEOUT": "2",
    "TOKENARIUM_MIN_RATE": "1000",
}


@pytest.fixture(scope="module")
def address():
    """A server that waits long, and lets twenty connections of one address in."""
    with serving(TOKENARIUM_HEAD_TIMEOUT="1000", **FEW) as (_, address):
        yield address


@pytest.fixture(scope="module")
def hasty():
    """A server that waits two seconds for the rest of a request."""
    with serving(**HASTY) as (_, address):
        yield address


def connect(address, source="127.0.0.1"):
    return socket.create_connection(("127.0.0.1", httpx.URL(address).port), source_address=(source, 0))


def answer(client):
    """All that the server sends until it closes the connection."""
    parts = []
    with suppress(ConnectionResetError):
        while part := client.recv(65536):
            parts.append(part)
    return b"".join(parts)


def exchange(address, sent, source="127.0.0.1"):
    with connect(address, source) as client:
        with suppress(BrokenPipeError, ConnectionResetError):
            client.sendall(sent)
        return answer(client)


def assert_problem(told, status, code):
    head, _, body = told.partition(b"\r\n\r\n")
    assert head.split()[1] == b"%d" % status
    assert b"\r\ncontent-type: application/problem+json\r\n" in head
    assert b"\r\nx-content-type-options: nosniff\r\n" in head
    assert b"\r\nconnection: close" in head.lower()
    problem = json.loads(body)
    assert (problem["status"], problem["code"]) == (status, code)
    return problem


def trickle(address, source, sent, more=b"a"):
    """Send some bytes and then more every 100 ms until the server answers or hangs up; return its start."""
    with connect(address, source) as client:
        with suppress(BrokenPipeError, ConnectionResetError):
            client.sendall(sent)
            while not select([client], [], [], 0.1)[0]:
                client.sendall(more)
        return answer(client)[:12]


def test_trickling_clients_are_cut_off_while_others_are_answered(hasty):
    """Forty at once, where four requests have a place: an answer to another would be a refusal if they had any."""
    kinds = [HEAD, GET + b"X: ", b"GET /", b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999\r\n\r\n"]
    alone = {"connection": "close"}  # since one that waits two seconds for its next request is closed
    with ThreadPoolExecutor(40) as many, httpx.Client(base_url=hasty, timeout=None, headers=alone) as client:
        slow = [many.submit(trickle, hasty, f"127.0.0.{2 + i % 10}", kinds[i % 4]) for i in range(40)]
        while not all(one.done() for one in slow):
            assert client.post("/tokenize", json=SMALL).json()["ids"] == [15496]
            assert client.get("/healthz").status_code == 200
            time.sleep(0.05)
        for i, one in enumerate(slow):
            expected = [b"HTTP/1.1 408", b"HTTP/1.1 408", b"HTTP/1.1 408", b"HTTP/1.1 405"][i % 4]
            # nothing, if the byte that came after the answer reset the connection
            assert one.result() in (expected, b"")


def test_a_head_that_does_not_end_is_408(hasty):
    problem = assert_problem(exchange(hasty, GET + b"Accept: "), 408, "too-slow")
    assert problem["detail"] == "Its head did not come within 2 seconds."
    with connect(hasty) as client:
        client.sendall(GET + b"\r\n" + GET)  # as does the second on the same connection
        first, _, second = answer(client).partition(b"HTTP/1.1 408")
        assert first.startswith(b"HTTP/1.1 200")
        assert_problem(b"HTTP/1.1 408" + second, 408, "too-slow")


def test_a_connection_on_which_no_head_begins_is_closed(hasty):
    assert exchange(hasty, b"") == b""
    assert trickle(hasty, "127.0.0.1", b"", b"\r\n") == b""


def test_a_stalled_body_is_408_and_its_connection_closed(hasty):
    told = exchange(hasty, HEAD + b"{")
    assert b"connection: close" in told
    assert_problem(told, 408, "too-slow")


@pytest.mark.parametrize(
    "head",
    [
        GET + b"X: " + b"a" * 300_000,
        GET + b"X: " + b"a" * 300_000 + b"\r\n\r\n",
        GET + b"".join(b"X-%d: %b\r\n" % (i, b"a" * 4000) for i in range(10)) + b"\r\n",
        b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
    ids=["unfinished", "one field", "ten fields", "address"],
)
def test_a_head_over_32_kilobytes_is_431(address, head):
    assert assert_problem(exchange(address, head), 431, "head-too-large")["limit"] == 32_768


def test_a_head_of_more_than_100_fields_is_431(address):
    most = GET + b"".join(b"X-%d: a\r\n" % i for i in range(98)) + b"Connection: close\r\n"
    assert exchange(address, most + b"\r\n").startswith(b"HTTP/1.1 200")
    assert assert_problem(exchange(address, most + b"X: a\r\n\r\n"), 431, "head-too-large")["limit"] == 100
    assert_problem(exchange(address, GET + b"a:\r\n" * 100_000 + b"\r\n"), 431, "head-too-large")


def test_a_trailer_over_32_kilobytes_is_refused(address):
    head = HEAD.replace(b"Content-Length: 5000", b"Transfer-Encoding: chunked")
    answer = exchange(address, head + b"2\r\n{}\r\n0\r\nX: " + b"a" * 200_000)
    assert not answer.startswith(b"HTTP/1.1 200")


def test_two_host_fields_are_400(address):
    assert_problem(exchange(address, GET + b"Host: localhost\r\n\r\n"), 400, "malformed")


def test_no_host_field_is_421(address):
    assert_problem(exchange(address, b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"), 421, "unknown-host")


def test_what_is_no_http_is_400(address):
    assert_problem(exchange(address, b"\x16\x03\x01 hello\r\n\r\n"), 400, "malformed")


def test_requests_sent_in_one_piece_are_answered_in_turn(address):
    with connect(address) as client:
        client.sendall((GET + b"\r\n") * 900 + GET + b"Connection: close\r\n\r\n")  # more than a head may have
        assert answer(client).count(b"HTTP/1.1 200") == 901


def test_more_behind_a_request_than_may_wait_closes_the_connection(address):
    """Where all of it was parsed, 400 kilobytes took 8 MB, and the server answered nobody else for a second."""
    path = re.search(r"/hall/\w+", httpx.post(f"{address}/hall").headers["set-cookie"])[0]
    with connect(address) as client:
        client.sendall(f"GET {path}/events HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        told = client.recv(12)
        with suppress(BrokenPipeError, ConnectionResetError):
            client.sendall((GET + b"\r\n") * 9000)
        assert (told + answer(client)).count(b"HTTP/1.1 200") == 1


def test_more_connections_of_one_address_than_allowed_are_429_or_closed(address):
    last = GET + b"Connection: close\r\n\r\n"
    with ExitStack() as stack:
        first, *_ = [stack.enter_context(connect(address, "127.0.0.20")) for _ in range(20)]
        with connect(address, "127.0.0.20") as client:
            assert assert_problem(answer(client), 429, "too-many-connections")["limit"] == 20
        assert exchange(address, last).startswith(b"HTTP/1.1 200")
        first.close()
        wait_for(lambda: exchange(address, last, "127.0.0.20").startswith(b"HTTP/1.1 200"))


def test_a_large_body_that_comes_steadily_is_answered(hasty):
    body = json.dumps({"tokenizer": "gpt2", "text": "Hello" * 50_000, "include": []}).encode()

    def steadily():  # for longer than the server waits for a part
        for start in range(0, len(body), 10_000):
            time.sleep(0.1)
            yield body[start : start + 10_000]

    told = httpx.post(
        f"{hasty}/tokenize", content=steadily(), headers={"content-type": "application/json"}, timeout=None
    )
    assert told.json()["count"] == 50_000


@pytest.mark.parametrize("behind", [b"", HEAD])
def test_an_answer_that_is_not_read_is_given_up(behind):
    """Also where a request waits behind it whose body does not come."""
    long = json.dumps({"tokenizer": "bytes", "text": "a" * 500_000}).encode()
    # A worker's answer comes in parts, and the request is under way until the last of them has been taken.
    limits = {"TOKENARIUM_SLOTS": "1", "TOKENARIUM_CONCURRENCY": "1", "TOKENARIUM_STREAM_TIMEOUT": "1"}
    with serving(**limits) as (_, address), httpx.Client(base_url=address, timeout=None) as other:
        with connect(address) as client:
            client.sendall(HEAD.replace(b"5000", b"%d" % len(long)) + long + behind)
            received = client.recv(12)  # the answer has begun, and the rest of it is not read
            wait_for(lambda: "requests_in_flight 1" in other.get("/metrics").text)  # which is the question
            assert other.post("/tokenize", json=SMALL).status_code == 200
            received += answer(client)
        assert received.startswith(b"HTTP/1.1 200")
        length = int(received.partition(b"content-length: ")[2].partition(b"\r\n")[0])
        assert len(received) < length


@pytest.mark.parametrize("trusted", ["", "127.0.0.1", "::"])
def test_forwarded_addresses_are_trusted_only_from_configured_proxies(address, trusted):
    """With two streams at once, one address may have one. On `::`, the proxy is ::ffff:127.0.0.1."""
    head = (
        b"POST /api/tokenize-stream?tokenizer=bytes HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.%d\r\n"
        b"Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    line, end = b'4\r\n"a"\n\r\n', b"0\r\n\r\n"
    with ExitStack() as stack:
        if trusted:
            _, address = stack.enter_context(serving(HOST=trusted, TOKENARIUM_PROXIES="127.0.0.0/8", **FEW))
        first = stack.enter_context(connect(address))
        first.sendall(head % 1 + line)
        assert first.recv(12) == b"HTTP/1.1 200"  # its answer has begun, and it goes on
        assert exchange(address, head % 2 + line + end).startswith(b"HTTP/1.1 200" if trusted else b"HTTP/1.1 503")
        first.sendall(line + end)
        assert b'{"lines":2,"errors":0,"tokens":2,"bytes":2,"complete":true}' in answer(first)


def test_connections_of_proxies_are_not_counted():
    proxies = Settings.from_env({"TOKENARIUM_PROXIES": "10.0.0.0/8, 2001:db8::7"}).proxies
    connections = Connections(Settings(max_connections=1, proxies=proxies))
    for client in ("10.1.2.3", "::ffff:10.1.2.3", "2001:db8::7"):
        assert [connections.add(connections.address((client, 1))) for _ in range(3)] == [True] * 3
    for client in ("192.0.2.1", "2001:db8::8"):
        assert [connections.add(connections.address((client, 1))) for _ in range(2)] == [True, False]
    assert not connections.add(connections.address(("2001:db8::9", 1)))  # of the same network of 64 bits
    assert connections.add(connections.address(None))


def test_proxies_that_are_no_addresses_are_refused():
    with pytest.raises(SystemExit, match="TOKENARIUM_PROXIES must be addresses or networks"):
        Settings.from_env({"TOKENARIUM_PROXIES": "proxy.example"})


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (b"http://localhost/healthz", 200),
        (b"http://127.0.0.1:8000/healthz", 200),
        (b"HTTP://[::1]:8000/healthz", 200),
        (b"http://evil.example/healthz", 421),
        (b"https://evil.example:443/healthz?localhost", 421),
        (b"http://localhost@evil.example/healthz", 421),
        (b"http://user@localhost/healthz", 421),
        (b"http:///healthz", 400),
    ],
)
def test_the_host_of_an_absolute_target_is_checked_like_the_field(address, target, status):
    head = b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert exchange(address, head).startswith(b"HTTP/1.1 %d" % status)
