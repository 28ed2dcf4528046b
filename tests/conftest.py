"""What all tests share: one registry, a fresh app, and how often generated tests repeat."""

import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile

import httpx
import pytest
from hypothesis import HealthCheck, settings
from tokenarium.__main__ import main
from tokenarium.main import create_app
from tokenarium.memory import set_apart, without_collection
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from tests.support.asking import LOOP, asking

LOCAL = TemporaryDirectory()
os.environ["TOKENARIUM_LOCAL"] = LOCAL.name
"""Where tokenizers are kept that tests train, also in processes that they start."""
WORKERS = int(os.environ.get("WORKERS", "0"))
"""Workers of the apps that tests ask; with none, the process of the tests does their work, which takes less time."""
ROOMY = Settings(default="o200k_base", max_loaded=10**12, max_wait=1000.0, workers=WORKERS, local=Path(LOCAL.name))
REGISTRY = Registry(ROOMY)

# A shell's background job ignores SIGINT, and so would the programs that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Two tiers: `commit` is what `make test` runs in minutes, the same texts each time; `nightly` draws new texts each
# time, remembers in .hypothesis those that failed, and runs the tests marked `nightly`: what only a release needs.
TIER = os.environ.get("TIER", "commit")
if TIER == "nightly":
    os.environ.setdefault("PYTEST_TIMEOUT", "3600")  # instead of the seconds in pyproject.toml
COMMON = {"deadline": None, "suppress_health_check": list(HealthCheck)}
settings.register_profile("commit", max_examples=25, derandomize=True, database=None, print_blob=False, **COMMON)
settings.register_profile("nightly", max_examples=2000, print_blob=True, **COMMON)
settings.load_profile(TIER)
CONFORMANCE_TEXTS = {"commit": 80, "nightly": 20_000}[TIER]
"""Generated texts that both engines of a tokenizer encode."""
REPEATED = {"commit": 100, "nightly": 1000}[TIER]
"""Generated texts that an engine of ours and a library encode with each small model."""
EVERY = [info.id for info in Registry(Settings()).infos()]
"""The ids of all tokenizers of the store."""
ALIKE = {
    *("claude-2", "deepseek-v3", "falcon", "gemma4", "glm-4", "kimi-k2", "mistral-v2", "mistral-v7", "modernbert"),
    *("phi-3", "qwen3.5", "umt5", "whisper", "whisper-v3", "xlm-roberta", "yi"),
}
"""Tokenizers whose pipeline others of the store have too; `test_vocabularies` tests each on its own."""
IDS = [id for id in EVERY if TIER == "nightly" or id not in ALIKE]
"""The tokenizers over which laws with many texts run."""
UNLIKE = IDS if TIER == "nightly" else ["o200k_base", "bert-base-uncased", "mistral-v3", "t5"]
"""Tokenizers of four kinds, for laws that do not depend on the vocabulary: pieces of bytes, changed text, a space put
before the text, and spaces that are dropped."""
collect_ignore = [] if TIER == "nightly" else ["whole/test_contract.py"]
"""Schemathesis, which takes seconds to import in each process, and minutes to ask every operation."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import all tests without a search for garbage, and spare later searches what was imported, as it stays."""
    with without_collection():
        collected = yield
    set_apart()
    return collected


DURATIONS = "tokenarium/durations"
"""Where pytest's cache has the seconds that each file took in its last run."""
LONGEST = 15
"""Files whose seconds are shown at the end of a run."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest files first, so that of processes that run tests none waits for another at the end.

    A file that never ran here counts as long as it is large, one second for ten kilobytes; those whose tests ask for
    more time than others come first.
    """
    if TIER != "nightly":
        left = [item for item in items if item.get_closest_marker("nightly")]
        items[:] = [item for item in items if not item.get_closest_marker("nightly")]
        config.hook.pytest_deselected(items=left)
        getattr(config, "workeroutput", {})["left"] = len(left)  # told to the process that gathers
    seconds = _durations(config)
    order: dict[Path, float] = {}
    for item in items:
        asked = mark.args[0] if (mark := item.get_closest_marker("timeout")) and mark.args else 0
        new = asked + item.path.stat().st_size / 10_000
        order[item.path] = max(order.get(item.path, 0), seconds.get(item.location[0], new))
    items.sort(key=lambda item: -order[item.path])


