"""Every row of the table of refusals, in the form of its route: a problem as JSON, the alert of a page, or a dialect."""

import html
import re

import pytest

from tests.conftest import asker
from tests.web.refusals import REFUSALS

ALERT = re.compile(r'role="alert"(?: data-code="([\w-]+)")?')
POINTER = re.compile(r'data-pointer="([^"]*)"')


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


def name(row):
    sent = next((row.options[key] for key in ("content", "data", "params") if key in row.options), row.options)
    return f"{row.method} {row.path[:40]} {ascii(sent)[:60]}"


@pytest.mark.parametrize("row", REFUSALS, ids=name)
def test_what_is_refused_is_told_by_status_code_and_place(ask, place, row):
    answer = ask(row.method, row.path, **row.options)
    status, *told = row.answer.split()
    assert answer.status_code == int(status), answer.text[:500]
    if row.shape == "problem":
        found, sentence = problem(answer)
        assert [str(one) for one in found if one is not None] == told
    else:
        assert answer.headers["content-type"] == "application/json"
        error = answer.json()
        sentence = take_sentence(error)
        assert error == in_dialect(row.shape, int(status), *told)
    assert sentence
    assert row.says in sentence
    assert "secret" not in answer.text
    assert [*place.iterdir()] == []
