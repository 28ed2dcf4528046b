"""BERT's `vocab.txt`: one token per line; its id is the number of the line, from 0."""

from ..errors import BadFile

MAX_PIECES = 1_000_000
"""The maximum number of lines."""


def load_vocab(data: bytes) -> dict[str, int]:
    r"""Read the tokens and their ids.

    >>> load_vocab("[UNK]\nplay\n##ing\n".encode())
    {'[UNK]': 0, 'play': 1, '##ing': 2}

    Raises `BadFile`, with the number of the line, for one that is empty, contains white space or repeats a
    token; and for a file that is not UTF-8, has more than `MAX_PIECES` lines or no `[UNK]`.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise BadFile(f"The vocabulary is not UTF-8 at byte {error.start}.") from None
    lines = text.removesuffix("\n").split("\n")
    if len(lines) > MAX_PIECES:
        raise BadFile(f"The vocabulary has {len(lines)} lines; the maximum is {MAX_PIECES}.")
    vocabulary: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        piece = line.removesuffix("\r")  # files written on Windows
        if not piece or piece.split() != [piece]:
            raise BadFile(f"Line {number} is not one piece: {piece[:40]!r}.")
        if piece in vocabulary:
            raise BadFile(f"Line {number} repeats {piece[:40]!r} of line {vocabulary[piece] + 1}.")
        vocabulary[piece] = number - 1
    if "[UNK]" not in vocabulary:
        raise BadFile(f"None of the {len(lines)} lines is [UNK].")
    return vocabulary
