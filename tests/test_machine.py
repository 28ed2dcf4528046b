"""The memory that a process may use is that of the machine, or what its control groups allow; its clock may be set."""

import os
import time

import pytest
from tokenarium import machine
from tokenarium.machine import memory_bytes, read_clock

WHOLE = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("", {}, WHOLE),
        ("0::/a/b\n", {"a/b/memory.max": "max"}, WHOLE),
        ("0::/a/b\n", {"a/b/memory.max": "9000", "a/memory.max": "5000", "memory.max": "max"}, 5000),
        ("0::/\n", {"memory.max": "7000\n"}, 7000),
        ("0::/elsewhere\n", {"memory.max": "7000\n"}, 7000),
        ("5:cpu:/x\n4:memory:/a\n0::/\n", {"memory/a/memory.limit_in_bytes": "6000"}, 6000),
        ("4:memory:/a\n", {"memory/memory.limit_in_bytes": str(2**63 - 4096)}, WHOLE),
    ],
)
def test_the_least_limit_of_the_control_groups_counts(tmp_path, groups, files, expected):
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(groups)
    for name, limit in files.items():
        path = tmp_path / "sys/fs/cgroup" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(limit)
    assert memory_bytes(tmp_path) == expected


def test_without_control_groups_it_is_the_memory_of_the_machine(tmp_path):
    assert memory_bytes(tmp_path) == WHOLE


@pytest.mark.parametrize(("set_by", "behind"), [(3600, 3600), (0, 0), (-3600, 0)], ids=["forward", "not", "back"])
def test_by_a_clock_that_is_set_nothing_is_older(monkeypatch, set_by, behind):
    monkeypatch.setattr(machine, "STARTED", machine.STARTED - set_by)
    assert time.time() - read_clock() == pytest.approx(behind, abs=600)
