"""What a worker process sets for itself."""

import errno
import subprocess
import sys

import pytest
from tokenarium.errors import NoSpace, Unavailable
from tokenarium.workers.process import outcome

from tests.support import work

FREED = """
import resource
from tokenarium.workers.process import keep_memory

keep_memory()
for _ in range(2):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    bytearray(20_000_000)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.parametrize(
    ("number", "kind"),
    [(errno.ENOSPC, NoSpace), (errno.EROFS, Unavailable), (errno.EACCES, Unavailable), (errno.ENOENT, RuntimeError)],
)
def test_a_disk_that_cannot_be_written_is_told_as_such(number, kind):
    assert type(outcome(work.fail, None, (OSError(number, "why", "/secret"),), 0)[1]) is kind


def test_freed_memory_is_used_again_without_the_system():
    command = [sys.executable, "-c", FREED]
    first, second = map(int, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert first > 10 * second


BODIES = """
from tokenarium.workers.process import resident_bytes, share_arenas

share_arenas()
bytearray(2_000_000)  # after which glibc itself keeps such blocks
before = resident_bytes()
bodies = [(bytearray(b"a" * 2_000_000), bytes(100_000)) for _ in range(50)]
held = resident_bytes() - before
small = [one for _, one in bodies]
del bodies
print(held, resident_bytes() - before)
"""


def test_the_memory_of_bodies_is_returned_to_the_system():
    command = [sys.executable, "-c", BODIES]
    held, left = map(int, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert held >= 100_000_000
    assert left < 10_000_000
