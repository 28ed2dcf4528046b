"""Learn WordPiece, fast: equal to `scratch.learn_wordpiece`, merge for merge.

The score of a pair is count(ab) / (count(a) · count(b)) (Schuster and Nakajima 2012, as it is commonly explained). A
merge changes the counts of its two symbols and of the pairs beside it, so only the pairs with one of these symbols are
scored again; all other scores stay valid.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush, heapreplace
from math import inf

from ...learn_bpe import TieRule
from ..bpe.learn import MergeChoice
from ..bpe.merge_order import MergeFilter, Place, find_all_places, find_place, update_place
from ..bpe.symbol_corpus import SymbolCorpus

Entry = tuple[float, Place, str]


class WordPieceLearner:
    """The pairs of a corpus in the order of their scores.

    When a symbol becomes rarer, the scores of its other pairs rise. So, unlike for BPE, a new entry is pushed
    whenever a score changes, and entries with an old score are skipped.

    >>> from tokenarium.scratch.fast.bpe.symbol_corpus import build_continued_corpus
    >>> corpus = build_continued_corpus({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})
    >>> learner = WordPieceLearner(corpus)
    >>> [step.spelling for step in learner.steps(3)]
    ['##gs', 'hu', 'hugs']
    """

    def __init__(
        self,
        corpus: SymbolCorpus,
        *,
        ties: TieRule = "first-seen",
        min_frequency: int = 2,
        allowed: MergeFilter | None = None,
    ) -> None:
        """Pairs that occur less often than `min_frequency`, and pairs that are not `allowed`, are not merged."""
        self.corpus = corpus
        self.ties = ties
        self.min_frequency = min_frequency
        self._allowed = allowed
        self.uses = Counter(corpus.occurrences())
        self._beside: dict[str, set[str]] = {symbol: set() for symbol in self.uses}
        for pair in corpus.pairs:
            for symbol in pair:
                self._beside[symbol].add(pair)
        pairs = [pair for pair, count in corpus.pairs.items() if count >= min_frequency]
        self._scores = {pair: self.score(pair) for pair in pairs}
        self._tally = Counter(self._scores.values())
        self._places: dict[str, Place] = dict(zip(pairs, find_all_places(corpus, pairs, ties=ties), strict=True))
        self._heap: list[Entry] = [(-score, self._places[pair], pair) for pair, score in self._scores.items()]
        heapify(self._heap)

    def score(self, pair: str) -> float:
        """Return the count of a pair, relative to the product of the counts of its two symbols."""
        return self.corpus.pairs[pair] / (self.uses[pair[0]] * self.uses[pair[1]])

    def steps(self, most: int | None = None) -> Iterator[MergeChoice]:
        """Yield each merge before applying it, at most `most` that add a symbol, while a pair is frequent enough."""
        end = inf if most is None else len(self.corpus.spellings) + most
        while len(self.corpus.spellings) < end and self._settle():
            pair = self._heap[0][2]
            spelling = self.corpus.spell_pair(pair)
            yield MergeChoice(pair, self.corpus.pairs[pair], spelling)
            symbol = self.corpus.choose_symbol(spelling)
            size = self.corpus.size
            changed = {pair, *self.corpus.merge(pair, spelling)}
            self.uses[symbol] = merged = size - self.corpus.size
            self._beside[symbol] = set()
            for part in pair:
                self.uses[part] -= merged
            self._weigh(changed.union(*map(self._beside.__getitem__, pair)))

    def best(self, most: int) -> list[tuple[str, int]]:
        """Return the best pairs in order, with their counts, without those that are too rare to be merged."""
        entries: list[Entry] = []
        while len(entries) < most and self._settle():
            entry = heappop(self._heap)
            if entry not in entries:  # a score that changed back has two equal entries
                entries.append(entry)
        for entry in entries:
            heappush(self._heap, entry)
        return [(pair, self.corpus.pairs[pair]) for _, _, pair in entries]

    def count_ties(self) -> int:
        """Return how many other pairs have the score of the best."""
        return self._tally[-self._heap[0][0]] - 1 if self._settle() else 0

    def _settle(self) -> bool:
        """Move the best pair to the top of the heap. Return False if no pair can be merged."""
        heap = self._heap
        while heap:
            less, place, pair = heap[0]
            if self._scores.get(pair) != -less or not (self._allowed is None or self._allowed(pair)):
                heappop(heap)
                continue
            current = update_place(self.corpus, pair, place, ties=self.ties)
            if current == place:
                return True
            self._places[pair] = current
            heapreplace(heap, (less, current, pair))
        return False

    def _weigh(self, pairs: Iterable[str]) -> None:
        """Update the scores of these pairs after a merge."""
        for pair in pairs:
            before = self._scores.pop(pair, None)
            if before is not None:
                self._tally[before] -= 1
            count = self.corpus.pairs.get(pair, 0)
            for symbol in pair:
                (self._beside[symbol].add if count else self._beside[symbol].discard)(pair)
            if count >= self.min_frequency:
                self._scores[pair] = score = self.score(pair)
                self._tally[score] += 1
                if score != before:
                    place = self._places.get(pair) or find_place(self.corpus, pair, ties=self.ties)
                    self._places[pair] = place
                    heappush(self._heap, (-score, place, pair))
