"""The words that a pattern makes of a text, the alternative that matched each, the gaps, and tests of a pattern.

A test is a text with the words that the pattern must make of it, one a line, the words divided by `|`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import regex

from ...errors import BadFile, Invalid, TooLarge
from ...files.patterns import check_pattern_complexity
from ...scratch.compat.oniguruma.search import compile_onig_pattern as onig_compiled
from ...scratch.compat.unicode_versions import as_of_16
from ...scratch.fast.pretokenize import TIMEOUT_SECONDS, compile_untrusted, matches
from ..steps.patterns import alternatives
from .presets import Flavor

MAX_PATTERNS = 8
"""Patterns that are applied one after the other, at most."""
Span = tuple[int, int]
MAX_TESTS = 50
MAX_LENGTH = 500
"""Tests of a pattern, and characters of one, at most."""
ESCAPES = {"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
"""How characters are written that would end a word or a line."""
PLAIN = {escape[1]: char for char, escape in ESCAPES.items()}


@dataclass(frozen=True, slots=True)
class GroupMatch:
    """What a capturing group of a pattern matched in a word."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Word:
    """A part of a text, in characters: a match, by the alternative of this index, or a gap without one.

    `matched` is False for a gap; a match has no alternative where none of them matches it alone.
    """

    start: int
    end: int
    matched: bool
    alternative: int | None = None
    groups: tuple[GroupMatch, ...] = ()


@dataclass(frozen=True, slots=True)
class Alternative:
    """A top-level alternative of the pattern of this step."""

    source: str
    step: int


@dataclass(frozen=True)
class PatternSplit:
    """A text in words, which join to it. `empty` is the number of matches of nothing, which make no word."""

    text: str
    words: tuple[Word, ...]
    alternatives: tuple[Alternative, ...]
    empty: int = 0

    @cached_property
    def matched(self) -> list[Span]:
        """The matches."""
        return [(word.start, word.end) for word in self.words if word.matched]

    @cached_property
    def gaps(self) -> list[Span]:
        """What no match covers."""
        return [(word.start, word.end) for word in self.words if not word.matched]

    @cached_property
    def uses(self) -> list[int]:
        """The number of words of each alternative."""
        counted = [word.alternative for word in self.words]
        return [counted.count(number) for number in range(len(self.alternatives))]


@dataclass(frozen=True)
class Searcher:
    """A compiled pattern: its matches in a text, which alternative made one, and its groups."""

    spans: Callable[[str], list[Span]]
    alternatives: tuple[str, ...]
    compiled: "tuple[regex.Pattern[str] | None, ...]"
    grouped: "regex.Pattern[str] | None" = None
    exact: bool = False

    def prepare(self, text: str) -> str:
        """Return a text as its alternatives are to be searched."""
        return text if self.exact else as_of_16(text)

    def alternative(self, text: str, span: Span) -> int | None:
        """Return the index of the first alternative that matches at a place, None unless it matches just this."""
        for number, pattern in enumerate(self.compiled):
            if pattern is None:
                return None
            if match := pattern.match(text, span[0], timeout=TIMEOUT_SECONDS):
                return number if match.end() == span[1] else None
        return None

    def groups(self, text: str, span: Span) -> Iterator[GroupMatch]:
        """Yield what the groups matched in a match."""
        match = self.grouped.match(text, span[0], timeout=TIMEOUT_SECONDS) if self.grouped else None
        names = {number: name for name, number in self.grouped.groupindex.items()} if self.grouped else {}
        if match and match.span() == span:
            for number in range(1, len(match.groups()) + 1):
                if match.start(number) >= 0:
                    yield GroupMatch(names.get(number, str(number)), *match.span(number))


@dataclass(frozen=True, slots=True)
class PatternTest:
    """A text, its words as they should be, and as they are."""

    text: str
    expected: tuple[str, ...]
    actual: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.expected == self.actual


def check(patterns: Sequence[str], pointer: str = "/pattern") -> None:
    """Raise `Invalid` for patterns that may be costly to compile, without compiling them.

    >>> check(["a{10000}"])
    Traceback (most recent call last):
    tokenarium.errors.Invalid: The repeat count at character 2 of the pattern is over 1,000.
    """
    if not 1 <= len(patterns) <= MAX_PATTERNS:
        detail = f"Write one to {MAX_PATTERNS} patterns, one a line; they are applied one after the other."
        raise Invalid(detail, pointer=pointer, limit=MAX_PATTERNS)
    for pattern in patterns:
        try:
            check_pattern_complexity(pattern)
        except BadFile as error:
            raise Invalid(error.detail, pointer=pointer, limit=error.limit) from None


def lines(pattern: str) -> list[str]:
    r"""Return the patterns of a form, one a line.

    >>> lines("\\d+\n\n +\n")
    ['\\d+', ' +']
    """
    return [line for line in pattern.split("\n") if line]


