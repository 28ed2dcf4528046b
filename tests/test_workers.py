"""Workers: what they answer, what ends them, and what the others notice of it. Nothing."""

import asyncio
import gc
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager, suppress
from functools import wraps
from multiprocessing import active_children, forkserver

import pytest
from tokenarium.errors import (
    BadRequest,
    LoneSurrogate,
    OverLimit,
    Overloaded,
    SpecialTokenRefused,
    UnknownId,
    WorkerLost,
)
from tokenarium.registry import Registry
from tokenarium.settings import ROOT, Settings
from tokenarium.workers import Workers

from tests.support import work

STARTING = """
import asyncio, os, signal
from multiprocessing import forkserver
from tokenarium.registry import Registry
from tokenarium.settings import Settings
from tokenarium.workers import Workers

async def start():
    forkserver.ensure_running()
    os.kill(forkserver._forkserver._forkserver_pid, signal.SIGSTOP)
    print(forkserver._forkserver._forkserver_pid)
    workers = Workers(Settings(), Registry)
    workers.start()
    await asyncio.sleep(0)
    await workers.stop()

asyncio.run(start())
"""
"""A program that ends while its workers start."""


@asynccontextmanager
async def pool(*, grace=0.05, **changes):
    patient = {"max_seconds": 1000.0, "max_wait": 1000.0}
    workers = Workers(
        Settings(**{"workers": 2, "max_memory": 700_000_000, **patient, **changes}), Registry, grace=grace
    )
    try:
        yield workers
    finally:
        await workers.stop()


def within(test):
    """Run a test of a pool, for at most a hundred seconds."""

    @wraps(test)
    def bounded(**fixtures):
        asyncio.run(asyncio.wait_for(test(**fixtures), 100))

    return bounded


async def until(true):
    while not true():
        await asyncio.sleep(0.005)


async def full(workers):
    """Every worker is there."""
    workers.start()
    await until(lambda: len(workers.pids) == workers.settings.workers + 1)


