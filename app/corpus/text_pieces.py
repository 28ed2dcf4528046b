"""Pieces of long documents, so that a sample has not to tokenize the whole of a document for one place in it.

Tokenizers that separate words have the same tokens for a document as for its pieces together, if they are cut at spaces
between letters. Whether one does is checked on the first documents that are cut.
"""

import re
from collections.abc import Iterator, Sequence

from .encoders import Encoder, EncodingMismatch

PIECE = 1024
"""Bytes from one place where a document may be cut to the next, about."""
CHECKED = 20
"""Documents of which the beginning is tokenized whole, too, and so many pieces of each."""
SPACE = re.compile(rb"[A-Za-z\x80-\xff]( )[A-Za-z\x80-\xff]")


class LongDocument:
    """A document in pieces. Each byte of a line, from `at` to `after` of its file, stands for as much of the text.

    It is cut at the first space between letters in each `PIECE` bytes that have one, or not at all if it is `whole`.
    """

    def __init__(self, text: bytes, at: int, after: int, *, whole: bool = False) -> None:
        self.at = at
        self.after = after
        self._text = text
        self._whole = whole
        self._cuts = {0: 0}
        self._pieces = dict[int, bytes]()

    def take(self, start: int, end: int) -> Iterator[tuple[bytes, float]]:
        """Yield the pieces that a range of the file meets, and the share of each that is in it.

        >>> [share for _, share in LongDocument(b"0123456789", 100, 110).take(90, 105)]
        [0.5]
        """
        scale = len(self._text) / (self.after - self.at)
        first = (max(start, self.at) - self.at) * scale
        last = (min(end, self.after) - self.at) * scale
        for begin, stop in self._spans(int(first)):
            if begin >= last:
                return
            piece = self._pieces.setdefault(begin, self._text[begin:stop])
            if (inside := min(last, stop) - max(first, begin)) > 0:
                yield piece, inside / (stop - begin)

    def beginning(self) -> list[bytes]:
        """Return the first pieces."""
        return [self._text[begin:stop] for (begin, stop), _ in zip(self._spans(0), range(CHECKED), strict=False)]

    def _spans(self, at: int) -> Iterator[tuple[int, int]]:
        """Yield where the piece at a byte and all behind it begin and end."""
        size = len(self._text)
        number = 0 if self._whole else min(at, size - 1) // PIECE
        while (begin := self._find_cut(number)) is None or begin > at:
            number -= 1
        last = 0 if self._whole else (size - 1) // PIECE
        for following in range(number + 1, last + 1):
            if (stop := self._find_cut(following)) is not None:
                yield begin, stop
                begin = stop
        yield begin, size

    def _find_cut(self, number: int) -> int | None:
        if number not in self._cuts:
            found = SPACE.search(self._text, number * PIECE, (number + 1) * PIECE)
            self._cuts[number] = found.start(1) if found else -1
        return self._cuts[number] if self._cuts[number] >= 0 else None


class PieceChecker:
    """Says whether documents may be cut: as long as each tokenizer gave the tokens of the whole for the pieces."""

    def __init__(self) -> None:
        self.agrees = True
        self._left = CHECKED

    def check(self, document: LongDocument, encoders: Sequence[Encoder]) -> bool:
        """Compare the beginning of a document with its pieces, if it is one of the first that are cut."""
        if self._left and self.agrees:
            self._left -= 1
            pieces = document.beginning()
            try:
                whole = [len(one.encode([b"".join(pieces)])[0]) for one in encoders]
                self.agrees = whole == [len(one.encode(pieces)[0]) for one in encoders]
            except EncodingMismatch:  # which is noted where the sample itself meets it
                self.agrees = False
        return self.agrees
