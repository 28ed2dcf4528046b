"""For pages of other origins no tokenizers exist but those of the store, whatever was added to this server."""

import asyncio
from dataclasses import replace

import httpx
import pytest
from tokenarium.main import create_app
from tokenarium.registry import Registry
from tokenarium.web.routing import list_routes

from tests.conftest import ROOMY, asker
from tests.support.shelves import ACCOUNT, keep, settings, small
from tests.support.uploads import JSON, send

APP = create_app(ROOMY)
ROUTES = [
    (method, path, route.policy)
    for path, route in list_routes(APP)
    if not path.endswith("{rest}")  # where there is nothing
    for method in sorted(route.methods - {"HEAD"})
]
OPEN = [(method, path) for method, path, policy in ROUTES if policy.cors]
DIALECTS = [(method, path) for method, path, policy in ROUTES if policy.dialect or policy.dialects]
ELSEWHERE = {"Origin": "https://course.example"}
FRAME = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}
NAMED = frozenset({"tokenizer", "model", "baseline", "tokenizers"})


def example(method, path):
    """The example body of an operation in the description, or None."""
    operation = APP.openapi()["paths"].get(path, {}).get(method.lower(), {})  # /mcp describes itself
    content = operation.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    first = (schema.get("anyOf") or [schema])[0]
    return APP.openapi()["components"]["schemas"][first["$ref"].rpartition("/")[2]]["example"] if first else None


def naming(body, name):
    """The body with this tokenizer in place of its own."""
    return {
        key: ([name] if isinstance(value, list) else name) if key in NAMED else value for key, value in body.items()
    }


def sent(ask, method, template, name, *, prefix="", headers=ELSEWHERE):
    """The answer to the example of an operation that names a tokenizer in every way it can."""
    body, path = example(method, template), prefix + template.format(model=name)
    if template == "/api/tokenize-stream":
        headers = {**headers, "Content-Type": "application/x-ndjson"}
        return ask(method, path, params={"tokenizer": name}, content='"Hello"\n', headers=headers)
    named = {} if body is None else {"json": naming(body, name)}
    params = {"model": name} if "tokenizer_info" in template and not prefix else {}
    return ask(method, path, params=params, headers=headers, **named)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with a kept, a private and a configured tokenizer, their ids, and one that has the store alone."""
    path = tmp_path_factory.mktemp("origins")
    folder = path / "secret-folder"
    folder.mkdir()
    (folder / "tokenizer.json").write_bytes(JSON)
    chosen = settings(path, hub=(str(folder),))
    kept = keep(chosen, small((104, 105), special=("<secret>",)), replace(ACCOUNT, title="Secret of the project"))
    full = asker(Registry(chosen), local=chosen.local, hub=chosen.hub, default=kept)
    private = send(asker(Registry(chosen), local=chosen.local), JSON, name="Secret", keep="0").json()["id"]
    bare = asker(Registry(settings(path / "bare")), local=path / "bare", default=None)
    return full, (kept, private, "secret-folder"), bare


@pytest.mark.parametrize(("method", "path"), OPEN)
def test_an_open_route_answers_another_origin_as_if_nothing_was_added(server, method, path):
    full, names, bare = server
    nothing_named = "{" not in path and NAMED.isdisjoint(example(method, path) or NAMED)
    for name in names[:1] if nothing_named else (*names, names[0][:-1], "secret"):
        answer, expected = (sent(ask, method, path, name) for ask in (full, bare))
        assert (answer.status_code, answer.content) == (expected.status_code, expected.content), name


@pytest.mark.parametrize(("method", "path"), DIALECTS)
def test_a_tokenizer_in_the_path_is_bundled_too(server, method, path):
    full, names, bare = server
    for name in names:
        answer, expected = (sent(ask, method, path, "gpt2", prefix=f"/t/{name}") for ask in (full, bare))
        assert (answer.status_code, answer.content) == (expected.status_code, expected.content), name


def test_the_same_site_and_programs_have_every_tokenizer(server):
    full, names, _ = server
    for name in names:
        for headers in ({}, {"Origin": "http://127.0.0.1:8000"}, {"Sec-Fetch-Site": "same-origin"}):
            assert sent(full, "POST", "/tokenize", name, headers=headers).status_code == 200
            assert sent(full, "POST", "/api/tokenize-stream", name, headers=headers).status_code == 200
            assert sent(full, "GET", "/tokenizer_info", name, headers=headers).json()["name_or_path"] == name
    listed = {model["id"] for model in full("GET", "/v1/models").json()["data"]}
    assert listed & {*names} == {names[0], names[2]}
    assert names[0] in full("POST", "/tokenize", json={"tokenizer": names[0][:-1], "text": "a"}).json()["detail"]


@pytest.mark.parametrize("headers", [ELSEWHERE, {"Origin": "null"}, FRAME, {"Sec-Fetch-Site": "same-site"}])
def test_a_kept_tokenizer_is_unknown_elsewhere_and_stays_loaded(server, headers):
    full, names, _ = server
    for name in names:
        assert sent(full, "POST", "/tokenize", name, headers={}).status_code == 200
        refused = sent(full, "POST", "/tokenize", name, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (404, "unknown-tokenizer")
    assert names[0] in {one["tokenizer"] for one in full("GET", "/healthz").json()["loaded"]}


def test_a_default_that_was_added_is_none_for_other_origins(server):
    full, names, _ = server
    assert full("POST", "/tokenize", json={"prompt": "a"}).status_code == 200
    assert full("GET", "/info").json()["model_id"] == names[0]
    for path in ("/info", "/props", "/tokenizer_info"):
        assert full("GET", path, headers=ELSEWHERE).status_code in (400, 422)


def test_a_frame_on_another_site_shows_tokenizers_of_the_store(server):
    full, names, bare = server
    for name in names:
        assert full("GET", "/embed", params={"tokenizer": name, "text": "a"}).status_code == 200
        framed = full("GET", "/embed", params={"tokenizer": name, "text": "a"}, headers=FRAME)
        assert framed.status_code == 404
        assert framed.content == bare("GET", "/embed", params={"tokenizer": name, "text": "a"}, headers=FRAME).content
    assert full("GET", "/embed", params={"text": "a"}, headers=FRAME).status_code == 200


def test_a_link_from_another_site_opens_a_page_with_a_kept_tokenizer(server):
    full, names, _ = server
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    assert f'value="{names[0]}" selected' in full("GET", f"/?tokenizer={names[0]}", headers=link).text


def test_a_worker_answers_another_origin_alike(tmp_path):
    chosen = settings(tmp_path)
    kept = keep(chosen, small((104, 105)), ACCOUNT)

    async def run():
        app = create_app(replace(chosen, workers=1, max_wait=1000.0))
        transport = httpx.ASGITransport(app)
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=None) as client,
        ):
            for headers, status in ((ELSEWHERE, 404), ({}, 200)):
                sent = {"tokenizer": kept, "text": "hi"}
                assert (await client.post("/tokenize", json=sent, headers=headers)).status_code == status

    asyncio.run(run())
