"""What /metrics tells: every request by route, and nothing that was sent."""

import os
import subprocess
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tokenarium.main import create_app
from tokenarium.settings import ROOT, Settings
from tokenarium.web.request_records import RequestRecord
from tokenarium.web.services import get_services

from tests.conftest import ROOMY, asker
from tests.support.asking import asking

REQUESTS = "tokenarium_requests_total"


def told(text):
    """Each number by its name and the values of its labels."""
    samples = (sample for family in text_string_to_metric_families(text) for sample in family.samples)
    return {(one.name, *(one.labels[label] for label in sorted(one.labels))): one.value for one in samples}


@pytest.fixture
def ask(registry):
    """Requests to an app that nothing else has asked, so that its counts begin at none."""
    return asker(registry)


def metrics(ask):
    return told(ask("GET", "/metrics").text)


def test_requests_are_counted_by_method_route_and_status(ask):
    ask("POST", "/tokenize", json={"tokenizer": "gpt2", "text": "a"})
    ask("POST", "/tokenize", json={"tokenizer": "gpt2", "text": "b"})
    ask("POST", "/tokenize", json={})
    ask("GET", "/api/tokenizers/gpt2")
    ask("GET", "/static/css/base.css")
    ask("GET", "/no/such/page")
    ask("GET", "/", headers={"host": "evil.example"})
    found = metrics(ask)
    assert {name[1:]: value for name, value in found.items() if name[0] == REQUESTS} == {
        ("POST", "/tokenize", "200"): 2,
        ("POST", "/tokenize", "422"): 1,
        ("GET", "/api/tokenizers/{id}", "200"): 1,
        ("GET", "/static", "200"): 1,
        ("GET", "none", "404"): 1,
        ("GET", "none", "421"): 1,
    }
    assert found["tokenarium_requests_in_flight",] == 1
    assert found["tokenarium_request_seconds_count", "/tokenize"] == 3
    assert found["tokenarium_request_seconds_bucket", "+Inf", "/tokenize"] == 3
    assert found["tokenarium_request_seconds_sum", "/tokenize"] > 0
    assert found["process_resident_memory_bytes",] > 0


def test_the_type_is_what_prometheus_expects(ask):
    assert ask("GET", "/metrics").headers["content-type"].startswith("text/plain; version=")


def test_buckets_hold_all_that_took_no_longer():
    app = create_app(ROOMY)
    (metrics_of_app,) = get_services(app).observers
    for seconds in (0.0005, 0.001, 0.002, 3, 60):
        metrics_of_app.on_begin()
        metrics_of_app.on_end(RequestRecord("GET", "/", 200, seconds, 0, 0))
    found = metrics(asking(app))
    counts = {
        bound: found["tokenarium_request_seconds_bucket", bound, "/"] for bound in ("0.001", "2.5", "5.0", "+Inf")
    }
    assert counts == {"0.001": 2, "2.5": 3, "5.0": 4, "+Inf": 5}
    assert found["tokenarium_request_seconds_sum", "/"] == pytest.approx(63.0035)


def test_addresses_and_methods_that_someone_makes_up_add_no_rows(ask):
    for i in range(20):
        ask("GET", f"/made/up/{i}")
        ask("GET", f"/api/tokenizers/{i}")
        ask(f"BREW{i}", "/")
    rows = [name[1:3] for name in metrics(ask) if name[0] == REQUESTS]
    assert sorted(rows) == [("GET", "/api/tokenizers/{id}"), ("GET", "none"), ("other", "/")]


def test_tokenizers_that_come_and_go_are_counted():
    app = create_app(Settings(max_loaded=-1))
    for id in ("bytes", "characters", "bytes"):
        get_services(app).registry.get(id)
    get_services(app).registry.get("bytes")
    found = metrics(asking(app))
    assert (found["tokenarium_tokenizer_loads_total",], found["tokenarium_tokenizer_evictions_total",]) == (3, 2)
    size = get_services(app).registry.get("bytes").nbytes
    assert (found["tokenarium_tokenizers_loaded",], found["tokenarium_loaded_bytes",]) == (1, size)


def test_two_apps_count_for_themselves(registry):
    first, second = asker(registry), asker(registry)
    first("GET", "/healthz")
    assert (REQUESTS, "GET", "/healthz", "200") in metrics(first)
    assert (REQUESTS, "GET", "/healthz", "200") not in metrics(second)


PROCESS = """
import sys
from tokenarium.main import create_app
from tokenarium.settings import ROOT, Settings
from tests.support.asking import asking

ask = asking(create_app(Settings(workers=0)))
ask("POST", "/detokenize", json={"tokenizer": "bytes", "ids": [97]})
print(ask("GET", "/metrics").text, flush=True)
sys.stdin.read()
"""


def serve(folder):
    """Start a process that answers a request, and tells its metrics; return it, and what it told."""
    environment = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(folder)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", PROCESS], env=environment, cwd=ROOT, text=True, **pipes)
    lines = iter(process.stdout.readline, "\n")
    return process, told("".join(lines))


def test_processes_that_serve_together_tell_their_sum(tmp_path):
    answered = (REQUESTS, "POST", "/detokenize", "200")
    first, alone = serve(tmp_path)
    second, both = serve(tmp_path)
    first.communicate()
    third, rest = serve(tmp_path)
    second.communicate()
    third.communicate()
    assert (alone[answered], both[answered], rest[answered]) == (1, 2, 3)
    loaded = "tokenarium_tokenizers_loaded"
    assert (alone[loaded,], both[loaded,], rest[loaded,]) == (1, 2, 2)
    assert ("process_resident_memory_bytes",) not in both
