"""Find keys and bearer tokens in texts, so that no page and no answer shows them."""

from __future__ import annotations

import re

HIDDEN = "•••"
PATTERNS = re.compile(
    r"""
    (?<![A-Za-z0-9_-])(?:                               # a run of such characters is looked at once
      sk-(?:ant-|proj-|or-)?[A-Za-z0-9_-]{16,}          # OpenAI, Anthropic, OpenRouter
    | AIza[A-Za-z0-9_-]{30,}                            # Google
    | (?:ghp|gho|ghs|ghu|ghr)_[A-Za-z0-9]{20,} | github_pat_[A-Za-z0-9_]{20,}
    | hf_[A-Za-z0-9]{20,} | gsk_[A-Za-z0-9]{20,} | xox[abpros]-[A-Za-z0-9-]{10,}
    | (?:AKIA|ASIA)[A-Z0-9]{16}
    | eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+   # JSON Web Token
    )
    | (?i:bearer)\s+[A-Za-z0-9._~+/-]{12,}=*
    | -----BEGIN[ A-Z]*PRIVATE\ KEY-----[\s\S]*?(?:-----END[ A-Z]*PRIVATE\ KEY-----|\Z)
    | (?i:"(?:x-|x_)?(?:api|secret|access)[-_]?key"|"authorization"|"password")\s*:\s*"(?P<value>[^"\\\n]+)"
    """,
    re.VERBOSE,
)


def hide_secrets(text: str) -> tuple[str, int]:
    """Return a text without its secrets, and how many there were.

    >>> hide_secrets("key sk-proj-abcdefghijklmnop0123, that is all")
    ('key •••, that is all', 1)
    """
    return PATTERNS.subn(_replace, text)


def _replace(match: re.Match[str]) -> str:
    value = match["value"]
    return match.group().replace(f'"{value}"', f'"{HIDDEN}"') if value else HIDDEN