def _durations(config: pytest.Config) -> dict[str, float]:
    cache = getattr(config, "cache", None)  # `-p no:cacheprovider` gives none
    return cache.get(DURATIONS, {}) if cache else {}


class Durations:
    """Adds up how long the tests of each file take, shows it, and remembers it for the order of the next run."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.seconds: dict[str, float] = {}
        self.count = 0
        self.left = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.location[0]
        self.seconds[file] = self.seconds.get(file, 0.0) + report.duration
        self.count += report.when == "setup"

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.left += sum(1 for item in items if TIER != "nightly" and item.get_closest_marker("nightly"))

    @pytest.hookimpl(optionalhook=True)  # of pytest-xdist
    def pytest_testnodedown(self, node: object) -> None:
        self.left = max(self.left, getattr(node, "workeroutput", {}).get("left", 0))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section(f"{self.count} tests, {self.left} left to nightly; seconds by file")
        for file, seconds in sorted(self.seconds.items(), key=lambda one: -one[1])[:LONGEST]:
            terminalreporter.write_line(f"{seconds:7.1f} {file}")

    def pytest_sessionfinish(self) -> None:
        before = _durations(self.config)  # part of a file takes less than the file
        longest = {file: max(seconds, before.get(file, 0.0) / 2) for file, seconds in self.seconds.items()}
        if cache := getattr(self.config, "cache", None):
            cache.set(DURATIONS, before | {file: round(seconds, 1) for file, seconds in longest.items()})


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the process that gathers what others report
        config.pluginmanager.register(Durations(config))


@pytest.fixture(scope="module", autouse=True)
def settled() -> Iterator[None]:
    """Delete the tokenizers that the tests of a file have kept, which others would list, whatever the order of files.

    Spare the garbage collector the millions of parts of tokenizers that stay.
    """
    yield
    for folder in Path(LOCAL.name).iterdir():
        if folder.is_dir():
            shutil.rmtree(folder, ignore_errors=True)
    gc.collect()
    set_apart()


@pytest.fixture(scope="session")
def registry() -> Registry:
    """All tokenizers of the store, none evicted."""
    return REGISTRY


@contextmanager
def standard_input(data: bytes) -> Iterator[None]:
    """These bytes on the standard input of this process."""
    before, kept = sys.stdin, os.dup(0)
    with TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        os.dup2(file.fileno(), 0)
        try:
            with open(0, closefd=False) as sys.stdin:  # as text, as Python opens it
                yield
        finally:
            sys.stdin = before
            os.dup2(kept, 0)
            os.close(kept)


@pytest.fixture
def said(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., tuple[object, str, str]]:
    """Run a command here, with these bytes to read, and give its status, its output and its messages."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def said(*args: object, stdin: bytes = b"") -> tuple[object, str, str]:
        status: object = 0
        try:
            with standard_input(stdin):
                main([str(arg) for arg in args])
        except SystemExit as exit:
            status = exit.code
        return (status, *capfd.readouterr())

    return said


Ask = Callable[..., httpx.Response]


@pytest.fixture(scope="session", autouse=True)
def loop() -> Iterator[None]:
    """Keep the event loop of all requests from the first test to the last."""
    with LOOP:
        yield


@pytest.fixture(scope="session")
def ask(registry: Registry) -> Ask:
    """Send one request to an app that all tests of a process share: `ask("POST", "/tokenize", json=…)`."""
    return asker(registry)


def asker(registry: Registry, *, address: str = "127.0.0.1", **changes: object) -> Ask:
    """An `ask` over a fresh app with these settings changed, from an address; tokenizers already loaded are shared."""
    return asking(create_app(replace(ROOMY, **changes), registry=registry), address=address)
