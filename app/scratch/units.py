"""The three simplest tokenizers: a token is a character, a byte, or a word."""

from collections.abc import Iterator

from app.scratch.pretokenize import split


def characters(text: str) -> Iterator[tuple[int, int, int]]:
    """One token a code point; its id is the code point. Yields (id, byte start, byte end).

    >>> list(characters("é!"))
    [(233, 0, 2), (33, 2, 3)]
    """
    here = 0
    for char in text:
        size = len(char.encode())
        yield ord(char), here, here + size
        here += size


def byte_values(text: str) -> Iterator[tuple[int, int, int]]:
    """One token a byte of the UTF-8 form; its id is the byte. Yields (id, byte start, byte end).

    >>> list(byte_values("é"))
    [(195, 0, 1), (169, 1, 2)]
    """
    return ((byte, here, here + 1) for here, byte in enumerate(text.encode()))


def words(text: str, *, pattern: str, vocabulary: dict[str, int]) -> Iterator[tuple[int, int, int]]:
    r"""One token a word; a word met for the first time is added to the vocabulary. Yields (id, byte start, byte end).

    >>> vocabulary = {}
    >>> list(words("to be, to", pattern=r"\w+|.", vocabulary=vocabulary))
    [(0, 0, 2), (1, 2, 3), (2, 3, 5), (3, 5, 6), (1, 6, 7), (0, 7, 9)]
    >>> vocabulary
    {'to': 0, ' ': 1, 'be': 2, ',': 3}
    """
    chars = here = 0
    for at, word in split(pattern, text):
        here += len(text[chars:at].encode())
        size = len(word.encode())
        yield vocabulary.setdefault(word, len(vocabulary)), here, here + size
        here, chars = here + size, at + len(word)
