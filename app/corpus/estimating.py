"""Estimate the tokens and documents of a corpus from a sample of its bytes, with a confidence interval.

The files are divided into windows of a few hundred bytes. Many strata of neighbouring windows cover the corpus, and two
windows are drawn from each: what differs from file to file adds nothing to the error. Tokens and documents are
estimated by their ratio to bytes, since a window may stand for a few bytes more or less. Strata are halved until the
interval is as narrow as it has to be. Of Parquet in very many row groups, these are the windows.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import TokenariumError
from .counting import CorpusCounts, count_part, totals
from .cuts import REACH, CutRule, find_rule
from .documents import UNREADABLE
from .encoders import EncodingMismatch
from .lines import measure_size
from .plan import Plan, first_documents, get_encoders
from .row_windows import group_readers, make_reader
from .sources import CorpusSource, SourcePart, Unread, parts
from .strata import Strata
from .streams import make_stream
from .windows import Pieces, RowReader, WindowReader

FIRST = 400
"""Windows of the first sample: of fewer, the variance itself is too uncertain."""
FIRST_GROUPS = 40
"""Row groups of the first sample: each has many documents, and they differ less."""
NEXT = 0.6
"""Size of the next sample, of that which the variance of the last demands: its strata are smaller and vary less."""
GROWTH = 1.15
"""How much larger than the last the next sample is at least."""
CHECKED = 20
"""Windows whose documents say how a document may be cut."""


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """The tokens that a corpus probably has: `tokens` ± `margin` in 95 of 100 such samples; documents likewise.

    `windows` were drawn for it, `read` are the bytes that were read of the `bytes` of all files, and `sampled` those
    of the text that was tokenized.
    """

    tokenizer: str
    tokens: float
    margin: float
    documents: float
    documents_margin: float
    windows: int
    sampled: int
    read: int
    bytes: int

    @property
    def relative(self) -> float:
        """The margin as a share of the tokens."""
        return self.margin / self.tokens if self.tokens else 0.0


def estimate(
    plan: Plan,
    sources: Sequence[CorpusSource],
    *,
    within: float,
    seed: int = 0,
    count_all: Callable[[], CorpusCounts] | None = None,
) -> tuple[list[TokenEstimate], CorpusCounts]:
    """Return an estimate for each tokenizer whose margin is at most `within` of it, and the counts of the sample.

    Where most of the windows would be needed, everything is counted instead, of which the counts are then: by
    `count_all`, which may use many processes, or else in this one. Sources that are not splittable are read whole, and
    only a sample is tokenized; but of Parquet, whole row groups are a sample if a quarter of them is enough.
    """
    random = np.random.default_rng(seed)
    for by_groups in (True, False):
        counts = CorpusCounts()
        sampler = Sampler(plan, sources, counts, random, by_groups=by_groups)
        if (estimates := _sample(sampler, within, random)) is not None:
            return estimates, counts
    counts = count_all() if count_all else _count_here(plan, sources)
    return _make_exact(plan, sources, counts), counts


def _sample(sampler: "Sampler", within: float, random: np.random.Generator) -> list[TokenEstimate] | None:
    """Return estimates whose margin is at most `within` of them; None if it takes more than `sampler.most` windows."""
    every = sampler.windows
    wanted = sampler.first
    strata: Strata | None = None
    while wanted < sampler.most:
        before = strata
        if before is None:
            strata = Strata.draw(every, wanted // 2, sampler.measure, random)
        else:
            strata = before.halve(max(1, wanted // 2 - len(before)), sampler.measure, random)
            if len(strata) == len(before):  # none is left that can be halved
                break
        estimates = sampler.make_estimates(strata)
        widest = max((one.relative for one in estimates), default=0.0)
        if widest <= within:
            return estimates
        drawn = 2 * len(strata)
        share = (1 / drawn - 1 / every) * (within / widest) ** 2  # the error of all windows is none
        wanted = ceil(max(NEXT / (share + 1 / every), drawn * GROWTH))
        wanted = wanted if sampler.exact else min(wanted, every - 1)
    return None


def _count_here(plan: Plan, sources: Sequence[CorpusSource]) -> CorpusCounts:
    counts = CorpusCounts()
    for source in sources:
        try:
            for part in parts(source):
                counts += count_part(plan, part)
        except TokenariumError as error:
            counts.unread += Unread.of_part(SourcePart(source, 0, source.bytes), error)
    return counts


def _make_exact(plan: Plan, sources: Sequence[CorpusSource], counts: CorpusCounts) -> list[TokenEstimate]:
    """Return exact counts as estimates, with a margin of 0."""
    size = sum(source.bytes for source in sources)
    tallies = totals(counts)
    return [
        TokenEstimate(
            tokenizer=id,
            tokens=float(tallies[id].tokens) if id in tallies else 0.0,
            margin=0.0,
            documents=float(tallies[id].documents) if id in tallies else 0.0,
            documents_margin=0.0,
            windows=0,
            sampled=tallies[id].bytes if id in tallies else 0,
            read=size,
            bytes=size,
        )
        for id in plan.tokenizers
    ]


class Sampler:
    """Reads windows of sources and tokenizes what is in them; what cannot be read is noted in `counts`.

    With `by_groups`, they are the row groups of Parquet; there are none if the sources are not all such.
    """

    def __init__(
        self,
        plan: Plan,
        sources: Sequence[CorpusSource],
        counts: CorpusCounts,
        random: np.random.Generator,
        *,
        by_groups: bool = False,
    ) -> None:
        self.plan = plan
        self.random = random
        self.counts = counts
        self.sampled = 0
        self.reading = plan.make_read_context()
        self.reading.unread = counts.unread
        fast = dict(plan.fast)
        self.encoders = {id: get_encoders(plan.settings, id, fast.get(id), plan.special) for id in plan.tokenizers}
        self.exact = by_groups or all(source.splittable for source in sources)
        if by_groups:
            self.first, divisor = FIRST_GROUPS, 4
            self.readers = group_readers(sources, self.reading, divisor * FIRST_GROUPS)
        else:
            self.first, divisor = FIRST, 2 if self.exact else 1
            self.rule, self.row = self._find_rule(sources)
            self.streamed = sum(source.bytes for source in sources if not source.splittable)
            made = [(source, self._make_reader(source)) for source in sources]
            self.readers = [(source, reader) for source, reader in made if reader]
        self.ends = [*accumulate(reader.windows for _, reader in self.readers)]
        self.windows = self.ends[-1] if self.ends else 0
        self.most = self.windows / divisor

    def _find_rule(self, sources: Sequence[CorpusSource]) -> tuple[CutRule | None, float]:
        """Return the rule by which documents may be cut, found on a few of them, and the mean length of these."""
        texts = list[str]()
        some = [source for source in sources if source.bytes]
        for source in some[:: max(1, len(some) // CHECKED)][:CHECKED]:
            number = max(1, CHECKED // len(some))
            reader = RowReader(source, self.plan.make_read_context(), None)
            try:
                if source.splittable:
                    step = max(1, reader.windows // number)
                    texts += reader.read_texts([*range(0, reader.windows, step)][:CHECKED], REACH)
                else:
                    documents = islice(first_documents(self.plan, [source]), number)
                    texts += [document[:REACH].decode(errors="ignore") for document in documents]
            except (TokenariumError, *UNREADABLE):  # which the sample notes
                continue
        rule = find_rule(texts, [encoder for encoder, _ in self.encoders.values()])
        return rule, sum(map(len, texts)) / max(1, len(texts))

    def _make_reader(self, source: CorpusSource) -> WindowReader | None:
        """Return a reader of the windows of a source; None, with a note, if it cannot be read."""
        if source.splittable:
            return make_reader(source, self.reading, self.rule, self.row, self.random)
        try:
            return make_stream(source, self.reading, self.rule, self.random, self.streamed)
        except (TokenariumError, *UNREADABLE) as error:
            self._note(source, error)
            return None

    def _note(self, source: CorpusSource, error: Exception) -> None:
        self.counts.unread += Unread.of_part(SourcePart(source, 0, source.bytes), error)

    def make_estimates(self, strata: Strata) -> list[TokenEstimate]:
        """Return the estimates that follow from a sample."""
        size = sum(reader.size for _, reader in self.readers)
        documents = strata.total(1, size, exact=self.exact)
        sampled = (2 * len(strata), self.sampled, sum(reader.read_bytes for _, reader in self.readers))
        every = sum(source.bytes for source, _ in self.readers)
        return [
            TokenEstimate(id, *strata.total(column, size, exact=self.exact), *documents, *sampled, every)
            for column, id in enumerate(self.encoders, 2)
        ]

    def measure(self, windows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return for each of some ascending windows its bytes, its documents, and its tokens by tokenizer."""
        values = np.zeros((len(windows), 2 + len(self.encoders)))
        places = np.searchsorted(windows, [0, *self.ends])
        for (source, reader), start, end, first in zip(self.readers, places, places[1:], [0, *self.ends], strict=False):
            for at in range(start, end, reader.held):
                some = slice(at, min(at + reader.held, end))
                numbers = (windows[some] - first).tolist()
                try:
                    values[some] = self._measure_pieces(reader.read(numbers))
                    self.reading.check_found()
                except (TokenariumError, *UNREADABLE) as error:
                    self._note(source, error)
        return values

    def _measure_pieces(self, pieces: Pieces) -> NDArray[np.float64]:
        columns: list[NDArray[Any]] = [pieces.sizes, pieces.rows]
        for id, (encoder, reference) in self.encoders.items():
            try:
                _, offsets = encoder.encode(pieces.documents)
            except EncodingMismatch as difference:
                self.counts.notes.append(difference.note)
                self.encoders[id] = reference, reference
                _, offsets = reference.encode(pieces.documents)
            tokens = np.diff(offsets)[pieces.indexes] * pieces.shares
            columns.append(np.bincount(pieces.places, tokens, len(pieces.sizes)))
        self.sampled += measure_size(pieces.documents)[0]
        return np.stack(columns, axis=1)
