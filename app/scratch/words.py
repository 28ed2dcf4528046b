r"""Word tokenization: a pattern finds the words of a text, and every new word gets the next free id.

Sequences are short and tokens mean something. But the vocabulary never stops growing, and a word that was not in the
training text has no id: this is the problem that the subword algorithms of the next files solve.
"""

import re
from collections.abc import Callable, Iterable, Iterator

WORD = re.compile(r"\w+|.", re.DOTALL)
"""Letters, digits and underscores in a row, or one character of any other kind."""


def split(text: str) -> Iterator[tuple[int, str]]:
    """Yield the words of a text, each with the position of its first character.

    >>> list(split("I'll say"))
    [(0, 'I'), (1, "'"), (2, 'll'), (4, ' '), (5, 'say')]
    """
    for match in WORD.finditer(text):
        yield match.start(), match.group()


def words(
    text: str, vocabulary: dict[str, int], *, split: Callable[[str], Iterable[tuple[int, str]]] = split
) -> Iterator[tuple[int, int, int]]:
    """Yield (id, byte start, byte end) for each word, and add new words to the vocabulary.

    >>> vocabulary = {}
    >>> list(words("to be, to", vocabulary))
    [(0, 0, 2), (1, 2, 3), (2, 3, 5), (3, 5, 6), (1, 6, 7), (0, 7, 9)]
    >>> vocabulary
    {'to': 0, ' ': 1, 'be': 2, ',': 3}
    """
    chars = end = 0
    for position, word in split(text):
        start = end + len(text[chars:position].encode())  # a pattern may leave something out between two words
        chars, end = position + len(word), start + len(word.encode())
        yield vocabulary.setdefault(word, len(vocabulary)), start, end
