"""WordPiece, fast: equal to `scratch.wordpiece`, and BERT's tokenizer around it (Devlin et al. 2019).

Candidates longer than the longest token of the vocabulary cannot match: only a trace looks them up. A run without
spaces is tokenized once per text and then cached, since nothing of BERT reaches across a space.
"""

from collections.abc import Iterator, Mapping
from itertools import accumulate

import regex

from ....errors import NoUnknownToken
from ....types import LongestMatch
from ...compat.aligned import AlignedText
from ...compat.pipeline.normalizers import BertNormalizer
from ...compat.pipeline.pre_tokenizers import BertPreTokenizer

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


class BertTokenizer:
    """BERT's tokenizer: clean, put spaces around CJK, strip accents, lowercase, split at punctuation, WordPiece.

    >>> pieces = ["[UNK]", "zoe", "'", "s", "run", "##s"]
    >>> list(BertTokenizer({piece: id for id, piece in enumerate(pieces)}).encode("Zoé's runs"))
    [(1, 0, 4), (2, 4, 5), (3, 5, 6), (4, 7, 10), (5, 10, 11)]
    """

    NORMALIZER = BertNormalizer()
    PRE_TOKENIZER = BertPreTokenizer()
    RUN = regex.compile(r"[^ \t\n\r]+")

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self.model = WordPiece(vocabulary)

    def encode(self, text: str) -> Iterator[Piece]:
        """Yield (id, byte start, byte end) for each token; the normalizers removed the bytes that are in no span."""
        cache: dict[str, tuple[list[Piece], int]] = {}
        chars = offset = 0
        for match in self.RUN.finditer(text):
            run = match.group()
            (start, end) = match.span()
            if run not in cache:
                cache[run] = list(self._tokenize_run(run)), len(run.encode())
            pieces, size = cache[run]
            offset += start - chars  # the whitespace between two runs is ASCII: one byte per character
            for id, first, last in pieces:
                yield id, offset + first, offset + last
            offset += size
            chars = end

    def _tokenize_run(self, run: str) -> Iterator[Piece]:
        """Yield (id, byte start, byte end) for each token of a run without spaces."""
        for word, byte_at in self.words(run):
            for id, first, last in self.model.pieces(word.text):
                start, end = word.span(first, last)
                yield id, byte_at[start], byte_at[end]

    def words(self, run: str) -> Iterator[tuple[AlignedText, list[int]]]:
        """Yield the words of a run without spaces, each with the byte offsets of the run's characters.

        >>> [(word.text, byte_at) for word, byte_at in BertTokenizer({"[UNK]": 0}).words("Zoé's")][::2]
        [('zoe', [0, 1, 2, 4, 5, 6]), ('s', [0, 1, 2, 4, 5, 6])]
        """
        byte_at = [*range(len(run) + 1)]
        if not run.isascii():
            byte_at = [*accumulate((len(char.encode()) for char in run), initial=0)]
        for word in self.PRE_TOKENIZER.pre_tokenize(self.NORMALIZER.normalize(AlignedText.of(run))):
            yield word, byte_at
