"""No body stops the server: its items are counted, and its errors are few."""

import json
from urllib.parse import urlencode

import anyio
import httpx
import pytest
from tokenarium.main import create_app
from tokenarium.serialize.json import MAX_KEYS
from tokenarium.settings import Settings
from tokenarium.web.routing import list_routes
from tokenarium.web.services import get_services

JSON = {"content-type": "application/json"}
MULTIPART = {"content-type": "multipart/form-data; boundary=b"}
APP = create_app(Settings(workers=0))


def answered(tmp_path, *sent):
    """Send (path, body, headers) to an app with one worker; return the answers and the count of work of its worker."""

    async def send():
        app = create_app(Settings(workers=1, max_wait=1000.0, local=tmp_path))
        try:
            async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client:
                answers = [await client.post(path, content=content, headers=headers) for path, content, headers in sent]
            return answers, get_services(app).workers.done
        finally:
            await get_services(app).workers.stop()

    return anyio.run(send)


def test_a_wrong_value_anywhere_in_a_body_has_few_errors():
    for path, route in list_routes(APP):
        if route.body_field is None:
            continue
        names = fields_of(route.body_field.field_info.annotation)
        for wrong in ([object()] * 1000, [[object()] * 1000] * 2):
            # For each field and each type that it may have, one.
            assert errors(route, dict.fromkeys(names, wrong)) < 100, path
            assert errors(route, wrong) < 100, path
        unknown = {str(number): object() for number in range(MAX_KEYS)}
        assert errors(route, unknown) < MAX_KEYS + 100, path


def errors(route, value):
    """The number of errors of a body; clients of other servers may send keys that are not known."""
    return len(route.body_field.validate(value, {}, loc=("body",))[1])


def fields_of(annotation):
    """The names of the fields of all models in an annotation."""
    inner = [name for one in getattr(annotation, "__args__", ()) for name in fields_of(one)]
    return [*getattr(annotation, "model_fields", ()), *inner]


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


def test_the_pattern_beside_a_large_corpus_is_compiled_by_a_worker(tmp_path):
    text, fields = "hello tokens " * 15_000, {"size": "300", "pattern": r"\w+|\s+"}
    urlencoded = {"content-type": "application/x-www-form-urlencoded"}
    sent = [
        ("/train", urlencode(fields | {"text": text}), urlencoded),
        ("/train", urlencode(fields | {"text": text, "pattern": "("}), urlencoded),
        upload("/train", fields.items(), [("a.txt", text)]),
    ]
    answers, done = answered(tmp_path, *sent)
    assert ([answer.status_code for answer in answers], done) == ([303, 422, 303], 2)


@pytest.mark.parametrize("text", [" " * 1_000_000, "a " * 3000])
def test_a_text_beside_a_picture_is_bounded(ask, text):
    path, content, headers = upload("/beyond/pictures", [("text", text), ("picture", "harbour")])
    response = ask("POST", path, content=content, headers=headers)
    assert (response.status_code, response.json()["limit"]) == (413, 4000)
