"""What a server does where the machine lacks something: room on the disk, a core, another server of the same folder."""

import os
import resource
import signal

import httpx
import pytest

from tests.support.servers import descendants, serving
from tests.support.shelves import files
from tests.support.vocabularies import learned

pytestmark = pytest.mark.nightly
LARGE = {"tokenizer": "gpt2", "text": "Hello" * 20_000, "include": []}
UPLOAD = files(learned("bytes with special tokens"))["tokenizer.json"]


def client_of(address):
    return httpx.Client(base_url=address, timeout=None)


def add(client):
    return client.post("/api/tokenizers", files={"file": ("tokenizer.json", UPLOAD)}, data={"name": "small"})


def test_on_a_full_disk_nothing_is_kept_and_everything_else_is_answered(tmp_path):
    def allow(size):
        for pid in (server.pid, *descendants(server.pid)):
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    with serving(TOKENARIUM_LOCAL=str(tmp_path)) as (server, address), client_of(address) as client:
        assert client.post("/tokenize", json=LARGE).json()["count"] == 20_000
        allow(0)
        assert (add(client).status_code, add(client).json()["code"]) == (507, "no-space")
        for pid in descendants(server.pid)[-2:]:
            os.kill(pid, signal.SIGKILL)
        assert client.post("/tokenize", json=LARGE).json()["count"] == 20_000
        assert {client.get(path).status_code for path in ("/", "/healthz", "/tokenizers")} == {200}
        allow(resource.RLIM_INFINITY)
        assert add(client).status_code == 201


def test_one_core_is_enough_for_all_that_is_asked():
    with serving() as (server, address), client_of(address) as client:
        core = {min(os.sched_getaffinity(0))}
        for pid in (server.pid, *descendants(server.pid)):
            os.sched_setaffinity(pid, core)
        assert [client.post("/tokenize", json=LARGE).json()["count"] for _ in range(3)] == [20_000] * 3
        assert client.get("/healthz").status_code == 200


def test_two_servers_of_one_folder_see_what_the_other_adds_and_deletes(tmp_path):
    folder = {"TOKENARIUM_LOCAL": str(tmp_path)}
    with (
        serving(**folder) as (_, first),
        serving(**folder) as (_, second),
        client_of(first) as here,
        client_of(second) as there,
    ):
        sent = {"tokenizer": add(here).json()["id"], "text": "ab"}
        counts = [client.post("/tokenize", json=sent).json()["count"] for client in (here, there)]
        assert counts[0] == counts[1] > 0
        assert there.delete(f"/api/tokenizers/{sent['tokenizer']}").status_code == 204
        assert [client.post("/tokenize", json=sent).status_code for client in (here, there)] == [404, 404]


def test_no_process_of_a_server_needs_shared_memory():
    with serving() as (server, address), client_of(address) as client:
        assert client.post("/tokenize", json=LARGE).status_code == 200
        for pid in (server.pid, *descendants(server.pid)):
            with open(f"/proc/{pid}/maps") as maps:
                assert "/dev/shm" not in maps.read()