def lives(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@within
async def test_what_a_function_returns_comes_back():
    async with pool() as workers:
        assert await workers.run(work.numbers, 5) == [0, 1, 2, 3, 4]
        assert await workers.run(work.ids, "Hello") == [15496]
        assert workers.done == 2


@within
async def test_work_is_done_in_other_processes_started_beforehand():
    async with pool() as workers:
        await full(workers)
        before = workers.pids
        pid = await workers.run(work.started_at)
        assert pid in before
        assert pid != os.getpid()
        assert workers.started == 3


@within
async def test_the_system_kills_a_worker_before_the_server():
    async with pool() as workers:
        assert await workers.run(work.read_oom_score) > work.read_oom_score(None)


@within
async def test_megabytes_go_there_and_back():
    async with pool() as workers:
        data = os.urandom(12_000_000)
        assert await workers.run(work.echo, data) == [data, len(data)]


@within
async def test_errors_travel_whole():
    sent = [
        UnknownId(9, vocab_size=5, pointer="/ids/3"),
        LoneSurrogate(4, pointer="/text"),
        SpecialTokenRefused("<s>", 2),
        OverLimit("Too much.", limit=7),
    ]
    async with pool() as workers:
        for error in sent:
            with pytest.raises(type(error)) as caught:
                await workers.run(work.fail, error)
            assert (vars(caught.value), str(caught.value)) == (vars(error), str(error))
        with pytest.raises(UnknownId):
            await workers.run(work.fail_at_last)
        with pytest.raises(RuntimeError, match="ZeroDivisionError in a worker"):
            await workers.run(work.fail, ZeroDivisionError("of this nothing is told"))
        assert workers.killed == 0


@within
async def test_arguments_that_are_nested_too_deep_for_a_pipe_are_a_bad_request():
    deep = []
    for _ in range(600):
        deep = [deep]
    async with pool() as workers:
        with pytest.raises(BadRequest, match=r"^The body is nested too deep\.$"):
            await workers.run(work.numbers, deep)
        assert await workers.run(work.numbers, 3) == [0, 1, 2]
        assert workers.killed == 0


@within
async def test_work_over_time_is_ended_and_the_limit_named():
    async with pool(max_seconds=0.2) as workers:
        await full(workers)
        with pytest.raises(OverLimit, match="longer than 0"):
            await workers.run(work.sleep)
        assert (workers.overtime, workers.lost) == (1, 0)


@within
async def test_what_a_killed_worker_has_written_is_removed(tmp_path, monkeypatch):
    forkserver.ensure_running()  # has a temporary folder of its own
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    async with pool() as workers:
        await full(workers)
        writing = asyncio.create_task(workers.run(work.write_a_temporary_file))
        await until(lambda: [*tmp_path.glob("*/*")])
        (written,) = tmp_path.glob("*/*")
        writing.cancel()
        await until(lambda: not written.parent.exists())
    await until(lambda: not [*tmp_path.iterdir()])  # that of the worker in its place too, which may just start


@within
async def test_a_worker_for_which_no_temporary_folder_can_be_made_works_once(tmp_path, monkeypatch):
    forkserver.ensure_running()
    monkeypatch.setattr(tempfile, "tempdir", "/sys")
    async with pool(workers=1) as workers:
        pids = {await workers.run(work.started_at) for _ in range(4)}
        assert len(pids) == 4
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        while len(await workers.run(work.list_temporary_folder, str(tmp_path))) < 2:
            pass
        assert len({await workers.run(work.started_at) for _ in range(4)}) <= 2


@within
async def test_loading_has_a_limit_of_its_own():
    async with pool(load_seconds=1) as workers:
        with pytest.raises(OverLimit, match="longer than 1 seconds"):
            await workers.run(work.load, 1000)
        assert (workers.overtime, workers.lost) == (1, 0)
    async with pool(max_seconds=0.3) as workers:
        with pytest.raises(OverLimit, match=r"longer than 0\.3 seconds"):
            await workers.run(work.load, 0, 1000)


@within
async def test_work_that_takes_too_much_processor_time_is_ended():
    async with pool(max_cpu=1) as workers:
        with pytest.raises(OverLimit, match="1 seconds of processor time"):
            await workers.run(work.spin)
        assert await workers.run(work.numbers, 1) == [0]


@within
async def test_a_worker_prints_no_stack_of_a_library_in_rust():
    async with pool(workers=1) as workers:
        assert await workers.run(work.read_variable, "RUST_BACKTRACE") == "0"


@within
async def test_work_over_memory_is_told_so_and_the_worker_goes_on():
    async with pool(workers=1) as workers:
        await full(workers)
        before = workers.pids
        with pytest.raises(OverLimit) as caught:
            await workers.run(work.hoard)
        assert caught.value.limit == 700_000_000
        assert workers.pids == before


@within
async def test_what_a_worker_holds_already_does_not_count_against_work():
    async with pool(workers=1, max_memory=200_000_000) as workers:
        await full(workers)
        pids = {await workers.run(work.hold, 70_000_000) for _ in range(5)}
        assert len(pids) == 1
        with pytest.raises(OverLimit):
            await workers.run(work.hold, 250_000_000)


@within
async def test_a_library_that_aborts_for_want_of_memory_is_over_the_limit():
    async with pool() as workers:
        with pytest.raises(OverLimit, match="bytes of memory"):
            await workers.run(work.abort)


@within
async def test_work_whose_worker_is_lost_is_done_by_another(tmp_path):
    async with pool() as workers:
        assert await workers.run(work.die_once, str(tmp_path / "mark")) == "done"
        assert workers.lost == 1


@within
async def test_work_that_loses_worker_after_worker_is_lost():
    async with pool() as workers:
        with pytest.raises(WorkerLost):
            await workers.run(work.die)
        assert await workers.run(work.numbers, 1) == [0]
        assert workers.lost == 3


@within
async def test_work_goes_on_when_the_fork_server_is_killed_with_its_workers():
    async with pool() as workers:
        await full(workers)
        before = workers.pids
        os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)
        await until(lambda: not any(map(lives, before)))
        assert await workers.run(work.numbers, 3) == [0, 1, 2]
        await full(workers)
        assert not {*before} & {*workers.pids}


