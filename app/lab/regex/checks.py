r"""Tests of a pattern: texts with the words that it must make of them, one a line, the words divided by `|`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import regex

from ...errors import Invalid, TooLarge
from .presets import Flavor
from .words import read

MAX_TESTS = 50
MAX_LENGTH = 500
"""Tests of a pattern, and characters of one, at most."""
ESCAPES = {"\\": "\\\\", "|": "\\|", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
"""How characters are written that would end a word or a line."""
PLAIN = {escape[1]: char for char, escape in ESCAPES.items()}


@dataclass(frozen=True, slots=True)
class PatternTest:
    """A text, its words as they should be, and as they are."""

    text: str
    expected: tuple[str, ...]
    actual: tuple[str, ...]

    @property
    def passed(self) -> bool:
        return self.expected == self.actual


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
    """Yield each test with the words of the patterns. Raises `Invalid`, `TooLarge` and what `words.read` raises."""
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
