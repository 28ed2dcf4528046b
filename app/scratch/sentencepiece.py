"""SentencePiece: a space is a character like any other, written ▁, so that joining the tokens gives the text back.

No pattern cuts the text into words first, which suits languages without spaces. But the text is normalized before, and
what that changes is lost: decoding gives the normalized text (Kudo and Richardson 2018).
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class NormalizationStep(NamedTuple):
    """What was done to the text, and the text after it."""

    done: str
    text: str


def mark_spaces(
    text: str, normalize: Callable[[str], str], *, collapse: bool = True, prefix: bool = True
) -> Iterator[NormalizationStep]:
    """Yield the text after each change, the last one as the model gets it.

    >>> [step.text for step in mark_spaces(" Two  cats", str.lower)]
    [' two  cats', 'two cats', '▁two▁cats']
    >>> [step.text for step in mark_spaces("", str.lower)][-1]
    ''
    """
    text = normalize(text)
    yield NormalizationStep("normalized", text)
    if collapse:
        text = " ".join(filter(None, text.split(" ")))
        yield NormalizationStep("collapsed", text)
    if prefix and text:
        text = " " + text  # so that a word is the same token at the beginning as after a space
    text = text.replace(" ", "▁")
    yield NormalizationStep("marked", text)


def remove_marks(tokens: Iterable[str]) -> str:
    """Return the text of tokens: joined, with spaces for the marks, without the one that was put in front.

    >>> remove_marks(["▁two", "▁ca", "ts"])
    'two cats'
    """
    return "".join(tokens).replace("▁", " ").removeprefix(" ")
