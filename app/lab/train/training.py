"""A training from texts to a vocabulary and what is to be said of it: the one run of page, API and command line."""

from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from app.errors import Invalid
from app.lab.passage import Passage
from app.lab.tokenize import tokenize
from app.lab.train.corpora import Corpus, corpus
from app.lab.train.events import Counting, Event, Started, doing, note
from app.lab.train.learning import bare, counted, learning
from app.lab.train.lengths import distribution, longest, readable
from app.lab.train.measuring import curve, knee
from app.lab.train.options import ALGORITHMS, TRAINERS, Options, check
from app.lab.train.tokenizer import tokenizer
from app.registry import Registry
from app.settings import Settings
from app.types import UNKNOWN, Encoding, Learned

BASELINE = "o200k_base"
Baseline = Callable[[str], int]
"""How many tokens a text has in the vocabulary that the new one is compared with."""
SAMPLE = 4000
"""Characters of the held-out text that are kept to look at."""


def baseline_of(settings: Settings) -> Baseline | None:
    """o200k_base, where the store has it."""
    registry = Registry(settings)
    if BASELINE not in {info.id for info in registry.infos()}:
        return None
    return lambda text: len(tokenize(registry, text, tokenizer=BASELINE).encoding)


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """What came of a training, and its first event. `summary` is plain data: metrics, curve, notes, pieces to see."""

    learned: Learned
    started: Started
    summary: dict[str, Any]


def train(
    texts: Sequence[str], options: Options, *, about: str = "", baseline: Baseline | None = None
) -> Iterator[Event | Trained]:
    """Learn a vocabulary from texts: events as it goes on, and at last what came of it. `about` names the corpus.

    >>> *_, done = train(["low low lower new newer"], Options(size=259, held_out=0))
    >>> done.learned.pieces[256:], done.summary["measured"]["tokens"]
    (('lo', 'low', 'er'), 15)

    Raises `Invalid` for options that cannot be followed and a corpus without words, `LoneSurrogate`, `RegexTimeout`.
    """
    found = corpus(texts, held_out=check(options).held_out)
    asked: Started = {
        "kind": "started",
        "options": asdict(options),
        "corpus": about,
        "bytes": found.bytes,
        "sha256": found.sha256,
    }
    yield asked
    learned = None
    for step in learning((yield from _words(found, options)), found.texts, options):
        if isinstance(step, Learned):
            learned = step
        else:
            yield step
    assert learned is not None
    yield doing("Measuring on what was held out")
    notes = [*_notes(learned, options), found.note]
    yield from map(note, notes)
    yield Trained(learned, asked, summary(learned, found, options, notes, baseline))


def _words(found: Corpus, options: Options) -> Generator[Counting, None, Mapping[str, int]]:
    """Cut what is learned from into words, telling how far it is; returns how often each comes."""
    counts: Mapping[str, int] = {}
    for told in counted(found.texts, options):
        if isinstance(told, Counter):
            counts = told
        else:
            yield told
    if not counts:
        raise Invalid("The corpus has no words in it; at least one is needed.", pointer="/texts")
    return counts


def _notes(learned: Learned, options: Options) -> Iterator[str]:
    """What was asked for and could not be had, and how the curve of a vocabulary without an order is made."""
    if options.unheeded:
        by = ALGORITHMS[options.algorithm] + ("" if options.engine == "scratch" else f" by {TRAINERS[options.engine]}")
        yield f"Without effect on {by}: {', '.join(options.unheeded)}."
    if options.algorithm == "unigram":
        yield "The smaller vocabularies of the curve, untrained, are the characters and likeliest pieces of this one."
    got = len(learned.pieces)
    if got < options.size:
        times = "twice" if options.at_least == 2 else f"{options.at_least:,} times"
        few = f"no pair comes {times} any more" if options.at_least > 1 else "no pair is left"
        why = "it has no more substrings that come twice" if options.algorithm == "unigram" else f"after these, {few}"
        yield f"{options.size:,} pieces were asked for; the corpus gives {got:,}: {why}."
    elif got > options.size:
        yield f"{options.size:,} pieces were asked for; the alphabet and the special tokens alone are {got:,}."


def summary(
    learned: Learned, found: Corpus, options: Options, notes: Sequence[str], baseline: Baseline | None
) -> dict[str, Any]:
    """What is to be said of a vocabulary, as plain data."""
    unit = learned.unit
    pieces = [piece for piece in learned.pieces if piece not in learned.special_tokens]
    *_, counts = counted(found.held_out, options)
    assert isinstance(counts, Counter)
    points = curve(learned, bare(counts) if options.marks_spaces else counts)
    cut = tokenizer(learned)
    encodings = [cut.encode(text) for text in found.held_out]
    return {
        "size": len(learned.pieces),
        "notes": list(notes),
        "measured": measured(found, encodings, baseline),
        "curve": points,
        "knee": knee(points),
        "lengths": distribution(pieces, unit),
        "newest": [readable(piece, unit) for piece in pieces[-24:]],
        "longest": longest(pieces, unit),
        "sample": "".join(found.held_out)[:SAMPLE],
    }


def measured(found: Corpus, encodings: Sequence[Encoding], baseline: Baseline | None) -> dict[str, Any]:
    """How long the held-out text is, and in how many tokens; `saved` is the share of the baseline's that it saves."""
    tokens = sum(map(len, encodings))
    passages = [Passage(text) for text in found.held_out]
    words = sum(len(passage.word_starts) for passage in passages)
    others = sum(map(baseline, found.held_out)) if baseline else None
    return {
        "characters": sum(map(len, found.held_out)),
        "bytes": sum(len(passage.data) for passage in passages),
        "words": words,
        "tokens": tokens,
        "unknown": sum(int(((encoding.flags & UNKNOWN) > 0).sum()) for encoding in encodings),
        "baseline": BASELINE if baseline else None,
        "baseline_tokens": others,
        "saved": 1 - tokens / others if others else None,
    }
