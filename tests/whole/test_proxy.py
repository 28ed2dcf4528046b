"""Behind the proxy that the guide to production describes."""

import json
import re
import socket
import subprocess
from contextlib import contextmanager

import httpx
import pytest
from tokenarium.settings import ROOT

from tests.support.servers import serving, wait_for

CADDYFILE = re.search(r"```caddy\n(.*?)```", (ROOT / "templates/docs/production.md").read_text(), re.DOTALL)[1]

pytestmark = [pytest.mark.nightly, pytest.mark.timeout(300)]


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def is_open(port):
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def proxied(upstream, folder):
    """The address of a proxy before a server, as the guide has it, but without certificates."""
    port = free_port()
    lines = CADDYFILE.replace("tokens.example", f"http://tokens.example:{port}").replace("127.0.0.1:8000", upstream)
    (folder / "Caddyfile").write_text(lines.replace("{", "{\n\tadmin off", 1))
    environment = {"HOME": str(folder), "PATH": "/usr/bin:/bin:/usr/local/bin"}
    command = ["caddy", "run", "--config", str(folder / "Caddyfile")]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: is_open(port) or process.poll() is not None)
        assert process.poll() is None
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


def test_the_proxy_of_the_guide_passes_on_what_it_should_and_nothing_else(tmp_path):
    allowed = {"TOKENARIUM_ALLOWED_HOSTS": "tokens.example", "TOKENARIUM_PROXIES": "127.0.0.1/32"}
    with serving(**allowed) as (_, direct), proxied(direct.removeprefix("http://"), tmp_path) as address:
        host = {"Host": "tokens.example"}
        with httpx.Client(base_url=address, headers=host, timeout=None) as client:
            page = client.get("/")
            assert (page.status_code, "caddy" in page.headers["server"].lower()) == (200, True)
            sent = {"tokenizer": "gpt2", "text": "Hello, 🌍!" * 100_000}
            assert client.post("/api/count", json=sent).json()["characters"] == 900_000
            started = client.post("/api/train", json={"texts": ["low lower lowest " * 50], "size": 300})
            with client.stream("GET", f"{started.headers['location']}/events") as events:
                kinds = [line.removeprefix("event: ") for line in events.iter_lines() if line.startswith("event: ")]
            assert kinds[-1] == "finished"
            # Kept tokenizers are counted by the address that the proxy tells, not by one that a client makes up.
            forged = {"X-Forwarded-For": "192.0.2.9"}
            assert client.get("/api/tokenizers", headers=forged).status_code == 200
            assert client.get("/", headers={"X-Large": "a" * 100_000}).status_code == 431
            assert client.post("/tokenize", content=b"0" * 13_000_000).status_code == 413
            assert json.loads(client.post("/tokenize", json={}).text)["code"] == "invalid"
        assert httpx.get(f"{direct}/", headers={"Host": "evil.example"}).status_code == 421
