"""Pre-tokenize a corpus and learn a vocabulary from its words: generators that report progress, over all trainers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import regex

from ...files.sentencepiece.train import train as train_with_sentencepiece
from ...files.tokenizer_json.train import train as train_with_tokenizers
from ...jobs.events import Throttle
from ...scratch.fast.bpe.superwords import Superwords
from ...scratch.fast.bpe.train import MergeProgress, train_bpe, train_wordpiece
from ...scratch.fast.unigram.learn import EstimationStep, UnigramLearningStep
from ...scratch.fast.unigram.train import count_unigram_words, train_unigram
from ...scratch.fast.word_counts import iter_word_counts
from ...types import TrainedVocab, Unit
from .events import CountingEvent, DoingEvent, LearningEvent, make_doing_event
from .measuring import MAX_LENGTH, length, length_distribution, readable
from .options import PATTERNS, TrainingOptions

CHUNK = 1 << 18
"""Characters that are pre-tokenized between two reports of progress."""
SEAM = regex.compile(r"\p{L}\n(?=\p{L})")
"""A place that every named pattern splits at, and on both sides of which it finds the same words as in the whole."""
NEWEST = 12
"""Tokens shown of those learned since the last event."""
POINTS = 25
"""The chart has a point each time the vocabulary has grown by one part in so many."""
WordCounts = Mapping[str, int]


def count_words(
    texts: Sequence[str], options: TrainingOptions, *, encoding: bool = False
) -> Iterator[CountingEvent | Counter[str]]:
    """Pre-tokenize texts: yields progress, and as the last item the count of each word.

    These are the words to learn from, or with `encoding` those of the trained tokenizer, which differ for superwords.

    >>> *_, counts = count_words(["to be or not to be"], TrainingOptions(pattern="spaces"))
    >>> dict(counts)
    {'to': 2, 'be': 2, 'or': 1, 'not': 1}
    """
    throttle = Throttle()
    read = 0
    total = sum(len(text.encode()) for text in texts)
    counts = Counter[str]()
    if options.uses_metaspace:
        special = options.all_special_tokens
        for chunk in chunks(texts):
            count_unigram_words([chunk.lower() if options.lowercase else chunk], special_tokens=special, counts=counts)
            read += len(chunk.encode())
            if throttle.is_due():
                yield {"kind": "counting", "read": read, "of": total, "words": len(counts)}
    else:
        characters = sum(map(len, texts)) or 1
        for state in _pattern_counts(texts, options, encoding=encoding):
            counts = state.words
            if throttle.is_due():
                read = total * state.characters // characters
                yield {"kind": "counting", "read": read, "of": total, "words": len(counts)}
    yield {"kind": "counting", "read": total, "of": total, "words": len(counts)}
    yield counts


def _pattern_counts(texts: Sequence[str], options: TrainingOptions, *, encoding: bool) -> Iterator[Any]:
    """The word counts after each chunk, where a regular expression splits the text."""
    across = encoding and options.transition is not None
    named = options.pattern in PATTERNS
    return iter_word_counts(
        # Nothing is known of a user's pattern, so its texts are not split into chunks; superwords cross line ends.
        chunks(texts, whole=across or not named),
        pattern=options.encoding_expression if encoding else options.expression,
        special_tokens=options.all_special_tokens,
        trusted=across or named,
        normalize=str.lower if options.lowercase else None,
    )


def without_line_ends(counts: WordCounts) -> Counter[str]:
    """The words of a Unigram corpus, split at special tokens, without the mark of a line's last word.

    >>> without_line_ends({"▁end\\n": 1, "▁end": 2})
    Counter({'▁end': 3})
    """
    merged = Counter[str]()
    for word, count in counts.items():
        for part in word.removesuffix("\n").split("\t"):
            merged[part] += count
    return merged


def chunks(texts: Iterable[str], *, whole: bool = False) -> Iterator[str]:
    """Texts in chunks of about 250,000 characters, split where it makes no difference; not at all if `whole`.

    >>> [len(chunk) for chunk in chunks(["word\\n" * 100_000])]
    [262145, 237855]
    """
    for text in texts:
        start = 0
        while not whole and len(text) - start > CHUNK and (seam := SEAM.search(text, start + CHUNK - 1)):
            yield text[start : seam.end()]
            start = seam.end()
        yield text[start:]


def learn(
    counts: WordCounts, texts: Sequence[str], options: TrainingOptions
) -> Iterator[LearningEvent | DoingEvent | TrainedVocab]:
    """Learn a vocabulary: yields progress, and the vocabulary as the last item.

    SentencePiece reads the texts itself, and so does a training of superwords.

    >>> *_, learned = learn({"low": 5, "lower": 2}, [], TrainingOptions(size=258))
    >>> learned.pieces[256:]
    ('lo', 'low')
    """
    if options.engine != "scratch":
        yield make_doing_event(f"{options.engine} is training; it does not report its progress")
        yield replace(_by_library(counts, texts, options), marks_spaces=options.uses_metaspace)
    elif options.algorithm == "unigram":
        yield from _learn_by_pruning(counts, options)
    else:
        yield from _learn_by_merging(counts, texts, options)


@dataclass(slots=True)
class _MergeReport:
    """What was learned since the last event, and the lengths of all tokens."""

    options: TrainingOptions
    unit: Unit
    throttle: Throttle = field(default_factory=Throttle)
    newest: list[str] = field(default_factory=list)
    points: list[tuple[int, int]] = field(default_factory=list)
    lengths: list[int] = field(default_factory=lambda: [0] * MAX_LENGTH)
    first_size: int = 0
    next_point: int = 0

    def add(self, step: MergeProgress) -> None:
        self.first_size = self.first_size or step.size
        self.lengths[min(length(step.piece, self.unit), MAX_LENGTH) - 1] += 1
        self.newest.append(readable(step.piece, self.unit))
        if step.size >= self.next_point:
            self.points.append((step.size, step.tokens))
            self.next_point = step.size + max(1, (step.size - self.first_size) // POINTS)

    def event(self, step: MergeProgress) -> LearningEvent:
        """The event after a step; what it holds is not reported again."""
        event: LearningEvent = {
            "kind": "learning",
            "pieces": step.size,
            "of": self.options.size,
            "at": self.throttle.seconds,
            "points": [*dict.fromkeys([*self.points, (step.size, step.tokens)])],
            "newest": self.newest[-NEWEST:],
            "lengths": [*self.lengths],
        }
        self.newest = []
        self.points = []
        return event


def _learn_by_merging(
    counts: WordCounts, texts: Sequence[str], options: TrainingOptions
) -> Iterator[LearningEvent | DoingEvent | TrainedVocab]:
    """Learn BPE or WordPiece, merge by merge."""
    report = _MergeReport(options, "characters" if options.algorithm == "wordpiece" else options.unit)
    last: MergeProgress | None = None
    for step in _merge_steps(counts, texts, options):
        if isinstance(step, TrainedVocab):
            if last and report.newest:
                yield report.event(last)
            yield step
            return
        last = step
        report.add(step)
        if report.throttle.is_due() or step.size == options.transition:
            yield report.event(step)
        if step.size == options.transition:
            yield make_doing_event("Applying the merges to the whole texts")


def _merge_steps(
    counts: WordCounts, texts: Sequence[str], options: TrainingOptions
) -> Iterator[MergeProgress | TrainedVocab]:
    common: dict[str, Any] = {
        "size": options.size,
        "pattern": options.expression,
        "special_tokens": options.all_special_tokens,
        "unknown": options.unknown,
        "min_frequency": options.min_frequency,
        "longest": options.max_token_length,
        "ties": options.ties,
        "lowercase": options.lowercase,
    }
    if options.algorithm == "wordpiece":
        return train_wordpiece(counts, weighing=options.scoring, **common)
    superwords = None
    if options.transition is not None:
        *_, whole = count_words(texts, options, encoding=True)
        assert isinstance(whole, Counter)
        superwords = Superwords(options.transition, whole, options.encoding_expression)
    return train_bpe(counts, unit=options.unit, superwords=superwords, **common)


def _learn_by_pruning(counts: WordCounts, options: TrainingOptions) -> Iterator[LearningEvent | TrainedVocab]:
    """Learn Unigram. There are few steps, so each is an event."""
    throttle = Throttle()
    number = 0
    steps = train_unigram(
        counts,
        size=options.size,
        special_tokens=[token for token in options.all_special_tokens if token != options.unknown],
        unknown=options.unknown or "",
        byte_fallback=options.byte_fallback,
        longest=options.max_token_length or 16,
        single_digits=options.digits == "single",
        as_sentencepiece=options.as_sentencepiece,
    )
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            yield replace(end.value, lowercase=options.lowercase, marks_spaces=True)
            return
        number += 1
        yield _make_pruning_event(step, number, throttle)


def _make_pruning_event(step: UnigramLearningStep, number: int, throttle: Throttle) -> LearningEvent:
    event: LearningEvent = {
        "kind": "learning",
        "pieces": step.pieces,
        "of": step.aim,
        "at": throttle.seconds,
        "points": [],
        "newest": [],
        "lengths": length_distribution(step.scores(), "characters"),
        "round": number,
    }
    if isinstance(step, EstimationStep):
        event["likelihood"] = step.log_likelihood
    return event


def _by_library(counts: WordCounts, texts: Sequence[str], options: TrainingOptions) -> TrainedVocab:
    common: Any = {
        "algorithm": options.algorithm,
        "size": options.size,
        "special_tokens": options.all_special_tokens,
        "unknown": options.unknown,
        "longest": options.max_token_length,
        "lowercase": options.lowercase,
        "byte_fallback": options.byte_fallback,
    }
    if options.engine == "sentencepiece":
        lines = [line for text in texts for line in (text.lower() if options.lowercase else text).split("\n") if line]
        return train_with_sentencepiece(lines, split_digits=options.digits == "single", **common)
    unit = options.unit if options.algorithm == "bpe" else "characters"
    words = without_line_ends(counts) if options.uses_metaspace else counts
    return train_with_tokenizers(words, unit=unit, pattern=options.expression, at_least=options.min_frequency, **common)
