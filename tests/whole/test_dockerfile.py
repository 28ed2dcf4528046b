"""The Dockerfile, by reading and by doing what it says without Docker."""

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from tokenarium.settings import ROOT

from tests.conftest import IDS

DOCKERFILE = (ROOT / "Dockerfile").read_text()


def lines(instruction):
    joined = DOCKERFILE.replace("\\\n", " ")
    return [line.split(maxsplit=1)[1] for line in joined.splitlines() if line.startswith(f"{instruction} ")]


def copied():
    for line in lines("COPY"):
        *sources, target = shlex.split(line)
        yield from ((source, target) for source in sources)


def test_what_it_copies_exists_and_is_not_ignored():
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    for source, _ in copied():
        assert (ROOT / source).exists()
        assert source in allowed


def test_it_runs_as_someone_else_than_root_and_checks_its_health():
    assert lines("USER") == ["tokenarium"]
    assert "/healthz" in lines("HEALTHCHECK")[0]
    assert DOCKERFILE.index("USER tokenarium") < DOCKERFILE.index("CMD [")
    assert "--require-hashes" in lines("RUN")[0]


@pytest.mark.nightly
def test_the_server_needs_no_package_that_the_lock_does_not_install():
    code = """
import sys
from importlib.metadata import packages_distributions
sys.modules["sniffio"] = None  # comes with the clients that tests use; anyio imports it only where it is there
from tokenarium.main import create_app
from tokenarium.registry import Registry
registry = create_app().state.services.registry
for id in sys.argv[1:]:
    registry.get(id).encode("a")
owners = packages_distributions()
print(*{owner for name, module in sys.modules.items() if module and "." not in name for owner in owners.get(name, ())})
"""
    done = subprocess.run([sys.executable, "-c", code, *IDS], cwd=ROOT, capture_output=True, text=True, check=True)
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    used = {name.lower().replace("_", "-") for name in done.stdout.split()}
    assert "tiktoken" in used
    assert used - {"tokenarium"} <= locked


@pytest.mark.nightly
def test_its_command_and_health_check_work_on_the_copied_files_alone(tmp_path):
    for source, target in copied():
        place = tmp_path / (source if target == "./" else target)
        (shutil.copytree if (ROOT / source).is_dir() else shutil.copy)(ROOT / source, place)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command, health = (re.search(r"\[(.*)\]", text).group(1) for text in (lines("CMD")[-1], lines("HEALTHCHECK")[0]))
    env = {"PATH": os.environ["PATH"], "PORT": str(port), "HF_HUB_OFFLINE": "1"}
    start = shlex.split(command.replace(",", " "))[1:]
    process = subprocess.Popen([sys.executable, *start], cwd=tmp_path, env=env)
    try:
        for _ in range(600):
            try:
                answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5)
                break
            except OSError:
                time.sleep(0.05)
        assert answer.status == 200
        check = eval(f"[{health}]")[1:]
        done = subprocess.run([sys.executable, *check], env=env, cwd=tmp_path, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
    finally:
        process.terminate()
        process.wait()
