"""The prompt caches of vendors: the least prefix, the steps in which it grows, and what reading and writing cost."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from .formulas import READ
from .targets import TargetModel


@dataclass(frozen=True, slots=True)
class CacheRule:
    """A vendor's cache of prefixes from `least` tokens, in steps; `read` and `write` are multiples of the price."""

    models: tuple[str, ...]
    least: int
    step: int
    read: float
    write: float
    source: str
    date: str = READ

    def round_down(self, tokens: int) -> int:
        """Return how many of a common beginning the cache can serve.

        >>> [CacheRule((), 1024, 128, 0.5, 1.0, "").round_down(tokens) for tokens in (900, 1200)]
        [0, 1152]
        """
        return 0 if tokens < self.least else tokens - tokens % self.step


_OPENAI = "OpenAI, Prompt caching; prices of LiteLLM 1.109.1"
_CLAUDE = "Anthropic, Prompt caching; prices of LiteLLM 1.109.1"
_GEMINI = "Google, Gemini API, Context caching; prices of LiteLLM 1.109.1"
RULES = (
    CacheRule(("gpt-4o*",), 1024, 128, 0.5, 1.0, _OPENAI),
    CacheRule(("gpt-4.1*", "o4-mini*"), 1024, 128, 0.25, 1.0, _OPENAI),
    CacheRule(("gpt-5", "gpt-5-*", "gpt-5.[1-5]*"), 1024, 128, 0.1, 1.0, _OPENAI),
    CacheRule(("claude-opus-5-5*",), 512, 1, 0.05, 1.25, _CLAUDE),
    CacheRule(("claude-opus-5*",), 512, 1, 0.1, 1.25, _CLAUDE),
    CacheRule(("claude-opus-4-8*", "claude-sonnet-4-5*", "claude-sonnet-5*"), 1024, 1, 0.1, 1.25, _CLAUDE),
    CacheRule(("claude-opus-4-7*",), 2048, 1, 0.1, 1.25, _CLAUDE),
    CacheRule(("claude-opus-4-[56]*", "claude-haiku-4-5*"), 4096, 1, 0.1, 1.25, _CLAUDE),
    CacheRule(("gemini-2.5*",), 2048, 1, 0.1, 1.0, _GEMINI),
    CacheRule(("gemini-3.1-pro*", "gemini-3.[5-8]-flash*"), 4096, 1, 0.1, 1.0, _GEMINI),
)
"""For other models no rule is known here."""


def find_cache_rule(model: TargetModel) -> CacheRule | None:
    """Return the rule of a model's cache, or None."""
    name = model.name.casefold().rpartition("/")[2].removeprefix("anthropic.")
    dashed = name.replace(".", "-") if model.family == "claude" else name
    return next((rule for rule in RULES if any(fnmatchcase(dashed, one) for one in rule.models)), None)
