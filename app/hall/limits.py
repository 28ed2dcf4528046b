"""How often something may be done: a bucket of turns for each client, which fills up again with time."""

import time
from collections.abc import Hashable
from dataclasses import dataclass, field

MAX_BUCKETS = 20_000


@dataclass(slots=True)
class RateLimit:
    """At most `burst` turns at once, and `rate` more each second, for each key."""

    burst: float
    rate: float
    _buckets: dict[Hashable, tuple[float, float]] = field(default_factory=dict)

    def take(self, key: Hashable, now: float | None = None) -> bool:
        """Take a turn; False if there is none left.

        >>> limit = RateLimit(burst=2, rate=0.5)
        >>> [limit.take("a", now) for now in (0, 0, 1, 2, 2)], limit.take("b", 2)
        ([True, True, False, True, False], True)
        """
        turns, now = self._turns(key, now)
        if len(self._buckets) >= MAX_BUCKETS:
            self._buckets = {key: one for key, one in self._buckets.items() if self._refilled(one, now) < self.burst}
        self._buckets[key] = (turns - 1 if turns >= 1 else turns), now
        return turns >= 1

    def has(self, key: Hashable, now: float | None = None) -> bool:
        """True if a turn is left, which stays."""
        return self._turns(key, now)[0] >= 1

    def _turns(self, key: Hashable, now: float | None) -> tuple[float, float]:
        now = time.monotonic() if now is None else now
        return self._refilled(self._buckets.get(key, (self.burst, now)), now), now

    def _refilled(self, bucket: tuple[float, float], now: float) -> float:
        return min(self.burst, bucket[0] + (now - bucket[1]) * self.rate)


@dataclass(frozen=True, slots=True)
class HallLimits:
    """Limits of one process. An audience may share an address, so what counts by address is generous."""

    wrong_codes: RateLimit = field(default_factory=lambda: RateLimit(burst=30, rate=0.5))  # of an address
    joins: RateLimit = field(default_factory=lambda: RateLimit(burst=1500, rate=10))  # of an address
    openings: RateLimit = field(default_factory=lambda: RateLimit(burst=10, rate=1 / 60))  # of an address
    actions: RateLimit = field(default_factory=lambda: RateLimit(burst=20, rate=2))  # of a phone
    questions: RateLimit = field(default_factory=lambda: RateLimit(burst=3, rate=1 / 15))  # of a phone
