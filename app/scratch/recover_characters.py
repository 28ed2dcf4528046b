"""Bytes that are no UTF-8, as a model can write them, and the most characters that can be recovered from them.

Wang, Cho and Gu 2020 translate with tokens of bytes. What a model writes may break off within a character; of all ways
to read the bytes, dynamic programming finds one with the most characters.
"""

from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 4
"""Bytes of the longest character in UTF-8."""


class BestReading(NamedTuple):
    """After so many bytes, the most characters that can be read, and the last one; "" if the last byte is dropped."""

    end: int
    most: int
    character: str


def read_character(data: bytes) -> str:
    """Return the one character that bytes are, or "".

    >>> read_character("é".encode()), read_character(b"ab"), read_character(b"\\xc3")
    ('é', '', '')
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if len(text) == 1 else ""


def iter_readings(data: bytes) -> Iterator[BestReading]:
    """Yield the best reading of the first byte, of the first two, and so on.

    >>> [step.most for step in iter_readings("aé".encode() + b"\\xc3" + b"b")]
    [1, 1, 2, 2, 3]
    """
    counts = [0]
    for end in range(1, len(data) + 1):
        best, character = counts[end - 1], ""  # without the last byte
        for start in range(max(0, end - LONGEST), end):
            read = read_character(data[start:end])
            if read and counts[start] + 1 > best:
                best, character = counts[start] + 1, read
        counts.append(best)
        yield BestReading(end, best, character)


def recover(data: bytes) -> str:
    """Return the most characters that bytes hold.

    >>> recover("aé".encode() + b"\\xc3" + b"b")
    'aéb'
    """
    steps = {step.end: step for step in iter_readings(data)}
    characters, end = list[str](), len(data)
    while end:
        character = steps[end].character
        characters.append(character)
        end -= len(character.encode()) or 1
    return "".join(reversed(characters))
