"""What a user's pattern can do to the server: nothing. The attacks are made on a server with workers."""

import json
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.conftest import TIER, asker
from tests.support.corpora import ENGLISH
from tests.support.servers import serving, wait_for
from tests.support.shelves import few_languages

pytestmark = pytest.mark.timeout(300)  # half a minute alone; others run beside it

EXPLOSIVE = "(?:(?:a+)+)+$|[^a]"
"""Python's `re` backtracks for ever on it."""
AMBIGUOUS = "(?:(?:a|a)+)+(?=c)|[^a]"
"""All engines backtrack on it."""
TEXT = "a" * 28 + "b"
HUGE = [
    "a{10000000}",
    "a{100000000}",
    "(?:a{1000}){1000}",
    "(" * 900,
    "(" * 900 + ")" * 900,
    "(?V1)a",
    "(?R)a",
    "a{e<9}",
]
WAYS = {
    "/api/train": lambda pattern: {"json": {"texts": [ENGLISH], "size": 300, "pattern": pattern}},
    "/api/train/form": lambda pattern: {"data": {"text": ENGLISH, "pattern": pattern}},
    "/train": lambda pattern: {"data": {"text": ENGLISH, "pattern": "own", "expression": pattern}},
    "/api/regex": lambda pattern: {"json": {"text": TEXT, "pattern": pattern}},
}


@contextmanager
def healthy(address):
    """The health route answers again and again as long as this lasts: a pattern on the event loop would stop it."""
    done = threading.Event()

    def ask():
        with httpx.Client(base_url=address, timeout=None) as client:
            while not done.is_set():
                assert client.get("/healthz").status_code == 200
                time.sleep(0.05)

    with ThreadPoolExecutor(1) as one:
        asking = one.submit(ask)
        try:
            yield
        finally:
            done.set()
        asking.result()


