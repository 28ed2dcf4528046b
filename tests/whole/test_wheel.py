"""The wheel is whole: installed in an environment of its own, it serves from any folder and is imported by its name."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
from pathlib import Path
from zipfile import ZipFile

import pytest
from tokenarium.settings import ROOT

from tests.support.environments import install_wheel, packages_of

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PLACES = PYPROJECT["tool"]["setuptools"]["package-dir"]
STRAY = {"__pycache__", "local"}
NOT_SOURCES = shutil.ignore_patterns(*STRAY)
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """A copy of all that the wheel is made of; with bytecode and a trained tokenizer, which do not belong in it."""
    folder = tmp_path_factory.mktemp("sources")
    for name in PLACES.values():
        shutil.copytree(ROOT / name, folder / name, ignore=NOT_SOURCES)
    for stray in ("app/__pycache__/a.pyc", "app/web/__pycache__/b.pyc", "tokenizers_store/local/mine/tokenizer.toml"):
        (folder / stray).parent.mkdir(parents=True)
        (folder / stray).touch()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(sources, tmp_path_factory):
    """The wheel, built by this environment's setuptools, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    code = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    subprocess.run([sys.executable, "-c", code, folder], cwd=sources, check=True, capture_output=True)
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def bin(wheel, tmp_path_factory):
    """The programs of a new environment that holds the wheel alone."""
    return install_wheel(wheel, tmp_path_factory.mktemp("environment"))


@pytest.fixture
def env(bin, tmp_path):
    """The environment variables of a user who has set none of ours."""
    return {"PATH": f"{bin}{os.pathsep}{os.environ['PATH']}", "HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "1"}


def run(env, folder, *command):
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_pyproject_lists_every_package():
    listed = set(PYPROJECT["tool"]["setuptools"]["packages"])
    folders = {path.parent for path in (ROOT / "app").rglob("__init__.py")}
    assert listed - set(PLACES) == {
        ".".join(("tokenarium", *folder.relative_to(ROOT / "app").parts))
        for folder in folders
        if folder != ROOT / "app"
    }
    assert set(PLACES) <= listed


@pytest.mark.nightly
def test_the_wheel_holds_every_source_under_one_package(sources, wheel):
    wanted = set()
    for package, name in PLACES.items():
        files = (path for path in (sources / name).rglob("*") if path.is_file() and not {*path.parts} & STRAY)
        wanted |= {"/".join((*package.split("."), *path.relative_to(sources / name).parts)) for path in files}
    held = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert held == wanted
    data = ("templates/base.html", "templates/learn/scenes/bpe.toml", "tokenizers_store/gpt2/tokenizer.toml")
    assert {f"tokenarium/{name}" for name in data} < held


@pytest.mark.nightly
def test_it_is_imported_as_tokenarium_and_never_as_app(env, tmp_path):
    code = "import tokenarium; from tokenarium.registry import Registry; from tokenarium.settings import Settings; "
    count = "print(tokenarium.__file__, Registry(Settings()).get('gpt2').encode('Hello').ids.tolist())"
    done = run(env, tmp_path, "python", "-c", code + count)
    path, ids = done.stdout.split(maxsplit=1)
    assert (Path(path).parent.parent.name, ids) == ("site-packages", "[15496]\n")
    assert not Path(path).is_relative_to(ROOT)
    assert run(env, tmp_path, "python", "-c", "import app").stderr.endswith("No module named 'app'\n")


@pytest.mark.nightly
def test_it_serves_and_trains_from_any_folder_and_keeps_nothing_in_its_own(bin, env, tmp_path):
    package = packages_of(bin.parent) / "tokenarium"
    before = data_files(package)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(
        ["tokenarium", "serve", "--port", str(port)], cwd=tmp_path, env=env, stdout=subprocess.DEVNULL
    )
    try:
        page = answer(server, address).decode()
        assert "<title>" in page
        assert answer(server, address + "/static/favicon.svg").startswith(b"<svg")
        tokens = answer(server, address + "/tokenize", {"tokenizer": "cl100k_base", "text": "Hello, world"})
        assert json.loads(tokens)["ids"] == [9906, 11, 1917]
        job = json.loads(answer(server, address + "/api/train", {"texts": ["low lower lowest " * 50], "size": 260}))
        until = time.monotonic() + 60
        while job["state"] == "running":
            assert time.monotonic() < until
            job = json.loads(answer(server, f"{address}/api/jobs/{job['id']}"))
            time.sleep(0.1)
        assert (job["state"], job["problem"]) == ("finished", None)
    finally:
        server.terminate()
        server.wait(30)
    assert data_files(package) == before
    (local,) = (tmp_path / "home").rglob("tokenizers")
    assert [path.name for path in local.rglob(job["id"])] == [job["id"]]


def data_files(folder):
    return {path for path in folder.rglob("*") if path.suffix != ".pyc" and path.name != "__pycache__"}


def answer(server, url, body=None):
    """The answer of a server that may be starting."""
    request = urllib.request.Request(url, json.dumps(body).encode() if body else None, JSON)
    until = time.monotonic() + 60
    while True:
        assert server.poll() is None, "The server stopped."
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read()) from error
        except urllib.error.URLError:
            assert time.monotonic() < until
            time.sleep(0.05)
