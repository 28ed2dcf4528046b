"""A canary: a string that is sent to every route, wherever one can, is in no log and in no answer that refuses."""

import http.client
import inspect
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections import defaultdict
from contextlib import closing, contextmanager
from functools import cache
from itertools import product
from urllib.parse import urlencode

import pytest
from fastapi.routing import iter_route_contexts
from tokenarium.lab.option_schema import Options, get_option_fields
from tokenarium.main import create_app
from tokenarium.settings import ROOT, Settings

CANARY = "kanarie7f3a"
READ = re.compile(r'(?:\.(?:get|getall|number|amount|get_choice)\(\s*|fields\[)"([\w-]+)"|"([\w-]+)" in \w+\.fields')
"""How a page reads a field that no model declares."""
HEADERS = dict.fromkeys(("user-agent", "referer", "authorization", "x-api-key", "cookie", "hx-current-url"), CANARY)
FORM = {"content-type": "application/x-www-form-urlencoded"}
SAID = {"text", "prompt", "content", "inputs", "input"}
ACCEPTED = "*/*", "text/html"
STATUSES = {200, 202, 400, 404, 413, 414, 415, 421, 422}
OWN_FIELDS = re.compile(
    r'<textarea[^>]*>[^<]*</textarea>|<input [^>]*>|<output data-for="[^"]*">[^<]*</output>|'
    r'data-address="[^"]*"|<form [^>]*action="[^"]*">'
)
"""Where a page may say what was typed: in the fields of a form that is refused, so that nothing is lost, in the address
to which it is sent again, and in the one that has the state of the form."""
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


@cache
def fields():
    """By path the names of all fields of a form or a query that its endpoints, or what they import, may read."""
    names = defaultdict(set)
    for context in iter_route_contexts(app().routes):
        if context.methods:
            names[context.path_format] |= {"text", *getattr(context.original_route, "query_names", ())}
            names[context.path_format] |= read_names(context.original_route.endpoint.__module__)
    return {path: sorted(found) for path, found in names.items()}


@cache
def read_names(module):
    """The names of the fields that the code of a module and of the web modules that it imports from reads."""
    imported = {getattr(value, "__module__", None) or "" for value in vars(sys.modules[module]).values()}
    names = set()
    for name in {module} | {one for one in imported if one.startswith("tokenarium.web.")}:
        names |= {one for pair in READ.findall(inspect.getsource(sys.modules[name])) for one in pair if one}
    for model in vars(sys.modules[module]).values():
        if isinstance(model, type) and issubclass(model, Options):
            names |= {one.field or one.name for one in get_option_fields(model).values()} | {*model.model_fields}
    return names


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
        described = app().openapi()["components"]["schemas"][one["$ref"].rpartition("/")[2]]
        example, names = described["example"], {**described["properties"]}
        for everywhere in (False, True):
            yield {"content-type": "application/json"}, json.dumps(sung(example, everywhere=everywhere))
        yield {"content-type": "application/json"}, json.dumps({**example, CANARY: CANARY})
        yield {"content-type": "application/json"}, json.dumps({name: {CANARY: CANARY} for name in names})
        for name, value in product(names, (CANARY, [CANARY], {CANARY: CANARY}, [{"role": CANARY, "content": CANARY}])):
            yield {"content-type": "application/json"}, json.dumps({**example, name: value})
    for broken in (f'{{"{CANARY}', f'"{CANARY}"', f'{{"{CANARY}": 1, "{CANARY}": 2}}', CANARY):
        yield {"content-type": "application/json"}, broken
    yield {"content-type": f"application/json; charset={CANARY}"}, "{}"
    yield {"content-type": CANARY}, CANARY


def forms(path):
    """Headers and bodies, good and bad, for a route that takes a form."""
    for tokenizer in ("gpt2", CANARY):
        yield FORM, urlencode({"tokenizer": tokenizer, "text": CANARY})
    for name in fields()[path]:
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
    for method, template in routes():
        query = urlencode(dict.fromkeys(fields()[template], CANARY))
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
