"""Works over parts of a corpus: the squares of their places."""

import os
import signal

from tokenarium.corpus.running import Work
from tokenarium.corpus.sources import CorpusSource, SourcePart

PARTS = [SourcePart(CorpusSource("a.txt", "lines", 100, "1"), start, start + 1) for start in range(40)]


def square(part):
    return part.start**2


def works(do, **options):
    return Work(do, "x", lambda n: b"%d" % n, int, lambda n: n >= 0, **options)


def noted(log, part):
    with open(log, "a") as file:
        file.write(f"{part.start}\n")
    return part.start**2


def half(folder, part):
    """As `noted` the first half of them; none of the others is ever done."""
    (folder / f"process-{os.getpid()}").touch()
    if part.start >= len(PARTS) / 2:
        signal.pause()
    return noted(folder / "log", part)
