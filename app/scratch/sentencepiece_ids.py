"""The ids of `sentencepiece` and those alone: the way to take a megabyte.

Where pieces may begin with ▁ and not go on with one, the tokens of a text are those of its stretches, each a ▁ and what
follows up to the next. A language has few of them; each is cut once, and the ids of all are joined in one copy.
"""

import re
from array import array
from collections.abc import Callable

from app.scratch.bpe import Known
from app.scratch.running_sum import RunningSum
from app.scratch.sentencepiece import MARK, Pieces, SentencePiece
from app.scratch.sentencepiece_bpe import ScoredBPE
from app.scratch.unigram import Unigram

STRETCH = re.compile(f"{MARK}+[^{MARK}]*|[^{MARK}]+")


class SentencePieceIds:
    """The ids of a text, where its normalization does no more than to mark the spaces; None elsewhere.

    >>> from app.scratch.sentencepiece import Normalizer
    >>> model = ScoredBPE({"▁": 1, "a": 2, "▁a": 3}, {"▁": -1.0, "a": -1.0, "▁a": 0.0})
    >>> SentencePieceIds(SentencePiece(model.pieces, Normalizer(), unknown=0), model)("a  aa")
    array('I', [3, 1, 3, 2])
    """

    def __init__(self, whole: SentencePiece, model: ScoredBPE | Unigram) -> None:
        self.whole = whole
        self.model = model
        self._apart = model.by_stretches and all(id != whole.unknown for id, _ in model.pieces(MARK))
        self._cut: Callable[[str], Pieces | None] = model.sure if isinstance(model, Unigram) else model.pieces
        self._words = Known(self._of_word)
        self._stretches = Known(self._of_stretch)

    def __call__(self, text: str) -> "array[int] | None":
        normal = self.whole.normalizer.marked(text)
        if normal is None or not self._apart:
            return None
        stretches = STRETCH.findall(normal)
        parts = [*map(self._stretches.__getitem__, stretches)]
        if isinstance(self.model, Unigram):
            self._decide(self.model, stretches, parts)
        ids = array("I", b"".join(parts))
        return ids if self.whole.byte_ids or self.whole.unknown not in ids else None

    def _of_stretch(self, stretch: str) -> bytes:
        parts = [*map(self._words.__getitem__, self.model.words(stretch))]
        return b"" if b"" in parts else b"".join(parts)

    def _of_word(self, word: str) -> bytes:
        pieces = self._cut(word)
        return b"" if pieces is None else self.whole.spelled(word, pieces)

    def _decide(self, model: Unigram, stretches: list[str], parts: list[bytes]) -> None:
        """Fill in what is not sure: there the sum of all scores before decides."""
        sum_ = RunningSum(model, self._scores(model), self._words.__getitem__, self.whole.spelled)
        here = 0
        for _ in range(parts.count(b"")):
            found = parts.index(b"", here)
            sum_.add(stretches[here:found], parts[here:found])
            parts[found] = sum_.cut(stretches[found])
            here = found + 1

    def _scores(self, model: Unigram) -> list[float]:
        """What each id adds to the sum: of the bytes of an unknown character, the first adds all."""
        scores = [0.0] * (max([*model.scores, *self.whole.byte_ids]) + 1)
        for id, score in model.scores.items():
            scores[id] = score
        for byte, id in enumerate(self.whole.byte_ids):
            scores[id] = 0.0 if 0x80 <= byte < 0xC0 else model.unknown_score
        return scores
