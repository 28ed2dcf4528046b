"""The history of tokenizers in a line: the same text through one of each kind, from the oldest to the newest."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple


class HistoricTokenizer(NamedTuple):
    """The year of an idea, its name, and a function that gives the tokens of a text as it does."""

    year: int
    name: str
    encode: Callable[[str], Sequence[str]]


class HistoricTokens(NamedTuple):
    """What a tokenizer made of the text, and the bytes of the text for each token; None if it dropped all of it."""

    tokenizer: HistoricTokenizer
    tokens: Sequence[str]
    bytes_per_token: float | None


def tokenize_by_year(text: str, tokenizers: Sequence[HistoricTokenizer]) -> Iterator[HistoricTokens]:
    """Yield what each tokenizer makes of a text, by year.

    >>> words, letters = HistoricTokenizer(1950, "words", str.split), HistoricTokenizer(1900, "letters", list)
    >>> [(step.tokenizer.year, len(step.tokens)) for step in tokenize_by_year("to be", [words, letters])]
    [(1900, 5), (1950, 2)]
    """
    for tokenizer in sorted(tokenizers, key=lambda tokenizer: tokenizer.year):
        tokens = tokenizer.encode(text)
        yield HistoricTokens(tokenizer, tokens, len(text.encode()) / len(tokens) if tokens else None)
