"""Memory and garbage collection beside the millions of objects of tokenizers, which stay."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import CDLL
from pathlib import Path

_apart = False
"""True once `set_apart` was called: to ask for the number of objects that are apart means to count them."""


def offer_to_oom_killer() -> None:
    """Have Linux kill this process before the one that started it where memory runs out."""
    with suppress(OSError):  # another system
        score = Path("/proc/self/oom_score_adj")
        score.write_text(f"{min(1000, int(score.read_text()) + 500)}")


def set_apart() -> None:
    """Exclude all objects there are from garbage collections, which then look only at what is made later.

    A collection in a forked process would write to each object, and so copy it.
    """
    global _apart
    gc.freeze()
    _apart = True


@contextmanager
def without_collection() -> Iterator[None]:
    """Pause garbage collection, which would go through a million new objects again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # Moves all objects to the oldest generation: else the next new object starts a search through all of them.
        gc.freeze()
        if not _apart:
            gc.unfreeze()
        if enabled:
            gc.enable()


def collect_garbage() -> None:
    """Collect the garbage of all objects, those that were set apart too."""
    gc.unfreeze()
    gc.collect()
    if _apart:
        gc.freeze()


def release_memory() -> None:
    """Return freed memory to the operating system, where the C library is glibc, which keeps most of it otherwise.

    After a tokenizer is loaded that is up to a third of its size, and nearly all of one that was evicted.
    """
    with suppress(OSError, AttributeError):
        CDLL(None).malloc_trim(0)
