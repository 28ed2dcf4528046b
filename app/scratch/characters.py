"""Character tokenization: every Unicode code point is a token, and its code point is its id.

The vocabulary is Unicode itself, so nothing is ever unknown and nothing has to be learned. The price is length: a text
has as many tokens as characters, and a model has to learn every spelling from them.
"""

from collections.abc import Iterator


def characters(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield (id, byte start, byte end) for each token; the places are in the UTF-8 form of the text.

    >>> list(characters("é!"))
    [(233, 0, 2), (33, 2, 3)]
    >>> [id for id, *_ in characters("Hello, 🌍! 你好!")]
    [72, 101, 108, 108, 111, 44, 32, 127757, 33, 32, 20320, 22909, 33]
    """
    start = 0
    for char in text:
        end = start + len(char.encode())  # a character takes one to four bytes
        yield ord(char), start, end
        start = end
