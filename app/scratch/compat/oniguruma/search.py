"""Find the matches of a pattern as `tokenizers` finds them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from time import perf_counter

import regex

from ...fast.pretokenize import ends_before_spaces, make_timeout_error, time_limit
from ..unicode_versions import as_of_16
from .translation import Translation, translate

Span = tuple[int, int]


@dataclass(frozen=True)
class OnigPattern:
    """A compiled pattern. `source` is as the file has it, `translated` as it is compiled."""

    source: str
    translated: "regex.Pattern[str]"
    exact: bool
    can_be_empty: bool

    @property
    def text(self) -> str:
        """The pattern as it is compiled, with spaces as they are: for a literal one of common characters, its text."""
        return self.translated.pattern.replace(r"\ ", " ")

    @property
    def is_literal(self) -> bool:
        """True if it matches its source as it is."""
        return self.translated.pattern == regex.escape(self.source)

    def ends_before(self, spaces: Iterable[str]) -> bool:
        r"""True if a match always ends where one of some spaces follows a character that is none. False if in doubt.

        >>> literal("a b").ends_before(" "), literal(" b").ends_before(" ▁")
        (False, True)
        >>> compile_onig_pattern(r"\S+").ends_before("▁")
        False
        """
        if self.is_literal:
            return not any(space in self.source[1:] for space in spaces)
        spelled = self.text.replace("\r", r"\r").replace("\n", r"\n")
        return all(ends_before_spaces(spelled, space) for space in spaces)

    def spans(self, text: str) -> list[Span]:
        """Return all matches as (start, end). Raises `RegexTimeout` if the search exceeds its time limit.

        >>> compile_onig_pattern("a*").spans("baac"), compile_onig_pattern("a|").spans("aab")
        ([(0, 0), (1, 3), (4, 4)], [(0, 1), (1, 2), (3, 3)])
        """
        searched = text if self.exact else as_of_16(text)
        try:
            if self.can_be_empty:
                return [*self._with_empty(searched)]
            return [match.span() for match in self.translated.finditer(searched, timeout=time_limit(text))]
        except TimeoutError:
            raise make_timeout_error(text) from None

    def _with_empty(self, text: str) -> Iterator[Span]:
        """Yield the matches; an empty one at the end of the last match is none, and the search goes on behind it."""
        deadline = perf_counter() + time_limit(text)
        position = 0
        last = -1
        while position <= len(text) and text:
            match = self.translated.search(text, position, timeout=max(0.001, deadline - perf_counter()))
            if not match:
                return
            start, end = match.span()
            if start == end == last:
                position += 1
                continue
            yield start, end
            position = last = end


def literal(text: str) -> OnigPattern:
    """Return the pattern that matches a text as it is."""
    return OnigPattern(text, regex.compile(regex.escape(text)), exact=True, can_be_empty=not text)


def compile_onig_pattern(pattern: str, translation: Translation | None = None) -> OnigPattern:
    r"""Compile a pattern, whose complexity has been checked unless it is trusted.

    >>> compile_onig_pattern("[a[bc]]+").spans("[a]abc")
    [(1, 2), (3, 6)]
    """
    spelled = translation or translate(pattern)
    translated = regex.compile(spelled.source, regex.V0 | regex.MULTILINE)
    return OnigPattern(pattern, translated, spelled.exact, spelled.can_be_empty)
