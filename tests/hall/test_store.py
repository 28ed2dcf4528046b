"""The logs of halls in a file that several processes share."""

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import replace

import pytest
from tokenarium.errors import NoSpace, NotAllowed, Unavailable, UnknownHall
from tokenarium.hall.store import START, HallStore, open_store
from tokenarium.settings import Settings

LIMIT = 100
DAY = 86_400.0


@pytest.fixture
def another(tmp_path):
    """Open the store as another process would: `async with another() as store`."""

    @asynccontextmanager
    async def another(kept=DAY, room=10**9):
        store = HallStore(tmp_path / "halls" / "halls.sqlite3", kept, room)
        try:
            yield store
        finally:
            await store.close()

    return another


def kept(*events):
    return [(None, event) for event in events]


async def events_of(store, code, after=START, limit=LIMIT):
    return [data for _, data in await store.read(code, after, limit)]


def test_no_other_user_of_the_machine_can_read_a_log(another, tmp_path):
    async def check():
        (tmp_path / "halls").mkdir(mode=0o755)  # as earlier versions made it
        async with another() as store:
            await store.create("AAAAA", b"opened")
        assert (tmp_path / "halls").stat().st_mode & 0o777 == 0o700

    asyncio.run(check())


def test_a_log_has_its_events_in_order_and_is_read_from_any_position(another):
    async def check():
        async with another() as store:
            assert await store.create("AAAAA", b"opened")
            await store.append("AAAAA", kept(b"1", b"2"))
            await store.append("AAAAA", kept(b"3"))
            assert await events_of(store, "AAAAA") == [b"opened", b"1", b"2", b"3"]
            rows = await store.read("AAAAA", START, 2)
            assert await events_of(store, "AAAAA", after=rows[-1][0]) == [b"2", b"3"]
            assert await events_of(store, "AAAAA", after=(await store.read("AAAAA", START, LIMIT))[-1][0]) == []

    asyncio.run(check())


def test_of_a_slot_a_log_keeps_the_latest_event_which_every_reader_sees(another):
    async def check():
        async with another() as one, another() as two:
            await one.create("AAAAA", b"opened")
            await one.append("AAAAA", [("slide", b"1"), (None, b"a"), ("next", b"2")])
            seen = (await two.read("AAAAA", START, LIMIT))[-1][0]
            await one.append("AAAAA", [("slide", b"3"), ("slide", b"4")])
            assert await events_of(one, "AAAAA") == [b"opened", b"a", b"2", b"4"]
            assert await events_of(two, "AAAAA", after=seen) == [b"4"]

    asyncio.run(check())


def test_the_logs_of_one_owner_get_half_of_the_room_and_slides_in_a_slot_take_it_once(another):
    async def check():
        large = b"x" * 2_000
        async with another(room=10_000) as store:
            for code, owner in (("AAAAA", "192.0.2.1"), ("BBBBB", "192.0.2.1"), ("CCCCC", "192.0.2.2")):
                await store.create(code, b"opened", owner)
            for _ in range(10):
                await store.append("AAAAA", [("slide", large)])
            await store.append("BBBBB", kept(large))
            with pytest.raises(NoSpace):
                await store.append("BBBBB", kept(b"1", large))
            assert await events_of(store, "BBBBB") == [b"opened", large]
            await store.append("BBBBB", kept(b"1"))
            await store.append("CCCCC", kept(large, large))
            with pytest.raises(NoSpace):
                await store.append("CCCCC", kept(large))
            stored = (store.path.parent / "halls.sqlite3").read_bytes()
            assert not any(owner in stored for owner in (b"192.0.2.1", b"192.0.2.2"))

    asyncio.run(check())


def test_on_a_full_disk_a_log_stays_as_it_is(another):
    async def check():
        async with another() as store:
            await store.create("AAAAA", b"opened")
            store._connection.execute("PRAGMA max_page_count = 1")  # those that it has
            with pytest.raises(NoSpace, match="database or disk is full"):
                await store.append("AAAAA", kept(b"x" * 100_000))
            assert await events_of(store, "AAAAA") == [b"opened"]

    asyncio.run(check())


