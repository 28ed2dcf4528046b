r"""Pre-tokenization, fast: equal to `scratch.pretokenize`, with classes and case as tiktoken has them (Unicode 16).

ASCII text is searched with the standard library's `re`, which is faster than `regex`. The pattern for it is the same
but for its Unicode classes, which are reduced to their ASCII members, so both find the same matches in ASCII text.
Untrusted patterns, which come from users and their files, are searched with a time limit.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

import regex

from ...errors import Invalid, RegexTimeout
from ..compat.case_folding import spell_case
from ..compat.unicode_versions import as_of_16

SET = r"\[\^?(?:\\.|[^\[\]\\])+\]"
GUARDED = rf"\(\?:\(\?!\\p\{{\w+\}}\){SET}\)"
"""A class without the characters of another, as a look-ahead at the character itself: no later one decides."""
ATOM = rf"{SET}|{GUARDED}|" r"\\[pP]\{\w+\}|\\[sSdDwWrnt]|[^\\\[\](){}?*+|.^$]"
"""Part of a pattern that matches one character: a class, or a literal character."""
GROUP = r"\(\?i?:(?:[\w'|]|\[\w+\])+\)"
REPEAT = r"(?:[?*+]|\{\d+(?:,\d*)?\})?\+?"
STEP = regex.compile(rf"({ATOM}|{GROUP})({REPEAT})")
ALTERNATIVE = regex.compile(rf"(?:(?:{ATOM}|{GROUP}){REPEAT})+(\(\?!\\S\)|\$)?")
ALTERNATIVES = regex.compile(r"(?:\[(?:\\.|[^\]\\])*\]|\((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*\)|\\.|[^|\[(\\])+")


@lru_cache(maxsize=32)
def compile_regex(pattern: str) -> "regex.Pattern[str]":
    """Compile a pattern in tiktoken's dialect: Unicode classes, possessive quantifiers, `.` for any character."""
    try:
        return regex.compile(spell_case(pattern), regex.V0 | regex.DOTALL)
    except regex.error:
        return regex.compile(pattern, regex.V0 | regex.DOTALL)  # the error names its place in the pattern as it is


def compile_untrusted(pattern: str) -> "regex.Pattern[str]":
    """Compile a pattern that a user wrote. Raises `Invalid` for bad syntax; the caller has checked its complexity.

    >>> compile_untrusted("(a+")
    Traceback (most recent call last):
    tokenarium.errors.Invalid: The pattern is no regular expression: missing ) at position 3.
    """
    try:
        return compile_regex(pattern)
    except (regex.error, RecursionError, OverflowError, ValueError) as error:
        reason = str(error) if isinstance(error, regex.error) else "it is too complex"
        raise Invalid(f"The pattern is no regular expression: {reason}.", pointer="/pattern") from None


def finder(pattern: str, *, trusted: bool = True) -> Callable[[str], Iterable[str]]:
    r"""Return a function that returns the words of a text without their positions.

    >>> list(finder(r"\w+|.")("I'll"))
    ['I', "'", 'll']

    With an untrusted pattern, the function raises `RegexTimeout` as `split` does. Raises `Invalid` for bad syntax.
    """
    if not trusted:
        compile_untrusted(pattern)
        return lambda text: [word for _, word in split(pattern, text, trusted=False)]
    simple = ascii_pattern(pattern)
    every = compile_regex(pattern)
    if simple is None or every.groups:  # with groups, findall() returns the groups and not the match
        return lambda text: [word for _, word in split(pattern, text)]
    in_ascii = simple.findall
    in_any = every.findall

    def words(text: str) -> Iterable[str]:
        if text.isascii():
            return filter(None, in_ascii(text))  # a pattern can match the empty string, which is no word
        return filter(None, in_any(text)) if as_of_16(text) is text else [word for _, word in split(pattern, text)]

    return words


def split(pattern: str, text: str, *, trusted: bool = True) -> Iterator[tuple[int, str]]:
    r"""Yield the words of a text, each with the index of its first code point. Unmatched characters are left out.

    >>> list(split(r"\w+|.", "I'll"))
    [(0, 'I'), (1, "'"), (2, 'll')]

    Raises `Invalid` if an untrusted pattern has bad syntax, and `RegexTimeout` if it takes too long.
    """
    searched = as_of_16(text)
    for match in (
        compile_regex(pattern).finditer(searched) if trusted else matches(compile_untrusted(pattern), searched)
    ):
        start, end = match.span()
        if start < end:
            yield start, text[start:end]


