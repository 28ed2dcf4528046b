"""WordPiece: no merges any more; each word is cut from the left, always at the longest piece the vocabulary holds.

Devlin et al. 2019, after Schuster and Nakajima 2012. Training is where the likelihood comes in, encoding is greedy.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate

import regex

from app.scratch.aligned import Aligned
from app.scratch.normalize import bert_accents, clean, in_turn, lowercase, space_cjk
from app.scratch.words import bert_words
from app.types import Attempts

Piece = tuple[int, int, int]
"""An id, and the characters of the word that it covers, start and end."""


class WordPiece:
    """The model alone: it cuts one word.

    >>> model = WordPiece({"play": 0, "##ing": 1, "##i": 2, "[UNK]": 3})
    >>> model.pieces("playing"), model.pieces("pay")
    ([(0, 0, 4), (1, 4, 7)], [(3, 0, 3)])
    """

    def __init__(
        self, vocabulary: Mapping[str, int], *, unknown: str = "[UNK]", prefix: str = "##", max_chars: int = 100
    ) -> None:
        self.vocabulary = vocabulary
        self.unknown = vocabulary[unknown]
        self.prefix = prefix
        self.max_chars = max_chars
        self.longest = max(map(len, vocabulary))

    def pieces(self, word: str, tried: list[Attempts] | None = None) -> list[Piece]:
        """Cut a word; one that cannot be cut to its end, or is too long, is unknown as a whole.

        What was looked up at each place is written down in `tried`, if that is given: the place, the ends of the
        longest piece and of the last, and the id of the last.

        >>> WordPiece({"play": 0, "##ing": 1, "[UNK]": 2}).pieces("playi", tried := []), tried
        ([(2, 0, 5)], [(0, 5, 4, 0), (4, 5, 5, None)])
        """
        done: list[Piece] = []
        start = 0
        while start < len(word) <= self.max_chars:
            prefix = self.prefix if start else ""
            longest = min(len(word), start + self.longest)
            for end in range(longest, start, -1):
                if (id := self.vocabulary.get(prefix + word[start:end])) is not None:
                    break
            if tried is not None:
                tried.append((start, longest, end, id))
            if id is None:
                break
            done.append((id, start, end))
            start = end
        return done if start == len(word) else [(self.unknown, 0, len(word))]


class Bert:
    """BERT's tokenizer: clean, space out Chinese, drop accents and case, split at spaces and punctuation, WordPiece.

    >>> pieces = ["[UNK]", "zoe", "'", "s", "run", "##s"]
    >>> list(Bert({piece: id for id, piece in enumerate(pieces)}).encode("Zoé's runs"))
    [(1, 0, 4), (2, 4, 5), (3, 5, 6), (4, 7, 10), (5, 10, 11)]
    """

    NORMALIZERS = (clean, space_cjk, bert_accents, lowercase)
    STRETCH = regex.compile(r"[^ \t\n\r]+")

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self.model = WordPiece(vocabulary)

    def encode(self, text: str) -> Iterator[Piece]:
        """Yield (id, byte start, byte end) for each token; what lies in no span was dropped.

        Nothing reaches across a space, so a stretch between two is worked out once and then looked up.
        """
        known: dict[str, tuple[list[Piece], int]] = {}
        chars = here = 0
        for found in self.STRETCH.finditer(text):
            stretch, (start, end) = found.group(), found.span()
            if stretch not in known:
                known[stretch] = list(self._stretch(stretch)), len(stretch.encode())
            pieces, size = known[stretch]
            here += start - chars
            for id, first, last in pieces:
                yield id, here + first, here + last
            here += size
            chars = end

    def _stretch(self, stretch: str) -> Iterator[Piece]:
        for word, byte_at in self.words(stretch):
            for id, first, last in self.model.pieces(word.text):
                start, end = word.span(first, last)
                yield id, byte_at[start], byte_at[end]

    def words(self, stretch: str) -> Iterator[tuple[Aligned, list[int]]]:
        """The words of a stretch without spaces, and the byte that each of its characters begins at.

        >>> [(word.text, byte_at) for word, byte_at in Bert({"[UNK]": 0}).words("Zoé's")][::2]
        [('zoe', [0, 1, 2, 4, 5, 6]), ('s', [0, 1, 2, 4, 5, 6])]
        """
        byte_at = [*range(len(stretch) + 1)]
        if not stretch.isascii():
            byte_at = [*accumulate((len(char.encode()) for char in stretch), initial=0)]
        for word in bert_words(in_turn(self.NORMALIZERS, Aligned.of(stretch))):
            yield word, byte_at


def joined(pieces: Iterable[str], *, prefix: str = "##") -> str:
    """Pieces as a text: a continuation follows directly, any other piece after a space.

    >>> joined(["play", "##ing", "!"])
    'playing !'
    """
    return " ".join(pieces).replace(f" {prefix}", "")
