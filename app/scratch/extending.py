"""Extending a vocabulary: new tokens that are matched before the tokenizer runs, or new merges that it learns.

Added tokens are found in the text first, wherever they occur, also inside longer words; the rest is encoded as before.
Added merges go on with the training where it ended: they join tokens that the tokenizer has, in the words of a new
corpus. Either way each new token is a new row of the model's matrices, which nothing has trained yet.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from .learn_bpe import Merged, iter_learning_steps


class TextPart(NamedTuple):
    """A part of a text between added tokens, or one of them, and its tokens."""

    text: str
    tokens: list[str]
    added: bool


def add_tokens(text: str, new: Sequence[str], encode: Callable[[str], Sequence[str]]) -> Iterator[TextPart]:
    """Yield the parts of a text: added tokens as they are, and what is between them encoded.

    >>> [step.tokens for step in add_tokens("concatenate", ["cat"], list)]
    [['c', 'o', 'n'], ['cat'], ['e', 'n', 'a', 't', 'e']]
    """
    longest_first = sorted(new, key=len, reverse=True)
    for part in re.split(f"({'|'.join(map(re.escape, longest_first))})", text):
        if part:
            yield TextPart(part, [part] if part in new else [*encode(part)], part in new)


class ExtendedWords(NamedTuple):
    """A new token, and the words as they are cut with it."""

    token: str
    words: list[list[str]]


def add_merges(words: Mapping[str, int], most: int, encode: Callable[[str], Sequence[str]]) -> Iterator[ExtendedWords]:
    """Yield each new merge of the tokens of words, which occur as often as given.

    >>> for step in add_merges({"cardiogram": 2, "cardiograph": 1}, 2, lambda word: re.findall("..?", word)):
    ...     print(step.token, *step.words[0])
    card card io gr am
    cardio cardio gr am
    """
    counts = {tuple(encode(word)): count for word, count in words.items()}
    merges = (step for step in iter_learning_steps(counts) if isinstance(step, Merged))
    for step in islice(merges, most):
        yield ExtendedWords(step.vocabulary[-1], [[step.vocabulary[id] for id in word] for word in step.words])
