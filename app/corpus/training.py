"""Count the words (pre-tokens) of a corpus for training: each part on its own, and then added up.

A learner of merges sees only words and their counts, so it makes the merges that it would make of the whole corpus on
one machine, whatever the parts and the number of workers.
"""

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import orjson

from ..errors import Invalid, TokenariumError
from ..lab.train.options import PATTERNS, TrainingOptions, check_options
from ..scratch.fast.word_counts import count_text_words
from .external_sort import WordCounts
from .results import ResultCache
from .running import Work, run
from .sources import Policy, ReadContext, SourcePart, Unread, batches

MAX_WORDS = 1 << 20
"""Different words of a part that are counted at once; more are packed, and counting begins again."""
LEVEL = 1
"""Of the compression with which counts are sent and kept: the fastest."""


@dataclass(frozen=True, slots=True)
class Split:
    """How documents are read and split into words.

    `named` is true for a pattern of this program, which is searched without a limit of time.
    """

    pattern: str
    special_tokens: tuple[str, ...] = ()
    lowercase: bool = False
    named: bool = True
    column: str = "text"
    invalid: Policy = "refuse"

    @classmethod
    def of(cls, options: TrainingOptions, column: str = "text", invalid: Policy = "refuse") -> "Split":
        """Return the splitting of text by a training. Raises `Invalid` for options that cannot learn from counts."""
        check_options(options)
        if options.engine != "scratch" or options.algorithm == "unigram":
            detail = "Only bpe and wordpiece by the engine scratch learn from counted words."
            raise Invalid(detail, pointer="/algorithm" if options.algorithm == "unigram" else "/engine")
        if options.transition is not None:
            detail = "superwords_after needs the texts themselves; this training learns from counted words."
            raise Invalid(detail, pointer="/superwords_after")
        if options.ties == "first-seen":
            raise Invalid("ties cannot be first-seen: counts do not say what was seen first.", pointer="/ties")
        named = options.pattern in PATTERNS
        return cls(
            pattern=options.expression,
            special_tokens=options.all_special_tokens,
            lowercase=options.lowercase,
            named=named,
            column=column,
            invalid=invalid,
        )

    def words(self) -> dict[str, Any]:
        """Return the settings that decide the words, by their names in kept counts."""
        return {"pattern": self.pattern, "special_tokens": [*self.special_tokens], "lowercase": self.lowercase}


@dataclass(slots=True)
class CountSummary:
    """The documents and the bytes that were counted, and what was not read."""

    documents: int = 0
    bytes: int = 0
    unread: Unread = field(default_factory=Unread)


@dataclass(slots=True)
class PartWords:
    """The words of a part with their counts, in pieces that `pack_counts` made, and what was counted."""

    pieces: list[bytes] = field(default_factory=list)
    counted: CountSummary = field(default_factory=CountSummary)

    def dump(self) -> bytes:
        """Return it as bytes, from which `load` makes it again."""
        head = {**asdict(self.counted), "sizes": [*map(len, self.pieces)]}
        return b"\n".join([json.dumps(head).encode(), b"".join(self.pieces)])

    @classmethod
    def load(cls, data: bytes) -> "PartWords":
        head, _, rest = data.partition(b"\n")
        about = json.loads(head)
        ends = [*accumulate(about["sizes"], initial=0)]
        if ends[-1] != len(rest):
            raise ValueError("not whole")
        counted = CountSummary(about["documents"], about["bytes"], Unread(**about["unread"]))
        return cls([rest[begin:end] for begin, end in pairwise(ends)], counted)


def pack_counts(counts: Mapping[str, int]) -> bytes:
    """Return counts as bytes.

    >>> unpack_counts(pack_counts(Counter("aab")))
    {'a': 2, 'b': 1}
    """
    return zlib.compress(orjson.dumps(counts), LEVEL)


def unpack_counts(data: bytes) -> dict[str, int]:
    counts: dict[str, int] = orjson.loads(zlib.decompress(data))
    return counts


def count_part(split: Split, part: SourcePart) -> PartWords:
    """Count the words of a part; what cannot be read is said in the result. Runs in any process."""
    try:
        return _count_batches(split, part)
    except (TokenariumError, OSError) as error:
        return _make_failure(part, error)


def _make_failure(part: SourcePart, error: Exception) -> PartWords:
    return PartWords(counted=CountSummary(unread=Unread.of_part(part, error)))


def _count_batches(split: Split, part: SourcePart) -> PartWords:
    reading = ReadContext(split.column, "", split.invalid)
    found = PartWords()
    found.counted.unread = reading.unread
    words = Counter[str]()
    for batch in batches(part, reading):
        found.counted.documents += len(batch.documents)
        found.counted.bytes += sum(map(len, batch.documents))
        words.update(
            count_text_words(
                map(bytes.decode, batch.documents),
                pattern=split.pattern,
                special_tokens=split.special_tokens,
                normalize=str.lower if split.lowercase else None,
                trusted=split.named,
            )
        )
        if len(words) > MAX_WORDS:
            found.pieces.append(pack_counts(words))
            words.clear()
    if words:
        found.pieces.append(pack_counts(words))
    return found


def count_words(
    split: Split,
    todo: Iterable[SourcePart],
    executor: Executor,
    into: WordCounts,
    *,
    saved: ResultCache | None = None,
    workers: int = 2,
    progress: Callable[[SourcePart], None] = lambda part: None,
) -> CountSummary:
    """Count the words of parts on an executor, and add them to a sum; what is in `saved` is read there."""
    depends = json.dumps(asdict(split))
    work = Work(
        do=partial(count_part, split),
        depends=depends,
        dump=PartWords.dump,
        load=PartWords.load,
        complete=_is_complete,
        make_failure=_make_failure,
    )
    total = CountSummary()
    for part, found in run(work, todo, executor, saved=saved, workers=workers, tick=getattr(progress, "tick", None)):
        for piece in found.pieces:
            into.add(unpack_counts(piece))
        total.documents += found.counted.documents
        total.bytes += found.counted.bytes
        total.unread += found.counted.unread
        progress(part)
    return total


def _is_complete(found: PartWords) -> bool:
    return not found.counted.unread.failed


def differences(split: Split, about: Mapping[str, Any]) -> Iterator[str]:
    """Yield each setting by which the words of kept counts were split otherwise."""
    for name, value in split.words().items():
        if about.get(name) != value:
            yield f"{name.replace('_', '-')} was {about.get(name)!r}, and is {value!r}"
