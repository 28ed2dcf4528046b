"""Profile a corpus in one tokenizer: how often each token occurs, duplicate documents, digits and white space.

Token counts feed surgery: `tokenarium prune --profile` keeps the tokens that occur.
"""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import TokenariumError
from ..registry import get_registry
from .counts import Outlier, Outliers, head, scores
from .documents import batches
from .encoders import EncodingMismatch, Rows
from .lines import SPACES, LineDocuments, measure_size, measure_sizes
from .plan import Plan, get_encoders
from .results import ResultCache
from .running import sum_results
from .types import SourcePart, Unread

HELD = 1 << 18
"""Different documents whose hashes are held; of more, a half of the hashes, then a quarter, and so on."""
DIGITS = np.isin(np.arange(256), [*b"0123456789"])
FORMAT = "tokenarium-profile"


@dataclass(slots=True)
class Duplicates:
    """Documents by their hash of 64 bits: those whose hash ends in `level` zeros, which is a share of 1 / 2^level.

    All documents with the same text are counted or none, so that the share of duplicates among them is that of all: it
    is exact at level 0, and an estimate above.
    """

    level: int = 0
    counts: dict[int, int] = field(default_factory=dict)

    def add(self, hashes: NDArray[np.uint64]) -> None:
        """Count documents by their hashes.

        >>> some = Duplicates()
        >>> some.add(np.array([7, 7, 8], np.uint64))
        >>> some.share
        0.3333333333333333
        """
        values, numbers = np.unique(self._filter_hashes(hashes), return_counts=True)
        for value, number in zip(values.tolist(), numbers.tolist(), strict=True):
            self.counts[value] = self.counts.get(value, 0) + number
        self._shrink()

    @property
    def exact(self) -> bool:
        return self.level == 0

    @property
    def share(self) -> float:
        """The share of documents that repeat one before them."""
        every = sum(self.counts.values())
        return (every - len(self.counts)) / every if every else 0.0

    @property
    def most(self) -> int:
        """How often the most frequent document occurs that is counted."""
        return max(self.counts.values(), default=0)

    def __iadd__(self, other: "Duplicates") -> "Duplicates":
        self.level = max(self.level, other.level)
        for value, number in other.counts.items():
            self.counts[value] = self.counts.get(value, 0) + number
        self._shrink(at_once=True)
        return self

    def _filter_hashes(self, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
        ended: NDArray[np.bool_] = hashes & np.uint64((1 << self.level) - 1) == 0
        return hashes[ended]

    def _shrink(self, *, at_once: bool = False) -> None:
        while at_once or len(self.counts) > HELD:
            self.level += not at_once
            mask = (1 << self.level) - 1
            self.counts = {value: number for value, number in self.counts.items() if not value & mask}
            at_once = False


@dataclass(slots=True)
class Profile:
    """What the documents of a corpus consist of; `frequencies` has the shape `(size of the vocabulary,)`.

    `bytes`, `digits` and `spaces` are bytes of the text: all, ASCII digits, and ASCII white space.
    """

    frequencies: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    documents: int = 0
    bytes: int = 0
    characters: int = 0
    digits: int = 0
    spaces: int = 0
    duplicates: Duplicates = field(default_factory=Duplicates)
    runs: Outliers = field(default_factory=Outliers)
    unread: Unread = field(default_factory=Unread)
    notes: list[str] = field(default_factory=list)

    @property
    def tokens(self) -> int:
        return int(self.frequencies.sum())

    @property
    def used(self) -> int:
        """The number of tokens of the vocabulary that occur."""
        return int(np.count_nonzero(self.frequencies))

    def count_covering(self, share: float) -> int:
        """Return how many of the most frequent tokens make up a share of all occurrences.

        >>> Profile(np.array([5, 0, 3, 2])).count_covering(0.8)
        2
        """
        sums = np.cumsum(np.sort(self.frequencies)[::-1])
        return int(np.searchsorted(sums, share * self.tokens)) + 1 if self.tokens else 0

    def __iadd__(self, other: "Profile") -> "Profile":
        size = max(len(self.frequencies), len(other.frequencies))
        both = np.zeros(size, np.int64)
        for one in (self.frequencies, other.frequencies):
            both[: len(one)] += one
        self.frequencies = both
        for name in ("documents", "bytes", "characters", "digits", "spaces"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.duplicates += other.duplicates
        self.runs += other.runs
        self.unread += other.unread
        self.notes += [note for note in other.notes if note not in self.notes]
        return self

    def dump(self) -> dict[str, Any]:
        """Return it as plain data, from which `load` makes it again."""
        ids = np.flatnonzero(self.frequencies)
        names = ("documents", "bytes", "characters", "digits", "spaces", "notes")
        return {name: getattr(self, name) for name in names} | {
            "ids": [len(self.frequencies), ids.tolist(), self.frequencies[ids].tolist()],
            "duplicates": [self.duplicates.level, sorted(self.duplicates.counts.items())],
            "runs": [[*one] for one in self.runs.documents],
            "unread": asdict(self.unread),
        }

    @classmethod
    def load(cls, data: dict[str, Any]) -> "Profile":
        size, ids, numbers = data.pop("ids")
        frequencies = np.zeros(size, np.int64)
        frequencies[ids] = numbers
        level, counts = data.pop("duplicates")
        objects: dict[str, Any] = {
            "duplicates": Duplicates(level, dict(counts)),
            "runs": Outliers([Outlier(*one) for one in data.pop("runs")]),
            "unread": Unread(**data.pop("unread")),
        }
        return cls(frequencies, **data, **objects)


def profile(
    plan: Plan,
    todo: Iterable[SourcePart],
    executor: Executor,
    *,
    results: ResultCache | None = None,
    progress: Callable[[SourcePart], None] = lambda part: None,
    workers: int = 2,
) -> Profile:
    """Profile parts in the only tokenizer of a plan, on an executor; what is kept in `results` is read from there."""
    do = partial(profile_part, plan)
    return sum_results(
        Profile, do, f"profile {plan.depends()}", todo, executor, saved=results, progress=progress, workers=workers
    )


def profile_part(plan: Plan, part: SourcePart) -> Profile:
    """Profile the documents of a part; what cannot be read is said in the result. Runs in any process."""
    (id,) = plan.tokenizers
    try:
        return _profile_batches(plan, part, dict(plan.fast).get(id))
    except EncodingMismatch as difference:
        one = _profile_batches(plan, part, None)
        one.notes.append(difference.note)
        return one
    except (TokenariumError, OSError) as error:
        return Profile(unread=Unread.of_part(part, error))


def _profile_batches(plan: Plan, part: SourcePart, fast: Path | None) -> Profile:
    (id,) = plan.tokenizers
    encoder, reference = get_encoders(plan.settings, id, fast, plan.special)
    vocabulary = reference.tokenizer.info.vocab_size or 0
    one = Profile(np.zeros(vocabulary, np.int64))
    reading = plan.make_read_context()
    for batch in batches(part, reading):
        _add(one, batch.documents, encoder.encode(batch.documents), part.source.path)
    one.unread = reading.unread
    return one


def _add(one: Profile, documents: Sequence[bytes], rows: Rows, path: str) -> None:
    ids, offsets = rows
    more = np.bincount(ids, minlength=len(one.frequencies))
    more[: len(one.frequencies)] += one.frequencies
    one.frequencies = more
    one.documents += len(documents)
    bytes, characters = measure_size(documents)
    one.bytes += bytes
    one.characters += characters
    lines = isinstance(documents, LineDocuments)
    text = np.frombuffer(documents.text if isinstance(documents, LineDocuments) else b"".join(documents), np.uint8)
    one.digits += int(np.count_nonzero(DIGITS[text]))
    one.spaces += int(np.count_nonzero(SPACES[text])) - (len(text) - bytes if lines else 0)
    one.duplicates.add(hashes(ids, offsets))
    sizes = measure_sizes(documents)
    lengths = np.diff(offsets)
    runs = scores(ids, offsets, sizes, np.zeros(1, np.uint8))["run"]
    one.runs.add(
        runs, lambda row: Outlier(float(runs[row]), head(documents[row]), path, int(sizes[row]), int(lengths[row]))
    )


def hashes(ids: NDArray[np.uint32], offsets: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return a hash of 64 bits of each document, from its tokens: of equal ones it is the same.

    A polynomial in an odd number modulo 2^64, whose coefficients are mixed ids, found for all documents by one sum.

    >>> one, two, three = hashes(np.array([1, 2, 1, 2, 2, 1], np.uint32), np.array([0, 2, 4, 6]))
    >>> bool(one == two), bool(one == three)
    (True, False)
    """
    powers = _powers(1 << max(1, len(ids)).bit_length())
    sums = np.zeros(len(ids) + 1, np.uint64)
    np.cumsum(mix_bits(ids.astype(np.uint64) + np.uint64(1)) * powers[0][: len(ids)], out=sums[1:])
    return mix_bits((sums[offsets[1:]] - sums[offsets[:-1]]) * powers[1][offsets[:-1]])


@lru_cache(maxsize=1)
def _powers(count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the powers of an odd number modulo 2^64, and those of its inverse."""
    base = 0x9E3779B97F4A7C15
    return (_power(base, count + 1), _power(pow(base, -1, 1 << 64), count + 1))


def _power(base: int, count: int) -> NDArray[np.uint64]:
    factors = np.full(count, base, np.uint64)
    factors[0] = 1
    return np.cumprod(factors, dtype=np.uint64)


def mix_bits(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers of 64 bits in which each bit depends on all of those given (the finalizer of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def token_rows(plan: Plan, one: Profile) -> list[tuple[int, str, int]]:
    """Return (id, spelling, occurrences) of every token of the vocabulary, the most frequent first."""
    (id,) = plan.tokenizers
    tokenizer = get_registry(plan.settings).get(id)
    rows = []
    for number, times in enumerate(one.frequencies.tolist()):
        try:
            rows.append((number, tokenizer.entry(number).piece, times))
        except TokenariumError:  # an id without a token
            continue
    return sorted(rows, key=lambda row: (-row[2], row[0]))


def make_profile_file(plan: Plan, one: Profile) -> dict[str, Any]:
    """Return a profile as JSON: the tokenizer with its hash, the sizes, and occurrences by id."""
    (id,) = plan.tokenizers
    ids = np.flatnonzero(one.frequencies)
    names = ("documents", "bytes", "characters", "tokens")
    return {
        "format": FORMAT,
        "tokenizer": id,
        "sha256": get_registry(plan.settings).sha256(id),
        **{name: getattr(one, name) for name in names},
        "frequencies": dict(zip(map(str, ids.tolist()), one.frequencies[ids].tolist(), strict=True)),
    }
