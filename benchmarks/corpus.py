"""`make bench-corpus`: counting files against gigatoken and datatrove, by vocabularies, workers and size; estimates.

Files of sources and languages are written to a temporary folder. Commands run as a user runs them, in turn with what
they are compared to, all with a cache that an earlier run has filled but for the results of parts.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

from tokenarium.corpus.encoders import fast_vocabulary
from tokenarium.registry import Registry
from tokenarium.settings import Settings

from benchmarks.corpus_files import write_files
from benchmarks.measure import HEADER, Figure
from benchmarks.processes import memory

GIGATOKEN = """
import sys
from pathlib import Path
import gigatoken
path, *files = sys.argv[1:]
tokenizer = gigatoken.Tokenizer.from_tiktoken(Path(path), Path(path).name.split(".")[1], {})
print(len(tokenizer.encode_files(gigatoken.TextFileSource(files, separator="\\n")).layout.content))
"""
DATATROVE = """
import sys
from concurrent.futures import ProcessPoolExecutor
from datatrove.data import Document
from datatrove.pipeline.tokens import TokensCounter
from tokenizers import Tokenizer

def count(part):
    path, start, end, vocabulary = part
    with open(path, "rb") as file:
        file.seek(start)
        lines = file.read(end - start).split(b"\\n")
    counter = TokensCounter("unused")
    vars(counter)["tokenizer"] = Tokenizer.from_file(vocabulary)
    documents = (Document(line.decode(), "x") for line in lines if line)
    return sum(document.metadata["token_count"] for document in counter.run(documents))

if __name__ == "__main__":
    vocabulary, *files = sys.argv[1:]
    parts = []
    for path in files:
        data = open(path, "rb").read()
        half = data.rfind(b"\\n", 0, len(data) // 2) + 1
        parts += [(path, 0, half, vocabulary), (path, half, len(data), vocabulary)]
    with ProcessPoolExecutor(2) as pool:
        print(sum(pool.map(count, parts)))
"""
ESTIMATES = """
import json, sys, time
from pathlib import Path
from tokenarium.corpus.counting import CorpusCounts, count_part, totals
from tokenarium.corpus.estimating import estimate
from tokenarium.corpus.plan import Plan, with_fast_engines
from tokenarium.corpus.sources import parts, sources
from tokenarium.settings import Settings
engines, tries, *files = sys.argv[1:]
found = [*sources(files)]
plan, _ = with_fast_engines(Plan(Settings(), ("o200k_base",)), found, Path(engines))
count_part(plan, next(parts(found[0])))
begun, counts = time.process_time(), CorpusCounts()
for source in found:
    for part in parts(source):
        counts += count_part(plan, part)
counted, exact = time.process_time() - begun, totals(counts)["o200k_base"].tokens
inside, seconds, errors = 0, [], []
for seed in range(int(tries)):
    begun = time.process_time()
    (one,), _ = estimate(plan, found, within=0.005, seed=seed)
    seconds.append(time.process_time() - begun)
    inside += abs(one.tokens - exact) <= one.margin
    errors.append(abs(one.tokens / exact - 1))
print(json.dumps([counted, sum(seconds) / len(seconds), inside / len(errors), max(errors)]))
"""


class Run:
    """Runs Python in processes of their own, with one cache."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}

    def python(self, *arguments: str | Path) -> str:
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, check=True)
        return done.stdout.decode()

    def count(self, files: Sequence[Path], ids: str = "o200k_base", *, workers: int = 2) -> int:
        """Count, and return the tokens of the first vocabulary."""
        options = ["-t", ids, "--again", "--json", "--workers", str(workers)]
        answer = json.loads(self.python("-m", "tokenarium", "corpus", "count", *files, *options))
        return int(answer["total"][ids.partition(",")[0]]["tokens"])

    def ranks(self) -> Path:
        """Return the file from which gigatoken reads o200k_base."""
        (path,) = (self.folder / "cache").rglob("engines/*.o200k.tiktoken")
        return path


def timed(*works: Callable[[], object], runs: int) -> list[float]:
    """Return the median seconds of each, taken in turn; the first round is not counted."""
    rows: list[list[float]] = []
    for _ in range(runs + 1):
        row = []
        for work in works:
            start = time.perf_counter()
            work()
            row.append(time.perf_counter() - start)
        rows.append(row)
    return [statistics.median(column) for column in zip(*rows[1:], strict=True)]


