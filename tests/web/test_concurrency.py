"""Too much, too long, too large, or nobody there: what each of them gets, and that the others get their answers."""

import asyncio
import json
import tracemalloc
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial

import httpx
import pytest
from tokenarium.main import create_app
from tokenarium.settings import Settings
from tokenarium.web.concurrency import FREE_BYTES, PART, ConcurrencyLimiter, admit
from tokenarium.web.policy import RoutePolicy
from tokenarium.web.services import get_services

from tests.support import work
from tests.support.scopes import scope_of

SMALL = {"tokenizer": "gpt2", "text": "Hello"}
LARGE = {"tokenizer": "gpt2", "text": "Hello" * 2000}
LONG = {"tokenizer": "bert-base-uncased", "text": "word " * 100_000}


@asynccontextmanager
async def served(**changes):
    """An app with its workers, and a client of it; the time limit of the test ends what never does."""
    app = create_app(Settings(**{"workers": 1, "max_seconds": 1000.0, "max_wait": 1000.0, **changes}))
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=None) as client:
            yield app, client


@asynccontextmanager
async def unread(app, *, path="/about", method="GET", body=b"", address="192.0.2.1"):
    """A request that keeps what it has taken, since its answer is not read."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]
    answered = asyncio.Event()

    async def receive():
        if not messages:
            await asyncio.Event().wait()
        return messages.pop()

    async def send(message):
        if message["type"] == "http.response.body":
            answered.set()
            await asyncio.Event().wait()

    headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
    scope = scope_of(path, method) | {"client": (address, 1), "headers": headers}
    task = asyncio.create_task(app(scope, receive, send))
    await answered.wait()
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


@asynccontextmanager
async def unfinished(app, path, *, body=b"", address="192.0.2.1", media=None):
    """A request whose body does not end."""
    messages = [{"type": "http.request", "body": body, "more_body": True}]
    waiting = asyncio.Event()

    async def receive():
        if not messages:
            waiting.set()
            await asyncio.Event().wait()
        return messages.pop()

    async def send(message):
        """The head of a stream's answer."""

    scope = scope_of(path) | {"client": (address, 1)}
    if media:
        scope["headers"] = [(b"host", b"localhost"), (b"content-type", media.encode())]
    task = asyncio.create_task(app(scope, receive, send))
    await waiting.wait()
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])


async def until(true):
    while not true():
        await asyncio.sleep(0.005)


def assert_overloaded(response):
    assert (response.status_code, response.headers["retry-after"]) == (503, "1")
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json()["code"] == "overloaded"


def test_more_requests_than_are_let_in_are_told_when_to_come_again():
    async def run():
        async with served(workers=0, concurrency=1) as (app, client):
            async with unread(app):
                assert_overloaded(await client.post("/tokenize", json=SMALL))
                assert_overloaded(await client.get("/about"))
                for path in ("/healthz", "/static/css/base.css"):
                    assert (await client.get(path)).status_code == 200
                page = await client.get("/", headers={"accept": "text/html"})
                assert (page.status_code, page.headers["retry-after"]) == (503, "1")
                assert 'role="alert"' in page.text
                assert get_services(app).limiter.refused == 3
            assert (await client.post("/tokenize", json=SMALL)).status_code == 200
            assert get_services(app).limiter.places.total == 0

    asyncio.run(run())


def test_dialects_are_told_of_overload_in_their_own_shape():
    async def run():
        async with served(workers=0, concurrency=1) as (app, client), unread(app):
            told = await client.post("/compat/vllm/tokenize", json={"prompt": "a"})
            assert told.json()["error"]["type"] == "ServiceUnavailableError"
            assert (told.status_code, told.headers["retry-after"]) == (503, "1")
            told = await client.post("/compat/tei/tokenize", json={"inputs": "a"})
            assert (told.status_code, told.json()["error_type"]) == (429, "overloaded")

    asyncio.run(run())


def test_more_bytes_than_may_be_held_are_shed():
    async def run():
        async with served(workers=0, max_held=5000) as (_, client):
            assert_overloaded(await client.post("/tokenize", json=LARGE))
            assert (await client.post("/tokenize", json=SMALL)).status_code == 200

    asyncio.run(run())


