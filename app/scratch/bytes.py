"""Byte tokenization: a text is written in UTF-8, every byte is a token, and its value is its id.

256 ids are enough for every text there is (ByT5, Xue et al. 2022). But a character outside of ASCII takes two to four
tokens, so that most scripts need more tokens than English for the same text.
"""

from collections.abc import Iterator


def byte_values(text: str) -> Iterator[tuple[int, int, int]]:
    """Yield (id, byte start, byte end) for each token.

    >>> list(byte_values("é"))
    [(195, 0, 1), (169, 1, 2)]
    >>> len("Hello, 🌍! 你好!"), len(list(byte_values("Hello, 🌍! 你好!")))
    (13, 20)
    """
    for place, byte in enumerate(text.encode()):
        yield byte, place, place + 1
