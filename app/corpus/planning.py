"""How many cores, hours and bytes a number of tokens takes, from a measured speed, with its arithmetic."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import Invalid

UNITS = {"": 1, "k": 10**3, "m": 10**6, "b": 10**9, "g": 10**9, "t": 10**12}
HOURS = (1, 8, 24, 168)
"""Hours for which the cores are computed."""
EFFICIENCY = 0.85
"""What of the speed of one core each of many keeps: two workers are to count 1.7 times as fast as one."""


@dataclass(frozen=True, slots=True)
class Speed:
    """Bytes that one core tokenizes in a second, the bytes of a token, and how each is known."""

    bytes_per_second: float
    bytes_per_token: float
    source: str
    sample: str = "given"


@dataclass(frozen=True, slots=True)
class Forecast:
    """What tokenizing a corpus takes. `id_bytes` are the bytes of an id in a shard: 2 if all ids fit, else 4."""

    tokens: int
    speed: Speed
    id_bytes: int

    @property
    def text_bytes(self) -> float:
        return self.tokens * self.speed.bytes_per_token

    @property
    def core_hours(self) -> float:
        return self.text_bytes / self.speed.bytes_per_second / 3600

    def hours(self, cores: int) -> float:
        """Return the hours that some cores take."""
        return self.core_hours / (cores * EFFICIENCY if cores > 1 else 1)

    def cores(self, hours: float) -> int:
        """Return the cores that are done after some hours.

        >>> Forecast(15 * 10**12, Speed(50e6, 4.0, "assumed"), 4).cores(24)
        17
        """
        alone = -(-self.core_hours // hours)
        return max(1, int(alone if alone <= 1 else -(-self.core_hours // (hours * EFFICIENCY))))

    @property
    def shard_bytes(self) -> int:
        return self.tokens * self.id_bytes

    def lines(self) -> Iterator[str]:
        """Yield the arithmetic in sentences."""
        speed = self.speed
        density = f"{speed.bytes_per_token:.2f} bytes per token ({speed.sample})"
        yield f"{self.tokens:,} tokens × {density} = {size(self.text_bytes)} of text"
        rate = f"{size(speed.bytes_per_second)} a second and core"
        yield f"{size(self.text_bytes)} / {rate} ({speed.source}) / 3,600 = {self.core_hours:,.1f} core hours"
        for hours in HOURS:
            cores = self.cores(hours)
            kept = f"{EFFICIENCY:.0%} of the speed each" if cores > 1 else "alone"
            yield f"in {hours:,} h: {cores:,} {'cores' if cores > 1 else 'core'}, {kept} ({self.hours(cores):,.1f} h)"
        yield f"{self.tokens:,} ids × {self.id_bytes} bytes = {size(self.shard_bytes)} of shards"


def number(text: str) -> int:
    """Return a number with a unit: k, M, B (or G), T. Raises `Invalid`.

    >>> number("15T"), number("2.5b"), number("300")
    (15000000000000, 2500000000, 300)
    """
    found = re.fullmatch(r"(\d{1,18}(?:\.\d{1,6})?)\s*([kmbgt]?)", text.strip().replace(",", "").lower(), re.ASCII)
    value = round(float(found[1]) * UNITS[found[2]]) if found else 0
    if value < 1:
        raise Invalid(f"A number of tokens is one such as 15T, 2.5B or 300M, not {text[:40]!r}.")
    return value


def size(value: float) -> str:
    """Return bytes with a decimal unit.

    >>> size(60e12), size(999)
    ('60.0 TB', '999 B')
    """
    for unit, name in ((1e15, "PB"), (1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if value >= unit:
            return f"{value / unit:,.1f} {name}"
    return f"{value:,.0f} B"