def test_a_body_in_pieces_of_two_bytes_takes_as_much_memory_as_in_one():
    left = 100_000

    async def receive():
        nonlocal left
        left -= 1
        return {"type": "http.request", "body": b"%d" % (10 + left % 90), "more_body": left > 0}

    async def app(scope, receive, send):
        assert len((await receive())["body"]) == 200_000

    async def send(message):
        """Nothing is sent."""

    limiter = ConcurrencyLimiter(Settings())
    tracemalloc.start()
    asyncio.run(admit(app, limiter, RoutePolicy(), scope_of("/tokenize"), receive, send))
    assert tracemalloc.get_traced_memory()[1] < 1_000_000  # 12 MB as a list of pieces
    tracemalloc.stop()
    assert limiter.held.total == 0


def test_a_request_takes_its_place_only_with_the_whole_of_its_body():
    async def run():
        async with served(workers=0, concurrency=1) as (app, client), unfinished(app, "/tokenize"):
            assert get_services(app).limiter.places.total == 0
            assert (await client.post("/tokenize", json=SMALL)).status_code == 200

    asyncio.run(run())


def test_bodies_that_still_come_are_limited_for_one_address_and_for_all():
    async def run():
        async with served(workers=0, max_held=24_000) as (app, client):
            large = {"content": b" " * 10_000, "headers": {"content-type": "application/json"}}
            async with unfinished(app, "/tokenize", body=b"a" * 12_000):
                assert (await client.post("/tokenize", **large)).status_code == 400
                async with unfinished(app, "/api/train", body=b"a" * 12_000, address="192.0.2.2"):
                    assert (await client.post("/tokenize", **large)).status_code == 400
                    async with unfinished(app, "/tokenize", body=b"a" * 12_000, address="2001:db8::1"):
                        assert_overloaded(await client.post("/tokenize", **large))
                        assert (await client.post("/tokenize", json=SMALL)).status_code == 200
            assert (await client.post("/tokenize", content=b" " * 17_000)).status_code == 503
            assert (await client.post("/tokenize", **large)).status_code == 400

    asyncio.run(run())


def test_one_address_gets_at_most_half_of_the_places():
    async def run():
        async with served(workers=0, concurrency=4) as (app, client):
            async with unread(app, address="127.0.0.1"), unread(app, address="127.0.0.1"):
                read = asyncio.Event()

                async def body():
                    read.set()
                    yield json.dumps(SMALL).encode()

                headers = {"content-type": "application/json"}
                assert_overloaded(await client.post("/tokenize", content=body(), headers=headers))
                assert not read.is_set()
                async with unread(app, address="192.0.2.2"):
                    assert get_services(app).limiter.places.total == 3
            assert (await client.post("/tokenize", json=SMALL)).status_code == 200
            assert get_services(app).limiter.places.total == 0

    asyncio.run(run())


def test_what_a_flood_is_refused_is_made_once_and_tells_one_visitor_nothing_of_another():
    page = {"accept": "text/html"}
    ways = [
        ("/about", page),
        ("/about", page | {"hx-request": "true"}),
        ("/api/tokenizers/{}", {}),
        ("/vocabulary/{}", page),
    ]

    async def run():
        async with served(workers=0, concurrency=0) as (app, client):
            for path, headers in ways:
                told = [
                    await client.get(path.format(name), headers=headers | {"host": host, "cookie": f"a={name}"})
                    for name, host in (("secret", "localhost:1"), ("other", "localhost:2"), ("other", "localhost:3"))
                ]
                assert {(one.status_code, one.headers["retry-after"]) for one in told} == {(503, "1")}
                assert len({one.content for one in told}) == 1
                assert ("role=" in told[0].text) == (headers != {})
                assert "secret" not in told[0].text
            assert len(get_services(app).limiter.refusals) == len(ways)

    asyncio.run(run())


