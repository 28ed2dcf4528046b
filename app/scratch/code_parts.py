"""The parts of source code, and how many tokens each kind of them costs.

Code is full of what prose hardly has: runs of spaces that mean something, names of several words written as one, and
operators. A tokenizer that learned from prose pays for each of them.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

PARTS = {
    "indentation": r"^[ \t]+",
    "camelCase": r"[a-z]+(?:[A-Z][a-z0-9]*)+",
    "snake_case": r"[A-Za-z0-9]*(?:_[A-Za-z0-9]+)+",
    "words": r"[^\W\d_]+",
    "numbers": r"[0-9][0-9a-fA-Fx_.]*",
    "operators": r"[^\w\s]+",
}
"""The kinds of parts, each with its pattern; the first that matches counts."""
ANY_PART = re.compile("|".join(f"({pattern})" for pattern in PARTS.values()), re.MULTILINE)


class ChargedToken(NamedTuple):
    """A token, the kind of part that it is charged to, and the tokens of each kind so far."""

    token: str
    kind: str
    tokens: Mapping[str, int]


def kinds(code: str) -> list[str]:
    """Return, for each character, the kind of part that it belongs to; "rest" for spaces between parts.

    >>> kinds("  aB=1")
    ['indentation', 'indentation', 'camelCase', 'camelCase', 'operators', 'numbers']
    """
    kind_of = ["rest"] * len(code)
    for match in ANY_PART.finditer(code):
        kind = next(kind for kind, part in zip(PARTS, match.groups(), strict=True) if part)
        kind_of[match.start() : match.end()] = [kind] * len(match.group())
    return kind_of


def charge_tokens(code: str, spans: Iterable[tuple[int, int]]) -> Iterator[ChargedToken]:
    """Yield each token of a code, given as (start, end), with the kind of its first character that is no white space.

    >>> [(step.token, step.kind) for step in charge_tokens("  userId", [(0, 1), (1, 6), (6, 8)])]
    [(' ', 'indentation'), (' user', 'camelCase'), ('Id', 'camelCase')]
    """
    kind_of, tokens = kinds(code), Counter[str]()
    for start, end in spans:
        solid = [place for place in range(start, end) if not code[place].isspace()]
        kind = kind_of[solid[0] if solid else start]
        tokens[kind] += 1
        yield ChargedToken(code[start:end], kind, tokens)
