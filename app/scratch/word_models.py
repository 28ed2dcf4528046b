"""Two more models of words: a vocabulary looked up, and unigram as Hugging Face's library applies it to words."""

from collections.abc import Mapping, Sequence

from app.scratch.merges import Piece
from app.scratch.unigram import Unigram


class WordLevel:
    """A word is a token if the vocabulary has it, and unknown if not.

    >>> WordLevel({"the": 0, "[UNK]": 1}, unknown="[UNK]").pieces("then")
    [(1, 0, 4)]
    """

    def __init__(self, vocabulary: Mapping[str, int], *, unknown: str) -> None:
        self.vocabulary = vocabulary
        self.unknown = vocabulary[unknown]

    def pieces(self, word: str) -> list[Piece]:
        """The word as one token."""
        return [(self.vocabulary.get(word, self.unknown), 0, len(word))]


class WordUnigram:
    """The best cut of each word alone; unknown characters that follow one another are one token, or their bytes.

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
        """Cut a word."""
        done: list[Piece] = []
        for start, end in self._parts(word):
            part = word[start:end]
            ids = [self.bytes[byte] for byte in part.encode()]
            if part in self.ids or None in ids:
                done.append((self.ids.get(part, self.model.unknown), start, end))
            else:
                done += [(id, start, end) for id in ids if id is not None]
        return done

    def _parts(self, word: str) -> list[tuple[int, int]]:
        parts: list[tuple[int, int]] = []
        here, fused = 0, False
        for id, size in self.model.best(word, 0.0).pieces:
            start = parts.pop()[0] if fused and id == self.unknown else here
            here, fused = here + size, id == self.unknown
            parts.append((start, here))
        return parts
