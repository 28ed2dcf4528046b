"""Models without a public tokenizer: how many tokens they take, as a range with a source."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ..errors import UnknownTokenizer
from ..registry import Registry
from .model_names import list_spellings
from .models import find_model, resolve_model
from .prices import TokenRange, load_token_ranges
from .reconstruction import reconstruct

CLAUDE_VERSION = re.compile(r"claude(?:[-_ ]\D*?)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)")


def find_claude_version(name: str) -> tuple[int, int] | None:
    """Return the version in the name of a model of Claude, or None.

    >>> find_claude_version("claude-3-5-sonnet-20241022"), find_claude_version("us.anthropic.claude-sonnet-4-20250514")
    ((3, 5), (4, 0))
    """
    match = CLAUDE_VERSION.search(name.casefold())
    return (int(match[1]), int(match[2] or 0)) if match else None


def find_range(model: str) -> TokenRange | None:
    """Return the range of a model of Claude 3 or later, the widest if its name has no version; None for any other.

    >>> [(one.title, one.version) for name in ("anthropic/claude-3.5", "claude") if (one := find_range(name))]
    [('Claude 3 to Opus 4.6', '3.5'), ('Claude Opus 4.7 and later', '4.7')]
    >>> find_range("gpt-4")
    """
    *_, name = list_spellings(model) or ("",)
    version = find_claude_version(name)
    if not name.startswith("claude") or "instant" in name or (version and version < (3, 0)):
        return None
    ranges = load_token_ranges().values()
    widest = max(ranges, key=lambda one: one.high - one.low)
    own = max((one for one in ranges if one.since <= version), key=lambda one: one.since) if version else widest
    return replace(own, version="{}.{}".format(*(version or own.since)))


def find_counter(registry: Registry, model: str) -> str | None:
    """Return the id of the tokenizer that counts a model's text, its own or that of its range, or None."""
    return find_model(registry, model) or ((one := find_range(model)) and one.of) or None


def resolve_counter(
    registry: Registry, model: str, resolve: Callable[[Registry, str], str] = resolve_model
) -> tuple[str, TokenRange | None]:
    """Return the id of the tokenizer that counts a model's text, and the range if the tokens are a multiple of those.

    Raises `UnknownTokenizer`, as `resolve` does.
    """
    try:
        return resolve(registry, model), None
    except UnknownTokenizer:
        if (one := find_range(model)) is None:
            raise
        return one.of, one


def as_range(registry: Registry, answer: Mapping[str, Any], one: TokenRange, text: str) -> dict[str, Any]:
    """Return an answer with a `count`, which is then None; `range` has the ends, the factors and their source.

    Where the settings name a package, `reconstruction` is what it counts.
    """
    low, high = one.multiply(answer["count"])
    about = {name: getattr(one, name) for name in ("of", "source", "address", "date")}
    span = {"low": low, "high": high, "factors": [one.low, one.high], **about}
    ranged = {**answer, "tokenizer": None, "engine": None, "count": None, "range": span, "notes": [one.sentence]}
    if beside := reconstruct(registry, one, text):
        ranged |= {"reconstruction": {"count": beside.count, "by": beside.by}, "notes": [one.sentence, beside.sentence]}
    return ranged
