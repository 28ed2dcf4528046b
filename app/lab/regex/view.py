"""What the page of the regex lab shows: coloured words, alternatives, differing places, and why a word is one."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import regex

from ...errors import BadFile, Invalid
from ..cell_views import CellView, cell_views, clip_text, cursive
from ..cells import Window
from ..display_runs import DisplayRun, runs
from ..palette import COLOURS
from ..steps.patterns import describe
from ..tokenize import Tokenization
from .effect import MAX_PLACES, WordDifference
from .engines import first_difference
from .examination import ATTACK_TIMES, Examination
from .explanation import PatternPart, explain
from .presets import Flavor
from .words import MAX_LENGTH as MAX_TEST
from .words import Alternative, PatternSplit, Searcher, Span, Word, read, searcher, write_test

MAX_CELLS = 3_000
"""Words that are shown as cells."""
MAX_ROWS = 500
"""Words that the table lists."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """What an alternative does at the first character of a word.

    - `number`: of the alternative, from 1, among those of all patterns.
    - `taken`: what it matches, or what its parts before `part` match.
    - `part`: the first part that does not match, None where the alternative matches or is not read part by part.
    - `at`: the character of the text at which that part fails.
    """

    number: int
    source: str
    matches: bool
    taken: Span
    part: PatternPart | None = None

    @property
    def at(self) -> int:
        return self.taken[1]


@dataclass(frozen=True, slots=True)
class WordReasons:
    """A word, and the attempts of its pattern, the last of which made it; of a gap, all fail."""

    word: Word
    attempts: tuple[Attempt, ...]


@dataclass(frozen=True, slots=True)
class WordCell:
    """A word on the page, from the character `start` on.

    `tone` is its colour; `ring` marks one that the other pattern does not make.
    """

    runs: tuple[DisplayRun, ...]
    gap: bool
    blank: bool
    tone: int
    title: str
    start: int
    alternative: int | None = None
    ring: bool = False


@dataclass(frozen=True, slots=True)
class AlternativeRow:
    """An alternative on the page: its colour, its number from 1, what it matches, and how many words it made."""

    number: int
    tone: int
    source: str
    meaning: str
    step: int
    uses: int


def explain_word(patterns: Sequence[str], text: str, at: int, dialect: Flavor) -> WordReasons:
    r"""Return why the word at a character of a text is what it is.

    >>> one = explain_word([r"\p{L}+|\p{N}{1,3}"], "ab1234", 3, "tiktoken")
    >>> [(attempt.source, attempt.matches, attempt.part and attempt.part.words) for attempt in one.attempts]
    [('\\p{L}+', False, 'one or more times: a letter of any script'), ('\\p{N}{1,3}', True, None)]

    Raises `Invalid` for a character that the text does not have, and what `words.read` raises.
    """
    reading = read(patterns, text, dialect)
    word = next((one for one in reading.words if one.start <= at < one.end), None)
    if word is None:
        raise Invalid(f"The text has no character {at}; it has {len(text):,}.", pointer="/at")
    step = len(patterns) - 1 if word.alternative is None else reading.alternatives[word.alternative].step
    whole = read(patterns[:step], text, dialect).words if step else (Word(0, len(text), matched=False),)
    outer = next(one for one in whole if one.start <= at < one.end)
    first = next(number for number, one in enumerate(reading.alternatives, 1) if one.step == step)
    one = searcher(patterns[step], dialect)
    attempts = _attempts(one, text[outer.start : outer.end], word.start - outer.start, dialect)
    return WordReasons(word, tuple(_shift(attempt, first + i, outer.start) for i, attempt in enumerate(attempts)))


def _shift(attempt: Attempt, number: int, start: int) -> Attempt:
    """Return an attempt with the number of its alternative and the place of the text in a larger one."""
    return replace(attempt, number=number, taken=(attempt.taken[0] + start, attempt.taken[1] + start))


def _attempts(one: Searcher, text: str, start: int, dialect: Flavor) -> Iterator[Attempt]:
    """Yield what each alternative does at a place, up to the first that matches something."""
    searched = one.prepare(text)
    for source in one.alternatives:
        if end := _find_end(source, searched, start, dialect):
            yield Attempt(0, source, True, (start, end))
            return
        yield _find_failure(source, searched, start, dialect)


def _find_failure(source: str, text: str, start: int, dialect: Flavor) -> Attempt:
    """Return how far the parts of an alternative come that does not match."""
    end = start
    before = ""
    for part in _parts(source):
        before += part.source
        further = _find_end(before, text, start, dialect, empty=True)
        if further is None:
            return Attempt(0, source, False, (start, end), part)
        end = further
    return Attempt(0, source, False, (start, start))


def _parts(source: str) -> tuple[PatternPart, ...]:
    """Return the parts of an alternative that follow one another; empty where it is not read part by part."""
    try:
        whole = explain(source)
    except BadFile:
        return ()
    parts = whole[0].parts if len(whole) == 1 else whole
    return parts if "".join(part.source for part in parts) == source else whole if len(whole) == 1 else ()


def _find_end(source: str, text: str, start: int, dialect: Flavor, *, empty: bool = False) -> int | None:
    """Return where a match at a place ends, None without one; a match of nothing counts only if `empty`."""
    try:
        (compiled, *more) = searcher(source, dialect).compiled
        match = None if compiled is None or more else compiled.match(text, start, timeout=1.0)
    except (Invalid, regex.error, TimeoutError):
        return None
    return match.end() if match and (empty or match.end() > start) else None


@dataclass(frozen=True)
class PatternView:
    """An examination on the page."""

    done: Examination

    @cached_property
    def cells(self) -> list[WordCell]:
        other = self.done.other
        return [*cells(self.done.reading, spans(other.words) if other else None)]

    @cached_property
    def other_cells(self) -> list[WordCell]:
        other = self.done.other
        return [*cells(other, spans(self.done.reading.words))] if other else []

    @cached_property
    def misread(self) -> int | None:
        """Where the words that are shown, which are ours, first differ from those of the library; None if nowhere."""
        rows = {row.name: row for row in self.done.engines}
        library = rows[self.done.dialect].matches
        ours = self.done.reading.matched
        place = first_difference(ours, library, self.done.text) if library is not None else None
        return place.start if place else None

    @property
    def cursive(self) -> bool:
        return cursive(self.done.text)

    @cached_property
    def rows(self) -> list[AlternativeRow]:
        """The alternatives."""
        reading = self.done.reading
        return [
            AlternativeRow(
                number=number + 1,
                tone=number % COLOURS,
                source=one.source,
                meaning=self.explain(one),
                step=one.step,
                uses=uses,
            )
            for number, (one, uses) in enumerate(zip(reading.alternatives, reading.uses, strict=True))
        ]

    def explain(self, one: Alternative) -> str:
        """Return what an alternative matches: in words that are known, or in those of its only part, or ""."""
        words = describe(one.source)
        if words != f"a match of {one.source}":
            return words
        parts = self.done.examined[one.step].parts
        return next((part.words for part in parts if part.source == one.source and not part.parts), "")

    @property
    def listed(self) -> Sequence[Word]:
        """The words of the table."""
        return self.done.reading.words[:MAX_ROWS]

    @property
    def places(self) -> Sequence[WordDifference]:
        """The first places where the second pattern differs."""
        return self.done.differences[:MAX_PLACES]

    @cached_property
    def dropped(self) -> int:
        """The number of characters that no match covers."""
        return sum(end - start for start, end in self.done.reading.gaps)

    @property
    def as_test(self) -> str:
        """The words as a test of the pattern, "" where they are too many for one."""
        words = self.done.reading.words
        line = write_test([self.done.text[word.start : word.end] for word in words[:MAX_TEST]])
        return line if len(line) <= MAX_TEST else ""

    def text(self, span: Word | WordDifference) -> tuple[DisplayRun, ...]:
        """Return a part of the text in runs, cut if it is long."""
        return tuple(runs(clip_text(self.done.text[span.start : span.end])))

    def attack(self, text: str) -> tuple[DisplayRun, ...]:
        """Return a string in runs, cut if it is long."""
        return tuple(runs(clip_text(text, 2 * ATTACK_TIMES)))

    @cached_property
    def tokens(self) -> list[tuple[Tokenization, list[CellView], list[bool]]]:
        """The tokens with the vocabulary's own pattern and with this one: cells, and by token whether it differs."""
        effect = self.done.effect
        if effect is None:
            return []
        both = zip((effect.own, effect.changed), effect.differing, strict=True)
        return [(one, [*cell_views(one, whole(one))], differing) for one, differing in both]


def whole(tokenization: Tokenization) -> Window:
    """Return the window of all tokens."""
    return Window(0, 0, len(tokenization.encoding), 0, len(tokenization.data))


def spans(words: Sequence[Word]) -> set[Span]:
    """Return the spans of words."""
    return {(word.start, word.end) for word in words}


def cells(reading: PatternSplit, other: Collection[Span] | None = None) -> Iterator[WordCell]:
    """Yield the words of a reading as cells; with those of another, those that it lacks have a ring.

    The colour is that of the alternative that matched; if there is only one, words take the colours in turn.
    """
    several = len(reading.alternatives) > 1
    for index, word in enumerate(reading.words[:MAX_CELLS]):
        text = reading.text[word.start : word.end]
        number = word.alternative
        title = f"alternative {number + 1}" if several and number is not None else ""
        tone = (number or 0) if several else index
        ring = other is not None and (word.start, word.end) not in other
        yield WordCell(
            runs=tuple(runs(text)),
            gap=not word.matched,
            blank=text.isspace(),
            tone=tone % COLOURS,
            title=title,
            start=word.start,
            alternative=number,
            ring=ring,
        )
