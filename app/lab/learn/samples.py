"""Words and phrases that practice draws its texts from."""

from __future__ import annotations

from functools import cache
from random import Random

from ...settings import Settings
from ..languages.declarations import declarations
from .prose import read_prose

_SAMPLES = read_prose("samples.toml")
LONG_WORDS: tuple[str, ...] = tuple(_SAMPLES["long-words"].split())
SHORT_WORDS: tuple[str, ...] = tuple(_SAMPLES["short-words"].split())
PHRASES: tuple[str, ...] = tuple(_SAMPLES["phrases"].strip().splitlines())
SIGNS = "🌍🙂🦕🤌🫠🧿🥲☕🪐🎈🍓🐝🚲⛵🎻🧩"


@cache
def declaration_words(*codes: str) -> tuple[str, ...]:
    """Return the different words of the declaration in some languages, in order.

    >>> len(declaration_words("eng")) > 400
    True
    """
    known = declarations(Settings().store)
    return tuple(sorted({word.strip(".,;:()«»“”") for code in codes for word in known[code].text.split()} - {""}))


def sample_word(random: Random) -> str:
    """Return a word of several tokens."""
    return random.choice(LONG_WORDS)