@within
async def test_work_waits_for_the_first_worker_as_long_as_tokenizers_may_be_loaded():
    forkserver.ensure_running()
    pid = forkserver._forkserver._forkserver_pid
    os.kill(pid, signal.SIGSTOP)
    try:
        async with pool(load_seconds=0.1) as workers:
            with pytest.raises(Overloaded, match="No worker process has started yet"):
                await workers.run(work.numbers, 3)
            assert (workers.refused, workers.busy, workers.started) == (1, 0, 0)
            os.kill(pid, signal.SIGCONT)
            await full(workers)
            assert await workers.run(work.numbers, 3) == [0, 1, 2]
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.nightly
@within
async def test_workers_start_after_a_fork_server_that_is_killed_while_it_starts_them():
    async with pool() as workers:
        for number in range(20):
            await full(workers)
            for _ in range(2):  # the second time while it starts workers
                with suppress(ProcessLookupError, TypeError):  # it has ended, or has not begun
                    os.kill(forkserver._forkserver._forkserver_pid, signal.SIGKILL)
                await asyncio.sleep(number / 100)
        await full(workers)
        assert await workers.run(work.numbers, 3) == [0, 1, 2]


@pytest.mark.nightly
@within
async def test_work_is_done_or_lost_while_workers_are_killed_every_tenth_of_a_second():
    answers, ended = [], asyncio.Event()

    async def ask(n):
        while not ended.is_set():
            try:
                answers.append(await workers.run(work.numbers, n) == [*range(n)])
            except WorkerLost:
                await asyncio.sleep(0.01)

    async with pool() as workers:
        await full(workers)
        asking = [asyncio.create_task(ask(n)) for n in range(4)]
        while workers.lost < 30:
            for pid in workers.pids:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(0.1)
        ended.set()
        await asyncio.gather(*asking)
        assert {*answers} == {True}
        await full(workers)
        assert (workers.busy, workers.waiting) == (0, 0)


@within
async def test_each_idle_worker_is_visited_and_then_idle_again(tmp_path):
    async with pool() as workers:
        await full(workers)
        mark = tmp_path / "begun"
        busy = asyncio.create_task(workers.run(work.sleep, str(mark)))
        await until(mark.exists)
        visited = await workers.visit(work.started_at)
        assert len(visited) == 2
        assert {*visited} < {*workers.pids}
        assert await workers.run(work.started_at) in visited
        busy.cancel()


@within
async def test_a_visit_that_a_worker_does_not_survive_costs_that_worker_only():
    async with pool() as workers:
        await full(workers)
        assert await workers.visit(work.die) == []
        await full(workers)
        assert await workers.visit(work.fail_at_last) == []
        assert workers.lost == 3
        assert await workers.run(work.numbers, 1) == [0]


@within
async def test_a_garbage_collection_looks_only_at_what_the_work_itself_makes():
    async with pool() as workers:
        await workers.run(work.ids, "Hello")
        objects = await workers.run(work.to_collect)
        assert objects < 1000 < gc.get_freeze_count() + len(gc.get_objects())


@within
async def test_a_worker_that_asks_for_it_is_replaced_after_its_answer():
    async with pool() as workers:
        await full(workers)
        old = await workers.run(work.retire_after)
        await until(lambda: old not in workers.pids)  # which takes a moment to be noticed
        await full(workers)
        assert (workers.retired, workers.killed) == (1, 0)
        assert await workers.run(work.ids, "Hello") == [15496]


@within
async def test_a_worker_knows_its_resident_memory():
    async with pool() as workers:
        error = await workers.run(work.grow, 50_000_000)
        assert abs(error) < 5_000_000


@within
async def test_a_worker_killed_at_rest_is_replaced():
    async with pool() as workers:
        await full(workers)
        old = workers.pids
        os.kill(old[0], signal.SIGKILL)
        await until(lambda: workers.lost == 1)
        await full(workers)
        assert old[0] not in workers.pids
        assert set(old[1:]) < set(workers.pids)


@within
async def test_a_worker_that_is_killed_leaves_the_others_unharmed():
    async with pool() as workers:
        await full(workers)
        data = os.urandom(300_000)

        async def kill():
            for _ in range(5):
                victim = workers.pids[0]
                os.kill(victim, signal.SIGKILL)
                await until(lambda victim=victim: victim not in workers.pids)  # which takes a moment to be noticed
                await full(workers)
                done = workers.done + 4
                await until(lambda done=done: workers.done >= done)  # so that the same work is not met three times

        killing = asyncio.create_task(kill())
        while not killing.done():
            answers = await asyncio.gather(*(workers.run(work.echo, data) for _ in range(4)))
            assert answers == [[data, len(data)]] * 4
        await killing
        assert workers.lost == 5