def test_an_answer_counts_until_it_is_read():
    """A budget of 2 MB has room for one answer of 700 kB to each of two addresses."""
    long = {"tokenizer": "bytes", "text": "a" * 100_000, "include": ["ids", "pieces"]}
    sent = json.dumps(long).encode()

    async def run():
        async with served(max_held=2_000_000) as (app, client):
            held = get_services(app).limiter.held
            length = len((await client.post("/tokenize", json=long)).content)
            assert length == 700_120
            async with unread(app, path="/tokenize", method="POST", body=sent, address="127.0.0.1"):
                assert held.total == length - PART + len(sent) - FREE_BYTES
                assert_overloaded(await client.post("/tokenize", json=long))
                assert (await client.post("/tokenize", json=SMALL)).status_code == 200
                async with unread(app, path="/tokenize", method="POST", body=sent, address="192.0.2.1"):
                    pass
            assert held.total == 0
            assert (await client.post("/tokenize", json=long)).status_code == 200

    asyncio.run(run())


def test_lines_of_answers_count_until_they_are_read():
    path = "/api/tokenize-stream"
    headers = {"content-type": "application/x-ndjson"}
    line = json.dumps("a" * 100_000).encode()

    async def run():
        async with served(max_held=1_100_000) as (app, client):
            ask = partial(client.post, path, params={"tokenizer": "bytes"}, headers=headers)
            told = [json.loads(line) for line in (await ask(content=b"\n".join([line] * 5))).text.splitlines()]
            assert (told[-1]["lines"], told[-1]["complete"]) == (5, True)
            told = (await ask(content=line, params={"tokenizer": "bytes", "include": ["ids", "pieces"]})).json()
            assert (told["line"], told["code"], told["complete"]) == (1, "overloaded", False)
            columns = {"text": "a" * 250_000, "tokenizers": ["bytes", "o200k_base"], "include": ["ids"]}
            answer = await client.post("/api/compare/columns", json=columns)
            told = sorted(map(json.loads, answer.text.splitlines()), key=lambda one: one["index"])
            assert [one.get("problem", {}).get("code") for one in told] == ["overloaded", None]
            assert get_services(app).limiter.held.total == 0

    asyncio.run(run())


def test_streams_have_places_of_their_own():
    path = "/api/tokenize-stream"
    headers = {"content-type": "application/x-ndjson"}

    async def run():
        async with served(workers=0, concurrency=1, max_streams=2) as (app, client):
            ask = partial(client.post, path, params={"tokenizer": "bytes"}, headers=headers, content=b'"a"')
            async with unfinished(app, path, address="192.0.2.1"):
                assert (await ask()).status_code == 200
                async with unfinished(app, path, address="192.0.2.2"):
                    assert_overloaded(await ask())
                    assert (await client.post("/tokenize", json=SMALL)).status_code == 200
            assert (await ask()).status_code == 200

    asyncio.run(run())


def test_more_texts_than_a_batch_may_have_are_413(ask):
    for path, body in (
        ("/tokenize", {"tokenizer": "gpt2", "text": ["a"] * 1001}),
        ("/tokenize", {"prompt": ["a"] * 1001}),
        ("/compat/llamacpp/tokenize", {"content": ["a"] * 1001}),
        ("/compat/sglang/detokenize", {"tokens": [[1]] * 1001}),
    ):
        response = ask("POST", path, json=body)
        assert response.status_code == 413, path
        assert "1,001" in response.text
    assert ask("POST", "/tokenize", json={"tokenizer": "gpt2", "text": ["a"] * 1000}).status_code == 200


def test_what_is_small_needs_no_worker():
    async def run():
        async with served() as (app, client):
            assert (await client.post("/tokenize", json=SMALL)).json()["ids"] == [15496]
            for body in ({"prompt": "Hello", "model": "gpt2"}, {"inputs": "Hello", "model": "gpt2"}):
                assert (await client.post("/tokenize", json=body)).status_code == 200
            assert (await client.post("/detokenize", json={"tokenizer": "gpt2", "ids": [15496]})).status_code == 200
            assert (await client.post("/tokenize", json={"tokenizer": "gpt3"})).status_code == 422
            assert (await client.get("/api/tokenizers")).status_code == 200
            assert (get_services(app).workers.done, get_services(app).workers.busy) == (0, 0)

    asyncio.run(run())


