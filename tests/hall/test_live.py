"""A hall in a process: one reader and a fan-out, events that are written together, and several processes at once."""

import asyncio
import time
from contextlib import aclosing, asynccontextmanager, suppress

import pytest
from tokenarium.errors import Invalid, NoSpace, NotAllowed, TooOften, UnknownHall
from tokenarium.hall.halls import Halls
from tokenarium.hall.live import Audience, Part
from tokenarium.hall.store import START
from tokenarium.settings import Settings


def counts(hall):
    return [one.count for one in hall.state.poll.tally()]


async def ask(hall, *choices, id="q"):
    await hall.append("asked", id=id, prompt="Which?", form="choose", choices=choices, pieces=[], unit="")


def show(hall):
    return f"data: {hall.state.slide['at'] if hall.state.slide else 0}\n\n".encode()


def show_poll(hall):
    return f"data: {counts(hall) if hall.state.poll else None}\n\n".encode()


PHONES = Audience("phones", (Part(lambda state: state.slides, show),))
LEAD = Audience("lead", (Part(lambda state: state.events, show_poll),), 0.001)
SLIDE = {"title": "BPE", "caption": "", "address": "/steps", "question": ""}
HERE, THERE = "192.0.2.1", "192.0.2.2"
OLDER = b'{"kind": "opened", "at": 0.0, "key": "k", "leader": ""}'
"""How the log of a hall began before logs had a version."""


@pytest.fixture
def process(tmp_path):
    """The halls as a process knows them: `async with process() as halls`."""
    settings = Settings(local=tmp_path)

    @asynccontextmanager
    async def process():
        halls = Halls(settings)
        try:
            yield halls
        finally:
            await halls.close()

    return process


async def slide(hall, at, **more):
    await hall.append("slide", **SLIDE, at=at, **more)


async def vote(hall, phone, answer, address=HERE):
    await hall.append_of_phone(phone, "vote", address, poll="q", answer=f"{answer}")


async def until(following, part):
    """Read what a follower gets up to a part."""
    async with asyncio.timeout(60):
        async for data in following:
            if data.endswith(part):
                return


def test_all_processes_know_a_hall_that_one_has_opened(process):
    async def check():
        async with process() as one, process() as two:
            hall = await one.open("secret")
            await slide(hall, 3)
            other = await two.get(hall.code)
            assert (other.state.slide["at"], other.state.leader) == (3, hall.state.leader)
            with pytest.raises(UnknownHall):
                await two.get("ZZZZZZ")

    asyncio.run(check())


def test_votes_at_the_same_time_by_two_processes_count_once_each(process):
    async def check():
        async with process() as one, process() as two:
            first = await one.open("secret")
            await ask(first, "a", "b", "c")
            halls = first, await two.get(first.code)
            phones = [(halls[number % 2], f"{number}", number % 3) for number in range(60)]
            votes = [vote(hall, phone, choice) for hall, phone, choice in phones]
            again = [vote(hall, phone, 0) for hall, phone, _ in phones[:30]]
            await asyncio.gather(*votes)
            await asyncio.gather(*again)
            for hall in halls:
                await hall.refresh()
                assert counts(hall) == [40, 10, 10]

    asyncio.run(check())


def test_followers_of_each_process_see_what_any_of_them_adds(process):
    async def check():
        async with process() as one, process() as two:
            hall = await one.open("secret")
            await slide(hall, 1)
            async with (
                aclosing(one.follow(hall, PHONES, phone="a")) as near,
                aclosing(two.follow(await two.get(hall.code), PHONES, phone="b")) as far,
            ):
                await asyncio.gather(until(near, b"data: 1\n\n"), until(far, b"data: 1\n\n"))
                await slide(hall, 2)
                await asyncio.gather(until(near, b"data: 2\n\n"), until(far, b"data: 2\n\n"))
                await slide(await two.get(hall.code), 3)
                await asyncio.gather(until(near, b"data: 3\n\n"), until(far, b"data: 3\n\n"))

    asyncio.run(check())


def test_a_process_that_starts_again_has_lost_nothing(process):
    async def check():
        async with process() as before:
            hall = await before.open("secret")
            await ask(hall, "a", "b")
            await vote(hall, "a", 1)
        async with process() as after:
            assert counts(await after.get(hall.code)) == [0, 1]

    asyncio.run(check())


def test_the_lecturer_sees_every_vote_and_phones_are_not_woken_by_them(process):
    async def check():
        async with process() as halls:
            hall = await halls.open("secret")
            await ask(hall, "a", "b")
            async with aclosing(halls.follow(hall, LEAD)) as lead, aclosing(halls.follow(hall, PHONES)) as phone:
                await asyncio.gather(until(lead, b"[0, 0]\n\n"), until(phone, b"data: 0\n\n"))
                waiting = asyncio.ensure_future(anext(phone))
                await vote(hall, "a", 1)
                await until(lead, b"[0, 1]\n\n")
                assert not waiting.done()
                waiting.cancel()
                with suppress(asyncio.CancelledError):
                    await waiting

    asyncio.run(check())


