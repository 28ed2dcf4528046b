"""A short request is answered and counted as by the middleware, which gets whatever is not usual."""

import json

import anyio
import pytest
from tokenarium.main import create_server
from tokenarium.settings import Settings
from tokenarium.web.policy import BUNDLED_ONLY
from tokenarium.web.security import AUTHORITY, RECEIVED
from tokenarium.web.services import get_services

from tests.support.scopes import scope_of

HELLO = {"tokenizer": "bytes", "text": "Hello, 🌍!"}
SERVER = create_server(Settings(workers=0, concurrency=1))
SERVICES = get_services(SERVER.app)
SERVICES.routes.load("/tokenize")
SERVICES.registry.get("bytes")


def answered(app, sent, path="/tokenize", method="POST", headers=(), more_body=False, **more):
    """Ask with a body that has come as a whole: the answer, how it is counted, and whether the middleware had it."""
    messages = []
    rest = [{"type": "http.request", "body": json.dumps(sent).encode(), "more_body": more_body}]
    scope = {**scope_of(path, method), RECEIVED: True, **more}
    scope["headers"] = [*scope["headers"], *headers]

    async def receive():
        return rest.pop() if rest else {"type": "http.disconnect"}

    async def send(message):
        messages.append(message)

    before = SERVICES.request_metrics.requests.copy()
    anyio.run(app, scope, receive, send)
    counted = SERVICES.request_metrics.requests - before
    assert (SERVICES.request_metrics.in_flight, SERVICES.limiter.active) == (0, 0)
    return messages, counted, BUNDLED_ONLY in scope


@pytest.mark.parametrize("sent", [HELLO, {"model": "bytes", "prompt": "a"}, {**HELLO, "include": ["flags"]}])
def test_the_answer_and_the_count_are_those_of_the_middleware(sent):
    *short, had = answered(SERVER, sent)
    *long, _ = answered(SERVER.app, sent)
    assert short == long
    assert not had
    (start, _), counted = short
    assert start["status"] == 200
    assert counted == {("/tokenize", "POST", "200"): 1}


@pytest.mark.parametrize(
    ("sent", "more", "status"),
    [
        (HELLO, {"headers": [(b"origin", b"https://a.example")]}, 200),
        (HELLO, {"query_string": b"a=b"}, 200),
        (HELLO, {"path": "/t/bytes/tokenize"}, 200),
        ({**HELLO, "text": "a" * 5000}, {}, 200),
        ({**HELLO, "tokenizer": "words"}, {}, 200),  # is not in memory
        ({**HELLO, "text": 1}, {}, 422),
        ({**HELLO, "tokenizer": "nothing"}, {}, 404),
        (HELLO, {"headers": [(b"content-encoding", b"gzip")]}, 415),
        (HELLO, {AUTHORITY: "evil.example"}, 421),
        (HELLO, {"method": "GET"}, 405),
        (HELLO, {"path": "/healthz", "method": "GET"}, 200),
    ],
)
def test_the_middleware_has_what_is_not_usual(sent, more, status):
    *short, had = answered(SERVER, sent, **more)
    *long, _ = answered(SERVER.app, sent, **more)
    assert short == long
    assert had or "path" in more
    assert short[0][0]["status"] == status


def test_requests_above_the_limit_are_refused():
    SERVICES.limiter.active, before = 1, SERVICES.limiter.refused
    try:
        messages = []

        async def receive():
            return {"type": "http.request", "body": json.dumps(HELLO).encode()}

        async def send(message):
            messages.append(message)

        anyio.run(SERVER, {**scope_of("/tokenize"), RECEIVED: True}, receive, send)
    finally:
        SERVICES.limiter.active = 0
    assert messages[0]["status"] == 503
    assert SERVICES.limiter.refused == before + 1
