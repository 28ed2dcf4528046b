"""Models that tokenize one word at a time: WordLevel and Unigram of Hugging Face `tokenizers` (0.23), BPE by ranks."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from ....errors import NoUnknownToken
from ...fast.bpe.encode import merge
from ...fast.bpe.encode_pairs import Piece
from ...fast.unigram.encode import Unigram
from .pre_tokenizers import ALPHABET


class WordLevel:
    """Each word is one token, or the unknown token if it is not in the vocabulary.

    >>> WordLevel({"the": 0, "[UNK]": 1}, unknown="[UNK]").pieces("then")
    [(1, 0, 4)]
    """

    def __init__(self, vocabulary: Mapping[str, int], *, unknown: str) -> None:
        self.vocabulary = vocabulary
        self.name = unknown
        self.unknown = vocabulary.get(unknown, -1)

    def pieces(self, word: str) -> list[Piece]:
        """Return the word as one token. Raises `NoUnknownToken` for an unknown word without an unknown token."""
        id = self.vocabulary.get(word, self.unknown)
        if id < 0:
            raise NoUnknownToken(self.name)
        return [(id, 0, len(word))]


class WordUnigram:
    """The best path for each word alone; adjacent unknown characters become one unknown token, or byte tokens.

    >>> WordUnigram([("<unk>", 0.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unknown=0).pieces("abé你a")
    [(3, 0, 2), (0, 2, 4), (1, 4, 5)]
    """

    def __init__(
        self, vocabulary: Sequence[tuple[str, float]], *, unknown: int | None, byte_fallback: bool = False
    ) -> None:
        self.ids = {piece: id for id, (piece, _) in enumerate(vocabulary)}
        self.unknown = unknown
        self.model = Unigram(self.ids, dict(vocabulary), unknown=-1 if unknown is None else unknown, wide=True)
        self.bytes = [self.ids.get(f"<0x{byte:02X}>") for byte in range(256)] if byte_fallback else [None] * 256

    def pieces(self, word: str) -> list[Piece]:
        """Tokenize a word, as (id, start, end) in characters.

        Raises `NoUnknownToken` for an unknown character if the model has no unknown token.
        """
        pieces: list[Piece] = []
        for start, end in self._parts(word):
            part = word[start:end]
            ids = [self.bytes[byte] for byte in part.encode()]
            if part in self.ids or None in ids:  # byte fallback needs all bytes of the part
                pieces.append((self.ids.get(part, self.model.unknown), start, end))
            else:
                pieces += [(id, start, end) for id in ids if id is not None]
        return pieces

    def _parts(self, word: str) -> list[tuple[int, int]]:
        """Return the spans of the best path, adjacent unknown ones joined."""
        parts: list[tuple[int, int]] = []
        position = 0
        fused = False
        for id, size in self.model.best(word, 0.0).pieces:
            if id < 0:
                raise NoUnknownToken
            start = parts.pop()[0] if fused and id == self.unknown else position
            position = position + size
            fused = id == self.unknown
            parts.append((start, position))
        return parts


class RankedWords:
    """BPE by ranks over words of bytes, each spelled as one character; `ignore_merges` keeps tokens whole.

    It gives the tokens of a tokenizer.json with the merges of these ranks, without a list of merges.

    >>> RankedWords({b" ": 0, b"a": 1, b"b": 2, b"ab": 3}).pieces("Ġab")
    [(0, 0, 1), (3, 1, 3)]
    """

    def __init__(self, ranks: Mapping[bytes, int], *, ignore_merges: bool = True) -> None:
        self.ranks = ranks
        self.ignore_merges = ignore_merges
        self.byte_of = {char: bytes([byte]) for byte, char in enumerate(ALPHABET) if bytes([byte]) in ranks}

    def pieces(self, word: str) -> list[Piece]:
        """Return the tokens of a word; characters that spell no byte are left out."""
        kept = "".join([char for char in word if char in self.byte_of])
        data = b"".join([self.byte_of[char] for char in kept])
        if self.ignore_merges and len(kept) == len(word) and data in self.ranks:
            return [(self.ranks[data], 0, len(word))]
        sizes = [len(char.encode()) for char in kept]
        ends = [0, *accumulate(sizes)]  # in bytes of the spelling: the library counts as if nothing was left out
        owner = [i for i, char in enumerate(word) for _ in char.encode()]
        pieces = list[Piece]()
        at = 0
        for token in merge(data, self.ranks):
            start = at
            at = at + len(token)
            pieces.append((self.ranks[token], owner[ends[start]], owner[ends[at] - 1] + 1))
        return pieces
