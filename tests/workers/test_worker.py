"""One worker as the server sees it: the time that its work may take."""

import asyncio

from tokenarium.workers.worker import Deadline


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose time is what a test says."""

    now = 0.0

    def time(self):
        return self.now


async def load_twice():
    loop, deadline = asyncio.get_running_loop(), Deadline(3, 10)
    seen = []
    async with deadline.timeout:
        for loop.now, loads in ((2, True), (9, False), (9.5, True), (12, False)):
            deadline.begin_loading() if loads else deadline.end_loading()
            seen.append((deadline.timeout.when(), deadline.over))
    return seen


def test_loading_does_not_count_against_the_limit_of_the_work_but_has_its_own():
    with asyncio.Runner(loop_factory=Clock) as runner:
        assert runner.run(load_twice()) == [(12, 10), (10, 3), (12.5, 10), (12.5, 3)]
