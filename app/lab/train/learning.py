"""Learning: one generator over all trainers, which tells how far it is and ends in what was learned."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import regex

from app.lab.train.events import Counting, Doing, Learning, Pace, doing
from app.lab.train.lengths import LONGEST, distribution, length, readable
from app.lab.train.options import PATTERNS, Options
from app.scratch.counting import counting
from app.scratch.learn_unigram import Estimated, Step
from app.scratch.train_merges import Grown, train_bpe, train_wordpiece
from app.scratch.train_unigram import counted_unigram, train_unigram
from app.types import Learned

CHUNK = 1 << 18
"""Characters that are counted before it is told how far it is."""
SEAM = regex.compile(r"\p{L}\n(?=\p{L})")
"""Where every named pattern cuts a text, and cuts what is before and behind as if it were alone."""
NEWEST = 12
NARROW = 25
"""From one point of a chart to the next, a vocabulary grows by this part of what was learned."""
Words = Mapping[str, int]


def counted(texts: Sequence[str], options: Options) -> Iterator[Counting | Counter[str]]:
    """Cut texts into words, telling how far it is; ends in the words and how often each comes.

    >>> *_, counts = counted(["to be or not to be"], Options(pattern="spaces"))
    >>> dict(counts)
    {'to': 2, 'be': 2, 'or': 1, 'not': 1}
    """
    pace, read, of = Pace(), 0, sum(len(text.encode()) for text in texts)
    found = Counter[str]()
    if options.marks_spaces:
        for part in parts(texts):
            counted_unigram([part.lower() if options.lowercase else part], special_tokens=options.special, counts=found)
            read += len(part.encode())
            if pace.due():
                yield {"kind": "counting", "read": read, "of": of, "words": len(found)}
    else:
        named = options.pattern in PATTERNS
        given: Any = {"pattern": options.expression, "special_tokens": options.special, "trusted": named}
        told = counting(parts(texts, whole=not named), **given, normalize=str.lower if options.lowercase else None)
        characters = sum(map(len, texts)) or 1
        for state in told:
            found = state.words
            if pace.due():
                read = of * state.characters // characters
                yield {"kind": "counting", "read": read, "of": of, "words": len(found)}
    yield {"kind": "counting", "read": of, "of": of, "words": len(found)}
    yield found


def bare(counts: Words) -> Counter[str]:
    """The words of a unigram corpus, cut at special tokens, without the ends of lines that tell the last ones apart.

    >>> bare({"▁end\\n": 1, "▁end": 2})
    Counter({'▁end': 3})
    """
    found = Counter[str]()
    for word, count in counts.items():
        for part in word.removesuffix("\n").split("\t"):
            found[part] += count
    return found


def parts(texts: Iterable[str], *, whole: bool = False) -> Iterator[str]:
    """Texts in parts of about 250,000 characters, cut where it makes no difference; `whole` cuts none.

    >>> [len(part) for part in parts(["word\\n" * 100_000])]
    [262145, 237855]
    """
    for text in texts:
        here = 0
        while not whole and len(text) - here > CHUNK and (seam := SEAM.search(text, here + CHUNK - 1)):
            yield text[here : seam.end()]
            here = seam.end()
        yield text[here:]


def learning(counts: Words, texts: Sequence[str], options: Options) -> Iterator[Learning | Doing | Learned]:
    """Learn a vocabulary from words and how often each comes, or where SentencePiece does it, from texts.

    >>> *_, learned = learning({"low": 5, "lower": 2}, [], Options(size=258))
    >>> learned.pieces[256:]
    ('lo', 'low')
    """
    if options.engine != "scratch":
        yield doing(f"{options.engine} is learning; it does not tell how far it is")
        yield _by_reference(counts, texts, options)
    elif options.algorithm == "unigram":
        yield from _pruned(counts, options)
    else:
        yield from _merged(counts, options)


def _merged(counts: Words, options: Options) -> Iterator[Learning | Learned]:
    """What is learned merge by merge."""
    unit = "characters" if options.algorithm == "wordpiece" else options.unit
    pace, newest, points = Pace(), list[str](), list[tuple[int, int]]()
    lengths, first, next_point = [0] * LONGEST, 0, 0
    grown: Grown | None = None
    for step in _steps(counts, options):
        if isinstance(step, Learned):
            if grown and newest:
                yield _learning(grown, options, pace, newest, lengths, points)
            yield step
            return
        grown, first = step, first or step.size
        lengths[min(length(step.piece, unit), LONGEST) - 1] += 1
        newest.append(readable(step.piece, unit))
        if step.size >= next_point:
            points.append((step.size, step.tokens))
            next_point = step.size + max(1, (step.size - first) // NARROW)
        if pace.due():
            yield _learning(grown, options, pace, newest, lengths, points)
            newest, points = [], []


def _learning(
    grown: Grown,
    options: Options,
    pace: Pace,
    newest: Sequence[str],
    lengths: Sequence[int],
    points: Sequence[tuple[int, int]],
) -> Learning:
    return {
        "kind": "learning",
        "pieces": grown.size,
        "of": options.size,
        "at": pace.at,
        "points": [*dict.fromkeys([*points, (grown.size, grown.tokens)])],
        "newest": [*newest[-NEWEST:]],
        "lengths": [*lengths],
    }


def _steps(counts: Words, options: Options) -> Iterator[Grown | Learned]:
    common: dict[str, Any] = {
        "size": options.size,
        "pattern": options.expression,
        "special_tokens": options.special,
        "unknown": options.unknown,
        "at_least": options.at_least,
        "longest": options.longest,
        "ties": options.ties,
        "lowercase": options.lowercase,
    }
    if options.algorithm == "wordpiece":
        return train_wordpiece(counts, weighing=options.weighing, **common)
    return train_bpe(counts, unit=options.unit, **common)


def _pruned(counts: Words, options: Options) -> Iterator[Learning | Learned]:
    """What is learned by taking pieces away, each step an event: there are few."""
    pace, number = Pace(), 0
    steps = train_unigram(
        counts,
        size=options.size,
        special_tokens=[token for token in options.special if token != options.unknown],
        unknown=options.unknown or "",
        bytes_too=options.bytes_too,
        longest=options.longest or 16,
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
        yield _round(step, number, pace)


def _round(step: Step, number: int, pace: Pace) -> Learning:
    told: Learning = {
        "kind": "learning",
        "pieces": step.pieces,
        "of": step.aim,
        "at": pace.at,
        "points": [],
        "newest": [],
        "lengths": distribution(step.scores(), "characters"),
        "round": number,
    }
    if isinstance(step, Estimated):
        told["likelihood"] = step.log_likelihood
    return told


def _by_reference(counts: Words, texts: Sequence[str], options: Options) -> Learned:
    common: Any = {
        "algorithm": options.algorithm,
        "size": options.size,
        "special_tokens": options.special,
        "unknown": options.unknown,
        "longest": options.longest,
        "lowercase": options.lowercase,
        "bytes_too": options.bytes_too,
    }
    if options.engine == "sentencepiece":
        from app.adapters import train_sentencepiece

        lines = [line for text in texts for line in (text.lower() if options.lowercase else text).split("\n") if line]
        return train_sentencepiece.train(lines, split_digits=options.digits == "single", **common)
    from app.adapters import train_tokenizers

    unit = options.unit if options.algorithm == "bpe" else "characters"
    words = bare(counts) if options.marks_spaces else counts
    return train_tokenizers.train(words, unit=unit, pattern=options.expression, at_least=options.at_least, **common)
