"""Sentences as concepts: a model such as LCM reads and writes a vector for each sentence (Barrault et al. 2024).

A long sentence is cut into parts, because a vector of fixed size holds only so much.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

SEPARATORS = ("!?…。！？।؟", ";:；：؛", ".", ",，、،", " \n\t")
"""Characters after which a long sentence is cut, the best first."""


class Concept(NamedTuple):
    """A sentence or a part of a long one, where it begins, in characters, and whether it is a whole sentence."""

    text: str
    start: int
    whole: bool


def concepts(text: str, split: Callable[[str], Iterable[str]], *, cap: int = 256) -> Iterator[Concept]:
    """Yield the sentences of a text, longer ones in parts of at most `cap` characters.

    `split` returns the sentences of a text; they join to it.

    >>> for concept in concepts("Hi. One, two or three.", lambda text: [text[:4], text[4:]], cap=12):
    ...     print(concept.text, concept.start, concept.whole)
    Hi.  0 True
    One, two or  4 False
    three. 16 False
    """
    start = 0
    for sentence in split(text):
        rest = sentence
        while rest:
            end = len(rest) if len(rest) <= cap else cut(rest, cap)
            yield Concept(rest[:end], start, end == len(sentence))
            start, rest = start + end, rest[end:]


def cut(sentence: str, cap: int) -> int:
    """Return where to cut a long sentence: after the last good separator in the second half of what fits.

    >>> cut("to be, or not to be", 10), cut("unbreakable", 4)
    (6, 4)
    """
    for kind in SEPARATORS:
        ends = [at + 1 for at in range(cap // 2, cap) if sentence[at] in kind]
        if ends:
            return ends[-1]
    return cap
