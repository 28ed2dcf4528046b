"""The stream: a line answered a line, over a transport that is driven by hand and over real sockets."""

import json
import socket
import tracemalloc
from contextlib import contextmanager
from dataclasses import replace
from threading import Thread

import anyio
import httpx
import pytest
import uvicorn
from tokenarium.errors import OverLimit, Overloaded
from tokenarium.lab.lines import NumberedLine
from tokenarium.main import create_app
from tokenarium.settings import Settings
from tokenarium.web.concurrency import HELD, Share, SharedBudget
from tokenarium.web.line_tokenizer import LineTokenizer, StreamOptions
from tokenarium.web.ndjson import NDJSON
from tokenarium.web.services import get_services

from tests.conftest import ROOMY, asker
from tests.support.asking import asking
from tests.support.shelves import OwnRegistry, settings
from tests.support.strings import NASTY
from tests.support.uploads import JSON, send

PATH = "/api/tokenize-stream"
MEDIA = {"content-type": "application/x-ndjson"}
ROOMY_SCOPE = {"type": "http", HELD: Share(SharedBudget("bytes", 10**9), None)}


def stream(ask, sent, **options):
    content = sent if isinstance(sent, bytes) else "\n".join(json.dumps(line) for line in sent).encode()
    params = {"tokenizer": "o200k_base", **options}
    response = ask("POST", PATH, content=content, params=params, headers=MEDIA)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.text.splitlines()]


def test_each_line_is_answered_as_tokenize_answers_it(ask):
    first, second, summary = stream(ask, ["Hello, 🌍! 你好!", {"id": "b", "text": "Hello", "meta": 1}])
    counts = {"tokenizer": "o200k_base", "engine": "tiktoken", "notes": []}
    ids = [13225, 11, 130321, 235, 0, 220, 177519, 0]
    assert first == {"line": 1, **counts, "count": 8, "characters": 13, "bytes": 20, "ids": ids}
    assert second == {"line": 2, "id": "b", **counts, "count": 1, "characters": 5, "bytes": 5, "ids": [13225]}
    assert summary == {"lines": 2, "errors": 0, "tokens": 9, "bytes": 25, "complete": True}


def test_include_chooses_the_columns_and_counts_alone_can_be_had(ask):
    sent = {"tokenizer": "gpt2", "text": "Hello, 🌍!", "special": "parse", "template": True}
    for include in (["counts"], ["ids"], ["pieces", "offsets"], ["flags"]):
        told = stream(ask, ["Hello, 🌍!"], tokenizer="gpt2", special="parse", template="true", include=include)[0]
        assert told == {"line": 1} | ask("POST", "/tokenize", json={**sent, "include": include}).json()
    counts = {"tokenizer", "engine", "count", "characters", "bytes", "notes"}
    assert set(ask("POST", "/tokenize", json={**sent, "include": ["counts"]}).json()) == counts


def test_what_clients_take_for_the_end_of_a_line_is_escaped(ask):
    text = "a\u2028b\u2029c\x85d\x1e\x0b"
    told = stream(ask, [{"id": text, "text": text}], tokenizer="characters", include="pieces")
    assert (told[0]["id"], "".join(told[0]["pieces"])) == (text, text)


def test_nothing_is_summed_up_as_nothing(ask):
    assert stream(ask, b"") == [{"lines": 0, "errors": 0, "tokens": 0, "bytes": 0, "complete": True}]


def test_blank_lines_are_numbered_and_not_answered(ask):
    told = stream(ask, b'\n"a"\r\n  \n\r\n\xef\xbb\xbf"b"\n\n')
    assert [(line["line"], line["bytes"]) for line in told[:-1]] == [(2, 1), (5, 1)]
    assert told[-1]["lines"] == 2


