"""The zygote as the server sees it."""

import asyncio
import multiprocessing
import socket

from tokenarium.workers.zygote import Zygote


async def wait_for_one_that_has_started():
    control, other = socket.socketpair()
    with control, other:
        zygote = Zygote(multiprocessing.get_context("spawn").Process(), control, lambda one: None)
        zygote.handle_message("started", None)
        await asyncio.wait_for(zygote.ready(), 10)
        return zygote.generation


def test_a_zygote_that_has_started_before_it_is_waited_for_is_ready():
    assert asyncio.run(wait_for_one_that_has_started()) == 0