def trained(client, pattern):
    """The id of a tokenizer that is trained with a pattern and kept."""
    sent = {"texts": ["abc cab " * 20], "size": 300, "pattern": pattern, "name": "Mine"}
    answer = client.post("/api/train", json=sent)
    assert answer.status_code == 202, answer.text
    place = answer.headers["Location"]
    wait_for(lambda: client.get(place).json()["state"] != "running")
    return client.get(place).json()["kept"]


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Where servers find tokenizers and keep those that are trained."""
    return {"TOKENARIUM_STORE": str(few_languages()), "TOKENARIUM_LOCAL": str(tmp_path_factory.mktemp("local"))}


@pytest.fixture(scope="module")
def server(places):
    served = serving(TOKENARIUM_SLOTS="1", **places)
    with served as (process, address), httpx.Client(base_url=address, timeout=None) as client:
        yield process, address, client


@pytest.fixture(scope="module")
def ambiguous(server):
    """The id of a kept tokenizer on whose pattern all engines backtrack: to train and prove it takes long."""
    return trained(server[2], AMBIGUOUS)


@pytest.mark.parametrize("pattern", [pytest.param(EXPLOSIVE, marks=pytest.mark.nightly), AMBIGUOUS])
def test_a_text_that_explodes_a_kept_pattern_harms_nobody(server, ambiguous, pattern):
    _, address, client = server
    id = ambiguous if pattern == AMBIGUOUS else trained(client, pattern)
    one = {"tokenizer": id, "text": TEXT}
    asked = [
        *(("/tokenize", one | {"engine": engine}) for engine in client.get(f"/api/tokenizers/{id}").json()["engines"]),
        ("/compat/tei/tokenize", {"model": id, "inputs": [TEXT]}),  # as all dialects do it
        ("/api/compare", {"tokenizers": [id, "bytes"], "text": TEXT}),
        ("/api/trace", one | {"branch": "encode"}),
    ]
    with healthy(address):
        for path, body in asked:
            answer = client.post(path, json=body)
            assert answer.status_code in (200, 400, 422), (path, answer.text)
            if path in ("/tokenize", "/api/trace") and "tokenizer" in body and pattern == AMBIGUOUS:
                assert (answer.status_code, answer.json()["code"]) == (422, "regex-timeout"), path
        lines = client.post(
            "/api/tokenize-stream",
            params={"tokenizer": id},
            content=f'"{TEXT}"\n"cb"\n',
            headers={"Content-Type": "application/x-ndjson"},
        )
        assert len(lines.text.splitlines()) == 3
        assert client.get("/tokenizer_info", params={"model": id}).status_code == 200
        assert client.post("/detokenize", json={"tokenizer": id, "ids": [97]}).json()["text"] == "a"
    assert id not in [loaded["tokenizer"] for loaded in client.get("/healthz").json()["loaded"]]


def test_a_changed_component_that_explodes_harms_nobody(server):
    _, address, client = server
    part = {"type": "Split", "pattern": {"Regex": AMBIGUOUS}, "behavior": "Isolated"}
    body = {"tokenizer": "gpt2", "text": TEXT}
    with healthy(address):
        answer = client.post("/api/pipeline", json={**body, "pre_tokenizer": part})
        assert (answer.status_code, answer.json()["code"]) == (422, "regex-timeout")
        query = {**body, "pre_tokenizer": json.dumps([part])}
        assert client.get("/pipeline", params=query).status_code == 422
        assert client.post("/api/pipeline", json=body).status_code == 200


def test_a_kept_tokenizer_counts_and_is_kept_in_a_worker(server):
    _, address, client = server
    place = client.post("/api/train", json={"texts": ["abc cab " * 20], "size": 300, "pattern": AMBIGUOUS}).headers[
        "Location"
    ]
    wait_for(lambda: client.get(place).json()["state"] != "running")
    page = place.replace("/api", "/train")
    with healthy(address):
        answer = client.post(f"{page}/keep", data={"name": "Later"})
        assert answer.status_code in (303, 422), answer.text
        for file in client.get(place).json()["files"]:
            assert client.get(file).status_code == 200
    assert client.get("/healthz").json()["loaded"] == []


@pytest.mark.parametrize("path", WAYS)
def test_a_pattern_that_would_be_huge_is_refused_and_never_compiled(server, path):
    """Nightly each pattern on each way, before a commit each on one."""
    ways = 1 if TIER == "nightly" else len(WAYS)
    process, address, client = server
    before = memory(process)
    with healthy(address):
        for pattern in HUGE[[*WAYS].index(path) % ways :: ways]:
            answer = client.post(path, **WAYS[path](pattern))
            told = answer.json()
            assert (answer.status_code, told["pointer"]) == (422, "/pattern"), (pattern, answer.text)
            assert re.search(r"at character \d+|up to character \d+", told["detail"]), told
    assert memory(process) - before < 100_000_000


@pytest.mark.parametrize("path", WAYS)
def test_bad_syntax_is_told_with_its_position_by_a_worker(server, path):
    _, _, client = server
    told = client.post(path, **WAYS[path]("a|(b+")).json()
    assert (told["status"], told["pointer"]) == (422, "/pattern")
    assert "at position 5" in told["detail"]


@pytest.mark.parametrize("pattern", [EXPLOSIVE, pytest.param(AMBIGUOUS, marks=pytest.mark.nightly)])
def test_a_pattern_in_the_regex_lab_harms_nobody(server, pattern):
    process, address, client = server
    before = memory(process)
    fields = {"pattern": pattern, "text": TEXT, "tokenizer": ""}
    with healthy(address):
        for method, path, how in (
            ("POST", "/api/regex", {"json": fields}),
            ("POST", "/api/regex", {"json": {**fields, "pattern": "a", "other": pattern}}),
            ("POST", "/regex", {"data": fields}),
            ("GET", "/regex", {"params": fields}),
        ):
            answer = client.request(method, path, **how)
            assert answer.status_code == (422 if pattern == AMBIGUOUS else 200), (path, answer.text)
            assert pattern == EXPLOSIVE or "regex-timeout" in answer.text
    assert memory(process) - before < 100_000_000


@pytest.mark.parametrize("slots", ["0", pytest.param("1", marks=pytest.mark.nightly)])
def test_it_is_refused_also_where_no_training_is_let_in(tmp_path, slots):
    served = serving(TOKENARIUM_SLOTS=slots, TOKENARIUM_JOBS="0", TOKENARIUM_LOCAL=str(tmp_path))
    with served as (process, address), httpx.Client(base_url=address, timeout=None) as client:
        before = memory(process)
        with healthy(address):
            for pattern in HUGE:
                answer = client.post("/api/train", **WAYS["/api/train"](pattern))
                assert answer.status_code == 422, (pattern, answer.text)
        assert memory(process) - before < 100_000_000


def test_without_workers_a_pattern_has_a_time_limit_too(places, ambiguous):
    served = serving(TOKENARIUM_SLOTS="0", **places)
    with served as (_, address), httpx.Client(base_url=address, timeout=None) as client:
        with healthy(address):
            answer = client.post("/tokenize", json={"tokenizer": ambiguous, "text": TEXT})
        assert (answer.status_code, answer.json()["code"]) == (422, "regex-timeout")


def test_a_training_whose_pattern_explodes_fails(server):
    _, address, client = server
    sent = {"texts": [TEXT], "size": 300, "pattern": AMBIGUOUS}
    with healthy(address):
        place = client.post("/api/train", json=sent).headers["Location"]
        wait_for(lambda: client.get(place).json()["state"] != "running")
    assert client.get(place).json()["problem"]["code"] == "regex-timeout"


def test_no_page_shows_a_refused_pattern(registry):
    ask = asker(registry)
    answer = ask("POST", "/train", data={"text": "a", "pattern": "own", "expression": "(?V1)<b>"})
    assert (answer.status_code, "<b>" in answer.text) == (422, False)


def memory(process):
    """Bytes that a process has in memory."""
    told = Path(f"/proc/{process.pid}/status").read_text()
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", told)[1])
