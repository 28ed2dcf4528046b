"""The models WordLevel and Unigram of Hugging Face `tokenizers` (0.23), which tokenize one word at a time."""

from collections.abc import Mapping, Sequence

from ...errors import EngineFailed
from ..fast.pair_merges import Piece
from ..fast.unigram import Unigram


class WordLevel:
    """Each word is one token, or the unknown token if it is not in the vocabulary.

    >>> WordLevel({"the": 0, "[UNK]": 1}, unknown="[UNK]").pieces("then")
    [(1, 0, 4)]
    """

    def __init__(self, vocabulary: Mapping[str, int], *, unknown: str) -> None:
        self.vocabulary = vocabulary
        self.unknown = vocabulary.get(unknown, -1)

    def pieces(self, word: str) -> list[Piece]:
        """Return the word as one token. Raises `EngineFailed` for an unknown word without an unknown token."""
        id = self.vocabulary.get(word, self.unknown)
        if id < 0:
            raise EngineFailed("The unknown token is not in the vocabulary, but needed here.")
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

        Raises `EngineFailed` for an unknown character if the model has no unknown token.
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
        position, fused = 0, False
        for id, size in self.model.best(word, 0.0).pieces:
            if id < 0:
                raise EngineFailed("The model has no unk_id, but it is needed here.")
            start = parts.pop()[0] if fused and id == self.unknown else position
            position, fused = position + size, id == self.unknown
            parts.append((start, position))
        return parts