@pytest.mark.parametrize(
    ("line", "status", "code", "pointer"),
    [
        (b"nonsense", 400, "malformed", None),
        (b'"a" "b"', 400, "malformed", None),
        (b'{"text": NaN}', 400, "malformed", None),
        (b'{"text": "a", "text": "b"}', 400, "malformed", None),
        (b"[" * 10_000, 400, "malformed", None),
        (b'"caf\xe9"', 400, "bad-encoding", None),
        (b'"\xed\xa0\x80"', 400, "bad-encoding", None),
        (b'"\0a"', 415, "unsupported-media", None),
        (rb'"ab\ud800"', 422, "lone-surrogate", "/text"),
        (rb'{"text": "a", "id": "\udc00"}', 422, "lone-surrogate", "/id"),
        (b"null", 422, "invalid", "/text"),
        (b"7", 422, "invalid", "/text"),
        (b'["a"]', 422, "invalid", "/text"),
        (b'{"txet": "a"}', 422, "invalid", "/text"),
        (b'{"text": ["a"]}', 422, "invalid", "/text"),
        (b'{"text": "a", "id": null}', 422, "invalid", "/id"),
        (b'{"text": "a", "id": true}', 422, "invalid", "/id"),
        (b'{"text": "a", "id": 1.5}', 422, "invalid", "/id"),
        (b'{"text": "a", "id": 18446744073709551616}', 422, "invalid", "/id"),
        (b'"' + b"a" * 99_999 + b'"', 413, "too-large", None),
        (b'"<|endoftext|>"', 422, "special-token", None),
    ],
    ids=lambda value: value[:30].decode(errors="replace") if isinstance(value, bytes) else None,
)
def test_a_bad_line_hurts_no_other(registry, line, status, code, pointer):
    ask = asker(registry, max_text=100_000)
    before, bad, after, summary = stream(ask, b'"a"\n' + line + b'\n"b"', special="refuse")
    assert (before["line"], before["count"], after["line"], after["count"]) == (1, 1, 3, 1)
    assert (bad["line"], bad["status"], bad["code"], bad.get("pointer")) == (2, status, code, pointer)
    assert {"title", "detail", "type"} <= set(bad)
    assert summary == {"lines": 3, "errors": 1, "tokens": 2, "bytes": 2, "complete": True}


def test_a_problem_tells_the_id_of_its_line_and_nothing_else_of_it(ask):
    secret = "correct horse battery staple"
    told = stream(ask, [{"id": 2**64 - 1, "text": [secret]}, {"id": -(2**63), "text": None}, {secret: secret}])
    assert [line.get("id") for line in told] == [2**64 - 1, -(2**63), None, None]
    assert secret not in json.dumps(told)


@pytest.mark.parametrize("media", ["application/x-ndjson", "application/jsonl", "application/jsonlines; charset=utf-8"])
def test_the_names_of_ndjson_are_understood(ask, media):
    sent = {"content": b'"a"', "params": {"tokenizer": "bytes"}, "headers": {"content-type": media}}
    assert ask("POST", PATH, **sent).status_code == 200


@pytest.mark.parametrize(
    ("headers", "params", "status", "code", "pointer"),
    [
        ({"content-type": "application/json"}, {}, 415, "unsupported-media", None),
        ({"content-type": "application/x-ndjson; charset=latin1"}, {}, 415, "unsupported-media", None),
        ({**MEDIA, "content-encoding": "gzip"}, {}, 415, "unsupported-media", None),
        (MEDIA, {"tokenizer": "gtp2"}, 404, "unknown-tokenizer", "/tokenizer"),
        (MEDIA, {"engine": "sentencepiece"}, 422, "unknown-engine", "/engine"),
        (MEDIA, {"special": "maybe"}, 422, "invalid", "/special"),
        (MEDIA, {"template": "perhaps"}, 422, "invalid", "/template"),
        (MEDIA, {"include": "colours"}, 422, "invalid", "/include/0"),
        (MEDIA, {"colour": "red"}, 422, "invalid", None),
    ],
)
def test_what_is_wrong_with_all_lines_is_told_before_the_first(ask, headers, params, status, code, pointer):
    response = ask("POST", PATH, content=b'"a"', params={"tokenizer": "gpt2", **params}, headers=headers)
    assert (response.status_code, response.json()["code"], response.json().get("pointer")) == (status, code, pointer)


def test_the_limit_of_other_bodies_is_not_that_of_a_stream(registry):
    ask = asker(registry, max_body=100)
    assert stream(ask, ["a"] * 1000)[-1]["lines"] == 1000
    assert ask("POST", PATH, content=b'"a"' * 50, headers=MEDIA).status_code == 422
    assert ask("POST", "/tokenize", json={"tokenizer": "gpt2", "text": "a" * 100}).status_code == 413


def test_the_route_is_open_to_pages_of_other_sites(ask):
    headers = {**MEDIA, "origin": "https://example.org", "sec-fetch-site": "cross-site"}
    assert ask("POST", PATH, content=b'"a"', params={"tokenizer": "gpt2"}, headers=headers).status_code == 200


def driven(messages, app=None):
    """What the route sends when these messages come and then nothing, the lines of it, and what it left unread."""
    app = app or create_app(replace(ROOMY, body_timeout=0.2))
    sent, left = [], list(messages)

    async def receive():
        if not left:
            await anyio.sleep_forever()
        return left.pop(0)

    async def send(message):
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"content-type", b"application/x-ndjson")]
    scope = {"type": "http", "method": "POST", "path": PATH, "query_string": b"tokenizer=bytes", "headers": headers}
    anyio.run(app, scope, receive, send)
    lines = b"".join(message.get("body", b"") for message in sent).splitlines()
    return sent, [json.loads(line) for line in lines], left


