"""The length that a text may reach in a chain of components, bounded before any text runs through it."""

from binascii import a2b_base64
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import BadFile
from .charsmap import load_charsmap
from .json_options import PARTS, read_pattern

MAX_GROWTH = 1000
"""Characters that one character of a text may become."""
MAX_PREPENDED = 100_000
"""Characters that may be put before a text."""
FOLDED = 18.0
"""Characters that one may become in NFKC; other normalizers give fewer."""


def check_growth(spec: Any, stage: str) -> None:
    """Raise `BadFile` if a normalizer or decoder may make a text much longer, as 30 times "a" to "aa" would.

    It is as JSON has it, also one that the from-scratch engine cannot read. From its last component to the first, it is
    computed how many characters at most each character becomes in what follows: `others`, unless `weights` has it. What
    a pattern matches becomes the content, so that the characters of a literal pattern together weigh at least as much
    as those of the content. For other patterns any character might.
    """
    others = 1.0
    prepended = 0.0
    folded = False
    weights: dict[str, float] = {}
    for part in reversed([*_parts(spec, stage)]):
        most = max([others, *weights.values()])
        if part.get("type") == "Replace":
            source, is_literal = _pattern(part.get("pattern"))
            weight = _weight(str(part.get("content")), weights, others)
            folded = False
            if is_literal and source:
                ratio = max(1.0, weight / _weight(source, weights, others))
                weights |= {char: ratio * weights.get(char, others) for char in {*source}}
            else:
                others = max(most, weight + (most if _can_be_empty(source) else 0.0))
                weights = {}
        elif part.get("type") == "Prepend":
            prepended += _weight(str(part.get("prepend")), weights, others)
        elif part.get("type") == "Precompiled":
            others = _longest(part.get("precompiled_charsmap")) * most
            weights = {}
        elif stage == "normalizer" and not folded:
            others = FOLDED * most
            weights = {}
            folded = True
        if max([others, *weights.values()]) > MAX_GROWTH or prepended > MAX_PREPENDED:
            raise BadFile(f"The components of the {stage} may make a text more than {MAX_GROWTH:,} times as long.")


def _parts(spec: Any, stage: str) -> Iterator[Mapping[str, Any]]:
    """Yield the components of a stage in order."""
    waiting = [spec]
    while waiting:
        part = waiting.pop()
        inner = part.get(PARTS[stage]) if isinstance(part, dict) else None
        if isinstance(inner, list):
            waiting += reversed(inner)
        elif isinstance(part, dict):
            yield part


def _pattern(pattern: Any) -> tuple[str, bool]:
    """Return the source of a pattern, and whether it is a literal."""
    if not isinstance(pattern, dict):
        return str(pattern), isinstance(pattern, str)
    return str(next(iter(pattern.values()), "")), "String" in pattern


def _can_be_empty(source: str) -> bool:
    try:
        return read_pattern(source).can_be_empty
    except Exception:  # whatever is wrong with it, the library may read it
        return True


def _longest(charsmap: Any) -> int:
    """Return the characters of the longest value of a character map."""
    try:
        values = load_charsmap(a2b_base64(str(charsmap)), "The character map").values
    except (ValueError, BadFile):
        return 1  # no library reads it
    return max(1, *map(len, values.decode().split("\0")))


def _weight(text: str, weights: Mapping[str, float], others: float) -> float:
    return sum(weights.get(char, others) for char in text)
