"""Turns: who waits gets one by client, round robin, within a bounded time."""

import asyncio

import pytest
from tokenarium.errors import Overloaded
from tokenarium.workers.turns import Turns


class Hall:
    """Clients that take turns, each turn until it is ended; `order` has the clients in the order of their turns."""

    def __init__(self, turns, max_wait=60):
        self.turns, self.max_wait, self.order, self.ends = turns, max_wait, [], []

    async def enter(self, client):
        task = asyncio.create_task(self._stay(client))
        await settle()
        return task

    async def _stay(self, client):
        until = asyncio.get_running_loop().time() + self.max_wait
        async with self.turns.turn(client, until):
            self.order.append(client)
            self.ends.append(end := asyncio.Event())
            await end.wait()

    async def end(self):
        """End all turns, one after another, as they are given."""
        for event in self.ends:  # which grows meanwhile
            event.set()
            await settle()


async def settle():
    for _ in range(5):
        await asyncio.sleep(0)


def run(test):
    asyncio.run(asyncio.wait_for(test, 60))


def test_a_client_that_comes_later_waits_for_one_turn_of_each_other():
    async def test():
        hall = Hall(Turns(1, 100))
        tasks = [await hall.enter(client) for client in "aaaaaabbc"]
        await hall.end()
        await asyncio.gather(*tasks)
        assert "".join(hall.order) == "abcabaaaa"
        assert (hall.turns.free, hall.turns.busy, hall.turns.waiting) == (1, 0, 0)
        assert (hall.turns._queues, hall.turns._served, +hall.turns._held) == ({}, {}, {})

    run(test())


def test_one_with_fewer_turns_is_served_before_one_that_holds_some():
    async def test():
        hall = Hall(Turns(2, 100))
        tasks = [await hall.enter(client) for client in "aaab"]
        hall.ends[0].set()
        await settle()
        assert hall.order == ["a", "a", "b"]
        await hall.end()
        await asyncio.gather(*tasks)

    run(test())


def test_whose_client_has_just_left_a_full_queue_gives_way_to_the_next():
    async def test():
        hall = Hall(Turns(1, 2))
        tasks = [await hall.enter(client) for client in "aaa"]
        tasks.append(asyncio.create_task(hall._stay("b")))  # which begins before the one that leaves is told
        tasks.pop(2).cancel()
        await settle()
        await hall.end()
        await asyncio.gather(*tasks)
        assert (hall.order, hall.turns.refused, hall.turns.waiting) == (["a", "b", "a"], 0, 0)

    run(test())


def test_of_a_full_queue_the_client_with_the_most_gives_way():
    async def test():
        hall = Hall(Turns(1, 3))
        tasks = [await hall.enter(client) for client in "aaaa"]
        with pytest.raises(Overloaded):
            await (await hall.enter("a"))
        last = await hall.enter("b")
        with pytest.raises(Overloaded):
            await tasks[3]
        await hall.end()
        await asyncio.gather(*tasks[:3], last)
        assert hall.order == ["a", "b", "a", "a"]
        assert (hall.turns.refused, hall.turns.waiting) == (2, 0)

    run(test())


def test_waiting_is_bounded():
    async def test():
        hall = Hall(Turns(1, 3), max_wait=0.01)
        first = await hall.enter("a")
        with pytest.raises(Overloaded):
            await (await hall.enter("b"))
        assert (hall.turns.waiting, hall.turns._queues) == (0, {})
        await hall.end()
        await first
        assert hall.turns.free == 1

    run(test())


def test_one_that_gives_up_leaves_its_turn_to_the_next():
    async def test():
        hall = Hall(Turns(1, 3))
        tasks = [await hall.enter(client) for client in "abc"]
        hall.ends[0].set()
        await asyncio.sleep(0)
        tasks[1].cancel()  # while it is being given the turn
        await settle()
        assert hall.order in (["a", "c"], ["a", "b", "c"])
        await hall.end()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert (hall.turns.free, hall.turns.waiting, hall.turns._queues) == (1, 0, {})

    run(test())