def test_followers_learn_that_a_hall_is_closed_and_phones_are_refused(process):
    async def check():
        async with process() as halls:
            hall = await halls.open("secret")
            async with aclosing(halls.follow(hall, PHONES)) as phone:
                await until(phone, b"data: 0\n\n")
                await hall.append("closed")
                await until(phone, b"event: over\ndata: 1\n\n")
                assert [part async for part in phone] == []
            with pytest.raises(Invalid, match="closed"):
                await hall.append_of_phone("a", "lost", HERE, step="", lost=True)

    asyncio.run(check())


def test_what_nobody_follows_is_forgotten_but_not_deleted(process):
    async def check():
        async with process() as halls:
            hall = await halls.open("secret")
            await halls.sweep()
            again = await halls.get(hall.code)
            assert again is not hall
            assert again.state.leader == hall.state.leader

    asyncio.run(check())


def test_the_hall_can_be_switched_off(tmp_path):
    async def check():
        halls = Halls(Settings(local=tmp_path, hall=False))
        with pytest.raises(NotAllowed, match="switched off"):
            await halls.open("secret")
        await halls.sweep()
        await halls.close()

    asyncio.run(check())


def test_a_hall_that_an_older_program_has_opened_is_opened_anew(process):
    async def enter():
        async with process() as halls:
            await halls.store.create("BBBBB", OLDER)
            with pytest.raises(UnknownHall, match="before the program was updated"):
                await halls.get("BBBBB")

    asyncio.run(enter())


def test_a_thousand_slides_take_the_room_of_one_and_so_does_who_reads_them_after_a_restart(process, tmp_path):
    async def check():
        async with process() as before:
            hall = await before.open("secret")
            for at in range(1000):
                await slide(hall, at, texts=["x" * 100_000])
            code, rows = hall.code, await before.store.read(hall.code, START, 10)
            assert [len(data) > 100_000 for _, data in rows] == [False, True]
        async with process() as after:
            assert (await after.get(code)).state.slide["at"] == 999
        assert sum(file.stat().st_size for file in (tmp_path / ".halls").iterdir()) < 10_000_000

    asyncio.run(check())


def test_a_lecturer_has_eight_megabytes_and_can_still_show_a_slide_and_close(process):
    async def check():
        async with process() as halls:
            hall = await halls.open("secret")
            for number in range(8):
                await ask(hall, "x" * 990_000, id=f"{number}")
            with pytest.raises(TooOften, match="Open another"):
                await ask(hall, "x" * 990_000, id="9")
            await slide(hall, 2)
            await hall.append("closed")
            assert (hall.state.slide["at"], hall.state.closed, len(hall.state.all_polls)) == (2, True, 8)

    asyncio.run(check())


def test_changed_votes_have_a_budget_of_their_own_of_which_an_address_gets_half(process):
    async def check():
        async with process() as halls:
            hall = await halls.open("secret")
            await ask(hall, "a", "b")
            phones = [f"{number}" for number in range(1000)]
            for round in range(51):
                await asyncio.gather(*(vote(hall, phone, round % 2) for phone in phones))
            with pytest.raises(TooOften, match="half of them from here"):
                await vote(hall, "0", 1)
            await vote(hall, "another", 1)
            await vote(hall, "0", 1, THERE)
            assert counts(hall) == [999, 2]

    asyncio.run(check())


def test_what_could_not_be_written_takes_nothing_of_what_an_address_may_do(process):
    async def run():
        async with process() as halls:
            hall = await halls.open("secret")
            halls.store.room, room = 0, halls.store.room
            for number in range(250):  # the half of one address
                with pytest.raises(NoSpace):
                    await hall.append_of_phone("a", "question", HERE, id=f"{number}", text="Why?")
            halls.store.room = room
            await hall.append_of_phone("a", "question", HERE, id="q", text="Why?")
            assert [*hall.state.questions] == ["q"]

    asyncio.run(run())


def test_what_the_lecturer_sees_is_rendered_seldom_where_that_takes_long(process):
    rendered = []

    def render(hall):
        rendered.append(hall.state.turned)
        time.sleep(0.05 if len(rendered) == 1 else 0)
        return b"data: %d\n\n" % hall.state.turned

    async def check():
        audience = Audience("lead", (Part(lambda state: state.events, render),), 0.001)
        async with process() as halls:
            hall = await halls.open("secret")
            async with aclosing(halls.follow(hall, audience)) as one, aclosing(halls.follow(hall, audience)) as two:
                await until(one, b"data: 0\n\n")
                for _ in range(3):
                    await hall.append("turned", by=1)
                await until(two, b"data: 0\n\n")  # as it was rendered last
                await asyncio.gather(until(one, b"data: 3\n\n"), until(two, b"data: 3\n\n"))
        assert rendered == [0, 3]

    asyncio.run(check())
