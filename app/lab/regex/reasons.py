"""Why a word of a text is what it is: how far each alternative comes at its first character, the last one matching."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from ...errors import BadFile, Invalid
from .explanation import PatternPart, explain
from .presets import Flavor
from .words import Searcher, Span, Word, read, searcher


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
    shifted = (
        Attempt(
            number=first + index,
            source=attempt.source,
            matches=attempt.matches,
            taken=(attempt.taken[0] + outer.start, attempt.taken[1] + outer.start),
            part=attempt.part,
        )
        for index, attempt in enumerate(attempts)
    )
    return WordReasons(word, tuple(shifted))


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
