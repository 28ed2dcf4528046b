"""Each part is done once whatever dies on the way, and what has been done is not done again."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from functools import partial
from threading import Event

import pytest
from tokenarium.corpus import running
from tokenarium.corpus.executors import Processes
from tokenarium.corpus.results import ResultCache
from tokenarium.corpus.running import SMALL, TRIES, Work, group_small, run, sum_results
from tokenarium.corpus.types import CorpusSource, SourcePart, Unread
from tokenarium.errors import WorkerLost
from tokenarium.settings import ROOT

from tests.support.corpus_works import PARTS, noted, square, works
from tests.support.servers import is_running


def done(work, executor, **options):
    with executor as pool:
        return {part.start: result for part, result in run(work, PARTS, pool, **options)}


SQUARES = {start: start**2 for start in range(40)}


def test_what_is_kept_is_not_done_again_however_much_it_is(tmp_path):
    work = works(partial(noted, tmp_path / "log"))
    kept = ResultCache(tmp_path / "kept")
    assert done(work, ThreadPoolExecutor(2), saved=kept) == SQUARES
    with sqlite3.connect(kept.path) as db:
        db.executemany("DELETE FROM parts WHERE key = ?", [(work.key(part),) for part in PARTS[30:]])
    db.close()
    assert done(work, ThreadPoolExecutor(2), saved=kept) == SQUARES
    starts = [*map(int, (tmp_path / "log").read_text().split())]
    assert sorted(starts) == sorted([*range(40), *range(30, 40)])


def test_a_result_that_is_not_complete_is_not_kept(tmp_path):
    work = works(lambda part: -1 if part.start == 5 else part.start)
    kept = ResultCache(tmp_path / "kept")
    done(work, ThreadPoolExecutor(1), saved=kept)
    assert kept.measure().parts == 39


def test_the_results_used_longest_ago_are_deleted_when_a_run_ends(tmp_path):
    work = Work(square, "x", lambda n: b"%050d" % n, int, lambda n: True)
    kept = ResultCache(tmp_path / "kept", max_bytes=20 * 50)
    kept.keep_result("the last run", b"0" * 50)
    assert done(work, ThreadPoolExecutor(1), saved=kept) == SQUARES
    assert kept.measure().parts == 20
    assert kept.find_result("the last run") is None
    assert kept.find_result(work.key(PARTS[39])) is not None


def dies(folder, part):
    """A part whose process dies the first time, and one of which processes always die."""
    if part.start == 7 or (part.start == 3 and not (folder / "died").exists()):
        (folder / "died").touch()
        with (folder / "deaths").open("a") as file:
            file.write(f"{part.start}\n")
        os.kill(os.getpid(), signal.SIGKILL)
    return part.start**2


def test_a_part_whose_process_dies_is_done_again_and_fails_after_three_times(tmp_path):
    lost = {}

    def failed(part, error):
        lost[part.start] = str(error)
        return -1

    work = works(partial(dies, tmp_path), make_failure=failed)
    kept = ResultCache(tmp_path / "kept")
    assert done(work, Processes(2), saved=kept) == {**SQUARES, 7: -1}
    assert lost == {7: "The process died each time this was done, at last with nothing beside it."}
    deaths = (tmp_path / "deaths").read_text().split()
    assert (deaths.count("3"), 2 <= deaths.count("7") <= TRIES) == (1, True)
    assert kept.measure().parts == 39
    with pytest.raises(WorkerLost, match="died each time"):
        list(run(works(partial(dies, tmp_path)), PARTS[7:8], Processes(1)))


def small_files(*sizes):
    sources = [CorpusSource(f"{number}.txt", "lines", size, "") for number, size in enumerate(sizes)]
    return [SourcePart(source, 0, source.bytes) for source in sources]


def test_small_files_are_done_many_at_once_and_large_ones_alone(monkeypatch):
    todo = small_files(10, 20, SMALL, 30, *[600_000 // 8] * 15)
    assert [len(group) for group in group_small(todo)] == [2, 1, 14, 2]
    halves = [SourcePart(todo[0].source, 0, 5), SourcePart(todo[0].source, 5, 10)]
    assert [*group_small(halves)] == [(halves[0],), (halves[1],)]


@dataclass
class Paths:
    """The paths of parts, as a sum."""

    paths: list[str] = field(default_factory=list)
    unread: Unread = field(default_factory=Unread)

    def __iadd__(self, other):
        self.paths += other.paths
        self.unread += other.unread
        return self

    def dump(self):
        return {"paths": self.paths, "unread": asdict(self.unread)}

    @classmethod
    def load(cls, data):
        return cls(data["paths"], Unread(**data["unread"]))


def name_or_die(part):
    if part.source.path == "3.txt":
        os.kill(os.getpid(), signal.SIGKILL)
    return Paths([part.source.path])


def test_of_small_files_only_the_one_that_ends_its_process_is_lost(tmp_path):
    moved = []
    todo = small_files(*[10] * 6)
    kept = ResultCache(tmp_path / "kept")
    with Processes(2) as pool:
        paths = sum_results(Paths, name_or_die, "", todo, pool, saved=kept, progress=moved.append)
    assert sorted(paths.paths) == ["0.txt", "1.txt", "2.txt", "4.txt", "5.txt"]
    assert [problem.partition(":")[0] for problem in paths.unread.failed] == ["3.txt"]
    assert sorted(part.source.path for part in moved) == [f"{number}.txt" for number in range(6)]


def test_time_passes_where_no_part_is_done(monkeypatch):
    monkeypatch.setattr(running, "TICK_SECONDS", 0.01)
    ticked = Event()
    with ThreadPoolExecutor(1) as pool:
        work = works(lambda part: ticked.wait(60))
        assert [result for _, result in run(work, PARTS[:1], pool, tick=ticked.set)] == [True]


def runs_out(part):
    if part.start == 2:
        raise MemoryError
    return part.start


def test_a_part_that_needs_too_much_memory_fails_alone():
    work = works(runs_out, make_failure=lambda part, error: -1)
    assert done(work, ThreadPoolExecutor(1)) == {**{start: start for start in range(40)}, 2: -1}


def test_results_that_cannot_be_kept_are_said_once_and_the_run_goes_on(tmp_path, caplog):
    (tmp_path / "file").write_bytes(b"")
    assert done(works(square), ThreadPoolExecutor(1), saved=ResultCache(tmp_path / "file" / "kept")) == SQUARES
    (record,) = caplog.records
    assert "Results cannot be kept" in record.getMessage()


FULL = """
import resource, signal, sys
from pathlib import Path
from concurrent.futures import BrokenExecutor, CancelledError, ThreadPoolExecutor
from tests.support.corpus_works import PARTS, square, works
from tokenarium.corpus.results import ResultCache
from tokenarium.corpus.running import Work, run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
work = Work(square, "x", lambda n: b"0" * (n * 10) + b"1", int, lambda n: True)
with ThreadPoolExecutor(1) as pool:
    print(sum(result for _, result in run(work, PARTS, pool, saved=ResultCache(Path(sys.argv[1]) / "kept"))))