def part(body, *, more=True):
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_that_stalls_ends_with_a_problem_and_says_that_it_is_not_whole():
    sent, lines, _ = driven([part(b'"a"\n"b"\n"hal')])
    assert [line["line"] for line in lines] == [1, 2, 3]
    assert (lines[-1]["status"], lines[-1]["code"]) == (408, "too-slow")
    assert (lines[-1]["complete"], lines[-1]["lines"], lines[-1]["tokens"]) == (False, 2, 2)
    assert (sent[0]["status"], sent[-1]["more_body"]) == (200, False)


def test_nothing_is_done_for_a_client_that_is_gone():
    gone = {"type": "http.disconnect"}
    sent, lines, left = driven([part(b'"a"\n'), gone, part(b'"b"\n')])
    assert [line["line"] for line in lines] == [1]
    assert sent[-1]["more_body"]
    assert len(left) == 1


class FrailWorkers:
    """Workers that are first all taken, and of which each is lost that cuts a bad line."""

    def __init__(self, made):
        self.made = made
        self.taken = 1

    async def run(self, call, strange, work, args, *, client, untrusted):
        lines = args[1] if len(args) > 1 else ()
        if lines and self.taken:
            self.taken -= 1
            raise Overloaded("Too much is waiting here already.")
        if any(b"bad" in line.data for line in lines):
            raise OverLimit("This takes longer than 30 seconds.")
        return call(self.made, strange, work, args)


def test_a_line_that_costs_a_worker_costs_no_other_line_and_a_stream_waits_for_its_turn():
    app = create_app(ROOMY)
    get_services(app).workers = FrailWorkers(get_services(app))
    told = driven([part(b'"a"\n"b"\n"bad"\n"c"', more=False)], app)[1]
    assert [(line.get("line"), line.get("code")) for line in told[:-1]] == [
        (1, None),
        (2, None),
        (3, "over-limit"),
        (4, None),
    ]
    assert told[-1] == {"lines": 4, "errors": 1, "tokens": 3, "bytes": 3, "complete": True}


class NotedWorkers:
    """Workers that note whose work is done, and whether it is untrusted."""

    def __init__(self, made):
        self.made = made
        self.noted = []

    async def run(self, call, strange, work, args, *, client, untrusted):
        self.noted.append((str(client), untrusted))
        return call(self.made, strange, work, args)


def test_lines_for_a_tokenizer_of_a_user_are_untrusted_work_of_their_client(tmp_path, registry):
    chosen = settings(tmp_path)
    app = create_app(replace(ROOMY, local=chosen.local), registry=OwnRegistry(chosen, registry))
    ask = asking(app, address="192.0.2.7")
    own = send(ask, ("tokenizer.json", JSON)).json()["id"]
    workers = get_services(app).workers = NotedWorkers(get_services(app))
    for tokenizer in (own, "bytes"):
        assert stream(ask, ["a"], tokenizer=tokenizer)[-1]["lines"] == 1
    assert workers.noted == [("192.0.2.7", True)] * 2 + [("192.0.2.7", False)] * 2


class TakenWorkers:
    """Workers that are always taken, and count how often they are asked."""

    def __init__(self):
        self.asked = 0

    async def run(self, function, options, *args, client, untrusted):
        if not args:
            return
        self.asked += 1
        raise Overloaded("Too much is waiting here already.")


def test_a_batch_that_is_refused_again_and_again_is_answered_with_that_problem():
    app = create_app(ROOMY)
    get_services(app).workers = TakenWorkers()
    answers = LineTokenizer(get_services(app), StreamOptions(tokenizer="bytes"), retry_seconds=(0, 0, 0))
    sent = [NumberedLine(1, b'"a"'), NumberedLine(2, b'"b"')]
    told = [json.loads(line) for line in anyio.run(answers.answer, sent).splitlines()]
    assert [(line["line"], line["status"], line["code"]) for line in told] == [
        (1, 503, "overloaded"),
        (2, 503, "overloaded"),
    ]
    assert json.loads(answers.summary()) == {"lines": 2, "errors": 2, "tokens": 0, "bytes": 0, "complete": True}
    assert get_services(app).workers.asked == 4


class Echo:
    """Answers that are as long as their lines."""

    async def answer(self, lines):
        return b"".join(line.data + b"\n" for line in lines)

    def summary(self):
        return b"whole\n"

    def error(self, error, line):
        return f"{error.code} {line}\n".encode()