WORK = [
    ("POST", "/tokenize", {"json": LARGE}),
    ("POST", "/tokenize", {"json": {"tokenizer": "gpt2", "text": ["a"] * 400}}),
    ("POST", "/tokenize", {"json": SMALL | {"engine": "scratch"}}),
    ("POST", "/tokenize", {"json": {"tokenizer": "gpt2", "text": "é" * 1_500_000}}),
    ("POST", "/compat/vllm/tokenize", {"json": {"prompt": "Hello" * 2000, "model": "gpt3"}}),
    ("POST", "/", {"data": {"tokenizer": "gpt2", "text": "<Hello>"}}),
    ("POST", "/", {"data": {"tokenizer": "gpt2", "text": "Hello"}, "headers": {"hx-request": "true"}}),
    ("POST", "/download", {"data": {"tokenizer": "gpt2", "text": "Hello", "format": "csv"}}),
    ("GET", "/steps?example=sennrich&step=3", {}),
    ("POST", "/api/trace", {"json": {"branch": "encode", "tokenizer": "gpt2", "text": "Hello"}}),
    ("POST", "/api/compare", {"json": {"tokenizers": ["gpt2", "bytes"], "text": "Hello"}}),
]
"""Requests that a worker answers: method, path and what is sent."""


@pytest.fixture(scope="module")
def answers_of_workers():
    """The answer of a worker to each request of WORK, all on one server."""

    async def run():
        async with served() as (app, client):
            answers = []
            for method, path, sent in WORK:
                answers.append(await client.request(method, path, **sent))
                assert get_services(app).workers.done == sum(one.is_success for one in answers)
            return answers

    return asyncio.run(run())


@pytest.mark.parametrize("number", range(len(WORK)), ids=[f"{method} {path}" for method, path, _ in WORK])
def test_a_worker_answers_as_the_server_would(ask, answers_of_workers, number):
    method, path, sent = WORK[number]
    theirs, ours = answers_of_workers[number], ask(method, path, **sent)
    assert theirs.status_code == ours.status_code
    assert theirs.headers == ours.headers
    assert theirs.content == ours.content


def test_work_that_waits_is_limited_while_what_is_small_is_answered():
    async def run():
        async with served(queue_size=1) as (app, client):
            workers = get_services(app).workers
            long = [asyncio.create_task(workers.run(work.sleep)) for _ in range(2)]
            await until(lambda: workers.busy == workers.waiting == 1)
            assert_overloaded(await client.post("/tokenize", json=LARGE))
            told = await client.post("/tokenize", json={"prompt": "Hello" * 2000})
            assert told.json()["error"]["type"] == "ServiceUnavailableError"
            assert workers.refused == 2
            for path in ("/healthz", "/static/css/base.css", "/api/tokenizers"):
                assert (await client.get(path)).status_code == 200
            assert (await client.post("/tokenize", json=SMALL)).status_code == 200
            for one in long:
                one.cancel()
            assert (await client.post("/tokenize", json=LARGE)).status_code == 200

    asyncio.run(run())


def test_a_worker_that_holds_too_much_memory_is_replaced_after_its_answer():
    async def run():
        async with served(max_resident=-(10**9)) as (app, client):  # less than any worker holds beside its tokenizers
            for count in range(1, 3):
                assert (await client.post("/tokenize", json=LARGE)).json()["ids"] == [15496] * 2000
                assert get_services(app).workers.retired == count
            assert get_services(app).workers.killed == 0

    asyncio.run(run())


def test_a_worker_keeps_the_large_vocabularies_that_were_asked_for_last():
    async def run():
        async with served(max_resident=150_000_000) as (app, client):
            sent = {"text": "a", "tokenizers": ["gemma4", "qwen3", "xlm-roberta"]}
            for _ in range(2):
                assert (await client.post("/api/compare", json=sent)).status_code == 200
            assert get_services(app).workers.retired == 0

    asyncio.run(run())


def test_work_over_time_is_422_and_names_the_limit():
    async def run():
        async with served(max_seconds=0.01) as (app, client):
            response = await client.post("/tokenize", json=LONG)
            assert (response.status_code, response.json()["code"]) == (422, "over-limit")
            assert "longer than 0.01 seconds" in response.json()["detail"]
            told = await client.post("/tokenize", json={"prompt": LONG["text"], "model": LONG["tokenizer"]})
            assert told.json()["error"]["type"] == "BadRequestError"
            assert get_services(app).workers.overtime == 2

    asyncio.run(run())


