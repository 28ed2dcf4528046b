"""What a worker process sets for itself."""

import subprocess
import sys

FREED = """
import resource
from tokenarium.workers.process import keep_memory

keep_memory()
for _ in range(2):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    bytearray(20_000_000)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def test_freed_memory_is_used_again_without_the_system():
    command = [sys.executable, "-c", FREED]
    first, second = map(int, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())
    assert first > 10 * second
