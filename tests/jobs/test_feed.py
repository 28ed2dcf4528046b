"""Viewers of a job share one reader of its log; who joins later gets a summary; there is a limit to them."""

import asyncio
from contextlib import aclosing, asynccontextmanager
from functools import partial

import pytest
from tokenarium.jobs.events import EVENTS, LOCK, EventLog, EventReader
from tokenarium.jobs.feed import JobFeeds
from tokenarium.jobs.job import Job, _inheritable_lock
from tokenarium.lab.train.events import MAX_POINTS, merge_progress
from tokenarium.lab.train.progress import TrainingProgress
from tokenarium.main import create_app
from tokenarium.settings import Settings
from tokenarium.web.services import get_services

from tests.support.scopes import scope_of

ID = "x" * 22


def learned(number):
    return {
        "kind": "learning",
        "pieces": number,
        "of": 5000,
        "at": number / 10,
        "points": [(number, 9000 - number)],
        "newest": [f"t{number}"],
        "lengths": [number],
    }


class CountingReader(EventReader):
    """Counts how often the log is read."""

    def __init__(self, folder):
        super().__init__(folder)
        self.reads = 0

    def read(self):
        self.reads += 1
        return super().read()


@pytest.fixture
def job(tmp_path):
    """A job that runs, since its lock is held, and its log."""
    folder = tmp_path / ".jobs" / ID
    folder.mkdir(parents=True)
    with _inheritable_lock(folder / LOCK):
        log = EventLog(folder)
        yield Job(ID, CountingReader(folder)), log
        log.close()


def test_a_summary_of_many_events_is_small_and_leads_to_the_same_state(tmp_path):
    log = EventLog(tmp_path)
    events = [{"kind": "note", "text": "a"}, *map(learned, range(1, 3001)), {"kind": "note", "text": "b"}]
    reader = EventReader(tmp_path, merge_progress)
    for number, event in enumerate(events):
        log.write(event)
        if number % 7 == 0:
            reader.read()
    summary, end = reader.read()
    assert [event["kind"] for event in summary] == ["note", "learning", "note"]
    assert end == (tmp_path / EVENTS).stat().st_size
    assert EventReader(tmp_path, merge_progress).read()[0] == summary
    theirs, ours = TrainingProgress.from_events(summary), TrainingProgress.from_events(events)
    for name in ("pieces", "newest", "notes", "rate", "remaining", "share", "lengths"):
        assert getattr(theirs, name) == getattr(ours, name)
    assert MAX_POINTS <= len(theirs.points) <= 2 * MAX_POINTS
    assert [*theirs.points[-1]] == [*ours.points[-1]]


def test_a_hundred_viewers_share_one_reader_and_what_is_rendered(job):
    job, log = job
    log.write(learned(1))
    made = []

    async def view(feeds):
        states = []
        async with aclosing(feeds.follow(job)) as updates:
            async for update in updates:
                states.append(update.state)
                update.share("text", partial(made.append, update.end))
        return states

    async def run():
        feeds = JobFeeds()
        tasks = [asyncio.create_task(view(feeds)) for _ in range(100)]
        await asyncio.sleep(0)
        while not made:
            await asyncio.sleep(0.01)
        reads = job.log.reads
        log.write({"kind": "cancelled"})
        states = await asyncio.gather(*tasks)
        assert {tuple(one) for one in states} == {("running", "cancelled")}
        assert len(made) == 2
        assert job.log.reads <= reads + 3
        assert feeds._feeds == {}

    asyncio.run(asyncio.wait_for(run(), 60))


def test_one_that_joins_gets_the_summary_at_once_and_one_that_is_slow_the_latest(job):
    job, log = job
    log.write(learned(1))

    async def run():
        feeds = JobFeeds()
        async with aclosing(feeds.follow(job)) as slow, aclosing(feeds.follow(job)) as quick:
            assert (await anext(slow)).events[0]["pieces"] == (await anext(quick)).events[0]["pieces"] == 1
            for number in (2, 3):
                log.write(learned(number))
                update = await anext(quick)
                assert [event["pieces"] for event in update.fresh] == [number]
            async with aclosing(feeds.follow(job)) as late:
                assert (await anext(late)) is update is (await anext(slow))

    asyncio.run(asyncio.wait_for(run(), 60))


def test_nobody_reads_once_the_last_viewer_is_gone(job):
    job, log = job
    log.write(learned(1))

    async def run():
        feeds, before = JobFeeds(), asyncio.all_tasks()
        async with aclosing(feeds.follow(job)) as updates:
            await anext(updates)
        assert feeds._feeds == {}
        while asyncio.all_tasks() != before:
            await asyncio.sleep(0.01)

    asyncio.run(asyncio.wait_for(run(), 60))


@asynccontextmanager
async def watching(app, path, address):
    """A viewer that stays."""
    answer, begun = [], asyncio.Event()

    async def receive():
        await asyncio.Event().wait()

    async def send(message):
        answer.append(message)
        if message.get("body"):
            begun.set()

    task = asyncio.create_task(app(scope_of(path, "GET") | {"client": (address, 1)}, receive, send))
    await begun.wait()
    try:
        yield answer[0]["status"]
    finally:
        task.cancel()
        await asyncio.wait([task])


def test_viewers_are_limited_for_one_address_and_for_all_and_counted(tmp_path, job):
    job[1].write(learned(1))
    app = create_app(Settings(local=tmp_path, workers=0, max_connections=3))
    path = f"/api/jobs/{ID}/events"

    async def run():
        async with watching(app, path, "192.0.2.1") as first, watching(app, path, "192.0.2.1") as second:
            async with watching(app, path, "192.0.2.1") as third:
                assert (first, second, third) == (200, 200, 503)
            async with watching(app, path, "192.0.2.2") as other, watching(app, path, "192.0.2.3") as one_more:
                assert (other, one_more) == (200, 503)
                assert get_services(app).limiter.viewers.total == 3
        assert get_services(app).limiter.viewers.total == 0

    asyncio.run(asyncio.wait_for(run(), 60))