def test_two_hundred_megabytes_take_the_memory_of_a_few_parts():
    left, peaks = [200], []

    async def receive():
        if not left[0]:
            await anyio.sleep_forever()  # the client stays
        left[0] -= 1
        return part((b"a" * 9_999 + b"\n") * 100, more=left[0] > 0)

    async def send(message):
        peaks.append(tracemalloc.get_traced_memory()[1])

    tracemalloc.start()
    anyio.run(NDJSON(Echo(), Settings()), ROOMY_SCOPE, receive, send)
    tracemalloc.stop()
    assert len(peaks) > 2000
    assert max(peaks) < 10_000_000


def test_what_is_not_read_is_not_answered_and_the_rest_is_dropped():
    sent, left = [], [part(b"a\n")] * 50 + [part(b"a\n", more=False)]

    async def receive():
        if not left:
            await anyio.sleep_forever()  # the client stays
        return left.pop(0)

    async def send(message):
        if len(sent) == 3 and left:  # after the head and two lines nothing is read until all is written
            await anyio.sleep_forever()
        sent.append(message)

    anyio.run(NDJSON(Echo(), Settings(stream_timeout=0.05)), ROOMY_SCOPE, receive, send)
    assert b"".join(message.get("body", b"") for message in sent) == b"a\na\nnot-read 3\n"
    assert left == []


@contextmanager
def serving(registry, **changes):
    """A real server on a thread, as (host, port)."""
    app = create_app(replace(ROOMY, max_seconds=1000.0, **changes), registry=registry)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", access_log=False))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield listening.getsockname()
        finally:
            server.should_exit = True
            thread.join()


def head(options, length):
    return (
        f"POST {PATH}?tokenizer=bytes&{options} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Type: application/x-ndjson\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def read_to_the_end(client, seen=b""):
    data = seen + b"".join(iter(lambda: client.recv(1 << 16), b""))
    return [json.loads(line) for line in data.splitlines() if line.startswith(b"{")]


def test_a_line_is_answered_before_the_next_is_sent(registry):
    with serving(registry) as address, socket.create_connection(address) as client:
        client.sendall(head("include=ids", 12))
        seen = b""
        for letter in b"abc":
            client.sendall(b'"%c"\n' % letter)
            while b'"ids":[%d]' % letter not in seen:
                seen += client.recv(4096)
        told = read_to_the_end(client, seen)
    assert told[-1] == {"lines": 3, "errors": 0, "tokens": 3, "bytes": 3, "complete": True}


def test_workers_give_what_a_thread_gives(registry, ask):
    sent = [*NASTY.values(), "a" * 100_000]
    lines = b"".join(json.dumps(text).encode() + b"\n" for text in sent)
    with serving(registry, workers=1) as (host, port), httpx.Client(trust_env=False, timeout=None) as client:
        url = f"http://{host}:{port}{PATH}?tokenizer=gpt2&include=ids&include=pieces"
        told = [json.loads(line) for line in client.post(url, content=lines, headers=MEDIA).text.splitlines()]
    assert told == stream(ask, lines, tokenizer="gpt2", include=["ids", "pieces"])


def test_a_client_that_writes_first_and_reads_later_gets_answers_that_fit_between(registry):
    sent = b'"The same line again."\n' * 10_000
    with serving(registry) as address, socket.create_connection(address) as client:
        client.sendall(head("include=counts", len(sent)) + sent)
        told = read_to_the_end(client)
    assert [line["line"] for line in told[:-1]] == [*range(1, 10_001)]
    assert told[-1] == {"lines": 10_000, "errors": 0, "tokens": 200_000, "bytes": 200_000, "complete": True}


def test_a_client_that_reads_too_late_is_told_so_and_nobody_waits_for_ever(registry):
    sent = (b'"' + b"a" * 997 + b'"\n') * 10_000
    with serving(registry, stream_timeout=0.3) as address, socket.socket() as client:
        for buffer in (socket.SO_RCVBUF, socket.SO_SNDBUF):
            client.setsockopt(socket.SOL_SOCKET, buffer, 4096)
        client.connect(address)
        options = "include=ids&include=offsets&include=pieces"
        client.sendall(head(options, len(sent)) + sent)
        told = read_to_the_end(client)
    assert [line["line"] for line in told] == [*range(1, len(told) + 1)]
    assert len(told) < 10_000
    assert told[-1]["code"] == "not-read"


def test_httpx_streams_what_it_makes_as_it_goes(registry):
    lines = (b'"%d"\n' % number for number in range(2000))
    with serving(registry) as (host, port), httpx.Client(trust_env=False, timeout=None) as client:
        url = f"http://{host}:{port}{PATH}?tokenizer=bytes"
        with client.stream("POST", url, content=lines, headers=MEDIA) as response:
            told = [json.loads(line) for line in response.iter_lines()]
    assert told[-1] == {"lines": 2000, "errors": 0, "tokens": 6890, "bytes": 6890, "complete": True}
