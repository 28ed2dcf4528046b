"""The files of tests: their order, by what they took in the last run, and the seconds shown at the end of a run."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import Durations, pytest_collection_modifyitems


@dataclass
class Cache:
    """What pytest keeps between runs."""

    kept: dict = field(default_factory=dict)

    def get(self, key, default):
        return self.kept.get(key, default)

    def set(self, key, value):
        self.kept[key] = value


HOOK = SimpleNamespace(pytest_deselected=lambda items: None)


def item(path, marker=None):
    return SimpleNamespace(path=path, location=(path.name, 1, "test"), get_closest_marker=lambda name: marker)


def test_the_files_that_took_longest_come_first(tmp_path):
    config = SimpleNamespace(cache=Cache(), hook=HOOK)
    files = [tmp_path / name for name in ("quick.py", "slow.py", "new.py", "newer.py")]
    for path, size in zip(files, (90_000, 10, 30_000, 20_000), strict=True):
        Path(path).write_bytes(b"#" * size)
    last = Durations(config)
    for name, seconds in (("quick.py", 0.5), ("slow.py", 40.0), ("slow.py", 2.0)):
        last.pytest_runtest_logreport(SimpleNamespace(location=(name, 1, "test"), duration=seconds, when="call"))
    last.pytest_sessionfinish()
    items = [item(path) for path in files]
    pytest_collection_modifyitems(config, items)
    assert [one.path.name for one in items] == ["slow.py", "new.py", "newer.py", "quick.py"]
    pytest_collection_modifyitems(SimpleNamespace(hook=HOOK), items)
    assert [one.path.name for one in items] == ["quick.py", "new.py", "newer.py", "slow.py"]


def test_a_run_of_a_part_of_a_file_does_not_make_it_short():
    config = SimpleNamespace(cache=Cache({"tokenarium/durations": {"slow.py": 40.0, "other.py": 3.0}}))
    last = Durations(config)
    last.pytest_runtest_logreport(SimpleNamespace(location=("slow.py", 1, "test"), duration=1.0, when="call"))
    last.pytest_sessionfinish()
    assert config.cache.get("tokenarium/durations", {}) == {"slow.py": 20.0, "other.py": 3.0}


@pytest.mark.parametrize("processes", [1, 3])
def test_a_run_ends_with_the_number_of_tests_and_the_seconds_of_each_file_the_longest_first(processes):
    last, lines = Durations(SimpleNamespace(cache=Cache())), []
    path = Path(__file__)
    items = [item(path), *[item(path, marker="nightly")] * 3]
    workers = [SimpleNamespace(workeroutput={}) for _ in range(processes - 1)]
    for config in workers or [SimpleNamespace()]:
        config.hook = HOOK if workers else last
        pytest_collection_modifyitems(config, [*items])
        last.pytest_testnodedown(config)
    for number in range(20):
        for when in ("setup", "call", "teardown"):
            last.pytest_runtest_logreport(
                SimpleNamespace(location=(f"{number}.py", 1, "test"), duration=number, when=when)
            )
    last.pytest_terminal_summary(SimpleNamespace(section=lines.append, write_line=lines.append))
    assert lines[:3] == ["20 tests, 3 left to nightly; seconds by file", "   57.0 19.py", "   54.0 18.py"]
    assert len(lines) == 16
