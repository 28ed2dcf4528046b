"""One pattern in every engine: the words of the libraries themselves and of our two implementations, side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Literal

from ...errors import Invalid, RegexTimeout, TokenariumError
from ...files.split_words import compile_with_tokenizers, split_with_tiktoken, split_with_tokenizers
from .presets import Flavor
from .words import Span, read

EngineName = Literal["tiktoken", "tokenizers", "ours, as tiktoken", "ours, as tokenizers"]
Search = Callable[[], Sequence[Span]]
RULES = {"tiktoken": "dropped", "tokenizers": "kept as words"}
"""What becomes of text that no match covers."""


@dataclass(frozen=True, slots=True)
class EngineDifference:
    """The first place where the matches of two engines differ, with what each matches from there on, if anything."""

    start: int
    ours: str | None
    base: str | None


@dataclass(frozen=True)
class EngineReading:
    """The matches of an engine, or why it has none. `first` is where they differ from those of the engine `base`."""

    name: EngineName
    library: str
    rule: str
    matches: tuple[Span, ...] | None = None
    problem: str = ""
    refused: bool = False
    base: str = ""
    first: EngineDifference | None = None


def engine_readings(patterns: Sequence[str], text: str, *, base: str) -> list[EngineReading]:
    r"""Return what every engine matches, and where each first differs from the library `base`.

    >>> rows = engine_readings([r"a\Z"], "aa\n", base="tiktoken")
    >>> [(row.name, row.matches) for row in rows[:2]], rows[2].first
    ([('tiktoken', ((1, 2),)), ('tokenizers', ((1, 2),))], EngineDifference(start=1, ours=None, base='a'))

    The libraries have no time limit, so ours search first: if one exceeds its limit, none of the others is run.
    """
    regex_version = version("regex")
    (tiktoken, tokenizers) = RULES.values()
    ours = [
        _row("ours, as tiktoken", f"regex {regex_version}", tiktoken, _search_scratch(patterns, text, "tiktoken")),
        _row("ours, as tokenizers", "Oniguruma, translated", tokenizers, _search_scratch(patterns, text, "tokenizers")),
    ]
    slow = any(row.problem and not row.refused for row in ours)
    run: dict[EngineName, Search] = {
        "tiktoken": lambda: _search_tiktoken(patterns, text),
        "tokenizers": lambda: _search_tokenizers(patterns, text),
    }
    libraries = [_row(name, f"{name} {version(name)}", RULES[name], slow or search) for name, search in run.items()]
    rows = [*libraries, *ours]
    reference = next((row for row in rows if row.name == base and row.matches is not None), None)
    return [_compare_rows(row, reference, text) for row in rows] if reference else rows


def _row(name: EngineName, library: str, rule: str, search: Search | Literal[True]) -> EngineReading:
    """Return what a search finds, or why it has failed; True for one that would take too long."""
    if search is True:
        problem = "Not run, because our own search of this text exceeds its time limit."
        return EngineReading(name, library, rule, problem=problem)
    try:
        return EngineReading(name, library, rule, tuple(search()))
    except TokenariumError as error:
        refused = error.code in ("invalid", "bad-file") and not isinstance(error, RegexTimeout)
        return EngineReading(name, library, rule, problem=error.detail, refused=refused)


def _search_scratch(patterns: Sequence[str], text: str, dialect: Flavor) -> Search:
    return lambda: read(patterns, text, dialect).matched


def _search_tiktoken(patterns: Sequence[str], text: str) -> list[Span]:
    if len(patterns) > 1:
        raise Invalid("tiktoken has one pattern, and this is a sequence of several.")
    return split_with_tiktoken(patterns[0], text)


def _search_tokenizers(patterns: Sequence[str], text: str) -> list[Span]:
    """Return the matches in `tokenizers`; of several patterns, the words that it makes of the text."""
    if len(patterns) == 1:
        return compile_with_tokenizers(patterns[0])(text)
    words = split_with_tokenizers(patterns, text)
    gaps = {*read(patterns, text, "tokenizers").gaps}  # the library does not say which of its words no match covers
    return [word for word in words if word not in gaps]


def _compare_rows(row: EngineReading, base: EngineReading, text: str) -> EngineReading:
    """Return the reading of an engine with the first place where it differs from another."""
    assert base.matches is not None
    place = None if row.matches is None else first_difference(row.matches, base.matches, text)
    return replace(row, base="" if row is base else base.name, first=place)


def run_attack(pattern: str, text: str) -> list[tuple[EngineName, str]]:
    """Return how each engine ends its search of a text that may take long: why it gives up, or "" if it answers."""
    runs: dict[EngineName, Search] = {
        "tiktoken": lambda: _search_tiktoken([pattern], text),
        "tokenizers": lambda: _search_tokenizers([pattern], text),
        "ours, as tiktoken": _search_scratch([pattern], text, "tiktoken"),
        "ours, as tokenizers": _search_scratch([pattern], text, "tokenizers"),
    }
    return [(name, _row(name, "", "", search).problem) for name, search in runs.items()]


def first_difference(one: Sequence[Span], base: Sequence[Span], text: str) -> EngineDifference | None:
    """Return the first place where two lists of matches differ, None if they are equal.

    >>> first_difference([(0, 2)], [(0, 1), (1, 2)], "ab")
    EngineDifference(start=0, ours='ab', base='a')
    """
    same = next((i for i, (a, b) in enumerate(zip(one, base, strict=False)) if a != b), min(len(one), len(base)))
    if same == len(one) == len(base):
        return None
    left = one[same] if same < len(one) else None
    right = base[same] if same < len(base) else None
    start = min(span[0] for span in (left, right) if span)
    parts = [text[slice(*span)] if span and span[0] == start else None for span in (left, right)]
    return EngineDifference(start, *parts)
