"""Trainers from scratch against the reference's with one thread; merges that differ stop the run."""

import json
import os
import statistics
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from sysconfig import get_path
from typing import TYPE_CHECKING

from tokenarium.lab.languages.declarations import declarations
from tokenarium.scratch.fast.bpe.train import train_bpe
from tokenarium.scratch.fast.word_counts import count_text_words
from tokenarium.scratch.pretokenize import GPT2
from tokenarium.settings import ROOT, Settings
from tokenarium.types import TrainedVocab

from benchmarks.measure import Figure, scaled, seconds, with_memory
from benchmarks.text import MEGABYTE

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MEGABYTES, SIZES = scaled((1, 10), (1,)), scaled((1_000, 10_000, 32_000), (300,))
SLOWER, MEMORY = 1.0, 12.0
ONE_THREAD = {"TOKENIZERS_PARALLELISM": "false", "RAYON_NUM_THREADS": "1"}


def figures() -> Iterator[Figure]:
    for corpus in CORPORA:
        for megabytes in MEGABYTES:
            for size in SIZES:
                yield from against(corpus, megabytes, size)


def against(corpus: str, megabytes: int, size: int) -> Iterator[Figure]:
    """Both trainers in a process of their own, from the same lines to the same merges."""
    arguments = [sys.executable, "-m", "benchmarks.train", corpus, str(megabytes), str(size)]
    done = subprocess.run(arguments, check=True, capture_output=True, text=True, cwd=ROOT, env=os.environ | ONE_THREAD)
    result = json.loads(done.stdout)
    name = f"BPE of {result['bytes'] / MEGABYTE:.1f} MB {corpus} to {size:,}"
    note = f"{result['ours']:.2f} s against {result['theirs']:.2f} s, {result['merges']:,} merges"
    ratio = result["ours"] / result["theirs"]
    yield Figure(f"{name}, time / tokenizers' time", ratio, f"<= {SLOWER:.2f}", ratio <= SLOWER, note)
    if size == SIZES[-1]:
        grown = result["memory"] / result["bytes"]
        note = f"{result['memory'] / MEGABYTE:.0f} MB"
        yield Figure(f"{name}, memory / corpus", grown, f"<= {MEMORY:.0f}", grown <= MEMORY, note)


def source(size: int) -> str:
    """The standard library's code, which every Python carries, as far as so many bytes."""
    library = Path(get_path("stdlib"))
    files = (path for path in sorted(library.rglob("*.py")) if "site-packages" not in path.parts)
    return _cut(map(_readable, files), size)


def languages(size: int) -> str:
    """The declaration of human rights in all languages, and the code for what lacks of so many bytes."""
    texts = (text + "\n" for one in declarations(Settings().store).values() for text in one.articles.values())
    return _cut(chain(texts, [source(size)]), size)


CORPORA = {"source code": source, "all languages": languages}


def _readable(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        return ""


def _cut(texts: Iterator[str], size: int) -> str:
    parts, length = [], 0
    for text in texts:
        parts.append(text.encode())
        length += len(parts[-1])
        if length >= size:
            break
    return b"".join(parts)[:size].decode(errors="ignore")


def ours(lines: list[str], size: int) -> TrainedVocab:
    """The vocabulary learned from scratch."""
    (learned,) = deque(train_bpe(count_text_words(lines, pattern=GPT2, trusted=True), size=size), maxlen=1)
    assert isinstance(learned, TrainedVocab)
    return learned


def theirs(lines: list[str], size: int) -> "Tokenizer":
    """The tokenizer that the library trains."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    library.train_from_iterator(
        lines, trainers.BpeTrainer(vocab_size=size, min_frequency=2, show_progress=False, initial_alphabet=alphabet)
    )
    return library


def main(corpus: str, megabytes: str, size: str) -> None:
    """Measure one cell of the table in this process: memory first, while nothing else is in it."""
    text = CORPORA[corpus](int(megabytes) * MEGABYTE)
    lines, length, most = text.splitlines(keepends=True), len(text.encode()), int(size)
    del text
    learned, memory = with_memory(lambda: ours(lines, most))
    merges = [[learned.pieces[first], learned.pieces[second]] for first, second in learned.merges]
    assert merges == json.loads(theirs(lines, most).to_str())["model"]["merges"]
    times = [(seconds(lambda: ours(lines, most)), seconds(lambda: theirs(lines, most))) for _ in range(scaled(3, 1))]
    mine, other = (statistics.median(column) for column in zip(*times, strict=True))
    result = {"bytes": length, "ours": mine, "theirs": other, "merges": len(merges), "memory": memory}
    print(json.dumps(result))


if __name__ == "__main__":
    main(*sys.argv[1:])
