"""WordPiece, fast: equal to `scratch.wordpiece`.

Candidates longer than the longest token of the vocabulary cannot match: only a trace looks them up.
"""

from collections.abc import Mapping

from ....errors import NoUnknownToken
from ....types import LongestMatch

Piece = tuple[int, int, int]
"""An id, and the characters of the word that it covers, start and end."""


class WordPiece:
    """The WordPiece model without its pre-tokenizer: it tokenizes one word at a time.

    >>> model = WordPiece({"play": 0, "##ing": 1, "##i": 2, "[UNK]": 3})
    >>> model.pieces("playing"), model.pieces("pay")
    ([(0, 0, 4), (1, 4, 7)], [(3, 0, 3)])
    """

    def __init__(
        self, vocabulary: Mapping[str, int], *, unknown: str = "[UNK]", prefix: str = "##", max_chars: int = 100
    ) -> None:
        self.vocabulary = vocabulary
        self.name = unknown
        self.unknown = vocabulary.get(unknown, -1)
        self.prefix = prefix
        self.max_chars = max_chars
        self.longest = max(map(len, vocabulary))

    def pieces(self, word: str, tried: list[LongestMatch] | None = None) -> list[Piece]:
        """Return the tokens of a word. A word with an unmatched rest, or a too long one, is one unknown token.

        Raises `NoUnknownToken` if that token is not in the vocabulary.

        If `tried` is a list, the look-ups at each position are appended to it: the position, the ends of the longest
        candidate and of the last one, and the id of the last.

        >>> WordPiece({"play": 0, "##ing": 1, "[UNK]": 2}).pieces("playful", tried := []), tried
        ([(2, 0, 7)], [(0, 7, 4, 0), (4, 7, 5, None)])
        """
        pieces: list[Piece] = []
        start = 0
        while start < len(word) <= self.max_chars:
            prefix = self.prefix if start else ""
            # A trace begins with the whole rest, as BERT's code does; candidates beyond the longest token only fail.
            longest = len(word) if tried is not None else min(len(word), start + self.longest)
            for end in range(longest, start, -1):
                if (id := self.vocabulary.get(prefix + word[start:end])) is not None:
                    break
            if tried is not None:
                tried.append((start, longest, end, id))
            if id is None:
                break
            pieces.append((id, start, end))
            start = end
        if start == len(word):
            return pieces
        if self.unknown < 0:
            raise NoUnknownToken(self.name)
        return [(self.unknown, 0, len(word))]
