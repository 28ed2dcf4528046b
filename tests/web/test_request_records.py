"""What the access log says of a request, and what it leaves out."""

import io
import json
from datetime import datetime

import pytest
from tokenarium.web.request_records import AccessLog, RequestRecord

from tests.conftest import asker


def logged(capfd):
    return [json.loads(line) for line in capfd.readouterr().out.splitlines()]


def test_a_request_is_a_line_of_numbers_and_names(registry, capfd):
    ask = asker(registry, log=True)
    answer = ask("POST", "/tokenize", json={"tokenizer": "gpt2", "text": "a"})
    (line,) = logged(capfd)
    assert datetime.fromisoformat(line.pop("time")).tzinfo
    assert 0 < line.pop("milliseconds") < 600_000
    sizes = {"bytes_in": len(answer.request.content), "bytes_out": len(answer.content)}
    assert line == {"method": "POST", "route": "/tokenize", "status": 200, **sizes}


@pytest.mark.parametrize(
    ("path", "route", "status"),
    [
        ("/api/tokenizers/secret", "/api/tokenizers/{id}", 404),
        ("/secret?secret=secret", "none", 404),
        ("/static/secret.css", "/static", 404),
        ("/?q=" + "secret" * 2000, "/", 414),
    ],
)
def test_an_address_is_told_by_its_template(registry, capfd, path, route, status):
    asker(registry, log=True)("GET", path, headers={"user-agent": "secret", "referer": "http://secret"})
    (line,) = logged(capfd)
    assert (line["route"], line["status"]) == (route, status)
    assert "secret" not in json.dumps(line)


def test_without_the_setting_nothing_is_logged(ask, capfd):
    ask("GET", "/healthz")
    assert logged(capfd) == []


class Closed(io.StringIO):
    def write(self, text):
        raise BrokenPipeError


def test_requests_go_on_when_no_one_reads_the_log():
    AccessLog(Closed()).on_end(RequestRecord("GET", "/", 200, 0.001, 0, 0))
