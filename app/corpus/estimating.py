"""Estimate the tokens of a corpus from a sample of its bytes, with a confidence interval.

The files are laid end to end, and blocks of bytes are drawn at random from all of them, each extended to whole lines.
A document belongs to the block in which it begins. Tokens per byte of a file is a ratio of two sums over blocks, whose
variance is that of the residuals (Cochran 1977, Sampling Techniques, section 6.3). Blocks are drawn until the interval
is as narrow as wanted.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import sqrt
from random import Random
from statistics import NormalDist

from .counting import Counts, count_part, totals
from .plan import Plan
from .sources import Part, Source

BLOCK = 1 << 16
"""Bytes of a block, about: large enough that few bytes are read only to find a line."""
FIRST = 64
"""Blocks of the first estimate: of fewer, the variance itself is too uncertain."""
CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """The tokens that a corpus probably has: `tokens` ± `margin` in 95 of 100 such samples.

    `sampled` are the bytes of the blocks that were read, `bytes` those of all files.
    """

    tokenizer: str
    tokens: float
    margin: float
    blocks: int
    sampled: int
    bytes: int

    @property
    def relative(self) -> float:
        """The margin as a share of the tokens."""
        return self.margin / self.tokens if self.tokens else 0.0


def estimate(
    plan: Plan, sources: Sequence[Source], *, within: float, seed: int = 0, most: float = 1.0
) -> tuple[list[Estimate], Counts]:
    """Return an estimate for each tokenizer whose margin is at most `within` of it, and the counts of the sample.

    No more than the share `most` of all bytes is read. Sources must be splittable; their documents are lines.
    """
    size = sum(source.bytes for source in sources)
    total, pairs = Counts(), {id: list[tuple[int, int]]() for id in plan.tokenizers}
    checked, sampled = FIRST, 0
    for number, part in enumerate(_blocks(sources, size, Random(seed)), 1):
        counts = count_part(plan, part)
        total += counts
        tallies = totals(counts)
        for id, rows in pairs.items():
            rows.append((tallies[id].tokens if id in tallies else 0, part.end - part.start))
        sampled += part.end - part.start
        if number >= checked or sampled >= most * size:
            estimates = [_of_ratio(id, rows, size) for id, rows in pairs.items()]
            if sampled >= most * size or all(one.relative <= within for one in estimates):
                return estimates, total
            checked += max(FIRST // 4, checked // 8)  # to look after each block would stop at the luckiest
    return [_of_ratio(id, rows, size) for id, rows in pairs.items()], total


def _blocks(sources: Sequence[Source], size: int, draw: Random) -> Iterator[Part]:
    """Yield blocks of all bytes in random order, none twice."""
    ends = [*accumulate(source.bytes for source in sources)]
    starts = [*range(0, size, BLOCK)]
    draw.shuffle(starts)
    for start in starts:
        index = bisect_right(ends, start)
        before = ends[index] - sources[index].bytes
        yield Part(sources[index], start - before, min(start - before + BLOCK, sources[index].bytes))


def _of_ratio(id: str, rows: Sequence[tuple[int, int]], size: int) -> Estimate:
    """Return the estimate from the (tokens, bytes) of blocks.

    >>> one = _of_ratio("x", [(10, 40), (10, 40), (10, 40)], 4000)
    >>> one.tokens, one.margin, one.sampled
    (1000.0, 0.0, 120)
    """
    n, tokens, sampled = len(rows), sum(row[0] for row in rows), sum(row[1] for row in rows)
    if not sampled:
        return Estimate(id, 0.0, 0.0, n, 0, size)
    ratio = tokens / sampled
    variance = sum((own - ratio * bytes) ** 2 for own, bytes in rows) / max(1, n - 1)
    unread = 1 - min(1.0, sampled / size)  # what has been read is known, not estimated
    error = sqrt(unread * variance / n) / (sampled / n)
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    t = z + (z**3 + z) / (4 * max(1, n - 1))  # Student's t, first term of its expansion
    return Estimate(id, ratio * size, t * error * size, n, sampled, size)