def test_work_over_memory_is_422_and_names_the_limit():
    async def run():
        async with served(max_memory=20_000_000, max_text=10**8) as (_, client):
            response = await client.post("/tokenize", json={**LONG, "text": LONG["text"] * 20})
            assert (response.status_code, response.json()["code"]) == (422, "over-limit")
            assert response.json()["limit"] == 20_000_000

    asyncio.run(run())


@asynccontextmanager
async def leaving(app, *, body, path="/tokenize", media="application/json"):
    """A request whose client is there inside the block, and gone behind it."""
    gone, messages = asyncio.Event(), [{"type": "http.request", "body": body}]

    async def receive():
        if not messages:
            await gone.wait()
        return messages.pop() if messages else {"type": "http.disconnect"}

    async def send(message):
        """The head of a stream's answer."""

    headers = [(b"host", b"localhost"), (b"content-type", media.encode())]
    task = asyncio.create_task(app(scope_of(path) | {"headers": headers}, receive, send))
    yield
    gone.set()
    await task


def test_a_client_that_is_gone_has_its_work_stopped_also_while_it_waits():
    longest = json.dumps(LONG | {"text": LONG["text"] * 20}).encode()

    async def run():
        async with served(max_text=10**8) as (app, _):
            workers = get_services(app).workers
            workers.start()
            await until(lambda: len(workers.pids) == 2)
            other = asyncio.create_task(workers.run(work.sleep))
            await until(lambda: workers.busy == 1)
            async with leaving(app, body=longest):
                await until(lambda: workers.waiting)
                before = workers.pids
            assert (workers.waiting, workers.abandoned) == (0, 0)
            assert set(workers.pids) >= set(before)
            other.cancel()
            await until(lambda: workers.abandoned == 1 and not workers.busy)
            async with leaving(app, body=longest):
                await until(lambda: workers.busy)
                before = workers.pids
            await until(lambda: workers.abandoned == 2)
            assert workers.waiting == 0
            await until(lambda: not set(workers.pids) >= set(before))
            line = json.dumps(LONG["text"] * 20).encode()
            async with leaving(app, body=line, path="/api/tokenize-stream", media="application/x-ndjson"):
                await until(lambda: workers.busy)
            await until(lambda: workers.abandoned == 3 and not workers.busy)

    asyncio.run(run())


def upload_of(data):
    request = httpx.Request("POST", "http://localhost/", files=[("file", ("tokenizer.json", data))])
    return request.read(), request.headers["content-type"]


def test_uploads_of_one_address_take_half_of_the_room_on_the_disk():
    body, media = upload_of(b"x" * 800)
    upload = {"content": body, "headers": {"content-type": media}}

    async def run():
        async with served(workers=0, max_upload=1000) as (app, client), AsyncExitStack() as uploads:
            room = get_services(app).limiter.disk
            for _ in range(room.limit // 2 // len(body)):
                start = unfinished(app, "/api/tokenizers", body=body, address="127.0.0.1", media=media)
                await uploads.enter_async_context(start)
            assert_overloaded(await client.post("/api/tokenizers", **upload))
            await uploads.aclose()
            assert room.total == 0
            assert (await client.post("/api/tokenizers", **upload)).status_code == 422

    asyncio.run(run())


def test_an_upload_whose_client_is_gone_is_stopped():
    """A million merges take seconds to read."""
    merges = ",".join(f'"a b{number}"' for number in range(1_000_000))
    body, media = upload_of(f'{{"model": {{"type": "BPE", "vocab": {{"a": 0}}, "merges": [{merges}]}}}}'.encode())

    async def run():
        async with served(max_upload=10**9) as (app, _):
            workers = get_services(app).workers
            workers.start()
            await until(lambda: len(workers.pids) == 2)
            async with leaving(app, path="/api/tokenizers", body=body, media=media):
                await until(lambda: workers.busy)
            await until(lambda: not workers.busy)
            assert workers.done == 0

    asyncio.run(run())
