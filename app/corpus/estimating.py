"""Estimate the tokens of a corpus from a sample of its bytes, with a confidence interval.

Each byte of a file has the tokens per byte of its line, so that the sum over all bytes is the number of tokens. The
files are laid end to end and divided into windows of a few hundred bytes. Many strata of neighbouring windows, as
large as each other, cover the corpus, and two windows are drawn from each (Cochran 1977, Sampling Techniques, sections
5.3 and 6.9): what differs from file to file adds nothing to the error, and a long line, which many windows meet, has no
more weight in one of them than a short one. Of a long document, only a piece is tokenized. A first sample tells how
large the second has to be.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil, sqrt
from random import Random
from statistics import NormalDist
from typing import IO

import numpy as np
from numpy.typing import NDArray

from ..errors import BadFile, TokenariumError
from .counting import CorpusCounts, count_part, totals
from .documents import MAX_DOCUMENT, UNREADABLE, json_row, open_uncompressed, version
from .encoders import EncodingMismatch
from .plan import Plan, get_encoders
from .sources import CorpusSource, ReadContext, SourcePart, Unread, parts, utf8
from .text_pieces import PIECE, LongDocument, PieceChecker

WINDOW = 128
"""Bytes of a window: of fewer, to find the lines takes longer than to tokenize them."""
AROUND = 512
"""Bytes before and after a window that are read at once, since its first and its last line reach out of it."""
FIRST = 400
"""Windows of the first sample: of fewer, the variance itself is too uncertain."""
NEXT = 0.6
"""Size of the next sample, of that which the variance of the last demands: its strata are smaller and vary less."""
GROWTH = 1.3
"""How much larger than the last the next sample is at least."""
HELD = 1 << 22
"""Bytes of lines that are held and tokenized at once, about."""
CONFIDENCE = 0.95
STOPPING = 1.1
"""How much wider the interval is than that of a sample of fixed size: sampling ends the sooner the luckier it was."""


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """The tokens that a corpus probably has: `tokens` ± `margin` in 95 of 100 such samples.

    `windows` were drawn for it. `sampled` are the bytes of the lines that were tokenized in all, also for the samples
    before the last; `bytes` those of all files.
    """

    tokenizer: str
    tokens: float
    margin: float
    windows: int
    sampled: int
    bytes: int

    @property
    def relative(self) -> float:
        """The margin as a share of the tokens."""
        return self.margin / self.tokens if self.tokens else 0.0


def estimate(
    plan: Plan, sources: Sequence[CorpusSource], *, within: float, seed: int = 0, most: float = 1.0
) -> tuple[list[TokenEstimate], CorpusCounts]:
    """Return an estimate for each tokenizer whose margin is at most `within` of it, and the counts of the sample.

    No more than the share `most` of all windows is drawn; where most would be needed, everything is counted instead,
    of which the counts are then. Sources must be splittable; their documents are lines.
    """
    draw = Random(seed)
    counts = CorpusCounts()
    sampler = Sampler(plan, sources, counts)
    every = sampler.windows
    limit = ceil(most * sampler.windows)
    wanted = min(FIRST, limit)
    while most < 1 or wanted < every / 2:
        estimates = sampler.estimates(wanted, draw)
        widest = max((one.relative for one in estimates), default=0.0)
        if widest <= within or wanted == limit:
            return estimates, counts
        share = (1 / wanted - 1 / every) * (within / widest) ** 2  # the error of all windows is none
        needed = 1 / (share + 1 / every)
        wanted = min(limit, ceil(max(needed * NEXT, wanted * GROWTH)))
    return _count_exactly(plan, sources)


def _count_exactly(plan: Plan, sources: Sequence[CorpusSource]) -> tuple[list[TokenEstimate], CorpusCounts]:
    counts = CorpusCounts()
    for source in sources:
        for part in parts(source):
            counts += count_part(plan, part)
    size = sum(source.bytes for source in sources)
    tallies = totals(counts)
    tokens = {id: float(tallies[id].tokens) if id in tallies else 0.0 for id in plan.tokenizers}
    return [
        TokenEstimate(tokenizer=id, tokens=tokens[id], margin=0.0, windows=0, sampled=size, bytes=size)
        for id in plan.tokenizers
    ], counts


Line = tuple[bytes, float]
"""A line, and the share of its bytes that are in a window."""


class Sampler:
    """Draws windows and tokenizes the lines in them; what cannot be read is noted in `counts`."""

    def __init__(self, plan: Plan, sources: Sequence[CorpusSource], counts: CorpusCounts) -> None:
        self.plan = plan
        self.sources = sources
        self.counts = counts
        self.ends = [*accumulate(source.bytes for source in sources)]
        self.size = self.ends[-1] if self.ends else 0
        self.windows = -(-self.size // WINDOW)
        self.sampled = 0
        self.reading = ReadContext(plan.column, "", plan.invalid, counts.unread)
        self._open = ExitStack()
        self._current: tuple[CorpusSource, IO[bytes]] | None = None
        self._document: tuple[CorpusSource, LongDocument] | None = None
        self._checker = PieceChecker()
        fast = dict(plan.fast)
        self.encoders = {id: get_encoders(plan.settings, id, fast.get(id)) for id in plan.tokenizers}

    def estimates(self, wanted: int, draw: Random) -> list[TokenEstimate]:
        """Return what a new sample of some windows says."""
        strata = max(1, wanted // 2)
        edges = [number * self.windows // strata for number in range(strata + 1)]
        pairs = [sorted(draw.sample(range(a, b), min(2, b - a))) for a, b in pairwise(edges)]
        rows = self.tokens([window for pair in pairs for window in (pair[0], pair[-1])])
        sizes = np.diff(edges)
        return [
            TokenEstimate(id, *estimate_strata(tokens.reshape(-1, 2), sizes), 2 * strata, self.sampled, self.size)
            for id, tokens in rows.items()
        ]

    def tokens(self, windows: Sequence[int]) -> dict[str, NDArray[np.float64]]:
        """Return by tokenizer the tokens of each of some ascending windows."""
        tokens = {id: np.zeros(len(windows)) for id in self.encoders}
        lines = list[Line]()
        places = list[int]()
        held = 0
        for place, found in enumerate(self._lines(windows)):
            held += sum(len(line) for line, _ in found if not lines or line is not lines[-1][0])
            lines += found
            places += [place] * len(found)
            if lines and (held >= HELD or place == len(windows) - 1):
                self._encode(lines, places, tokens)
                self.sampled += held
                lines = []
                places = []
                held = 0
        return tokens

    def _encode(self, lines: Sequence[Line], places: Sequence[int], tokens: dict[str, NDArray[np.float64]]) -> None:
        shares = np.array([share for _, share in lines])
        first = [not number or line is not lines[number - 1][0] for number, (line, _) in enumerate(lines)]
        documents = [line for (line, _), new in zip(lines, first, strict=True) if new]
        rows = np.cumsum(first) - 1  # a line that several windows meet is tokenized once
        for id, (encoder, reference) in self.encoders.items():
            try:
                _, offsets = encoder.encode(documents)
            except EncodingMismatch as difference:
                self.counts.notes.append(difference.note)
                self.encoders[id] = reference, reference
                _, offsets = reference.encode(documents)
            found = tokens[id]
            found += np.bincount(places, np.diff(offsets)[rows] * shares, len(found))

    def _lines(self, windows: Sequence[int]) -> Iterator[list[Line]]:
        """Yield the lines of each window. Each file is opened once, and its version checked."""
        for window in windows:
            start = window * WINDOW
            end = min((window + 1) * WINDOW, self.size)
            lines = list[Line]()
            while start < end:  # a window may end in the next file
                index = bisect_right(self.ends, start)
                before = self.ends[index] - self.sources[index].bytes
                to = min(end, self.ends[index])
                lines += self._read_source_lines(self.sources[index], start - before, to - before)
                start = to
            yield lines

    def _read_source_lines(self, source: CorpusSource, start: int, end: int) -> Iterator[Line]:
        try:
            file = self._open_source(source)
            if (known := self._find_document(source, start, end)) is not None:
                yield from known.take(start, end)
                return
            at, data = read_touched_lines(file, source.bytes, start, end)
        except (TokenariumError, *UNREADABLE) as error:
            self.counts.unread += Unread.of_part(SourcePart(source, start, end), error)
            return
        for line in data.split(b"\n"):
            after = min(at + len(line) + 1, source.bytes)
            inside = min(after, end) - max(at, start)
            if line and inside > 0 and (text := self._text(line, source, at)):
                if len(text) < 2 * PIECE:
                    yield text, inside / (after - at)
                else:
                    yield from self._cut(source, text, at, after).take(start, end)
            at = after

    def _cut(self, source: CorpusSource, text: bytes, at: int, after: int) -> LongDocument:
        """Return a long document in pieces, and remember it: other windows may meet it, too."""
        document = LongDocument(text, at, after)
        if not self._checker.check(document, [encoder for encoder, _ in self.encoders.values()]):
            document = LongDocument(text, at, after, whole=True)
        self._document = source, document
        return document

    def _find_document(self, source: CorpusSource, start: int, end: int) -> LongDocument | None:
        """Return the last long document if a range lies in it."""
        if self._document is None or self._document[0] is not source:
            return None
        document = self._document[1]
        return document if document.at <= start and end <= document.after else None

    def _text(self, line: bytes, source: CorpusSource, at: int) -> bytes:
        if source.format == "jsonl":
            row = json_row(line, self.reading, source.path, at)
            return row[0] if row else b""
        return utf8(line.removesuffix(b"\r"), self.reading, f"{source.path}, byte {at:,}") or b""

    def _open_source(self, source: CorpusSource) -> IO[bytes]:
        """Return a file, which stays open until the next one is."""
        if self._current and self._current[0] is source:
            return self._current[1]
        self._open.close()
        if source.version and version(source.path) != source.version:
            raise BadFile(f"{source.path} has changed since it was listed.")
        file = self._open.enter_context(open_uncompressed(source))
        self._current = source, file
        return file


def read_touched_lines(file: IO[bytes], size: int, start: int, end: int) -> tuple[int, bytes]:
    r"""Return the lines that a range of a file touches, whole, and the byte at which the first begins.

    >>> from io import BytesIO
    >>> read_touched_lines(BytesIO(b"ab\ncd\nef\n"), 9, 4, 5)
    (3, b'cd')
    """
    reach = AROUND
    while True:
        first = max(0, start - reach)
        last = min(size, end + reach)
        file.seek(first)
        data = file.read(last - first)
        begin = data.rfind(b"\n", 0, start - first) + 1
        stop = data.find(b"\n", end - 1 - first)
        if reach > MAX_DOCUMENT or ((begin or not first) and (stop >= 0 or last == size)):
            return first + begin, data[begin : stop if stop >= 0 else len(data)]
        reach *= 8


def estimate_strata(tokens: NDArray[np.float64], sizes: NDArray[np.int64]) -> tuple[float, float]:
    """Return the estimated sum over all windows, and its margin, from two windows of each stratum and its size.

    >>> estimate_strata(np.array([[10.0, 10.0], [20.0, 20.0]]), np.array([50, 50]))
    (1500.0, 0.0)
    """
    total = float(sizes @ tokens.mean(axis=1))
    variances = (tokens[:, 0] - tokens[:, 1]) ** 2 / 2
    error = sqrt(float((sizes.astype(float) * np.maximum(0, sizes - 2)) @ variances / 2))
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    return total, STOPPING * (z + (z**3 + z) / (4 * len(tokens))) * error  # Student's t, first term of its expansion