@within
async def test_cancelled_work_ends_its_worker(tmp_path):
    async with pool() as workers:
        await full(workers)
        old = workers.pids
        mark = tmp_path / "mark"
        task = asyncio.create_task(workers.run(work.sleep, str(mark)))
        await until(mark.exists)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: not all(map(lives, old)))
        (gone,) = [pid for pid in old if not lives(pid)]
        await until(lambda: gone not in workers.pids)
        await full(workers)
        assert (workers.abandoned, workers.busy) == (1, 0)


@within
async def test_cancelled_work_that_is_soon_done_ends_nobody(tmp_path):
    async with pool(grace=1000) as workers:
        await full(workers)
        old = workers.pids
        mark = tmp_path / "mark"
        task = asyncio.create_task(workers.run(work.nap, str(mark)))
        await until(mark.exists)
        task.cancel()
        await asyncio.wait([task])
        while {*await workers.visit(work.started_at)} != {*old}:
            pass
        assert workers.killed == 0


@within
async def test_cancelled_work_that_waits_ends_nobody(tmp_path):
    async with pool(workers=1) as workers:
        await full(workers)
        mark = tmp_path / "mark"
        first = asyncio.create_task(workers.run(work.sleep, str(mark)))
        await until(mark.exists)
        second = asyncio.create_task(workers.run(work.numbers, 1))
        await until(lambda: workers.waiting == 1)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        assert (workers.waiting, workers.killed) == (0, 0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)


@within
async def test_more_than_may_wait_is_refused_at_once():
    async with pool(workers=1, queue_size=1) as workers:
        tasks = [asyncio.create_task(workers.run(work.sleep)) for _ in range(2)]
        await until(lambda: workers.busy == workers.waiting == 1)
        with pytest.raises(Overloaded):
            await workers.run(work.numbers, 1)
        assert workers.refused == 1
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@within
async def test_untrusted_work_leaves_a_slot_and_waits_apart():
    async with pool(workers=3, queue_size=1) as workers:
        tasks = [asyncio.create_task(workers.run(work.sleep, untrusted=True)) for _ in range(3)]
        await until(lambda: workers.busy == 2)
        assert await workers.run(work.numbers, 2) == [0, 1]
        assert (workers.busy, workers.waiting) == (2, 0)
        with pytest.raises(Overloaded):
            await workers.run(work.numbers, 1, untrusted=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert await workers.run(work.numbers, 2, untrusted=True) == [0, 1]


@within
async def test_one_slot_is_there_for_untrusted_work_too():
    async with pool(workers=1) as workers:
        assert await workers.run(work.numbers, 2, untrusted=True) == [0, 1]


@within
async def test_there_is_no_network_in_a_worker():
    with socket.create_server(("127.0.0.1", 0)) as server:
        async with pool() as workers:
            with pytest.raises(RuntimeError, match="PermissionError"):
                await workers.run(work.reach_out, server.getsockname()[1])
        async with pool(hub=("someone/model",)) as workers:
            assert await workers.run(work.reach_out, server.getsockname()[1]) == "connected"


@within
async def test_stopping_leaves_no_process():
    async with pool() as workers:
        await full(workers)
        pids = workers.pids
    assert not any(map(lives, pids))
    assert workers.pids == []


@within
async def test_stopping_does_not_wait_for_a_fork_server_that_still_loads():
    forkserver.ensure_running()
    before = {*active_children()}  # of other tests
    pid = forkserver._forkserver._forkserver_pid
    os.kill(pid, signal.SIGSTOP)
    try:
        async with pool() as workers:
            workers.start()
            await asyncio.sleep(0)
    finally:
        os.kill(pid, signal.SIGCONT)
    await until(lambda: {*active_children()} <= before)


def test_a_process_ends_while_the_fork_server_of_its_pool_still_loads():
    with subprocess.Popen([sys.executable, "-c", STARTING], cwd=ROOT, stdout=subprocess.PIPE) as process:
        pid = int(process.stdout.readline())
        try:
            assert process.wait(60) == 0
        finally:
            os.kill(pid, signal.SIGKILL)
