"""What /metrics tells: every request by route, and nothing that was sent."""

import subprocess
import sys

import anyio
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tokenarium.main import create_app
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.web.multiprocess_metrics import MultiprocessMetrics, RequestMetrics
from tokenarium.web.request_records import RequestRecord
from tokenarium.web.server_numbers import numbers
from tokenarium.web.services import get_services

from tests.conftest import ROOMY, asker
from tests.support.asking import asking

REQUESTS = "tokenarium_requests_total"
ONCE = RequestRecord("POST", "/tokenize", 200, 0.003, 10, 20)


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
    for seconds in (0.0005, 0.001, 0.002, 3, 60):
        get_services(app).request_metrics.on_begin()
        get_services(app).request_metrics.on_end(RequestRecord("GET", "/", 200, seconds, 0, 0))
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
    found = numbers(get_services(app))
    assert (found["tokenizer_loads"][()], found["tokenizer_evictions"][()]) == (3, 2)
    size = get_services(app).registry.get("bytes").nbytes
    assert (found["tokenizers_loaded"][()], found["loaded_bytes"][()]) == (1, size)


def test_two_apps_count_for_themselves(registry):
    first, second = asker(registry), asker(registry)
    first("GET", "/healthz")
    assert (REQUESTS, "GET", "/healthz", "200") in metrics(first)
    assert (REQUESTS, "GET", "/healthz", "200") not in metrics(second)


def test_the_library_is_not_loaded_before_someone_asks():
    code = "import sys; from tokenarium.main import create_app; create_app(); print('prometheus_client' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


class Process:
    """The state of a process that answered one request and has one more under way."""

    limiter = workers = multiprocess_metrics = None

    def __init__(self):
        self.registry = Registry(ROOMY)
        self.request_metrics = RequestMetrics()
        self.request_metrics.on_begin()
        self.request_metrics.on_end(ONCE)
        self.request_metrics.on_begin()


def left_by(process, folder):
    """The numbers as another process leaves them."""
    state = Process()
    MultiprocessMetrics(folder, lambda: numbers(state)).write()
    (own,) = folder.glob("*.json")
    own.rename(folder / f"{process}.json")


def test_processes_that_serve_together_tell_their_sum(tmp_path):
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    left_by(other.pid, tmp_path)
    state = Process()
    siblings = MultiprocessMetrics(tmp_path, lambda: numbers(state))
    assert siblings.total()["requests"] == {("/tokenize", "POST", "200"): 2}
    assert siblings.total()["requests_in_flight"] == {(): 2}
    siblings.write()
    assert siblings.total()["requests_in_flight"] == {(): 2}
    other.communicate()
    assert siblings.total()["requests"] == {("/tokenize", "POST", "200"): 2}
    assert siblings.total()["requests_in_flight"] == {(): 1}


def test_processes_that_serve_together_tell_nothing_of_one(tmp_path):
    found = metrics(asking(create_app(Settings(metrics=tmp_path))))
    assert ("tokenarium_requests_in_flight",) in found
    assert ("process_resident_memory_bytes",) not in found


def test_a_process_leaves_its_numbers_soon_after_a_request(tmp_path):
    siblings = MultiprocessMetrics(tmp_path, lambda: numbers(Process()))

    async def answer_and_wait():
        siblings.on_end(ONCE)
        while not list(tmp_path.glob("*.json")):
            await anyio.sleep(0.05)

    anyio.run(answer_and_wait)
