"""A lecture with its phones: how soon all of them see a step, what that costs, and that no vote is lost.

Phones are sockets of this process that do what the page of a phone does: they follow, come back by themselves after the
server was away, and send a vote again until it is taken.
"""

import asyncio
import csv
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from io import StringIO
from tempfile import TemporaryDirectory

import orjson

from benchmarks.measure import Figure, scaled
from benchmarks.processes import processor_seconds
from benchmarks.start import ask, free_port

PHONES, MANY = scaled(300, 4), scaled(1000, 6)
STEPS = scaled(20, 2)
"""Steps of a lecture, one a second."""
PAUSE = scaled(1.0, 0.05)
SOON, SHARE, RETURN = 200, 30, 5
"""Milliseconds from a key to the last phone, percent of a core, and seconds until all phones are back."""
STEP = re.compile(rb"step (\d+)!")
RETRY = re.compile(rb"retry: (\d+)")
WORDS = ("The", "quick", "brown", "fox", "jumps", "over")
ROW = {"label": "×5", "tokens": [{"text": word, "id": at, "tone": at} for at, word in enumerate(WORDS)]}
TABLE = {"title": "Pairs", "heads": ["pair", "count"], "rows": [{"cells": ["t h", f"{at}"]} for at in range(20)]}
CHOICES = 4


def figures() -> Iterator[Figure]:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 16_384)), hard))
    with TemporaryDirectory() as folder:
        with serving(TOKENARIUM_LOCAL=folder) as (process, port):
            yield from asyncio.run(lecture(f"{PHONES} phones", [port], [process], PHONES))
            yield asyncio.run(votes([port]))
        yield from asyncio.run(killed(folder))
        with serving(TOKENARIUM_LOCAL=folder) as (process, port):
            yield from asyncio.run(lecture(f"{MANY:,} phones", [port], [process], MANY))
        with serving(TOKENARIUM_LOCAL=folder) as one, serving(TOKENARIUM_LOCAL=folder) as two:
            ports = [port for _, port in (one, two)]
            yield from asyncio.run(lecture("2 processes", ports, [process for process, _ in (one, two)], PHONES))
            yield asyncio.run(votes(ports, " on 2 processes"))


@contextmanager
def serving(port: int = 0, **env: str) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """A server that answers, as (process, port)."""
    port = port or free_port()
    process = start(port, **env)
    try:
        yield process, port
    finally:
        process.terminate()
        process.wait()