def matches(pattern: "regex.Pattern[str]", text: str) -> list["regex.Match[str]"]:
    """Return all matches of an untrusted pattern. Raises `RegexTimeout` if the search exceeds its time limit.

    >>> [match.span() for match in matches(regex.compile("a+"), "aaba")]
    [(0, 2), (3, 4)]
    """
    try:
        return list(pattern.finditer(text, timeout=time_limit(text)))
    except TimeoutError:
        raise make_timeout_error(text) from None


def time_limit(text: str) -> float:
    """Return the processor time, in seconds, that an untrusted pattern may take on a text."""
    return max(TIMEOUT_SECONDS, TIMEOUT_SECONDS_PER_CHARACTER * len(text))


def make_timeout_error(text: str) -> RegexTimeout:
    """Return the error of a pattern that exceeded its time limit on a text."""
    return RegexTimeout(f"A tokenizer pattern exceeded its time limit of {time_limit(text):.1f} s on this text.")


TIMEOUT_SECONDS = 0.5
"""Processor time that a pattern may take on a short text; on a busy machine more time passes on the clock."""
TIMEOUT_SECONDS_PER_CHARACTER = 0.9 / 200_000
"""Processor time per character of a long text."""

ASCII = "".join(map(chr, range(128)))
CLASS = regex.compile(r"\\[pP]\{\w+\}|\\[sSdDwW]")
SET_OPERATION = re.compile(r"--|&&|~~|\|\|")
PIECES = regex.compile(rf"{CLASS.pattern}|\\.|[\[\]]|[^\\\[\]]+", regex.DOTALL)


@lru_cache(maxsize=32)
def ascii_pattern(pattern: str) -> re.Pattern[str] | None:
    r"""Return a pattern for `re` with the same matches in ASCII text, or None if `re` lacks some of its syntax.

    >>> ascii_pattern(r"\p{N}{1,3}|[^\s\p{L}]+").findall("12345 + x")
    ['123', '45', '+']
    """
    inside = False
    parts = []
    for piece in PIECES.findall(spell_case(pattern)):
        if inside and (piece == "[" or SET_OPERATION.search(piece)):
            return None  # `re` has no nested sets
        if piece in "[]":
            inside = piece == "["
        parts.append(_members(piece, inside=inside) if CLASS.fullmatch(piece) else piece)
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error:
        return None


def _members(name: str, *, inside: bool) -> str:
    """Return a named class as its ASCII members, with brackets of its own unless it is `inside` brackets."""
    members = "".join(re.escape(char) for char in regex.findall(name, ASCII))
    if inside:
        return members
    return f"[{members}]" if members else "(?!)"  # an empty class matches nothing


@lru_cache(maxsize=32)
def ends_before_spaces(pattern: str, space: str = " ") -> bool:
    r"""True if a match always ends where a space follows a character that is not whitespace. False if in doubt.

    The patterns of byte-level BPE match a space only at the beginning of a pre-token, or among whitespace. So a match
    that contains any other character ends before the next space, whether or not the text continues: no later part of
    the pattern matches a space, and look-aheads (`(?!\S)`, `$`) follow whitespace alone. Therefore the pre-tokens of
    a text are equal to those of its parts between such places.

    `space`: the character that stands for a space, if all have been replaced.

    >>> ends_before_spaces(r" ?\w+|\s+(?!\S)|\s+"), ends_before_spaces(r" ?\w+ ?"), ends_before_spaces(r"\w+|.+")
    (True, False, False)
    """
    alternatives = ALTERNATIVES.findall(pattern)
    complete = "|".join(alternatives) == pattern
    return complete and all(_ends_before_spaces(alternative, space) for alternative in alternatives)


def _ends_before_spaces(alternative: str, space: str) -> bool:
    """True if a match of one alternative of the pattern ends before a space that follows another character."""
    form = ALTERNATIVE.fullmatch(alternative)
    if not form:
        return False
    (first, repeat), *others = STEP.findall(alternative[: form.start(1)] if form[1] else alternative)
    if all(atom in (r"\s", " ", r"[\r\n]") for atom, _ in [(first, repeat), *others]):
        return True  # whitespace alone: such a match contains no character that a space could follow
    once = repeat in ("", "?", "?+") or not _takes(first, space)
    return once and not form[1] and not any(_takes(atom, space) for atom, _ in others)


def _takes(atom: str, space: str) -> bool:
    """True if this part of a pattern matches a space."""
    return regex.search(atom, space) is not None
