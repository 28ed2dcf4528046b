"""The counts of documents, which add up: of two parts of a corpus, the tally of both is their sum."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

SMALL = 256
"""Lengths up to this are counted exactly; longer ones with an error of at most 1 / 128."""
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def bucket(tokens: int) -> int:
    """Return the length as which a document of this many tokens is counted in the histogram.

    >>> bucket(200), bucket(1000), bucket(100_001)
    (200, 1000, 99840)
    """
    shift = max(0, tokens.bit_length() - 8)
    return tokens >> shift << shift


@dataclass(slots=True)
class DocumentCounts:
    """The counts of some documents in one tokenizer; bytes and characters are of the text.

    `unknown` and `fallback` count tokens: unknown ones, and those of one byte of a character that is not in the
    vocabulary. `lengths` is the number of documents by their tokens, as `bucket` rounds them. `longest` is the largest
    number of tokens of a document. `words` are what white space separates, counted for reports only.
    """

    documents: int = 0
    bytes: int = 0
    characters: int = 0
    tokens: int = 0
    unknown: int = 0
    fallback: int = 0
    longest: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    words: int = 0

    def __iadd__(self, other: "DocumentCounts") -> "DocumentCounts":
        self.documents += other.documents
        self.bytes += other.bytes
        self.characters += other.characters
        self.tokens += other.tokens
        self.unknown += other.unknown
        self.fallback += other.fallback
        self.longest = max(self.longest, other.longest)
        self.lengths.update(other.lengths)
        self.words += other.words
        return self

    @property
    def bytes_per_token(self) -> float:
        return self.bytes / self.tokens if self.tokens else 0.0

    @property
    def unknown_share(self) -> float:
        return self.unknown / self.tokens if self.tokens else 0.0

    @property
    def tokens_per_word(self) -> float:
        return self.tokens / self.words if self.words else 0.0

    @property
    def tokens_per_character(self) -> float:
        return self.tokens / self.characters if self.characters else 0.0

    def quantile(self, share: float) -> int:
        """Return the tokens that at least a share of the documents do not exceed, as the histogram has them.

        Of a single document these are its tokens.

        >>> DocumentCounts(documents=4, lengths=Counter({1: 1, 2: 2, 9: 1})).quantile(0.5)
        2
        >>> DocumentCounts(documents=1, longest=1001, lengths=Counter({1000: 1})).quantile(0.5)
        1001
        """
        if self.documents == 1:
            return self.longest
        left = share * self.documents
        for length in sorted(self.lengths):
            left -= self.lengths[length]
            if left <= 0:
                return length
        return 0

    def histogram(self) -> Iterator[tuple[int, int]]:
        """Yield the number of documents with up to 1, 2, 4, 8 … tokens, and more than half of that."""
        limits: Counter[int] = Counter()
        for length, count in self.lengths.items():
            limits[1 << max(0, length - 1).bit_length()] += count
        yield from sorted(limits.items())

    def dump(self) -> dict[str, Any]:
        """Return it as plain data, from which `load` makes it again."""
        names = ("documents", "bytes", "characters", "tokens", "unknown", "fallback", "longest", "words")
        return {name: getattr(self, name) for name in names} | {"lengths": sorted(self.lengths.items())}

    @classmethod
    def load(cls, data: Mapping[str, Any]) -> "DocumentCounts":
        """Return the tally that `dump` wrote.

        >>> DocumentCounts.load(DocumentCounts(documents=2, lengths=Counter({3: 2})).dump()).quantile(1.0)
        3
        """
        return cls(**{**data, "lengths": Counter(dict(data["lengths"]))})
