"""What a pattern changes: the words of a second pattern beside those of the first, and the tokens of a vocabulary."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...errors import Invalid
from ...files.from_scratch import encode_rows
from ...files.special_tokens import with_policy
from ...files.unicode_normalizer import UnicodeNormalizer
from ...registry import Registry
from ...scratch.fast.bpe.encode import merge
from ...types import Encoding, Traced
from ..compare.differences import differences
from ..text_index import TextIndex
from ..tokenize import Tokenization
from .presets import Flavor
from .words import PatternSplit, Word, read

MAX_PLACES = 50
"""Places of two patterns that are listed; all are counted."""


@dataclass(frozen=True, slots=True)
class WordDifference:
    """A shortest part of the text that two readings divide differently, with the words of each."""

    start: int
    end: int
    first: tuple[Word, ...]
    second: tuple[Word, ...]


def find_differing_words(first: PatternSplit, second: PatternSplit) -> list[WordDifference]:
    """Return where two readings of a text differ, in order: in an edge of a word, or in what is matched.

    >>> one, other = (read([pattern], "ab 12", "tiktoken") for pattern in (r"\\w+", r"\\w+|\\s"))
    >>> [(place.start, place.end) for place in find_differing_words(one, other)]
    [(2, 3)]
    """
    edges = sorted({word.end for word in first.words} & {word.end for word in second.words})
    places = []
    start = 0
    left = list(first.words)
    right = list(second.words)
    for end in edges:
        ours = tuple(_upto(left, end))
        theirs = tuple(_upto(right, end))
        if [(one.end, one.matched) for one in ours] != [(one.end, one.matched) for one in theirs]:
            places.append(WordDifference(start, end, ours, theirs))
        start = end
    return places


def _upto(words: list[Word], end: int) -> Iterator[Word]:
    """Remove and yield the words up to a position."""
    count = next((i for i, word in enumerate(words) if word.start >= end), len(words))
    taken = words[:count]
    words[:] = words[count:]
    yield from taken


@dataclass(frozen=True)
class Effect:
    """The tokens of a text in a vocabulary, split by its own pattern and by another one."""

    own: Tokenization
    changed: Tokenization

    @cached_property
    def differing(self) -> tuple[list[bool], list[bool]]:
        """By token, whether the other segmentation lacks it."""
        encodings = [self.own.encoding, self.changed.encoding]
        spans = differences(encodings, TextIndex(self.own.text), spaces=True)
        own, changed = (column.differing.tolist() for column in spans.columns)
        return own, changed

    @property
    def dropped(self) -> int:
        """The number of bytes of the text that are in none of the changed tokens."""
        encoding = self.changed.encoding
        return len(self.own.data) - int((encoding.byte_ends - encoding.byte_starts).sum())


def effect(registry: Registry, id: str, patterns: Sequence[str], text: str, dialect: Flavor) -> Effect:
    """Return the tokens of a text in a byte-level BPE vocabulary by its own pattern, and by these patterns.

    >>> from tokenarium.settings import Settings
    >>> both = effect(Registry(Settings()), "gpt2", [r"\\p{N}|\\D+"], "in 2024", "tiktoken")
    >>> [len(one.encoding) for one in (both.own, both.changed)]
    [2, 6]

    Raises `UnknownTokenizer`, `Invalid` for a tokenizer of another kind, and what `words.read` raises.
    """
    if not has_ranks(registry, id):
        raise Invalid(
            f"{id} has no byte-level BPE ranks, so that no other pattern can be put in.", pointer="/tokenizer"
        )
    own = registry.get(id)
    scratch = registry.get(id, "scratch")
    assert isinstance(scratch, Traced)
    ranks = scratch.trace("").ranks

    def rows(part: str) -> Iterator[tuple[int, int, int]]:
        at = 0
        for word in read(patterns, part, dialect).words:
            data = part[word.start : word.end].encode()
            if word.matched or dialect == "tokenizers":
                start = at
                for token in [data] if data in ranks else merge(data, ranks):
                    yield int(ranks[token]), start, start + len(token)
                    start += len(token)
            at += len(data)

    def encode(part: str) -> Encoding:
        return encode_rows(rows(part), part)

    def whole(part: str) -> Encoding:
        form = registry.record(id).spec.get("normalizer")
        return UnicodeNormalizer(form).encode(encode, part) if form else encode(part)

    changed = with_policy(whole, text, info=own.info, special="text")
    return Effect(Tokenization(text, own, own.encode(text)), Tokenization(text, own, changed))


def has_ranks(registry: Registry, id: str) -> bool:
    """True for a tokenizer that is a list of byte-level BPE ranks and a pattern. Raises `UnknownTokenizer`."""
    return "ranks" in registry.record(id).spec