def test_a_code_is_given_once_and_logs_are_apart(another):
    async def check():
        async with another() as store:
            created = await asyncio.gather(*(store.create("BBBBB", b"%d" % number) for number in range(5)))
            assert sorted(created) == [False] * 4 + [True]
            assert await store.create("CCCCC", b"c")
            await store.append("CCCCC", kept(b"d"))
            assert len(await events_of(store, "BBBBB")) == 1
            assert await store.count() == 2

    asyncio.run(check())


def test_what_was_never_opened_has_no_events_and_takes_none(another):
    async def check():
        async with another() as store:
            assert await events_of(store, "DDDDD") == []
            with pytest.raises(UnknownHall):
                await store.append("DDDDD", kept(b"1"))
            assert await events_of(store, "DDDDD") == []

    asyncio.run(check())


def test_two_processes_see_each_event_once_and_in_the_same_order(another):
    async def check():
        async with another() as one, another() as two:
            await one.create("FFFFF", b"opened")
            adding = [store.append("FFFFF", kept(b"%d" % number)) for number in range(10) for store in (one, two)]
            await asyncio.gather(*adding)
            events = await events_of(one, "FFFFF", limit=1000)
            assert events == await events_of(two, "FFFFF", limit=1000)
            assert sorted(events[1:]) == sorted(b"%d" % number for number in [*range(10)] * 2)

    asyncio.run(check())


def test_a_process_hears_what_another_has_added(another):
    async def check():
        async with another() as one, another() as two:
            await one.create("GGGGG", b"opened")
            heard = asyncio.Event()
            listening = asyncio.create_task(two.listen(heard.set))
            async with asyncio.timeout(60):
                await heard.wait()  # it listens from now on
                heard.clear()
                await one.append("GGGGG", kept(b"1"))
                await heard.wait()
            listening.cancel()
            await asyncio.wait([listening])

    asyncio.run(check())


def test_a_log_is_deleted_some_time_after_its_last_event(another):
    async def check():
        async with another(kept=0.2) as brief, another() as store:
            await brief.create("HHHHH", b"opened")
            await store.create("JJJJJ", b"opened")
            await store.append("JJJJJ", kept(b"1"), extend=False)
            async with asyncio.timeout(60):
                while await events_of(brief, "HHHHH"):
                    await brief.sweep()
                    await asyncio.sleep(0.05)
            assert await events_of(store, "HHHHH") == []
            with pytest.raises(UnknownHall):
                await store.append("HHHHH", kept(b"1"))

    asyncio.run(check())


def test_an_event_of_no_weight_does_not_keep_a_log(another):
    async def check():
        async with another(kept=0.3) as brief:
            await brief.create("KKKKK", b"opened")
            async with asyncio.timeout(60):
                while await events_of(brief, "KKKKK"):
                    with suppress(UnknownHall):
                        await brief.append("KKKKK", kept(b"1"), extend=False)
                    await asyncio.sleep(0.05)
                    await brief.sweep()

    asyncio.run(check())


def test_the_store_is_in_the_folder_of_a_server_that_has_halls(tmp_path):
    async def check():
        settings = Settings(local=tmp_path)
        store = open_store(settings)
        assert await store.create("LLLLL", b"opened")
        assert (tmp_path / ".halls" / "halls.sqlite3").exists()
        await store.close()
        with pytest.raises(NotAllowed, match="TOKENARIUM_HALL"):
            open_store(replace(settings, hall=False))

    asyncio.run(check())


def test_a_store_that_cannot_be_reached_is_unavailable(tmp_path):
    async def check():
        (tmp_path / ".halls").write_text("no folder")
        store = open_store(Settings(local=tmp_path))
        with pytest.raises(Unavailable, match="halls"):
            await store.create("MMMMM", b"opened")
        await store.close()

    asyncio.run(check())
