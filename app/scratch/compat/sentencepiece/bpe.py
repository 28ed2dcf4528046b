"""BPE models of SentencePiece (0.2): merges of characters, ranked by the scores of pieces instead of by a list.

Llama, Llama 2 and the first Mistral models are of this kind. There is no pre-tokenization: no merge crosses a space
because no piece of the vocabulary contains one inside.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from ...fast.bpe.encode import merge
from .encode import Pieces, compile_alternatives, words


class ScoredBPE:
    """Merge the adjacent pair whose union has the highest score, the leftmost of equals, until no union is a piece.

    User-defined symbols (`frozen`) are matched first, the longest at each position, and never merge.

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
        self.frozen = compile_alternatives(frozen)
        self.words: Callable[[str], Iterable[str]] = words([*scores, *frozen])

    def pieces(self, text: str) -> Pieces:
        """Yield (id, number of characters) for each piece of a normalized text."""
        cache: dict[str, list[tuple[int, int]]] = {}
        for word in self.words(text):
            if word not in cache:
                cache[word] = [(self.ids.get(part, self.unknown), len(part)) for part in self._merge(word)]
            yield from cache[word]

    def parts(self, word: str) -> Iterator[tuple[str, bool]]:
        """Yield the parts of a word, and whether each is a user-defined symbol."""
        position = 0
        for match in self.frozen.finditer(word) if self.frozen else ():
            if position < match.start():
                yield word[position : match.start()], False
            yield match.group(), True
            position = match.end()
        if position < len(word):
            yield word[position:], False

    def _merge(self, word: str) -> Iterable[str]:
        if self.frozen is None:
            return merge(word, self.ranks)
        parts = self.parts(word)
        return [part for text, frozen in parts for part in ([text] if frozen else merge(text, self.ranks))]
