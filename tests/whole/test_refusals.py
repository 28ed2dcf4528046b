"""Every row of the table of refusals, in the form of its route: a problem, the alert of a page, or a dialect."""

import html
import json
import re

import pytest

from tests.conftest import asker
from tests.support.refusals import JSON, read_refusals

ALERT = re.compile(r'role="alert"(?: data-code="([\w-]+)")?')
POINTER = re.compile(r'data-pointer="([^"]*)"')
FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=b"
GPT2 = {"tokenizer": "gpt2", "text": "a"}
NO_UTF8 = (b"\xff", b"\xed\xa0\x80\xed\xb0\x80", b"\xc0\xaf", b"caf\xe9")
MANY = {f"f{number}": "1" for number in range(1001)}
NOT_TEXT = "Byte 2 of the file 1.txt is not UTF-8."
CHAT = {"tokenizer": "mistral-v3", "role": "user", "content": "Hi"}
FOREIGN = {"sec-fetch-site": "cross-site"}


def part(name, value, *, file=""):
    head = f'--b\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode()
    return head + value + b"\r\n"


def multipart(*parts, media=MULTIPART):
    return {"content": b"".join(parts) + b"--b--\r\n", "headers": {"content-type": media}}


def as_media(kind, **headers):
    return {"content": json.dumps(GPT2), "headers": {"content-type": kind, **headers} if kind else headers}


def as_files(name, *contents, **data):
    return {"files": [(name, (f"{at}.txt", text)) for at, text in enumerate(contents)], "data": data}


