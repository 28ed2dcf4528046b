"""Merges that may be made: a vocabulary has each piece once, and none that is longer than its limit."""

from collections.abc import Iterable

from app.scratch.corpus import Corpus


class Allowed:
    """Whether a pair of a corpus may be merged.

    What it would become must be no piece there is already, by another merge or as a special token, and no longer than
    `longest`, counted in the symbols that there were in the beginning.

    >>> from app.scratch.corpus import characters
    >>> corpus = characters({"abc": 2})
    >>> allowed = Allowed(corpus, reserved=["bc"], longest=2)
    >>> allowed("\\0\\1"), allowed("\\1\\2")
    (True, False)
    """

    def __init__(self, corpus: Corpus, *, reserved: Iterable[str] = (), longest: int | None = None) -> None:
        self._corpus = corpus
        self._taken = {*corpus.spellings, *reserved}
        self._longest = longest
        self._sizes = [1] * len(corpus.spellings)

    def __call__(self, pair: str) -> bool:
        """Whether this one may; the corpus may have merged others since it was asked last."""
        corpus, sizes = self._corpus, self._sizes
        for made in map(chr, range(len(sizes), len(corpus.spellings))):
            sizes.append(sum(sizes[ord(part)] for part in corpus.made_of[made]))
            self._taken.add(corpus.spellings[ord(made)])
        if self._longest is not None and sizes[ord(pair[0])] + sizes[ord(pair[1])] > self._longest:
            return False
        return corpus.joined(pair) not in self._taken
