"""Every row of the table of bad inputs, over JSON and, where a form can send it, over HTML."""

import json
import re

import anyio
import httpx
import pytest
from tokenarium.main import create_app
from tokenarium.settings import Settings

from tests.conftest import asker
from tests.support.clock import Clock

JSON = {"content-type": "application/json"}
BOUNDARY = "multipart/form-data; boundary=b"


def body(**fields):
    return {"tokenizer": "gpt2", "text": "a", **fields}


def assert_problem(response, status, code, pointer=None):
    assert response.status_code == status, response.text[:500]
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    assert (found["status"], found["code"]) == (status, code)
    assert found["type"]
    assert found["title"]
    assert found["detail"]
    assert found.get("pointer") == pointer


def part(name, value, *, file=""):
    head = f'--b\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode()
    return head + value + b"\r\n"


def form(*parts):
    return {"content": b"".join(parts) + b"--b--\r\n", "headers": {"content-type": BOUNDARY}}


def test_empty_text_is_no_tokens(ask):
    answer = ask("POST", "/tokenize", json=body(text="")).json()
    assert (answer["count"], answer["ids"], answer["pieces"], answer["byte_ends"]) == (0, [], [], [])
    assert ask("POST", "/", data={"tokenizer": "gpt2", "text": ""}).status_code == 200


def test_a_spelled_escape_is_no_surrogate(ask):
    assert ask("POST", "/tokenize", json=body(text=r"\ud800")).json()["characters"] == 6


def test_a_byte_order_mark_before_json_is_read_over(ask):
    sent = b"\xef\xbb\xbf" + json.dumps(body()).encode()
    assert ask("POST", "/tokenize", content=sent, headers=JSON).json()["ids"] == [64]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("\ufeff", "BOM"),
        ("\0", "NUL"),
        ("\u202e", "RLO"),
        ("\u200b", "ZWSP"),
        ("\U000e0041", "U+E0041"),
        ("\ufffd", "U+FFFD"),
    ],
)
def test_odd_characters_are_tokenized_and_shown_as_named_chips(ask, text, name):
    answer = ask("POST", "/tokenize", json=body(text=f"a{text}b")).json()
    assert answer["byte_ends"][-1] == 2 + len(text.encode())
    page = ask("POST", "/", data={"tokenizer": "gpt2", "text": f"a{text}b"}).text
    assert re.findall('class="chip" data-label="(.*?)"', page) == [name]


def test_a_literal_replacement_character_is_told_from_a_loss(ask):
    for text in ("\ufffd", "a\ufffdb"):
        ids = ask("POST", "/tokenize", json=body(text=text)).json()["ids"]
        assert ask("POST", "/detokenize", json={"tokenizer": "gpt2", "ids": ids}).json() == {
            "text": text,
            "bytes_hex": text.encode().hex(),
            "lossless": True,
        }


@pytest.mark.parametrize("text", ["👨\u200d👩\u200d👧\u200d👦", "e\u0301\u0323", "क्षि", "🇳🇴"])
def test_what_is_one_character_to_a_reader_is_one_cell(ask, text):
    page = ask("POST", "/", data={"tokenizer": "bytes", "text": text, "view": "text"}).text
    assert page.count('class="split"') == 1
    assert page.count('class="tok part') + page.count('class="more"') >= 2


def test_many_combining_marks_are_answered(ask):
    for text in ("a" + "\u0301" * 900_000, "\u0301\u0300" * 20_000):
        assert ask("POST", "/", data={"tokenizer": "o200k_base", "text": text}).status_code == 200
        assert ask("POST", "/tokenize", json=body(tokenizer="o200k_base", text=text)).status_code == 200


def test_what_nfkc_would_make_eighteen_of_is_answered_within_the_limit_of_its_bytes(ask):
    for text, status in (("\ufdfa" * 300_000, 200), ("\ufdfa" * 700_000, 413)):
        for tokenizer in ("udhr-unigram-16k", "bert-base-uncased"):
            response = ask("POST", "/tokenize", json=body(tokenizer=tokenizer, text=text, include=[]))
            assert response.status_code == status, tokenizer


def test_text_over_the_limit_is_413_and_says_the_limit(registry):
    ask = asker(registry, max_text=10)
    response = ask("POST", "/tokenize", json=body(text="é" * 6))
    assert_problem(response, 413, "too-large")
    assert response.json()["limit"] == 10
    assert_problem(ask("POST", "/tokenize", json=body(text=["abcdef", "abcdef"])), 413, "too-large")
    assert_problem(ask("POST", "/", data={"tokenizer": "gpt2", "text": "é" * 6}), 413, "too-large")
    assert ask("POST", "/tokenize", json=body(text="é" * 5)).status_code == 200


def test_a_body_over_the_limit_is_413_announced_or_in_chunks(registry):
    ask = asker(registry, max_body=1000)

    async def chunks():
        for _ in range(20):
            yield b" " * 100

    for content in (b" " * 2000, chunks()):
        response = ask("POST", "/tokenize", content=content, headers=JSON)
        assert_problem(response, 413, "too-large")
        assert response.json()["limit"] == 1000
    assert_problem(ask("POST", "/", data={"text": "a" * 2000}), 413, "too-large")


