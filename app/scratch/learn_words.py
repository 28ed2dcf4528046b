"""A vocabulary of words, counted from a corpus: special tokens first, then the most frequent words, and then it closes.

A rare word gets no row, because a model would see it too seldom to learn it, and each row costs memory. Any word that
is not in the vocabulary, rare or new, becomes the unknown token: the model cannot tell one such word from another.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

SPECIAL = ("[PAD]", "[UNK]")


class WordFrequencies(NamedTuple):
    """The special tokens, which have the first ids, and how often each word occurs."""

    vocabulary: Mapping[str, int]
    counts: Mapping[str, int]


class IncludedWord(NamedTuple):
    """A word that gets an id, and its frequency."""

    word: str
    frequency: int
    id: int


class ExcludedWord(NamedTuple):
    """A word that gets no id, and its frequency."""

    word: str
    frequency: int
    reason: str


class LookedUp(NamedTuple):
    """A word of a text and its id: that of the unknown token if the vocabulary does not have the word."""

    word: str
    id: int
    known: bool


def select_words(
    words: Iterable[str],
    *,
    min_frequency: int = 2,
    max_size: int = 12,
    special: Sequence[str] = SPECIAL,
    alphabetical: bool = False,
) -> Iterator[WordFrequencies | IncludedWord | ExcludedWord]:
    """Yield the counts, and then for each word whether the vocabulary keeps it, the most frequent first.

    Of equal counts the first seen comes first, or the one of the smaller code points if `alphabetical`.

    >>> for step in select_words("a cat and a dog and a bird".split(), max_size=4):
    ...     print(*step)
    {'[PAD]': 0, '[UNK]': 1} {'a': 3, 'cat': 1, 'and': 2, 'dog': 1, 'bird': 1}
    a 3 2
    and 2 3
    cat 1 too rare
    dog 1 too rare
    bird 1 too rare
    """
    vocabulary = {token: id for id, token in enumerate(special)}
    counts = Counter(words)
    yield WordFrequencies({**vocabulary}, dict(counts))
    ordered = sorted(counts.items(), key=lambda one: (-one[1], one[0])) if alphabetical else counts.most_common()
    for word, count in ordered:
        if count < min_frequency:
            yield ExcludedWord(word, count, "too rare")
        elif len(vocabulary) == max_size:
            yield ExcludedWord(word, count, "no room")
        else:
            id = vocabulary.setdefault(word, len(vocabulary))
            yield IncludedWord(word, count, id)


def look_up(words: Iterable[str], vocabulary: Mapping[str, int], *, unknown: str = "[UNK]") -> Iterator[LookedUp]:
    """Yield the id of each word.

    >>> [step.id for step in look_up(["a", "new", "cat"], {"[PAD]": 0, "[UNK]": 1, "a": 2, "cat": 3})]
    [2, 1, 3]
    """
    for word in words:
        id = vocabulary.get(word, vocabulary[unknown])
        yield LookedUp(word, id, word in vocabulary)