def start(port: int, **env: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tokenarium", "serve", "--port", str(port)]
    process = subprocess.Popen(command, env=os.environ | env, stdout=subprocess.DEVNULL)
    while True:
        assert process.poll() is None
        try:
            assert ask(port) == 200
        except OSError:
            time.sleep(0.01)
        else:
            return process


async def request(
    port: int, method: str, path: str, *, cookie: str = "", body: bytes = b"", media: str = ""
) -> tuple[int, str, bytes]:
    """Status, head and body of an answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    fields = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: {cookie}\r\n"
    writer.write(f"{fields}Content-Type: {media}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    head, _, content = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    if not head:
        raise ConnectionResetError
    return int(head.split()[1]), head.decode(), content


@dataclass
class Hall:
    """A hall, as its lecturer has it; `arrivals` are the times at which phones saw each step."""

    ports: list[int]
    code: str = ""
    cookie: str = ""
    arrivals: dict[int, list[float]] = field(default_factory=dict)
    step: int = 0

    async def open(self) -> None:
        _, head, body = await request(self.ports[0], "POST", "/hall")
        self.cookie = cookie_of(head)
        self.code = body.partition(b'data-code="')[2].partition(b'"')[0].decode()

    async def stage(self, **event: object) -> None:
        path = f"/hall/{self.code}/stage"
        sent = orjson.dumps(event)
        status, *_ = await request(self.ports[0], "POST", path, cookie=self.cookie, body=sent, media="application/json")
        assert status == 204, status

    async def show(self) -> float:
        """Show the next step; return when the key was pressed."""
        self.step += 1
        self.arrivals[self.step] = []
        pressed = time.perf_counter()
        caption = f"This is step {self.step}! of a lecture."
        slide = {"at": self.step, "title": "BPE", "caption": caption, "rows": [ROW, ROW], "tables": [TABLE]}
        await self.stage(kind="slide", address="/steps", question="q", **slide)
        return pressed

    async def followers(self) -> int:
        """The number of phones, as the lecturer sees it."""
        _, _, body = await request(self.ports[0], "GET", f"/hall/{self.code}/lead", cookie=self.cookie)
        return int(re.search(rb"<span>(\d+) phone", body)[1])  # type: ignore[index]

    async def counts(self) -> dict[str, int]:
        """The votes for each choice at the end."""
        _, _, body = await request(self.ports[0], "GET", f"/hall/{self.code}/end.csv", cookie=self.cookie)
        rows = csv.DictReader(StringIO(body.decode()))
        return {row["choice"]: int(row["count"]) for row in rows if row["kind"] == "votes"}


@dataclass
class Phone:
    """A phone: it follows until it is stopped, and votes."""

    hall: Hall
    port: int
    cookie: str = ""
    seen: int = -1
    back: float = 0.0
    choice: int = -1
    retry: float = 1.0

    async def enter(self) -> None:
        _, head, _ = await request(self.port, "GET", f"/hall/{self.hall.code}")
        self.cookie = cookie_of(head)

    async def follow(self) -> None:
        """Follow, and come back after the seconds that the server has named."""
        while True:
            with suppress(OSError):
                await self._read_events()
            await asyncio.sleep(self.retry)

    async def _read_events(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        head = f"GET /hall/{self.hall.code}/events HTTP/1.1\r\nHost: localhost\r\nCookie: {self.cookie}\r\n\r\n"
        writer.write(head.encode())
        rest = b""
        try:
            while data := await reader.read(65_536):
                rest = rest[-64:] + data
                if found := RETRY.search(rest):
                    self.retry = int(found[1]) / 1000
                for step in map(int, STEP.findall(rest)):
                    self.back = time.perf_counter()
                    if step > self.seen:
                        self.seen = step
                        self.hall.arrivals.setdefault(step, []).append(self.back)
        finally:
            writer.close()

    async def vote(self, choice: int) -> None:
        """Vote, again and again until the server has taken it."""
        self.choice = choice
        body = f"poll=q&answer={choice}".encode()
        path, media = f"/hall/{self.hall.code}/vote", "application/x-www-form-urlencoded"
        while True:
            try:
                status, *_ = await request(self.port, "POST", path, cookie=self.cookie, body=body, media=media)
                if status == 303:
                    return
            except OSError:
                pass
            await asyncio.sleep(0.5 + random.random())


def cookie_of(head: str) -> str:
    return re.search(r"(?i)set-cookie: ([^;]+)", head)[1]  # type: ignore[index]


@asynccontextmanager
async def audience(ports: list[int], count: int) -> AsyncIterator[tuple[Hall, list[Phone]]]:
    """A hall that shows its first step, and phones that have all seen it."""
    hall = Hall(ports)
    await hall.open()
    await hall.show()
    phones = [Phone(hall, ports[number % len(ports)]) for number in range(count)]
    for start in range(0, count, 50):
        await asyncio.gather(*(phone.enter() for phone in phones[start : start + 50]))
    following = [asyncio.create_task(phone.follow()) for phone in phones]
    try:
        await all_seen(hall, phones)
        yield hall, phones
    finally:
        for task in following:
            task.cancel()
        await asyncio.wait(following)


async def all_seen(hall: Hall, phones: list[Phone]) -> float:
    """Wait until all phones have seen the last step; return when the last one did."""
    async with asyncio.timeout(120):
        while any(phone.seen < hall.step for phone in phones):
            await asyncio.sleep(0.002)
    return max(hall.arrivals[hall.step])


async def lecture(name: str, ports: list[int], processes: list[subprocess.Popen[bytes]], count: int) -> list[Figure]:
    """Step through a lecture: milliseconds from a key to the last phone, and what the servers do meanwhile."""
    async with audience(ports, count) as (hall, phones):
        await asyncio.sleep(PAUSE)
        before, begun = processor_time(processes), time.perf_counter()
        waits = []
        for number in range(STEPS):
            pressed = await hall.show()
            waits.append(1000 * (await all_seen(hall, phones) - pressed))
            await asyncio.sleep(max(0.0, begun + (number + 1) * PAUSE - time.perf_counter()))
        spent = (processor_time(processes) - before) / len(ports)
        share = 100 * spent / (time.perf_counter() - begun)
    waits.sort()
    slow = waits[math.ceil(0.95 * len(waits)) - 1]
    note = (
        f"median {waits[len(waits) // 2]:.0f} ms, slowest {waits[-1]:.0f}, "
        f"{1000 * spent / STEPS:.0f} ms of processor time a step"
    )
    most = SOON if count == PHONES else SOON * MANY // PHONES
    return [
        Figure(f"hall, {name}: key to last phone, p95, ms", slow, f"<= {most}", slow <= most, note),
        Figure(f"hall, {name}: a core, a step a second, %", share, f"< {SHARE}", share < SHARE or count != PHONES),
    ]


async def votes(ports: list[int], name: str = "") -> Figure:
    """All phones vote within a second, and half of them change their minds."""
    async with audience(ports, PHONES) as (hall, phones):
        await ask_all(hall)
        begun = time.perf_counter()

        async def vote(number: int, phone: Phone) -> None:
            await asyncio.sleep(number / len(phones) * scaled(0.9, 0.0))
            await phone.vote(number % CHOICES)
            if number % 2:
                await phone.vote((number + 1) % CHOICES)

        await asyncio.gather(*(vote(number, phone) for number, phone in enumerate(phones)))
        seconds = time.perf_counter() - begun
        wrong = difference(await hall.counts(), phones)
    note = f"{len(phones) * 3 // 2} votes of {len(phones)} phones in {seconds:.1f} s"
    return Figure(f"hall: votes that are not counted once{name}", wrong, "0", wrong == 0, note)


async def killed(folder: str) -> list[Figure]:
    """The server is killed while phones vote, and started again."""
    port = free_port()
    process = start(port, TOKENARIUM_LOCAL=folder)
    try:
        async with audience([port], PHONES) as (hall, phones):
            await ask_all(hall)
            voting = [asyncio.create_task(phone.vote(number % CHOICES)) for number, phone in enumerate(phones)]
            await asyncio.wait(voting[: len(voting) // 2])
            process.send_signal(signal.SIGKILL)
            process.wait()
            away = time.perf_counter()
            process = await asyncio.to_thread(start, port, TOKENARIUM_LOCAL=folder)
            begun = time.perf_counter()
            async with asyncio.timeout(120):
                while any(phone.back < away for phone in phones):  # some are back before this knows that it answers
                    await asyncio.sleep(0.01)
            returned = max(phone.back for phone in phones) - begun
            miscounted = abs(await hall.followers() - len(phones))
            await asyncio.gather(*voting)
            wrong = difference(await hall.counts(), phones)
    finally:
        process.terminate()
        process.wait()
    return [
        Figure("hall: last phone back after kill -9, s", returned, f"<= {RETURN}", returned <= RETURN),
        Figure("hall: phones miscounted once all are back", miscounted, "0", miscounted == 0),
        Figure("hall: votes lost by kill -9", wrong, "0", wrong == 0),
    ]


async def ask_all(hall: Hall) -> None:
    await hall.stage(kind="asked", id="q", prompt="Which?", choices=[f"choice {at}" for at in range(CHOICES)])


def difference(counts: dict[str, int], phones: list[Phone]) -> int:
    """The number of votes by which the counts differ from what the phones chose last."""
    chosen = Counter(f"choice {phone.choice}" for phone in phones)
    return sum(abs(counts[name] - chosen[name]) for name in counts)


def processor_time(processes: list[subprocess.Popen[bytes]]) -> float:
    """Seconds of the processes that listen, without their workers."""
    return sum(processor_seconds(process.pid) for process in processes)


if __name__ == "__main__":
    for figure in figures():
        print(figure.row(), flush=True)
