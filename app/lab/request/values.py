"""Values in requests: JSON that may have any shape, and texts without keys and bearer tokens.

What is not of the expected kind is empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

MAX_DEPTH = 100
"""Levels of lists and objects in each other."""
MAX_NUMBER = 10**12
TOO_LONG = "The JSON has a number that is too long."
TOO_DEEP = "The JSON is nested too deep."
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


def mapping(value: Any) -> Mapping[str, Any]:
    """Return an object, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list; other items become empty objects, so that the places stay."""
    return [mapping(item) for item in value] if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """Return a text, or an empty one."""
    return value if isinstance(value, str) else ""


def number_of(value: Any) -> int:
    """Return a whole number up to `MAX_NUMBER`, or 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_NUMBER else 0


def parse_json(text: str) -> Any:
    """Return JSON as data.

    Raises `json.JSONDecodeError` for a text that is none, `ValueError` for one that is nested more than `MAX_DEPTH`
    deep or has a number that is too long.

    >>> parse_json('{"a": [1]}')
    {'a': [1]}
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer of thousands of digits
        raise ValueError(TOO_LONG) from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
    check_depth(value)
    return value


def check_depth(value: Any) -> None:
    """Raise `ValueError` for a value that is nested more than `MAX_DEPTH` deep."""
    level = [value]
    for _ in range(MAX_DEPTH):
        inner = (one.values() if isinstance(one, Mapping) else one for one in level if isinstance(one, Mapping | list))
        level = [item for items in inner for item in items]
        if not level:
            return
    raise ValueError(TOO_DEEP)


def compact_json(value: Any) -> str:
    """Return a value as JSON without spaces.

    >>> compact_json({"a": [1, "é"]})
    '{"a":[1,"é"]}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def join_parts(content: Any) -> str:
    """Return the text of a content: a string, or the texts of its parts.

    >>> join_parts([{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}])
    'ab'
    """
    return content if isinstance(content, str) else "".join(text_of(part.get("text")) for part in objects(content))


def hide_secrets(text: str) -> tuple[str, int]:
    """Return a text without its secrets, and how many there were.

    >>> hide_secrets("key sk-proj-abcdefghijklmnop0123, that is all")
    ('key •••, that is all', 1)
    """
    return PATTERNS.subn(_replace, text)


def _replace(match: re.Match[str]) -> str:
    value = match["value"]
    return match.group().replace(f'"{value}"', f'"{HIDDEN}"') if value else HIDDEN
