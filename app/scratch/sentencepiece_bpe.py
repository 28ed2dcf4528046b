"""BPE over characters by score: the merge loop of `bpe`, with the scores of a SentencePiece model for ranks.

Llama, Llama 2 and the first Mistral models are cut so. There is no pattern: what keeps a merge from reaching over a
space is that no piece of the vocabulary does.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from app.scratch.bpe import merge
from app.scratch.sentencepiece import Pieces, longest_first, marks_begin, words


class ScoredBPE:
    """Join the neighbours whose union has the highest score, the leftmost among equals, until no union is a piece.

    User-defined symbols are found first, the longest at each place, and join with nothing.

    >>> model = ScoredBPE({"a": 1, "b": 2, "ab": 3, "<x>": 4}, {"a": 0.0, "b": 0.0, "ab": -1.0}, frozen=["<x>"])
    >>> list(model.pieces("ab<x>ac"))
    [(3, 2), (4, 3), (1, 1), (0, 1)]
    """

    def __init__(
        self, ids: Mapping[str, int], scores: Mapping[str, float], *, unknown: int = 0, frozen: Iterable[str] = ()
    ) -> None:
        self.ids = ids
        self.ranks = {piece: -score for piece, score in scores.items()}
        self.unknown = unknown
        self.frozen = longest_first(frozen)
        self.words: Callable[[str], Iterable[str]] = words([*scores, *frozen])
        self.by_stretches = marks_begin([*scores, *frozen])

    def pieces(self, text: str) -> Pieces:
        """Yield (id, number of characters) for each piece of a normalized text."""
        known: dict[str, list[tuple[int, int]]] = {}
        for word in self.words(text):
            if word not in known:
                known[word] = [(self.ids.get(part, self.unknown), len(part)) for part in self._parts(word)]
            yield from known[word]

    def stretches(self, word: str) -> Iterator[tuple[str, bool]]:
        """A word in user-defined symbols, which are marked, and what lies between them."""
        here = 0
        for found in self.frozen.finditer(word) if self.frozen else ():
            if here < found.start():
                yield word[here : found.start()], False
            yield found.group(), True
            here = found.end()
        if here < len(word):
            yield word[here:], False

    def _parts(self, word: str) -> Iterable[str]:
        if self.frozen is None:
            return merge(word, self.ranks)
        stretches = self.stretches(word)
        return [part for text, frozen in stretches for part in ([text] if frozen else merge(text, self.ranks))]