def searcher(pattern: str, dialect: Flavor) -> Searcher:
    r"""Compile a pattern as one of our implementations reads it. Raises `Invalid`.

    >>> searcher(r"\h+", "tokenizers").spans("cafe \t"), searcher(r"\h+", "tiktoken").spans("cafe \t")
    ([(0, 4)], [(4, 6)])
    """
    sources = alternatives(pattern)
    if dialect == "tiktoken":
        whole = compile_untrusted(pattern)
        spans = lambda text: [match.span() for match in matches(whole, as_of_16(text))]  # noqa: E731
        each = _each(alternatives(whole.pattern), whole.flags)
        return Searcher(spans, sources, each, whole if whole.groups else None)
    try:
        onig = onig_compiled(pattern)
    except (BadFile, regex.error) as error:
        raise Invalid(str(error), pointer="/pattern") from None
    translated = alternatives(onig.translated.pattern)
    shown = sources if len(sources) == len(translated) else translated
    return Searcher(onig.spans, shown, _each(translated, onig.translated.flags), exact=onig.exact)


def _each(sources: Sequence[str], flags: int) -> "tuple[regex.Pattern[str] | None, ...]":
    """Compile each alternative by itself; None for one that refers to a group of another."""
    compiled: list[regex.Pattern[str] | None] = []
    for source in sources:
        try:
            compiled.append(regex.compile(source, flags))
        except regex.error:
            compiled.append(None)
    return tuple(compiled)


def read(patterns: Sequence[str], text: str, dialect: Flavor) -> PatternSplit:
    r"""Split a text at one pattern after the other. Raises `Invalid` and `RegexTimeout`.

    >>> reading = read([r"\p{L}+|\d"], "ab-1", "tiktoken")
    >>> [(text, word.alternative) for word in reading.words for text in ["ab-1"[word.start : word.end]]]
    [('ab', 0), ('-', None), ('1', 1)]
    """
    words: list[Word] = [Word(0, len(text), matched=False)] if text else []
    listed: list[Alternative] = []
    empty = 0
    for step, pattern in enumerate(patterns):
        one = searcher(pattern, dialect)
        split: list[Word] = []
        for word in words:
            spans = one.spans(text[word.start : word.end])
            empty += sum(start == end for start, end in spans)
            split += _split(word, text, one, [span for span in spans if span[0] < span[1]], len(listed))
        words = split
        listed += [Alternative(source, step) for source in one.alternatives]
    return PatternSplit(text, tuple(words), tuple(listed), empty)


def _split(word: Word, text: str, one: Searcher, spans: Sequence[Span], first: int) -> Iterator[Word]:
    """Yield the parts of a word: matches, and what lies between them, which stays what it was."""
    part = text[word.start : word.end]
    searched = one.prepare(part)
    at = 0
    for start, end in [*spans, (len(part), len(part))]:
        if at < start:
            whole = (at, start) == (0, len(part))
            yield word if whole else Word(word.start + at, word.start + start, word.matched, word.alternative)
        if word.matched and (start, end) == (0, len(part)):
            yield word  # an earlier pattern has made this word
        elif start < end:
            number = _alternative(one, searched, (start, end))
            groups = tuple(
                GroupMatch(group.name, word.start + group.start, word.start + group.end)
                for group in one.groups(searched, (start, end))
            )
            alternative = None if number is None else first + number
            yield Word(word.start + start, word.start + end, True, alternative, groups)
        at = end


def _alternative(one: Searcher, searched: str, span: Span) -> int | None:
    """Return the alternative that matched, None if to find it exceeds the time limit."""
    try:
        return one.alternative(searched, span)
    except TimeoutError:
        return None


def write_test(words: Sequence[str]) -> str:
    r"""Return words as the line of a test.

    >>> write_test(["a|b", " 12", "\n"])
    'a\\|b| 12|\\n'
    """
    return "|".join("".join(ESCAPES.get(char, char) for char in word) for word in words)


def parse_test(line: str) -> tuple[str, ...]:
    r"""Return the words in the line of a test.

    >>> parse_test(r"a\|b| 12|\n")
    ('a|b', ' 12', '\n')
    """
    words = regex.findall(r"((?:\\.|[^|\\]|\\$)+)", line)
    return tuple(regex.sub(r"\\(.)", lambda found: PLAIN.get(found[1], found[0]), word) for word in words)


def run_tests(patterns: Sequence[str], tests: str, dialect: Flavor) -> Iterator[PatternTest]:
    """Yield each test with the words of the patterns. Raises `Invalid`, `TooLarge` and what `read` raises."""
    lines = [line for line in tests.split("\n") if line]
    if len(lines) > MAX_TESTS:
        raise Invalid(f"Write at most {MAX_TESTS} tests; these are {len(lines)}.", pointer="/tests", limit=MAX_TESTS)
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_LENGTH:
            detail = f"Test {number} has {len(line):,} characters; a test has at most {MAX_LENGTH}."
            raise TooLarge(detail, pointer="/tests", limit=MAX_LENGTH)
        expected = parse_test(line)
        text = "".join(expected)
        words = read(patterns, text, dialect).words
        yield PatternTest(text, expected, tuple(text[word.start : word.end] for word in words))
