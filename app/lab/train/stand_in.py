"""Until the fast learners are there: the same functions over the slow ones. To be deleted."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import regex

from app.errors import Invalid
from app.scratch.corpus import bytes_of, characters, marked_characters
from app.scratch.learn_bpe import BPELearner
from app.scratch.pretokenize import finder
from app.scratch.ties import TieRule
from app.scratch.words import byte_alphabet
from app.types import Learned, Unit

Digits = Literal["pattern", "single", "three"]
NUMBERS = regex.compile(r"\\p\{N\}(\+|\{1,3\})\+?")


class Counted(NamedTuple):
    characters: int
    words: Counter[str]


class Grown(NamedTuple):
    piece: str
    times: int
    size: int
    tokens: int


def with_digits(pattern: str, digits: Digits) -> str:
    if digits == "pattern":
        return pattern
    if not NUMBERS.search(pattern):
        raise Invalid("The pattern has no runs of numbers.", pointer="/digits")
    return NUMBERS.sub(lambda _: r"\p{N}" if digits == "single" else r"\p{N}{1,3}", pattern)


def counting(
    texts: Iterable[str],
    *,
    pattern: str,
    special_tokens: Collection[str] = (),
    normalize: Callable[[str], str] | None = None,
    cores: int = 1,
) -> Iterator[Counted]:
    find, found, read = finder(pattern), Counter[str](), 0
    for text in texts:
        read += len(text)
        found.update(find(normalize(text) if normalize else text))
        yield Counted(read, found)


def train_bpe(
    counts: Mapping[str, int],
    *,
    size: int,
    unit: Unit = "bytes",
    pattern: str = "",
    special_tokens: Sequence[str] = (),
    unknown: str | None = None,
    at_least: int = 2,
    longest: int | None = None,
    ties: TieRule = "smallest",
    lowercase: bool = False,
) -> Iterator[Grown | Learned]:
    corpus = bytes_of(counts) if unit == "bytes" else (marked_characters if unit == "marked" else characters)(counts)
    learner = BPELearner(corpus, ties=ties, at_least=at_least)
    alphabet = len(corpus.spellings)
    most = max(0, size - alphabet - len(special_tokens))
    for step in learner.steps(most):
        yield Grown(step.spelling, step.times, len(corpus.spellings) + len(special_tokens) + 1, corpus.size)
    before = 0 if unit == "bytes" else len(special_tokens)
    spell = byte_alphabet().__getitem__
    pieces = ["".join(spell(ord(char)) for char in piece) if unit == "bytes" else piece for piece in corpus.spellings]
    merges = [(ord(a) + before, ord(b) + before) for a, b in corpus.made_of.values()]
    every = [*pieces, *special_tokens] if unit == "bytes" else [*special_tokens, *pieces]
    specials = {token: every.index(token) for token in special_tokens}
    yield Learned("bpe", unit, tuple(every), tuple(merges), (), specials, unknown, pattern, lowercase)


def train_wordpiece(
    counts: Mapping[str, int],
    *,
    size: int,
    weighing: str = "count",
    pattern: str = "",
    special_tokens: Sequence[str] = (),
    unknown: str | None = None,
    at_least: int = 2,
    longest: int | None = None,
    ties: TieRule = "smallest",
    lowercase: bool = False,
) -> Iterator[Grown | Learned]:
    from app.scratch.corpus import continued_characters
    from app.scratch.learn_wordpiece import WordPieceLearner

    corpus = continued_characters(counts)
    learner = WordPieceLearner(corpus, ties=ties, at_least=at_least)
    most = max(0, size - len(corpus.spellings) - len(special_tokens))
    for step in learner.steps(most):
        yield Grown(step.spelling, step.times, len(corpus.spellings) + len(special_tokens) + 1, corpus.size)
    every = tuple(dict.fromkeys([*special_tokens, *corpus.spellings]))
    specials = {token: every.index(token) for token in special_tokens}
    yield Learned("wordpiece", "characters", every, (), (), specials, unknown, pattern, lowercase)
