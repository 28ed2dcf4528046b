"""The order of the files of tests: by what they took in the last run, and of new ones by their size."""

from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

from tests.conftest import Durations, pytest_collection_modifyitems


@dataclass
class Cache:
    """What pytest keeps between runs."""

    kept: dict = field(default_factory=dict)

    def get(self, key, default):
        return self.kept.get(key, default)

    def set(self, key, value):
        self.kept[key] = value


def item(path):
    return SimpleNamespace(path=path, location=(path.name, 1, "test"))


def test_the_files_that_took_longest_come_first(tmp_path):
    config = SimpleNamespace(cache=Cache())
    files = [tmp_path / name for name in ("quick.py", "slow.py", "new.py", "newer.py")]
    for path, size in zip(files, (90_000, 10, 30_000, 20_000), strict=True):
        Path(path).write_bytes(b"#" * size)
    last = Durations(config)
    for name, seconds in (("quick.py", 0.5), ("slow.py", 40.0), ("slow.py", 2.0)):
        last.pytest_runtest_logreport(SimpleNamespace(location=(name, 1, "test"), duration=seconds))
    last.pytest_sessionfinish()
    items = [item(path) for path in files]
    pytest_collection_modifyitems(config, items)
    assert [one.path.name for one in items] == ["slow.py", "new.py", "newer.py", "quick.py"]
    pytest_collection_modifyitems(SimpleNamespace(), items)
    assert [one.path.name for one in items] == ["quick.py", "new.py", "newer.py", "slow.py"]


def test_a_run_of_a_part_of_a_file_does_not_make_it_short():
    config = SimpleNamespace(cache=Cache({"tokenarium/durations": {"slow.py": 40.0, "other.py": 3.0}}))
    last = Durations(config)
    last.pytest_runtest_logreport(SimpleNamespace(location=("slow.py", 1, "test"), duration=1.0))
    last.pytest_sessionfinish()
    assert config.cache.get("tokenarium/durations", {}) == {"slow.py": 20.0, "other.py": 3.0}
