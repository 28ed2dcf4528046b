"""Training: from counted words to a whole vocabulary of merges, BPE's or WordPiece's, ready to be kept.

The learners choose and merge; here are the alphabet, the special tokens and the ids, as `tokenizers` has them.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from app.errors import Invalid
from app.scratch.allowed import Allowed
from app.scratch.alphabet import alphabet_of, written
from app.scratch.corpus import CONTINUED, Corpus, bytes_of
from app.scratch.learn_bpe import BPELearner
from app.scratch.learn_wordpiece import WordPieceLearner
from app.scratch.merges import END
from app.scratch.ties import TieRule
from app.scratch.words import byte_alphabet
from app.types import Learned, Unit

Weighing = Literal["count", "score"]
"""What WordPiece's pairs are weighed by: how often they come, as in `tokenizers` · the published score."""


class Grown(NamedTuple):
    """A piece that was learned, as the vocabulary spells it, and how often its parts stood together.

    `size` is the vocabulary's with it, `tokens` the length of the corpus.
    """

    piece: str
    times: int
    size: int
    tokens: int


def train_bpe(
    counts: Mapping[str, int],
    *,
    size: int,
    unit: Unit = "bytes",
    pattern: str = "",
    special_tokens: Sequence[str] = (),
    unknown: str | None = None,
    alphabet: Collection[str] = (),
    alphabet_limit: int | None = None,
    at_least: int = 2,
    longest: int | None = None,
    ties: TieRule = "smallest",
    lowercase: bool = False,
) -> Iterator[Grown | Learned]:
    """Learn BPE: each piece, and then the vocabulary (Sennrich et al. 2016; over bytes, Radford et al. 2019).

    It has `size` pieces, special tokens and alphabet among them, or fewer where no pair comes `at_least` so often; an
    alphabet that is larger is kept whole, without merges. Of characters it has those of the corpus and of `alphabet`,
    at most `alphabet_limit`. No piece has more than `longest` symbols. `pattern` and `lowercase` made the words.

    >>> *grown, learned = train_bpe({"low": 5, "lower": 2}, size=9, unit="characters", special_tokens=["<pad>"])
    >>> [(step.piece, step.times, step.tokens) for step in grown], learned.pieces[:6], learned.merges[0]
    ([('lo', 7, 18), ('low', 7, 11), ('er', 2, 9)], ('<pad>', 'e', 'l', 'o', 'r', 'w'), (2, 3))

    Raises `Invalid` for a special token that is empty, or spelled as a byte is where bytes are learned from.
    """
    at_least = max(1, at_least)
    reserved = special = _special(special_tokens, unknown)
    if unit == "bytes":
        reserved = _as_bytes(special)
        corpus = bytes_of(counts, numbering="gpt2", together=True, at_least=at_least)
    else:
        first = alphabet_of(counts, more=alphabet, limit=alphabet_limit, without=special)
        corpus = written(counts, first, suffix=END if unit == "marked" else "", at_least=at_least)
    allowed = Allowed(corpus, reserved=reserved, longest=longest)
    learner = BPELearner(corpus, ties=ties, at_least=at_least, allowed=allowed)
    yield from _grown(learner, size, special, spelling=SPELLING if unit == "bytes" else {})
    pieces, merges, ids = _vocabulary(corpus, special, in_bytes=unit == "bytes")
    yield Learned("bpe", unit, pieces, merges, (), ids, unknown, pattern, lowercase)


