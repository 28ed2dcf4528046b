"""One worker as the server sees it: the time that its work may take."""

import asyncio

from tokenarium.workers.worker import Deadline

from tests.support.clock import Clock


async def load_twice():
    deadline, seen = Deadline(3, 10), []
    async with deadline.timeout:
        for seconds, change in (
            (2, deadline.begin_loading),
            (7, deadline.end_loading),
            (0.5, deadline.begin_loading),
            (2.5, deadline.end_loading),
        ):
            await asyncio.sleep(seconds)
            change()
            seen.append((deadline.timeout.when(), deadline.over))
    return seen


def test_loading_does_not_count_against_the_limit_of_the_work_but_has_its_own():
    with asyncio.Runner(loop_factory=Clock) as runner:
        assert runner.run(load_twice()) == [(12, 10), (10, 3), (12.5, 10), (12.5, 3)]
