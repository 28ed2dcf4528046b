"""Logs of halls in Redis or Valkey: a stream for each, so that processes on several machines serve one hall."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from redis.asyncio import Redis
from redis.exceptions import RedisError, ResponseError

from ..errors import Unavailable, UnknownHall

PREFIX = "tokenarium:hall:"
CODES = "tokenarium:halls"
"""The codes of all logs, each scored with the time at which it is deleted."""
NEWS = "tokenarium:hall-news"
"""The channel on which the code of a log is published to which something was added."""
RETRY_SECONDS = 0.5
APPEND = """
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
for i = 5, #ARGV do redis.call('XADD', KEYS[1], '*', 'e', ARGV[i]) end
if ARGV[2] ~= '' then
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
end
redis.call('PUBLISH', ARGV[4], ARGV[1])
return 1
"""
CREATE = """
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('XADD', KEYS[1], '*', 'e', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
return 1
"""
Result = TypeVar("Result")


class RedisStore:
    """A `HallStore` of a server. What a script does, it does at once for all clients."""

    def __init__(self, client: Redis, kept: float) -> None:
        self.client = client
        self.kept = kept
        self._append = client.register_script(APPEND)
        self._create = client.register_script(CREATE)

    async def create(self, code: str, event: bytes) -> bool:
        keys, expiry = [PREFIX + code, CODES], time.time() + self.kept
        return bool(await _guard(self._create(keys=keys, args=[code, round(self.kept * 1000), expiry, event])))

    async def count(self) -> int:
        await self.sweep()
        return int(await _guard(self.client.zcard(CODES)))

    async def append(self, code: str, events: Sequence[bytes], *, extend: bool = True) -> None:
        lifetime = round(self.kept * 1000) if extend else ""
        args = [code, lifetime, time.time() + self.kept, NEWS, *events]
        if not await _guard(self._append(keys=[PREFIX + code, CODES], args=args)):
            raise UnknownHall("The hall was deleted meanwhile.")

    async def read(self, code: str, after: str, limit: int) -> list[tuple[str, bytes]]:
        begin = f"({after}" if after else "-"
        rows: Any = await _guard(self.client.xrange(PREFIX + code, min=begin, count=limit))
        return [(id.decode(), fields[b"e"]) for id, fields in rows]

    async def listen(self, wake: Callable[[str], None]) -> None:
        while True:
            try:
                async with self.client.pubsub() as news:
                    await news.subscribe(NEWS)
                    wake("")  # what was added before
                    async for message in news.listen():
                        if message["type"] == "message":
                            wake(message["data"].decode())
            except (RedisError, OSError):
                await asyncio.sleep(RETRY_SECONDS)

    async def sweep(self) -> None:
        await _guard(self.client.zremrangebyscore(CODES, "-inf", time.time()))

    async def close(self) -> None:
        await self.client.aclose()


async def _guard(answer: Awaitable[Result]) -> Result:
    """Return an answer of the server. Raises `Unavailable` where there is none."""
    try:
        return await answer
    except (RedisError, OSError) as error:
        what = "refuses" if isinstance(error, ResponseError) else "does not answer"
        raise Unavailable(f"The store of the halls {what}: {type(error).__name__}.") from None


def open_redis(address: str, kept: float) -> RedisStore:
    """Return the store at an address such as redis://localhost:6379/0; nothing is sent yet."""
    return RedisStore(Redis.from_url(address, socket_connect_timeout=5, health_check_interval=15), kept)