def train_wordpiece(
    counts: Mapping[str, int],
    *,
    size: int,
    weighing: Weighing = "count",
    pattern: str = "",
    special_tokens: Sequence[str] = (),
    unknown: str | None = "[UNK]",
    alphabet: Collection[str] = (),
    alphabet_limit: int | None = None,
    at_least: int = 2,
    longest: int | None = None,
    ties: TieRule = "smallest",
    lowercase: bool = False,
) -> Iterator[Grown | Learned]:
    """Learn WordPiece: each piece, and then the vocabulary. The options are those of `train_bpe`.

    By count it is BPE over characters that are marked where they continue a word, which is what `tokenizers` trains.

    >>> *grown, learned = train_wordpiece({"hug": 3, "hugs": 5, "pug": 1}, size=11)
    >>> [step.piece for step in grown], learned.pieces[5:]
    (['##ug', 'hug'], ('u', '##g', '##s', '##u', '##ug', 'hug'))
    >>> *grown, learned = train_wordpiece({"hug": 3, "hugs": 5, "pug": 1}, size=11, weighing="score")
    >>> [step.piece for step in grown]
    ['hu', '##gs']

    Raises `Invalid` for a special token that is empty.
    """
    at_least = max(1, at_least)
    special = _special(special_tokens, unknown)
    first = alphabet_of(counts, more=alphabet, limit=alphabet_limit, without=special)
    corpus = written(counts, first, prefix=CONTINUED, at_least=at_least)
    learner = BPELearner if weighing == "count" else WordPieceLearner
    allowed = Allowed(corpus, reserved=special, longest=longest)
    yield from _grown(learner(corpus, ties=ties, at_least=at_least, allowed=allowed), size, special)
    pieces, _, ids = _vocabulary(corpus, special)
    yield Learned("wordpiece", "characters", pieces, (), (), ids, unknown, pattern, lowercase)


SPELLING = dict(enumerate(byte_alphabet()))
"""By byte, how a vocabulary spells it."""


def _special(tokens: Sequence[str], unknown: str | None) -> tuple[str, ...]:
    """The special tokens, each once, the unknown one among them."""
    found = dict.fromkeys(tokens)
    if "" in found or unknown == "":
        raise Invalid("A special token is empty; it has one character or more.", pointer="/special_tokens")
    return (*([unknown] if unknown and unknown not in found else []), *found)


def _as_bytes(special: Sequence[str]) -> tuple[str, ...]:
    """Special tokens as the bytes that a vocabulary would spell so. Raises `Invalid` where that is one byte."""
    if not {*SPELLING.values()}.isdisjoint(special):
        detail = "A special token is spelled as a vocabulary spells a byte; it has two characters or more."
        raise Invalid(detail, pointer="/special_tokens")
    bytes_of_spelling = {ord(char): byte for byte, char in SPELLING.items()}
    return tuple(token.translate(bytes_of_spelling) for token in special)


def _grown(
    learner: BPELearner | WordPieceLearner, size: int, special: Sequence[str], *, spelling: Mapping[int, str] = {}
) -> Iterator[Grown]:
    """Let a learner run until the vocabulary has a size."""
    corpus = learner.corpus
    now = len(special) + sum(map(bool, corpus.spellings))
    waiting: tuple[str, int] | None = None
    for choice in learner.steps(max(0, size - now)):
        if waiting:
            now += 1
            yield Grown(*waiting, now, corpus.size)
        waiting = choice.spelling.translate(spelling), choice.times
    if waiting:
        yield Grown(*waiting, now + 1, corpus.size)


def _vocabulary(
    corpus: Corpus, special: Sequence[str], *, in_bytes: bool = False
) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...], dict[str, int]]:
    """The pieces in the order of their ids, the merges in ids, and the ids of the special tokens."""
    spellings, merges = corpus.spellings, corpus.made_of.values()
    symbols = [chr(number) for number, spelling in enumerate(spellings) if spelling]
    if in_bytes:
        symbols[:256] = sorted(symbols[:256], key=lambda symbol: spellings[ord(symbol)])
    ids = {symbol: id for id, symbol in enumerate(symbols, 0 if in_bytes else len(special))}
    pieces = [spellings[ord(symbol)].translate(SPELLING if in_bytes else {}) for symbol in symbols]
    special_ids = {token: id for id, token in enumerate(special, len(symbols) if in_bytes else 0)}
    pieces = [*pieces, *special] if in_bytes else [*special, *pieces]
    return tuple(pieces), tuple((ids[pair[0]], ids[pair[1]]) for pair in merges), special_ids
