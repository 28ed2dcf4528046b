"""Objects that were set apart stay apart from collections while tokenizers are loaded, and their garbage is found."""

import subprocess
import sys

PROGRAM = """
import gc
from weakref import ref
from tokenarium import memory

class Ring:
    def __init__(self):
        self.ring = self

def garbage():
    ring = Ring()
    return ref(ring)

found = garbage()
with memory.without_collection():
    assert not gc.isenabled()
assert (gc.isenabled(), gc.get_freeze_count()) == (True, 0)
gc.collect()
assert found() is None

memory.set_apart()
before, found = gc.get_freeze_count(), garbage()
with memory.without_collection():
    pass
gc.collect()
assert gc.get_freeze_count() > before > 1000
assert found() is not None
memory.collect_garbage()
assert found() is None
print(gc.get_freeze_count() > 1000)
"""


def test_what_is_set_apart_is_no_longer_collected_but_by_name():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("True\n", "")
