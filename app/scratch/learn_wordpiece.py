"""Learning WordPiece: like BPE, but a pair must be more frequent than its parts let one expect.

A pair is weighed by count(ab) / (count(a) · count(b)), so that a merge makes the corpus as likely as it can (Schuster
and Nakajima 2012, as it is commonly explained; Google never published its code).
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush, heapreplace

from app.scratch.allowed import Allowed
from app.scratch.corpus import Corpus
from app.scratch.learn_bpe import Choice
from app.scratch.ties import Place, TieRule, all_places, place_now, place_of

Entry = tuple[float, Place, str]


class WordPieceLearner:
    """The pairs of a corpus in the order of their scores.

    Where a symbol is used up, the pairs it is still in score higher than before; so unlike BPE's, the heap gets a new
    entry whenever a score changes, and entries with an old score are passed over.

    >>> from app.scratch.corpus import continued_characters
    >>> corpus = continued_characters({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    >>> learner = WordPieceLearner(corpus)
    >>> [step.spelling for step in learner.steps(3)]
    ['##gs', 'hu', 'hugs']
    """

    def __init__(
        self, corpus: Corpus, *, ties: TieRule = "first-seen", at_least: int = 2, allowed: Allowed | None = None
    ) -> None:
        """Pairs that stand together less often than `at_least` are not merged, nor those that are not `allowed`."""
        self.corpus = corpus
        self.ties = ties
        self.at_least = at_least
        self._allowed = allowed
        self.uses = Counter(corpus.occurrences())
        self._beside: dict[str, set[str]] = {symbol: set() for symbol in self.uses}
        for pair in corpus.pairs:
            for symbol in pair:
                self._beside[symbol].add(pair)
        pairs = [pair for pair, count in corpus.pairs.items() if count >= at_least]
        self._scores = {pair: self.score(pair) for pair in pairs}
        self._tally = Counter(self._scores.values())
        self._places: dict[str, Place] = dict(zip(pairs, all_places(corpus, pairs, ties=ties), strict=True))
        self._heap: list[Entry] = [(-score, self._places[pair], pair) for pair, score in self._scores.items()]
        heapify(self._heap)

    def score(self, pair: str) -> float:
        """How much more often a pair stands together than its parts let one expect."""
        return self.corpus.pairs[pair] / (self.uses[pair[0]] * self.uses[pair[1]])

    def steps(self, most: int | None = None) -> Iterator[Choice]:
        """Yield each choice, and make it once asked to go on, until no pair comes often enough or `most` are made."""
        left = -1 if most is None else most
        while left and self._settle():
            pair = self._heap[0][2]
            spelling = self.corpus.joined(pair)
            yield Choice(pair, self.corpus.pairs[pair], spelling)
            made, size = chr(len(self.corpus.spellings)), self.corpus.size
            changed = {pair, *self.corpus.merge(pair, spelling)}
            self.uses[made] = merged = size - self.corpus.size
            self._beside[made] = set()
            for symbol in pair:
                self.uses[symbol] -= merged
            self._weigh(changed.union(*map(self._beside.__getitem__, pair)))
            left -= 1

    def best(self, most: int) -> list[tuple[str, int]]:
        """The first pairs in order, with their counts; none that comes too seldom to be merged."""
        found: list[Entry] = []
        while len(found) < most and self._settle():
            entry = heappop(self._heap)
            if entry not in found:
                found.append(entry)
        for entry in found:
            heappush(self._heap, entry)
        return [(pair, self.corpus.pairs[pair]) for _, _, pair in found]

    def tied(self) -> int:
        """How many other pairs score as high as the best."""
        return self._tally[-self._heap[0][0]] - 1 if self._settle() else 0

    def _settle(self) -> bool:
        """Bring the best pair to the top of the heap; False where none is left."""
        heap = self._heap
        while heap:
            less, place, pair = heap[0]
            if self._scores.get(pair) != -less or not (self._allowed is None or self._allowed(pair)):
                heappop(heap)
                continue
            now = place_now(self.corpus, pair, place, ties=self.ties)
            if now == place:
                return True
            self._places[pair] = now
            heapreplace(heap, (less, now, pair))
        return False

    def _weigh(self, pairs: Iterable[str]) -> None:
        """Score pairs anew."""
        for pair in pairs:
            before = self._scores.pop(pair, None)
            if before is not None:
                self._tally[before] -= 1
            count = self.corpus.pairs.get(pair, 0)
            for symbol in pair:
                (self._beside[symbol].add if count else self._beside[symbol].discard)(pair)
            if count >= self.at_least:
                self._scores[pair] = score = self.score(pair)
                self._tally[score] += 1
                if score != before:
                    place = self._places.get(pair) or place_of(self.corpus, pair, ties=self.ties)
                    self._places[pair] = place
                    heappush(self._heap, (-score, place, pair))
