"""Files to measure corpora with: lines of the declaration in all languages and of the installed packages' sources."""

import random
import sysconfig
from collections.abc import Iterator
from itertools import count
from pathlib import Path

from tokenarium.lab.languages.declarations import declarations
from tokenarium.settings import Settings

FILE = 50_000_000
"""Bytes of a file, about."""
SOURCES = 40
"""Source files, with some 450 KB in all, between two declarations of some 11 KB."""


def write_files(folder: Path, size: int) -> list[Path]:
    """Write text files of `size` bytes in all, the same on each call; where the sources end, they begin again."""
    paths, texts, left = list[Path](), _texts(), size
    while left > 0:
        path = folder / f"{len(paths):03}.txt"
        with path.open("wb") as file:
            while file.tell() < min(FILE, left):
                file.write(next(texts))
        left -= path.stat().st_size
        paths.append(path)
    return paths


def _texts() -> Iterator[bytes]:
    """Yield sources, a file of many lines each, in a random order, with a declaration now and then."""
    sources = sorted(Path(sysconfig.get_path("purelib")).rglob("*.py"))
    random.Random(0).shuffle(sources)
    languages = [one.text for one in declarations(Settings().store).values()]
    for number in count():
        if number % SOURCES == 0:
            yield _ended(languages[number // SOURCES % len(languages)])
        yield _ended(sources[number % len(sources)].read_text(errors="ignore"))


def _ended(text: str) -> bytes:
    return text.rstrip("\n").encode() + b"\n"
