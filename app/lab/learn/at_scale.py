"""Training at scale: what BPE learns from a book, and what each learner does for it; counted by `tokenarium scale`.

The merges are learned when they are first asked for, in less than a second. The pairs that the slow learners look at,
the seconds, and what the vocabularies of models make of the book are in the store.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from os import cpu_count
from pathlib import Path
from platform import machine, python_version
from time import process_time

from ...atomic_files import write_whole
from ...errors import BadFile
from ...registry import Registry
from ...scratch.fast.bpe.encode import ByteLevelBPE
from ...scratch.fast.bpe.learn import BPELearner
from ...scratch.fast.bpe.symbol_corpus import number_bytes
from ...scratch.fast.word_counts import count_text_words
from ...scratch.incremental_bpe import Indexed, Stale, learn_by_index
from ...scratch.learn_bpe import best_pair, count_pairs
from ...scratch.learn_bpe import replace as replace_pair
from ...scratch.pretokenize import GPT2
from ...scratch.vocabulary_size import embedding_share
from ..charts import ChartLine, LineChart, draw_chart
from ..train.corpora import BOOK, read_chapters
from .calculator_charts import shorten_labels
from .sizes import LLAMA2_7B

FIGURES = "figures.json"
BYTES = 256
SIZE = 10_000
SIZES = (500, 1000, 2000, 5000, SIZE)
"""Sizes of the vocabulary at which its rows are counted."""
RARE = 100
"""A row that training sees less often than this is called rare here."""
MODELS = ("mistral-v1", "gpt2", "cl100k_base", "o200k_base")
"""Vocabularies of models, from 32,000 to 200,000 tokens."""
TIMED = {"table": 30, "text": 3}
"""Merges at which the slow learners are timed: on the table of words, and on the words as they stand in the text."""


@dataclass(frozen=True, slots=True)
class RowUse:
    """A vocabulary and the book: its tokens, the rows that it uses, and those that it uses 100 times and more."""

    name: str
    size: int
    tokens: int
    used: int
    frequent: int

    @property
    def rare(self) -> int:
        """The rows that occur fewer than 100 times, those that never occur among them."""
        return self.size - self.frequent

    @property
    def share(self) -> float:
        """The share of the multiplications of Llama 2 7B that the output matrix would take with such a vocabulary."""
        return embedding_share(self.size, LLAMA2_7B._replace(tied=True))


@dataclass(frozen=True, slots=True)
class LearnedBook:
    """The tokens that merges make of the book, in their order, each with the count of its pair, and the rows by size.

    `words` is how many words the book has, `different` how many of them are different.
    """

    tokens: tuple[bytes, ...]
    counts: tuple[int, ...]
    lengths: tuple[int, ...]
    uses: tuple[RowUse, ...]
    words: int
    different: int
    byte_length: int

    @property
    def ranks(self) -> Mapping[bytes, int]:
        """The rank of each token; bytes come first."""
        single = [bytes([byte]) for byte in range(BYTES)]
        return {token: rank for rank, token in enumerate((*single, *self.tokens))}


@lru_cache(maxsize=1)
def learn_book(store: Path) -> LearnedBook:
    """Return what BPE learns from the book: 10,000 tokens, bytes included. Takes a second, once."""
    chapters = read_chapters(store)
    counts = count_text_words(chapters, pattern=GPT2, trusted=True)
    corpus = number_bytes(counts, numbering="gpt2").corpus(min_frequency=2, in_order=False)
    times: list[int] = []
    lengths: list[int] = []
    uses: list[RowUse] = []
    for choice in BPELearner(corpus, ties="smallest").steps(SIZE - BYTES + 1):  # a merge is applied when it goes on
        size = BYTES + len(times)
        lengths.append(corpus.size)
        if size in SIZES:
            seen = corpus.occurrences().values()
            frequent = sum(count >= RARE for count in seen)
            uses.append(RowUse("Moby-Dick", size, corpus.size, len(seen), frequent))
        if size == SIZE:
            break
        times.append(choice.times)
    tokens = tuple(spelling.encode("latin-1") for spelling in corpus.spellings[BYTES + 1 :])
    size = sum(len(chapter.encode()) for chapter in chapters)
    return LearnedBook(
        tokens, tuple(times), tuple(lengths), tuple(uses), words=counts.total(), different=len(counts), byte_length=size
    )


@dataclass(frozen=True, slots=True)
class LearnerWork:
    """What the learners have done after some merges: pairs of neighbours looked at, and seconds.

    `text` counts all pairs of the text again for each merge, `table` those of a table of different words; `index`
    counts those beside the merge. The seconds are those of the teaching file of `index`, and of the fast learner.
    """

    merges: int
    text: int
    table: int
    index: int
    index_seconds: float
    fast_seconds: float


@dataclass(frozen=True, slots=True)
class ScaleFigures:
    """What was measured of the book, when and on which machine; seconds are those of a processor.

    `recounted` has the merges and seconds of the learners that count all pairs again, as far as they were timed, and
    `megabytes` how many a second are encoded with its vocabulary. The index met `stale` entries of its heap.
    """

    date: str
    machine: str
    work: tuple[LearnerWork, ...]
    recounted: Mapping[str, tuple[int, float]]
    stale: int
    uses: tuple[RowUse, ...]
    megabytes: float


POINTS = (0, 1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 500, 1000, 2000, 5000, SIZE - BYTES)
"""Merges after which the work of the learners is recorded."""


def measure(store: Path, registry: Registry) -> ScaleFigures:
    """Train on the book by all learners, encode it by the vocabularies of models, and return what was measured.

    The learners that count all pairs again are timed for a few merges. Takes a minute.
    """
    book = learn_book(store)
    counts = count_text_words(read_chapters(store), pattern=GPT2, trusted=True)
    numbered = number_bytes(counts, numbering="gpt2")
    words = [[*map(ord, word)] for word in numbered.words]
    times = [*numbered.counts]
    running = [word for word, count in zip(words, times, strict=True) for _ in range(count)]
    recounted = {
        "table": (TIMED["table"], _time_recounting(words, times, TIMED["table"])),
        "text": (TIMED["text"], _time_recounting(running, [1] * len(running), TIMED["text"])),
    }
    work, stale = _record_index(words, times, book)
    fast = _time_fast(counts)
    uses = [_use_rows(registry, name, read_chapters(store)) for name in MODELS]
    return ScaleFigures(
        date=f"{datetime.now(UTC):%-d %B %Y}",
        machine=f"{cpu_count()} cores, {machine()}, Python {python_version()}",
        work=tuple(replace(one, fast_seconds=fast[one.merges]) for one in work),
        recounted=recounted,
        stale=stale,
        uses=(book.uses[-1], *uses),
        megabytes=_time_encoding(book, read_chapters(store)),
    )


def _time_recounting(words: Sequence[Sequence[int]], times: Sequence[int], merges: int) -> float:
    """Return the seconds of some merges by the functions of `learn_bpe`, which count all pairs before each."""
    vocabulary = [""] * (BYTES + merges)
    begin = process_time()
    for new in range(BYTES, BYTES + merges):
        pair = best_pair(count_pairs(words, times), vocabulary, "smallest")
        words = [replace_pair(word, pair, new) for word in words] if pair else words
    return round(process_time() - begin, 3)


def _record_index(
    words: Sequence[Sequence[int]], times: Sequence[int], book: LearnedBook
) -> tuple[list[LearnerWork], int]:
    """Return the work of the learner with an index after some merges, and the stale entries that it has met."""
    sizes = [len(word) for word in words]
    pairs = {"text": 0, "table": 0, "index": 0}
    in_table = sum(sizes) - len(words)
    work: list[LearnerWork] = []
    merges = stale = 0
    table: list[list[int]] = []
    seconds, begin = 0.0, process_time()
    for step in learn_by_index(words, times):
        seconds += process_time() - begin
        if isinstance(step, Stale):
            stale += 1
        else:
            pairs["index"] += step.looked
            if isinstance(step, Indexed):
                table = step.words
            else:
                merges += 1
                pairs["text"] += book.lengths[merges - 1] - book.words
                pairs["table"] += in_table
                for number in step.changed:
                    in_table -= sizes[number] - len(table[number])
                    sizes[number] = len(table[number])
            if merges in POINTS:
                work.append(LearnerWork(merges, **pairs, index_seconds=round(seconds, 3), fast_seconds=0))
            if merges == POINTS[-1]:
                break
        begin = process_time()
    return work, stale


def _time_fast(counts: Mapping[str, int]) -> Mapping[int, float]:
    """Return the seconds that the fast learner has taken after some merges, its table of words included."""
    begin = process_time()
    corpus = number_bytes(counts, numbering="gpt2").corpus(min_frequency=2, in_order=False)
    seconds = {}
    for merges, _ in enumerate(BPELearner(corpus, ties="smallest").steps(SIZE - BYTES + 1)):
        if merges in POINTS:
            seconds[merges] = round(process_time() - begin, 3)
    return seconds


def _use_rows(registry: Registry, name: str, chapters: Sequence[str]) -> RowUse:
    """Count how often a vocabulary of a model uses each of its rows for the book."""
    tokenizer = registry.get(name)
    seen = Counter[int]()
    for chapter in chapters:
        seen.update(tokenizer.encode(chapter).ids.tolist())
    frequent = sum(count >= RARE for count in seen.values())
    return RowUse(tokenizer.info.title, tokenizer.info.tokens or 0, seen.total(), len(seen), frequent)


def _time_encoding(book: LearnedBook, chapters: Sequence[str]) -> float:
    """Return how many megabytes a second the fast encoder reads with the vocabulary of the book."""
    encoder = ByteLevelBPE(book.ranks, pattern=GPT2)
    begin = process_time()
    for chapter in chapters:
        encoder.ids(chapter)
    return round(book.byte_length / 1e6 / (process_time() - begin), 1)


def save(store: Path, figures: ScaleFigures) -> None:
    """Write the figures to the store."""
    write_whole(store / BOOK / FIGURES, json.dumps(asdict(figures), indent=1).encode() + b"\n")


@lru_cache(maxsize=1)
def load_figures(store: Path) -> ScaleFigures:
    """Return the figures in the store. Raises `BadFile` if there are none.

    >>> from tokenarium.settings import Settings
    >>> load_figures(Settings().store).work[-1].merges
    9744
    """
    try:
        read = json.loads((store / BOOK / FIGURES).read_bytes())
    except OSError as error:
        raise BadFile("The figures of training at scale are missing; `tokenarium scale` writes them.") from error
    read["work"] = tuple(LearnerWork(**one) for one in read["work"])
    read["uses"] = tuple(RowUse(**one) for one in read["uses"])
    return ScaleFigures(**read)


def draw_pairs(figures: ScaleFigures) -> LineChart:
    """Draw the pairs that each learner has looked at, by merges."""
    lines = [
        ChartLine(name, [(one.merges, getattr(one, field) / 1e6) for one in figures.work if one.merges], 2 * tone)
        for tone, (field, name) in enumerate(LEARNERS.items())
    ]
    last = figures.work[-1]
    says = f"Pairs looked at in {last.merges:,} merges: {last.text:,}, {last.table:,} and {last.index:,}"
    return shorten_labels(draw_chart(lines, "merges", "pairs looked at, in millions", says, logarithmic=(True, True)))


def draw_seconds(figures: ScaleFigures) -> LineChart:
    """Draw the seconds of the learners that were timed to the end, by merges."""
    lines = [
        ChartLine(name, [(one.merges, getattr(one, field)) for one in figures.work], 2 * tone)
        for tone, (field, name) in enumerate(TIMED_LEARNERS.items(), 2)
    ]
    last = figures.work[-1]
    says = f"Seconds of {last.merges:,} merges: {last.index_seconds:.1f} and {last.fast_seconds:.1f}"
    return shorten_labels(draw_chart(lines, "merges", "seconds", says))


def draw_compression(book: LearnedBook) -> LineChart:
    """Draw the bytes of a token of the book, by the size of the vocabulary."""
    sizes = range(BYTES, SIZE + 1, (SIZE - BYTES) // 200)
    points = [(size, book.byte_length / book.lengths[size - BYTES]) for size in sizes]
    says = f"Bytes a token, from 1 to {points[-1][1]:.2f}"
    lines = [ChartLine("bytes a token", points)]
    return shorten_labels(draw_chart(lines, "rows of the vocabulary", "bytes a token", says))


def draw_rows(book: LearnedBook) -> LineChart:
    """Draw how many rows of each vocabulary are seen, and how many 100 times and more."""
    lines = [
        ChartLine(name, [(one.size, getattr(one, field)) for one in book.uses], 2 * tone, dotted=True)
        for tone, (field, name) in enumerate({"rare": "fewer than 100 times", "frequent": "100 times and more"}.items())
    ]
    last = book.uses[-1]
    says = f"Of {last.size:,} rows {last.rare:,} are seen fewer than 100 times"
    return shorten_labels(draw_chart(lines, "rows of the vocabulary", "rows", says))


LEARNERS = {
    "text": "counting the text again",
    "table": "counting the word table again",
    "index": "with an index of pairs",
}
"""The learners whose pairs are counted, by field of `LearnerWork`."""
TIMED_LEARNERS = {"index_seconds": "with an index, as in the course", "fast_seconds": "with an index, fast"}


def estimate_seconds(figures: ScaleFigures, learner: str) -> float:
    """Return the seconds of all merges by a learner that counts again, at the pace of those that were timed.

    >>> from tokenarium.settings import Settings
    >>> estimate_seconds(load_figures(Settings().store), "text") > 60
    True
    """
    merges, seconds = figures.recounted[learner]
    done, all = ({one.merges: getattr(one, learner) for one in figures.work}[at] for at in (merges, SIZE - BYTES))
    return float(seconds * all / done)
