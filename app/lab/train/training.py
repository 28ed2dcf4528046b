"""A training from texts to a measured vocabulary: the one run behind the page, the API and the command line."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import Invalid
from ...registry import Registry
from ...settings import Settings
from ...types import UNKNOWN, Encoding, TrainedVocab
from ..metrics import count_flagged
from ..models import resolve_model
from ..option_schema import list_ignored_options
from ..text_index import TextIndex
from ..tokenize import tokenize
from .corpora import TrainingCorpus, corpus
from .events import CountingEvent, Event, StartedEvent, make_doing_event, note
from .exports import Exports, export, load_trained
from .learning import count_words, learn, without_line_ends
from .measuring import curve, knee, length_distribution, longest, readable
from .options import ALGORITHMS, BASELINE, TRAINERS, TrainingOptions, check_options


@dataclass(frozen=True, slots=True)
class Baseline:
    """A vocabulary to compare with: its id, and the number of tokens that a text has in it."""

    id: str
    count: Callable[[str], int]


SAMPLE = 4000
"""Characters of the held-out text that are kept for the comparison page."""


def load_baseline(settings: Settings, name: str = BASELINE) -> Baseline | None:
    """Return the vocabulary of a tokenizer or model to compare with; None for a default that the store lacks.

    Raises `UnknownTokenizer`.
    """
    registry = Registry(settings)
    if name == BASELINE and name not in registry:
        return None
    id = resolve_model(registry, name, pointer="/baseline")
    return Baseline(id, lambda text: len(tokenize(registry, text, tokenizer=id).encoding))


@dataclass(frozen=True, slots=True, eq=False)
class TrainingResult:
    """The outcome of a training: the vocabulary, its files, the first event, and a summary of metrics as plain data."""

    learned: TrainedVocab
    exports: Exports
    started: StartedEvent
    summary: dict[str, Any]


def train(
    texts: Sequence[str], options: TrainingOptions, *, corpus_name: str = "", baseline: Baseline | None = None
) -> Iterator[Event | TrainingResult]:
    """Learn a vocabulary from texts: yields events on the way, and the outcome as the last item.

    >>> *_, trained = train(["low low lower new newer"], TrainingOptions(size=259, held_out=0))
    >>> trained.learned.pieces[256:], trained.summary["measured"]["tokens"]
    (('lo', 'low', 'er'), 15)

    Raises `Invalid` for options that cannot be trained and for a corpus without words, `LoneSurrogate`, `RegexTimeout`.
    """
    parts = corpus(texts, held_out=check_options(options).held_out)
    started: StartedEvent = {
        "kind": "started",
        "options": options.model_dump(),
        "corpus": corpus_name,
        "bytes": parts.bytes,
        "sha256": parts.sha256,
    }
    yield started
    learned = None
    for event in learn((yield from _words(parts, options)), parts.texts, options):
        if isinstance(event, TrainedVocab):
            learned = event
        else:
            yield event
    assert learned is not None
    yield make_doing_event("Measuring on the held-out text")
    notes = [*remarks(learned, options), parts.note]
    yield from map(note, notes)
    # The files are written here, once: measuring, downloads and the store all use these.
    exports = export(learned)
    yield TrainingResult(
        learned,
        exports,
        started,
        summary(learned, exports=exports, parts=parts, options=options, notes=notes, baseline=baseline),
    )


def _words(parts: TrainingCorpus, options: TrainingOptions) -> Generator[CountingEvent, None, Mapping[str, int]]:
    """Pre-tokenize the training texts: yields progress, returns the count of each word."""
    counts: Mapping[str, int] = {}
    for event in count_words(parts.texts, options):
        if isinstance(event, Counter):
            counts = event
        else:
            yield event
    if not counts:
        raise Invalid("The corpus has no words in it; at least one is needed.", pointer="/texts")
    return counts


def remarks(learned: TrainedVocab, options: TrainingOptions) -> Iterator[str]:
    """Remarks on options without effect, on the curve of Unigram, and on a size that was not reached."""
    if ignored := list_ignored_options(options):
        by = ALGORITHMS[options.algorithm] + ("" if options.engine == "scratch" else f" by {TRAINERS[options.engine]}")
        yield f"Without effect on {by}: {', '.join(ignored)}."
    if options.algorithm == "unigram":
        yield "The smaller vocabularies of the curve are not trained: they are the likeliest tokens of this one."
    size = len(learned.pieces)
    if size < options.size:
        times = "twice" if options.min_frequency == 2 else f"{options.min_frequency:,} times"
        no_pair = f"no pair occurs {times} any more" if options.min_frequency > 1 else "no pair is left"
        reason = "no more substrings occur twice" if options.algorithm == "unigram" else f"after these, {no_pair}"
        yield f"{options.size:,} tokens were requested; the corpus yields {size:,}: {reason}."
    elif size > options.size:
        yield f"{options.size:,} tokens were requested; the alphabet and the special tokens alone are {size:,}."


def summary(
    learned: TrainedVocab,
    exports: Exports,
    parts: TrainingCorpus,
    options: TrainingOptions,
    notes: Sequence[str],
    baseline: Baseline | None,
) -> dict[str, Any]:
    """What the page shows of a vocabulary, as plain data: metrics, curve, notes, and tokens to look at."""
    unit = learned.unit
    pieces = [piece for piece in learned.pieces if piece not in learned.special_tokens]
    *_, counts = count_words(parts.held_out, options, encoding=True)
    assert isinstance(counts, Counter)
    points = curve(learned, without_line_ends(counts) if options.uses_metaspace else counts)
    tokenizer = load_trained(learned, exports)
    encodings = [tokenizer.encode(text) for text in parts.held_out]
    return {
        "size": len(learned.pieces),
        "notes": list(notes),
        "measured": measure_held_out(parts, encodings, baseline),
        "curve": points,
        "knee": knee(points),
        "lengths": length_distribution(pieces, unit),
        "newest": [readable(piece, unit) for piece in pieces[-24:]],
        "longest": longest(pieces, unit),
        "sample": "".join(parts.held_out)[:SAMPLE],
    }


def measure_held_out(parts: TrainingCorpus, encodings: Sequence[Encoding], baseline: Baseline | None) -> dict[str, Any]:
    """Lengths of the held-out text in each unit; `saved` is 1 − tokens / tokens of the baseline.

    It is None where all tokens are unknown: one can stand for any amount of text, and saves nothing.
    """
    tokens = sum(map(len, encodings))
    unknown = sum(count_flagged(encoding, UNKNOWN) for encoding in encodings)
    indexes = [TextIndex(text) for text in parts.held_out]
    baseline_tokens = sum(map(baseline.count, parts.held_out)) if baseline else None
    return {
        "characters": sum(map(len, parts.held_out)),
        "bytes": sum(len(index.data) for index in indexes),
        "words": sum(len(index.word_starts) for index in indexes),
        "tokens": tokens,
        "unknown": unknown,
        "baseline": baseline.id if baseline else None,
        "baseline_tokens": baseline_tokens,
        "saved": 1 - tokens / baseline_tokens if baseline_tokens and unknown < tokens else None,
    }
