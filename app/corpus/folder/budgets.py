"""How many tokens folders and files may have: a file of limits, and which of them are exceeded."""

import os
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import BadFile, Invalid, plural
from .ignoring import match_file, parse_patterns
from .usage import TokenUsage

FORM = re.compile(r"([0-9][0-9_,]*(?:\.[0-9]+)?)\s*([kKmM]?)")
SCALES = {"": 1, "k": 1000, "m": 1_000_000}
EVERYTHING = "."
KEYS = ("tokenizer", "total", "each")


@dataclass(frozen=True, slots=True)
class TokenBudget:
    """Limits by pattern: for all files together that match it, and for each of them.

    Patterns are those of .gitignore, relative to `folder`; "." is everything.
    """

    folder: str
    total: Mapping[str, int] = field(default_factory=dict)
    each: Mapping[str, int] = field(default_factory=dict)
    tokenizer: str | None = None


def parse_count(value: object) -> int:
    """Return a number of tokens such as 200k or 1.5M. Raises `Invalid`.

    >>> parse_count("200k"), parse_count("1.5M"), parse_count(12_000)
    (200000, 1500000, 12000)
    """
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    match = FORM.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise Invalid(f"A limit is a number of tokens such as 200k or 1.5M, not {str(value)[:40]!r}.")
    number = match[1].replace("_", "").replace(",", "")
    return round(float(number) * SCALES[match[2].lower()])


def read_budget(path: str) -> TokenBudget:
    """Read a file of limits. Raises `BadFile`, `OSError`."""
    try:
        top = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(f"{path[:200]} is no TOML: {error}.") from None
    if unknown := [key for key in top if key not in KEYS]:
        raise BadFile(f"{path[:200]} has {unknown[0][:60]!r}; it may have {', '.join(KEYS)}.")
    tokenizer = top.get("tokenizer")
    if tokenizer is not None and not isinstance(tokenizer, str):
        raise BadFile(f"tokenizer of {path[:200]} is a name.")
    limits = {table: dict(_read_limits(path, table, top.get(table, {}))) for table in ("total", "each")}
    return TokenBudget(os.path.dirname(os.path.realpath(path)), **limits, tokenizer=tokenizer)


def _read_limits(path: str, table: str, limits: Any) -> Iterator[tuple[str, int]]:
    if not isinstance(limits, dict):
        raise BadFile(f"{table} of {path[:200]} is a table of patterns and limits.")
    for pattern, value in limits.items():
        try:
            if pattern != EVERYTHING:
                parse_patterns([pattern])
            yield pattern, parse_count(value)
        except Invalid as error:
            raise BadFile(f"{table} of {path[:200]}, {pattern[:60]!r}: {error.detail}") from None


def find_excesses(budget: TokenBudget, files: Sequence[TokenUsage]) -> Iterator[str]:
    """Yield a sentence for each limit that is exceeded in the first tokenizer.

    >>> budget = TokenBudget("/a", {".": 3}, {"*.md": 1})
    >>> files = [TokenUsage("b.md", [2], path="/a/b.md"), TokenUsage("c.py", [2], path="/a/c.py")]
    >>> [*find_excesses(budget, files)]
    ['. has 4 tokens, 1 more than its limit of 3.', 'b.md has 2 tokens, 1 more than the limit of 1 for *.md.']
    """
    if not (budget.total or budget.each):
        return
    relative = [(os.path.relpath(file.path, budget.folder).replace(os.sep, "/"), file) for file in files]
    for pattern, limit in budget.total.items():
        tokens = sum(file.tokens[0] for file in _match(pattern, relative))
        if tokens > limit:
            yield f"{pattern} has {plural(tokens, 'token')}, {tokens - limit:,} more than its limit of {limit:,}."
    for pattern, limit in budget.each.items():
        for file in _match(pattern, relative):
            if (tokens := file.tokens[0]) > limit:
                more = f"{tokens - limit:,} more than the limit of {limit:,} for {pattern}"
                yield f"{file.name} has {plural(tokens, 'token')}, {more}."


def _match(pattern: str, files: Sequence[tuple[str, TokenUsage]]) -> list[TokenUsage]:
    if pattern == EVERYTHING:
        return [file for _, file in files]
    patterns = parse_patterns([pattern])
    return [file for path, file in files if match_file(patterns, path)]
