"""No body stops the server: its items are counted, its errors are few, and a worker parses it where it is large."""

import asyncio
import json

import anyio
import httpx
import pytest
from fastapi import APIRouter, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import PlainTextResponse
from tokenarium.main import create_app
from tokenarium.settings import Settings
from tokenarium.web.body import MAX_ERRORS, StrictRoute
from tokenarium.web.dispatch import MAX_PARSED_BYTES, reads_body
from tokenarium.web.route_table import RouteEntry
from tokenarium.web.services import get_services

JSON = {"content-type": "application/json"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
MULTIPART = {"content-type": "multipart/form-data; boundary=b"}
LARGE = "a " * MAX_PARSED_BYTES
APP = create_app(Settings(workers=0))


def answered(tmp_path, *sent):
    """Send (path, body, headers) to an app with one worker; return the answers and the count of work of its worker."""

    async def send():
        app = create_app(Settings(workers=1, local=tmp_path))
        try:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
                answers = [await client.post(path, content=content, headers=headers) for path, content, headers in sent]
            return answers, get_services(app).workers.done
        finally:
            await get_services(app).workers.stop()

    return anyio.run(send)


def test_a_worker_parses_a_large_body_of_a_route_of_the_server(tmp_path):
    unknown = {"tokenizer": "nothing", "texts": [LARGE]}
    part = f'--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n{LARGE}\r\n--b--\r\n'
    large = [
        ("/api/train", json.dumps({"texts": [LARGE, 1]}), JSON),
        ("/api/surgery", json.dumps(unknown), JSON),
        ("/api/fetches", json.dumps({"name": LARGE, "accept_licence": True}), JSON),
        ("/tokenizers/delete", f"id={LARGE.replace(' ', '+')}", FORM),
        ("/api/surgery/form", part, MULTIPART),
        ("/train", f"size=none&text={LARGE.replace(' ', '+')}", FORM),
    ]
    answers, done = answered(tmp_path, *large)
    assert done == len(large)
    assert [answer.json()["code"] for answer in answers] == [
        "invalid",
        *("unknown-tokenizer", "unknown-tokenizer", "unknown-tokenizer", "unknown-tokenizer"),
        "invalid",
    ]
    assert [answer.json().get("pointer") for answer in (answers[0], answers[5])] == ["/texts/1", "/size"]


def test_the_server_parses_a_small_body_of_its_routes_itself(tmp_path):
    small = [
        ("/api/surgery", json.dumps({"tokenizer": "nothing", "texts": ["a"]}), JSON),
        ("/tokenizers/delete", "id=nothing", FORM),
    ]
    answers, done = answered(tmp_path, *small)
    assert [answer.status_code for answer in answers] == [404, 404]
    assert done == 0


def test_the_server_sees_the_whole_body_of_each_of_its_routes_that_read_one():
    found = 0
    for entry in get_services(APP).routes.entries:
        for method in entry.methods:
            scope = {"type": "http", "method": method, "path": entry.template, "tokenarium.route": entry}
            if entry.policy.run == "server" and reads_body(scope):
                assert entry.policy.counted, entry.template
                assert not entry.policy.streamed, entry.template
                found += 1
    assert found >= 9


def test_a_wrong_value_anywhere_in_a_body_has_few_errors():
    for entry in get_services(APP).routes.entries:
        if not isinstance(entry.route, StrictRoute) or entry.route.body_field is None:
            continue
        names = fields_of(entry.route.body_field.field_info.annotation)
        for wrong in ([object()] * 1000, [[object()] * 1000] * 2, {str(i): object() for i in range(1000)}):
            # For each field and each type that it may have, one; ten more for keys that are not known.
            assert errors(entry.route, dict.fromkeys(names, wrong)) < 100, entry.template
            assert errors(entry.route, wrong) < 100, entry.template


def errors(route, value):
    """The number of errors of a body."""
    try:
        route.validator.validate_python(value)
    except ValidationError as error:
        return error.error_count()
    return 0  # clients of other servers may send keys that are not known


def fields_of(annotation):
    """The names of the fields of all models in an annotation."""
    inner = [name for one in getattr(annotation, "__args__", ()) for name in fields_of(one)]
    return [*getattr(annotation, "model_fields", ()), *inner]


def test_ten_errors_of_a_body_are_looked_at(ask):
    sent = {"tokenizer": "gpt2", "text": [1], "engine": 1, "include": [1], **{f"unknown {i}": 1 for i in range(10)}}
    response = ask("POST", "/tokenize", content=json.dumps(sent), headers=JSON)
    assert (response.status_code, response.json()["pointer"]) == (422, "/include/0")
    assert MAX_ERRORS == 10


def test_commas_in_a_text_are_no_items(ask):
    sent = json.dumps({"tokenizer": "gpt2", "text": ', [{"\\' * 300_000, "include": ["counts"]})
    assert ask("POST", "/tokenize", content=sent, headers=JSON).json()["characters"] == 1_800_000


def upload(path, fields=(), files=()):
    """A multipart form as (path, body, headers)."""
    parts = [f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n' for name, text in fields]
    parts += [
        f'--b\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n{text}\r\n'
        for name, text in files
    ]
    return path, "".join(parts) + "--b--\r\n", MULTIPART


# A conversion is proven with 10,000 texts.
@pytest.mark.parametrize("convert", ["/doctor/convert", pytest.param("/api/doctor/convert", marks=pytest.mark.nightly)])
def test_an_answer_to_an_upload_is_made_in_a_worker(tmp_path, convert):
    words = [("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\nb\n##a\n##b\n")]
    sent = [
        upload(convert, [("to", "tokenizer.json")], words),
        upload("/doctor", [("text", "ab")], words),
        upload("/api/doctor", [("text", "ab")], words),
        upload("/beyond/pictures", [("text", "a lake"), ("picture", "harbour")]),
        upload("/beyond/sound", [("sound", "tone")]),
    ]
    answers, done = answered(tmp_path, *sent)
    assert [answer.status_code for answer in answers] == [200, 200, 200, 422, 200]
    assert answers[0].content.startswith(b"PK" if convert == "/doctor/convert" else b'{"files":{"tokenizer.json":')
    assert "Choose one image." in answers[3].text
    assert done == len(sent)


@pytest.mark.parametrize("text", [" " * 1_000_000, "a " * 3000])
def test_a_text_beside_a_picture_is_bounded(ask, text):
    path, content, headers = upload("/beyond/pictures", [("text", text), ("picture", "harbour")])
    response = ask("POST", path, content=content, headers=headers)
    assert (response.status_code, response.json()["limit"]) == (413, 4000)


class Sent(BaseModel):
    text: str


def route_of(endpoint):
    router = APIRouter(route_class=StrictRoute)
    router.post("/texts/{number}" if endpoint is numbered else "/texts")(endpoint)
    (route,) = router.routes
    return route


def shouted(asked: Request, sent: Sent) -> PlainTextResponse:
    return PlainTextResponse(sent.text.upper() + asked.headers["mark"])


def numbered(number: int, body: Sent, request: Request) -> PlainTextResponse:
    return PlainTextResponse(body.text * number)


def alone(body: Sent) -> PlainTextResponse:
    return PlainTextResponse(body.text)


def test_an_endpoint_is_plain_by_what_its_parameters_are_and_not_by_their_names():
    assert [route_of(one).plain for one in (shouted, numbered, alone)] == [True, False, False]


def test_a_plain_endpoint_gets_its_body_and_the_request_by_their_names():
    async def receive():
        return {"type": "http.request", "body": b'{"text": "ab"}', "more_body": False}

    headers = [(b"content-type", b"application/json"), (b"mark", b"!")]
    scope = {"type": "http", "method": "POST", "headers": headers, "tokenarium.route": RouteEntry("/texts")}
    answer = asyncio.run(route_of(shouted).get_route_handler()(Request(scope, receive)))
    assert answer.body == b"AB!"
