"""The ids of SentencePiece BPE models without spans, for long texts: each word is segmented once and looked up again.

If no piece has a ▁ after another character, the tokens of a text are those of its segments, each a ▁ and the characters
up to the next one. A language has few different segments; the ids of all are joined in one copy.
"""

import re
from array import array

from ...fast.bpe.id_cache import IdCache
from .bpe import ScoredBPE
from .encode import MARK, SentencePiece

SEGMENT = re.compile(f"{MARK}+[^{MARK}]*|[^{MARK}]+")


class SentencePieceIds:
    """Computes the ids of a text if normalizing it only replaces spaces; otherwise returns None.

    >>> from tokenarium.scratch.compat.sentencepiece.encode import Normalizer
    >>> model = ScoredBPE({"▁": 1, "a": 2, "▁a": 3}, {"▁": -1.0, "a": -1.0, "▁a": 0.0})
    >>> SentencePieceIds(SentencePiece(model.pieces, Normalizer(), unknown=0), model)("a  aa")
    array('I', [3, 1, 3, 2])
    """

    def __init__(self, sentencepiece: SentencePiece, model: ScoredBPE) -> None:
        self.sentencepiece = sentencepiece
        self.model = model
        self._separable = model.by_stretches and all(id != sentencepiece.unknown for id, _ in model.pieces(MARK))
        self._words = IdCache(lambda word: sentencepiece.pack_ids(word, model.pieces(word)))
        self._segments = IdCache(lambda segment: b"".join(map(self._words.__getitem__, model.words(segment))))

    def __call__(self, text: str) -> "array[int] | None":
        normal = self.sentencepiece.normalizer.mark_spaces(text)
        if normal is None or not self._separable:
            return None
        ids = array("I", b"".join(map(self._segments.__getitem__, SEGMENT.findall(normal))))
        # Adjacent unknown tokens of two segments would have to become one: left to `SentencePiece`.
        return ids if self.sentencepiece.byte_ids or self.sentencepiece.unknown not in ids else None
