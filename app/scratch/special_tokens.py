"""Special tokens: matched before anything else, and outside of the vocabulary that training makes.

A chat template writes them between messages, to tell a model who speaks. But a message can spell them too: if a program
parses the whole text, the writer of a message can end it and begin another in anybody's name.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class Parsed(NamedTuple):
    """A special token: one id, whatever its letters."""

    token: str


class PlainText(NamedTuple):
    """What is between special tokens; the model's algorithm cuts it as any other text."""

    text: str


class Spelled(NamedTuple):
    """The letters of a special token that are not trusted: they stay part of the text around them."""

    token: str


def parse_specials(
    text: str, special: Iterable[str], trusted: Callable[[int, int], bool]
) -> Iterator[Parsed | PlainText | Spelled]:
    """Yield the parts of a text. `trusted` says whether the letters from a place to another come from the template.

    >>> [*parse_specials("<s>Hi<s>", ["<s>"], lambda start, end: start == 0)]
    [Parsed(token='<s>'), Spelled(token='<s>'), PlainText(text='Hi<s>')]
    >>> [*parse_specials("<s>Hi<s>", ["<s>"], lambda start, end: True)]
    [Parsed(token='<s>'), PlainText(text='Hi'), Parsed(token='<s>')]
    """
    longest_first = sorted(special, key=len, reverse=True)
    done = 0
    for match in re.finditer("|".join(map(re.escape, longest_first)), text):
        start, end = match.span()
        if not trusted(start, end):
            yield Spelled(match.group())
            continue
        if done < start:
            yield PlainText(text[done:start])
        yield Parsed(match.group())
        done = end
    if done < len(text):
        yield PlainText(text[done:])