def test_half_a_character_is_decoded_with_its_hex_and_a_flag(ask):
    answer = ask("POST", "/detokenize", json={"tokenizer": "o200k_base", "ids": [130321]}).json()
    assert answer == {"text": " \ufffd", "bytes_hex": "20f09f8c", "lossless": False}
    answer = ask("POST", "/detokenize", json={"tokenizer": "o200k_base", "ids": [130321, 235]}).json()
    assert answer == {"text": " 🌍", "bytes_hex": "20f09f8c8d", "lossless": True}


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:9999", "[::1]:8000", "[::1]"])
def test_hosts_of_this_machine_are_answered(ask, host):
    assert ask("GET", "/healthz", headers={"host": host}).status_code == 200


def test_a_host_can_be_allowed_by_the_settings(registry):
    ask = asker(registry, allowed_hosts=("tokens.example",))
    assert ask("GET", "/healthz", headers={"host": "tokens.example"}).status_code == 200


@pytest.mark.parametrize("headers", [{"sec-fetch-site": "cross-site"}, {"origin": "https://evil.example"}])
def test_unsafe_requests_from_other_sites_are_403_but_for_the_stateless_routes(ask, headers):
    assert_problem(ask("POST", "/", data={"text": "a"}, headers=headers), 403, "cross-site")
    assert ask("POST", "/tokenize", json=body(), headers=headers).status_code == 200
    assert ask("GET", "/", headers=headers).status_code == 200


def test_a_library_that_gives_up_is_answered_by_the_scratch_engine(ask):
    answer = ask("POST", "/tokenize", json=body(tokenizer="o200k_base", text=" " * 1_000_000)).json()
    assert (answer["engine"], answer["count"]) == ("scratch", 7813)
    assert "from-scratch engine answered" in answer["notes"][0]


def test_a_page_says_that_the_scratch_engine_answered(ask):
    page = ask("POST", "/", data={"tokenizer": "o200k_base", "text": " " * 1_000_000}).text
    assert "from-scratch engine answered" in page


def test_a_configured_model_that_is_not_there_is_503_and_named(tmp_path):
    tokenizer = tmp_path.name
    ask = asker_without_network(str(tmp_path))
    response = ask("POST", "/tokenize", json=body(tokenizer=tokenizer))
    assert_problem(response, 503, "unavailable")
    assert tokenizer in response.json()["detail"]
    assert_problem(ask("POST", "/", data={"tokenizer": tokenizer, "text": "a"}), 503, "unavailable")
    assert ask("POST", "/tokenize", json=body()).json()["ids"] == [64]


def asker_without_network(*hub):
    from tokenarium.registry import Registry

    settings = Settings(hub=hub)
    return asker(Registry(settings))


def test_markup_is_escaped_wherever_it_stands(ask):
    evil = "<script>alert('x')</script>\"&"
    for data in ({"tokenizer": "gpt2", "text": evil}, {"tokenizer": evil, "text": "a"}):
        for headers in ({}, {"hx-request": "true"}, {"accept": "text/html"}):
            answer = ask("POST", "/", data=data, headers=headers).text
            assert "<script>alert" not in answer
    named = part("file", b"a", file='; filename="<script>alert(1)</script>.txt"')
    assert "<script>alert" not in ask("POST", "/", **form(part("tokenizer", b"gpt2"), named)).text


@pytest.mark.parametrize(
    ("headers", "media"), [({"hx-request": "true"}, "text/html"), ({"accept": "text/html"}, "text/html")]
)
def test_browsers_get_the_same_problem_as_an_alert(ask, headers, media):
    response = ask("POST", "/", data={"tokenizer": "gtp2", "text": "a"}, headers=headers)
    assert response.status_code == 404
    assert response.headers["content-type"].startswith(media)
    assert 'role="alert"' in response.text
    assert ("<html" in response.text) == ("accept" in headers)


def test_a_crash_is_a_500_that_says_nothing_of_the_input(caplog):
    app = create_app(Settings(workers=0))
    secret = "correct horse battery staple"

    def crash():
        raise RuntimeError(secret)

    app.add_api_route("/crash", crash)

    async def send():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            return await client.get("/crash")

    response = anyio.run(send)
    assert_problem(response, 500, "internal")
    assert response.headers["x-content-type-options"] == "nosniff"
    assert secret not in response.text + caplog.text
    assert "RuntimeError" in caplog.text
    assert "in crash" in caplog.text


@pytest.mark.parametrize(
    ("path", "pause", "size", "detail"),
    [
        ("/tokenize", 11, 20_000, "No more of the body came within 10 seconds."),
        ("/tokenize", 1, 499, "The body came at less than 500 bytes a second."),
        ("/tokenize", 5, 2500, "The body did not come within 120 seconds."),
        ("/doctor", 5, 2500, "The body did not come within 600 seconds."),
    ],
    ids=["stalls", "trickles", "does not end", "upload does not end"],
)
def test_a_body_that_is_too_slow_is_408(path, pause, size, detail):
    app = create_app(Settings(workers=0))
    media = b"multipart/form-data; boundary=b" if path == "/doctor" else b"application/json"
    sent = []

    async def receive():
        await anyio.sleep(pause)
        return {"type": "http.request", "body": b" " * size, "more_body": True}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", media)],
    }
    anyio.run(app, scope, receive, send, backend_options={"loop_factory": Clock})
    assert sent[0]["status"] == 408
    assert (b"connection", b"close") in sent[0]["headers"]
    assert json.loads(sent[1]["body"])["detail"] == detail


def test_every_answer_carries_the_security_headers(ask):
    for method, path in (("GET", "/"), ("GET", "/healthz"), ("GET", "/nothing"), ("GET", "/static/css/base.css")):
        headers = ask(method, path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "same-origin"
        assert "set-cookie" not in headers
