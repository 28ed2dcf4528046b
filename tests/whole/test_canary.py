"""A canary: a string that is sent to every route, wherever one can, is in no log and in no answer that refuses."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from functools import cache
from itertools import product
from urllib.parse import urlencode

import pytest
from fastapi.routing import iter_route_contexts
from tokenarium.main import create_app
from tokenarium.settings import ROOT, Settings

CANARY = "kanarie7f3a"
FIELDS = """text tokenizer engine special view example key window token step format set branch algorithm unit pattern
ties merges temperature seed baseline place calls price own-price language model"""
HEADERS = dict.fromkeys(("user-agent", "referer", "authorization", "x-api-key", "cookie", "hx-current-url"), CANARY)
FORM = {"content-type": "application/x-www-form-urlencoded"}
SAID = {"text", "prompt", "content", "inputs", "input"}
ACCEPTED = "*/*", "text/html"
STATUSES = {200, 202, 400, 404, 413, 414, 415, 421, 422}
OWN_FIELDS = re.compile(r'<textarea[^>]*>[^<]*</textarea>|<input [^>]*>|data-address="[^"]*"')
"""Where a page may say what was typed: in the fields of a form that is refused, so that nothing is lost, and in the
address that has the state of the form."""
PART = f'--{CANARY}\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n{CANARY}\r\n'


@cache
def app():
    """An application with all its capabilities, which it imports late, and describes."""
    made = create_app(Settings(workers=0))
    made.openapi()
    return made


def routes():
    contexts = [route for route in iter_route_contexts(app().routes) if route.methods]
    return [(method, route.path_format) for route in contexts for method in sorted(route.methods)]


def sung(value, *, everywhere, key=""):
    """A body with the canary where texts are said, or in place of every string."""
    if isinstance(value, dict):
        return {name: sung(one, everywhere=everywhere, key=name) for name, one in value.items()}
    if isinstance(value, list):
        return [sung(one, everywhere=everywhere, key=key) for one in value]
    return CANARY if isinstance(value, str) and (everywhere or key in SAID) else value


def bodies(path):
    """Headers and bodies, good and bad, for a route that takes a body."""
    content = app().openapi()["paths"].get(path, {"post": {}})["post"].get("requestBody", {"content": {}})["content"]
    if "application/json" not in content:
        yield from forms(path)
        yield {"content-type": "application/x-ndjson"}, f'"{CANARY}"\n{{"{CANARY}\n'
        return
    schema = content["application/json"]["schema"]
    for one in schema.get("anyOf", [schema]):
        example = app().openapi()["components"]["schemas"][one["$ref"].rpartition("/")[2]]["example"]
        for everywhere in (False, True):
            yield {"content-type": "application/json"}, json.dumps(sung(example, everywhere=everywhere))
        yield {"content-type": "application/json"}, json.dumps({**example, CANARY: CANARY})
        yield {"content-type": "application/json"}, json.dumps({name: {CANARY: CANARY} for name in example})
    for broken in (f'{{"{CANARY}', f'"{CANARY}"', f'{{"{CANARY}": 1, "{CANARY}": 2}}', CANARY):
        yield {"content-type": "application/json"}, broken
    yield {"content-type": f"application/json; charset={CANARY}"}, "{}"
    yield {"content-type": CANARY}, CANARY


def forms(path):
    """Headers and bodies, good and bad, for a route that takes a form."""
    for tokenizer in ("gpt2", CANARY):
        yield FORM, urlencode({"tokenizer": tokenizer, "text": CANARY})
    for name in FIELDS.split():
        yield FORM, urlencode({"text": CANARY, name: CANARY})
    yield FORM, f"{CANARY}=%ff"
    yield FORM, "&".join([CANARY] * 100)
    media = {"content-type": f"multipart/form-data; boundary={CANARY}"}
    upload = PART % ("file", f'; filename="{CANARY}.txt"')
    yield media, upload + f"--{CANARY}--\r\n"
    yield media, upload
    yield media, PART % ("text", "") + CANARY


def requests():
    """Every request to send, as method, address, headers, body."""
    query = urlencode(dict.fromkeys(FIELDS.split(), CANARY))
    for method, template in routes():
        path = re.sub(r"\{\w+\}", CANARY, template)
        for address in (f"{path}?{query}", path, f"{path}?q={CANARY * 1000}", f"{path}/{CANARY}"):
            yield method, address, {}, None
        yield method, path, {"host": f"{CANARY}.example"}, None
        if method == "POST":
            for accept, (headers, body) in product(ACCEPTED, bodies(template)):
                yield method, path, {**headers, "accept": accept}, body
    yield "GET", f"/{CANARY}", {}, None
    yield "GET", f"/static/{CANARY}", {}, None


@contextmanager
def serving(folder):
    """A server as a user starts it, with its log on and what it prints in files: its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "tokenarium", "serve", "--port", str(port)]
    env = {**os.environ, "TOKENARIUM_LOG": "on", "TOKENARIUM_KEEP": "off"}
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=err, env=env)
        try:
            wait_for(process, port)
            yield port
        finally:
            process.terminate()
            process.wait(20)


def wait_for(process, port):
    for _ in range(300):
        assert process.poll() is None, "The server stopped before it answered."
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("The server does not answer.")


def answers(port):
    """Send every request; each status, with what it was an answer to where that was refused."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=240)) as connection:
        for method, address, headers, body in requests():
            connection.request(method, address, body, HEADERS | headers)
            response = connection.getresponse()
            told = OWN_FIELDS.sub("", response.read().decode(errors="replace")) + str(response.headers)
            yield response.status, "" if response.status < 400 else told, (method, address, body)


@pytest.mark.nightly
@pytest.mark.timeout(3600)  # minutes alone on two cores
def test_the_canary_is_silent(tmp_path):
    statuses = []
    with serving(tmp_path) as port:
        for status, told, sent in answers(port):
            statuses.append(status)
            assert CANARY not in told, sent
            assert status < 500 or "overloaded" in told, sent
        with socket.create_connection(("127.0.0.1", port)) as raw:
            raw.sendall(f"{CANARY} / {CANARY}\r\n\r\n".encode())
            assert CANARY.encode() not in raw.recv(10_000)
    assert {*statuses} > STATUSES
    out, err = ((tmp_path / name).read_text() for name in ("out", "err"))
    lines = [json.loads(line) for line in out.splitlines()[1:]]
    assert sorted(line["status"] for line in lines) == sorted(statuses)
    assert {path for _, path in routes()} < {line["route"] for line in lines}
    assert CANARY not in out + err