"""


def test_a_disk_that_becomes_full_stops_no_run(tmp_path):
    ran = subprocess.run([sys.executable, "-c", FULL, tmp_path], cwd=ROOT, text=True, capture_output=True, check=True)
    assert int(ran.stdout) == sum(SQUARES.values())
    assert ran.stderr.count("Results cannot be kept") == 1
    assert "disk I/O error" in ran.stderr
    assert 0 < ResultCache(tmp_path / "kept").measure().parts < 40


KILLED = """
import os, sys
from functools import partial
from pathlib import Path
from tests.support.corpus_works import PARTS, half, works
from tokenarium.corpus.executors import Processes
from tokenarium.corpus.results import ResultCache
from tokenarium.corpus.running import run
if __name__ == "__main__":
    kept = ResultCache(Path(sys.argv[1]) / "kept")
    for _ in run(works(partial(half, Path(sys.argv[1]))), PARTS, Processes(2), saved=kept):
        pass
"""


def test_a_run_that_is_killed_leaves_no_processes_and_goes_on(tmp_path):
    (tmp_path / "main.py").write_text(KILLED)
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    main = subprocess.Popen([sys.executable, tmp_path / "main.py", tmp_path], cwd=ROOT, env=env)
    cache = ResultCache(tmp_path / "kept")
    while cache.measure().parts < 3:
        time.sleep(0.02)
    main.kill()
    main.wait()
    workers = [path.name.partition("-")[2] for path in tmp_path.glob("process-*")]
    assert workers
    while any(map(is_running, workers)):
        time.sleep(0.02)
    kept = cache.measure().parts
    before = len((tmp_path / "log").read_text().split())
    assert 3 <= kept <= 20
    work = works(partial(noted, tmp_path / "log"))
    assert done(work, ThreadPoolExecutor(2), saved=cache) == SQUARES
    assert len((tmp_path / "log").read_text().split()) - before == 40 - kept


def test_processes_that_are_given_up_end_whatever_they_do():
    pool = Processes(1)
    pool.submit(int).result(60)
    waiting = [pool.submit(time.sleep, 3600) for _ in range(3)]
    pool.give_up()
    for future in waiting:
        with pytest.raises((BrokenExecutor, CancelledError)):
            future.result(60)
