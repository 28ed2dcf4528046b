"""The Dockerfile, by reading and by doing what it says without Docker."""

import json
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
from tests.support.environments import install_wheel, packages_of

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
    assert {source for source, _ in copied()} == allowed
    assert all((ROOT / source).exists() for source in allowed)


def test_it_runs_as_someone_else_than_root_and_checks_its_health():
    assert lines("USER") == ["tokenarium"]
    assert "/healthz" in lines("HEALTHCHECK")[0]
    assert DOCKERFILE.index("USER tokenarium") < DOCKERFILE.index("ENTRYPOINT [")


def test_every_package_has_a_hash_but_the_wheel_that_it_builds():
    for line in (line for line in lines("RUN") if "pip " in line):
        assert "--require-hashes -r" in line or "--no-deps" in line


@pytest.mark.nightly
def test_the_server_needs_no_package_that_the_lock_does_not_install():
    code = """
import sys
from importlib.metadata import packages_distributions
before = {*sys.modules}  # what this environment loads into every program
sys.modules["sniffio"] = None  # comes with the clients that tests use; anyio imports it only where it is there
from tokenarium.main import create_app
from tokenarium.registry import Registry
registry = create_app().state.services.registry
for id in sys.argv[1:]:
    registry.get(id).encode("a")
loaded = {name for name, module in sys.modules.items() if module and "." not in name} - before
print(*{owner for name, owners in packages_distributions().items() if name in loaded for owner in owners})
"""
    done = subprocess.run([sys.executable, "-c", code, *IDS], cwd=ROOT, capture_output=True, text=True, check=True)
    locked = set(re.findall(r"^([\w.-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    used = {name.lower().replace("_", "-") for name in done.stdout.split()}
    assert "tiktoken" in used
    assert used - {"tokenarium"} <= locked


@pytest.mark.nightly
def test_the_wheel_that_it_builds_serves_with_its_command_and_health_check(tmp_path):
    sources, built = tmp_path / "src", tmp_path / "dist"
    sources.mkdir()
    for source, target in (one for one in copied() if one[1] != "/"):
        place = sources / (source if target == "./" else target)
        (shutil.copytree if (ROOT / source).is_dir() else shutil.copy)(ROOT / source, place)
    (build,) = (shlex.split(line)[1:] for line in lines("RUN") if line.startswith("python -m uv build "))
    build[build.index("/dist")] = str(built)
    subprocess.run([sys.executable, *build], cwd=sources, capture_output=True, check=True)
    (wheel,) = built.glob("*.whl")
    bin = install_wheel(wheel, tmp_path / "environment")
    assert (packages_of(bin.parent) / "tokenarium/LICENSES/htmx.txt").exists()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    program, command, health = (
        json.loads(re.search(r"\[.*\]", lines(name)[0])[0]) for name in ("ENTRYPOINT", "CMD", "HEALTHCHECK")
    )
    env = {"PATH": f"{bin}:{os.environ['PATH']}", "PORT": str(port), "HF_HUB_OFFLINE": "1", "HOME": str(tmp_path)}
    process = subprocess.Popen([bin / program[0], *program[1:], *command], cwd=tmp_path, env=env)
    try:
        for _ in range(600):
            try:
                answer = urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5)
                break
            except OSError:
                time.sleep(0.05)
        assert answer.status == 200
        done = subprocess.run([bin / health[0], *health[1:]], env=env, cwd=tmp_path, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
    finally:
        process.terminate()
        process.wait()