def ratio(name: str, bound: str, ours: float, theirs: float, *, least: bool) -> Figure:
    value = theirs / ours if least else ours / theirs
    wanted = float(bound.split()[1])
    met = value >= wanted if least else value <= wanted
    return Figure(name, value, bound, met, f"{ours:.2f} s against {theirs:.2f} s")


def figures(run: Run, files: Sequence[Path], *, runs: int, tries: int) -> Iterator[Figure]:
    size = f"{sum(path.stat().st_size for path in files) / 1e6:,.0f} MB"
    tokens = run.count(files)
    ranks = run.ranks()
    assert int(run.python("-c", GIGATOKEN, ranks, *files)) > 0

    def gigatoken() -> None:
        run.python("-c", GIGATOKEN, ranks, *files)

    def one() -> None:
        assert run.count(files) == tokens

    def three() -> None:
        run.count(files, "o200k_base,qwen3,cl100k_base")

    def alone() -> None:
        assert run.count(files, workers=1) == tokens

    three()  # proves the engines of the other vocabularies
    ours, theirs, several, single = timed(one, gigatoken, three, alone, runs=runs)
    yield ratio(f"count / gigatoken encode_files, speed, {size}", ">= 0.70", ours, theirs, least=True)
    yield ratio(f"three vocabularies / one, time, {size}", "<= 2.20", several, ours, least=False)
    yield ratio(f"two workers / one, speed, {size}", ">= 1.70", ours, single, least=True)
    yield datatrove(run, files[0], runs=runs)
    yield from estimates(run, files, size, tries=tries)


def datatrove(run: Run, file: Path, *, runs: int) -> Figure:
    """Its counter with the same tokenizer and two processes on one file; the counts must be equal."""
    script = run.folder / "datatrove_count.py"
    vocabulary = fast_vocabulary(Registry(Settings()), "gpt-neox", run.folder)  # no special tokens, as in the count
    script.write_text(DATATROVE)
    counts: list[int] = []

    def ours() -> None:
        counts.append(run.count([file], "gpt-neox"))

    def theirs() -> None:
        counts.append(int(run.python(script, vocabulary, file)))

    seconds = timed(ours, theirs, runs=min(runs, 1))
    assert len({*counts}) == 1, counts
    size = f"{file.stat().st_size / 1e6:,.0f} MB"
    return ratio(f"count / datatrove's TokensCounter, speed, {size}", ">= 8.00", *seconds, least=True)


def estimates(run: Run, files: Sequence[Path], size: str, *, tries: int) -> Iterator[Figure]:
    arguments = (run.ranks().parent, str(tries), *files)
    counted, seconds, inside, worst = json.loads(run.python("-c", ESTIMATES, *arguments))
    share = 100 * seconds / counted
    note = f"{seconds:.2f} s against {counted:.2f} s of one process"
    yield Figure(f"estimate within 0.5 % / count, time in %, {size}", share, "<= 3.00", share <= 3, note)
    inside *= 100
    yield Figure(f"intervals that are true in {tries} tries, %", inside, ">= 90.00", inside >= 90, f"worst {worst:.2%}")


def peak(run: Run, files: Sequence[Path]) -> float:
    """Return the most megabytes that a count and its processes hold; what they share is counted once."""
    command = [sys.executable, "-m", "tokenarium", "corpus", "count", *map(str, files), "-t", "o200k_base", "--again"]
    process = subprocess.Popen(command, env=run.environment, stdout=subprocess.DEVNULL)
    most, ended = [0.0], Event()

    def watch() -> None:
        while not ended.wait(0.1):
            try:
                most.append(memory(process.pid))
            except (OSError, StopIteration):  # a process has just ended
                continue

    thread = Thread(target=watch)
    thread.start()
    process.wait()
    ended.set()
    thread.join()
    return max(most)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=200, help="megabytes of text")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--tries", type=int, default=20, help="seeded estimates")
    args = parser.parse_args()
    print(HEADER)
    with TemporaryDirectory(prefix="tokenarium-bench-") as name:
        run = Run(Path(name))
        (run.folder / "files").mkdir()
        files = write_files(run.folder / "files", args.size * 1_000_000)
        for figure in figures(run, files, runs=args.runs, tries=args.tries):
            print(figure.row(), flush=True)
        for some in (files[:1], files):
            megabytes, held = sum(path.stat().st_size for path in some) / 1e6, peak(run, some)
            figure = Figure(f"memory of a count of {megabytes:,.0f} MB, MB", held, "<= 1500", held <= 1500)
            print(figure.row(), flush=True)


if __name__ == "__main__":
    main()