OTHERS = [
    *(("/tokenize", {"content": json.dumps(GPT2).encode(name), "headers": JSON}, "415 unsupported-media")
      for name in ("utf-16", "utf-16-le", "utf-16-be", "utf-32")),
    *((path, as_media(kind), "415 unsupported-media")
      for path, plain, other in (("/tokenize", "application/json", FORM), ("/", FORM, "application/json"))
      for kind in ("text/plain", other, f"{plain}; charset=utf-16", None)),
    ("/tokenize", as_media("application/json", **{"content-encoding": "gzip"}), "415 unsupported-media"),
    ("/", as_media(FORM, **{"content-encoding": "gzip"}), "415 unsupported-media"),
    *((path, as_media("application/json"), "415 unsupported-media")
      for path in ("/window", "/steps", "/compare", "/conformance")),
    *(("/", multipart(part("text", sent)), "400 bad-encoding") for sent in NO_UTF8),
    *(("/", multipart(part("file", sent, file='; filename="a.txt"')), "400 bad-encoding") for sent in NO_UTF8),
    *(("/", {"content": "text=" + "".join(f"%{byte:02x}" for byte in sent), "headers": {"content-type": FORM}},
       "400 bad-encoding") for sent in NO_UTF8),
    ("/", {"content": b"garbage", "headers": {"content-type": MULTIPART}}, "400 malformed"),
    ("/", {"content": b"--b\r\nnonsense", "headers": {"content-type": MULTIPART}}, "400 malformed"),
    ("/", multipart(part("text", b"a"), media="multipart/form-data"), "400 malformed"),
    ("/", multipart(*(part(name, b"1") for name in MANY)), "413 too-large 64"),
    ("/", {"data": MANY}, "413 too-large 64"),
    *((path, {"json": MANY}, "413 too-large 1000")
      for path in ("/api/train", "/tokenize", "/detokenize", "/api/surgery", "/api/fetches")),
    ("/api/train", {"json": {f"secret {number}": 1 for number in range(900)}}, "422 invalid"),
    ("/api/train", {"json": {"texts": ["low"]}, "headers": FOREIGN}, "403 cross-site"),
    ("/chat", {"data": CHAT, "headers": FOREIGN}, "403 cross-site"),
    *(("/tokenize", {"json": GPT2, "headers": {"host": host}}, "421 unknown-host")
      for host in ("evil.example", "127.0.0.1.evil.example", "localhost:8000@evil.example", "")),
    *((path, as_files("file", b"a text", b"ab\xff", tokenizer="gpt2", sent="1"), f"400 bad-encoding · {NOT_TEXT}")
      for path in ("/train", "/api/train/form", "/surgery")),
    *(("/api/doctor", as_files("file", contents), "422 bad-file")
      for contents in (b"", b"hello", b"{}", b"\xff\xfe", b'{"model": []}')),
    ("/api/doctor", {"files": {"text": (None, "a")}}, "422 invalid /file"),
    ("/api/doctor", {"content": part("file", b"abc")[:-2], "headers": {"content-type": MULTIPART}}, "400 malformed"),
    ("/api/beyond/sound/file", as_files("other", b"", size="16"), "422 invalid /file"),
]  # fmt: skip
"""What is posted and no line of the table can say: other media, files, headers."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("local")


@pytest.fixture(scope="module")
def ask(registry, place):
    """Send one request to an app that would keep in a folder of this file."""
    return asker(registry, local=place)


def problem(answer):
    """Code, pointer and limit of a problem, and its sentence."""
    if answer.headers.get("content-type") == "application/problem+json":
        found = answer.json()
        assert (found["status"], bool(found["type"]), bool(found["title"])) == (answer.status_code, True, True)
        assert found["detail"].endswith(".")
        assert len(answer.content) < 1000
        return [found["code"], found.get("pointer"), found.get("limit")], found["detail"]
    alert = ALERT.search(answer.text)
    pointer = POINTER.search(answer.text)
    return [alert and alert[1], alert and pointer and pointer[1]], html.unescape(answer.text) or "gone"


def in_dialect(shape, status, kind, param=None):
    """The body of an error in a dialect, without its sentence."""
    return {
        "vllm": {"error": {"message": "", "type": kind, "param": param, "code": status}},
        "sglang": {"object": "error", "message": "", "type": kind, "param": param, "code": status},
        "tei": {"error": "", "error_type": kind},
        "llamacpp": {"error": {"message": "", "type": kind, "code": status}},
        "anthropic": {"type": "error", "error": {"message": "", "type": kind}},
        "openai": {
            "error": {
                "message": "",
                "type": "invalid_request_error",
                "param": param,
                "code": None if kind == "None" else kind,
            }
        },
        "gemini": {"error": {"message": "", "status": kind, "code": status}},
    }[shape]


def take_sentence(error):
    """Take the sentence out of an error of a dialect."""
    inner = error["error"] if isinstance(error.get("error"), dict) else error
    key = "message" if "message" in inner else "error"
    sentence, inner[key] = inner[key], ""
    return sentence


def assert_refused(answer, told, dialect=None):
    """That an answer is what a row tells: `status code pointer limit · part of the sentence`."""
    told, _, says = told.partition(" · ")
    status, *told = told.split()
    assert answer.status_code == int(status), answer.text[:500]
    if dialect:
        assert answer.headers["content-type"] == "application/json"
        error = answer.json()
        sentence = take_sentence(error)
        assert error == in_dialect(dialect, int(status), *told)
    else:
        found, sentence = problem(answer)
        assert [str(one) for one in found if one is not None] == told
    assert sentence
    assert says in sentence
    assert "secret" not in answer.text


@pytest.mark.parametrize("row", read_refusals(), ids=lambda row: f"{row.path[:40]} {row.sent[:60]}")
def test_what_is_refused_is_told_by_status_code_and_place(ask, place, row):
    method, path, options = row.request
    assert_refused(ask(method, path, **options), row.told, row.block.dialect)
    assert [*place.iterdir()] == []


@pytest.mark.parametrize(("path", "options", "told"), OTHERS)
def test_other_media_files_and_headers_are_refused(ask, place, path, options, told):
    assert_refused(ask("POST", path, **options), told)
    assert [*place.iterdir()] == []
