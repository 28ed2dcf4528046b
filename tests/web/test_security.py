"""Pages of other origins may read the stateless JSON routes, and nothing else."""

import anyio
import httpx
import pytest
from tokenarium.main import create_app
from tokenarium.settings import Settings
from tokenarium.web.routing import list_routes
from tokenarium.web.security import RECEIVED

from tests.conftest import ROOMY

ELSEWHERE = {"origin": "https://course.example"}
ASKS = {**ELSEWHERE, "access-control-request-method": "POST", "access-control-request-headers": "content-type"}
OPEN = [path.format(model="gpt-4o", rest="x") for path, route in list_routes(create_app(ROOMY)) if route.policy.cors]
SENT_NOTHING = ("/docs", "/healthz", "/static/favicon.svg")
CLOSED = [
    "/",
    "/window",
    "/download",
    "/steps",
    "/compare",
    "/docs",
    "/api/tokenizers",
    "/healthz",
    "/static/favicon.svg",
]


def test_the_open_routes_are_among_these():
    stateless = {"/tokenize", "/detokenize", "/decode", "/api/trace", "/api/compare", "/apply-template", "/api/chat"}
    assert stateless | {"/api/tokenize-stream", "/compat/tei/tokenize", "/v1/tokenize"} <= {*OPEN}
    assert "/v1beta/models/gpt-4o:countTokens" in OPEN


@pytest.mark.parametrize("path", sorted({*OPEN}))
def test_a_preflight_to_a_stateless_route_is_answered(ask, path):
    response = ask("OPTIONS", path, headers=ASKS)
    assert (response.status_code, response.content) == (204, b"")
    told = {name: response.headers[f"access-control-{name}"] for name in ("allow-methods", "allow-headers", "max-age")}
    assert told == {"allow-methods": "GET, POST", "allow-headers": "*, Authorization", "max-age": "7200"}
    assert response.headers["access-control-allow-origin"] == "*"


@pytest.mark.parametrize("path", CLOSED)
def test_nothing_else_is_open(ask, path):
    for method, headers in (("OPTIONS", ASKS), ("GET", ELSEWHERE), ("POST", ELSEWHERE)):
        response = ask(method, path, headers=headers)
        assert response.headers["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in response.headers if name.startswith("access-control-")]
    assert ask("OPTIONS", path, headers=ASKS).status_code == 405
    # 405 where nothing is sent to, from wherever.
    assert ask("POST", path, headers=ELSEWHERE).status_code == (405 if path in SENT_NOTHING else 403)


@pytest.mark.parametrize(
    ("sent", "status"), [({"tokenizer": "gpt2", "text": "a"}, 200), ({"tokenizer": "gpt2"}, 422), ([], 422)]
)
def test_answers_and_refusals_can_be_read(ask, sent, status):
    response = ask("POST", "/tokenize", json=sent, headers=ELSEWHERE)
    assert response.status_code == status
    assert response.headers["access-control-allow-origin"] == "*"
    assert response.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "access-control-allow-credentials" not in response.headers


def test_a_preflight_for_another_host_is_refused(ask):
    assert ask("OPTIONS", "/tokenize", headers={**ASKS, "host": "evil.example"}).status_code == 421


def test_options_without_a_question_is_a_method_like_any_other(ask):
    assert ask("OPTIONS", "/tokenize").status_code == 405


def test_the_size_of_a_body_in_chunks_is_limited_even_if_the_server_has_all_of_it():
    app = create_app(Settings(workers=0, max_body=100))

    async def received(scope, receive, send):
        await app({**scope, RECEIVED: True}, receive, send)

    async def chunks():
        yield b" " * 101

    async def post():
        async with httpx.AsyncClient(transport=httpx.ASGITransport(received), base_url="http://localhost") as client:
            headers = {"content-type": "application/json"}
            known = b'{"tokenizer": "bytes", "text": "a", "include": ["counts"]}'
            return [
                (await client.post("/tokenize", content=one, headers=headers)).status_code for one in (known, chunks())
            ]

    assert anyio.run(post) == [200, 413]
