"""Train BPE and WordPiece: from counted words to a whole vocabulary, with the same ids as `tokenizers`.

The learners select and apply the merges; this module adds the alphabet, the special tokens and the ids. `corpus`
numbers its symbols as published examples do, `spell_words` as `tokenizers` does: these numbers break the ties between
equally good pairs, so the merges are equal to those of `tokenizers` only with the latter.
"""

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ....errors import Invalid
from ....types import TrainedVocab, Unit, Weighing
from ...compat.pipeline.pre_tokenizers import byte_alphabet
from ...learn_bpe import TieRule
from ...superwords import may_join
from ..wordpiece.learn import WordPieceLearner
from .encode_pairs import END
from .learn import BPELearner
from .merge_order import MergeFilter
from .superwords import Superwords, apply_merges
from .symbol_corpus import CONTINUED, NumberedWords, SymbolCorpus, blocks, number_bytes


def choose_alphabet(counts: Mapping[str, int], *, more: Collection[str] = (), limit: int | None = None) -> list[str]:
    """Return the characters of a corpus, and `more`, in sorted order; at most `limit`, the most frequent ones.

    >>> choose_alphabet({"hello": 1, "oh": 1}), choose_alphabet({"hello": 1, "oh": 1}, more="x", limit=3)
    (['e', 'h', 'l', 'o'], ['h', 'l', 'x'])
    """
    frequencies = Counter[str]()
    for word, count in counts.items():
        for char in word:
            frequencies[char] += count
    others = sorted(frequencies.keys() - {*more}, key=lambda char: (-frequencies[char], char))
    return sorted([*sorted({*more}), *others][:limit])


def spell_words(
    counts: Mapping[str, int], alphabet: list[str], *, special: Sequence[str] = (), prefix: str = "", suffix: str = ""
) -> NumberedWords:
    """Return the words of a corpus as strings of characters; all but the first have a prefix, or the last has a suffix.

    Special tokens are numbered first, and symbols with a mark after the alphabet. Characters that are in neither are
    removed from the words.

    >>> numbered = spell_words({"hug": 1}, ["g", "h", "u"], prefix="##")
    >>> [*numbered.words], numbered.spellings
    (['\\x01\\x04\\x03'], ['g', 'h', 'u', '##g', '##u'])
    """
    parts = [_split_mark(word, prefix=prefix, suffix=suffix) for word in counts]
    initial = [token for token in dict.fromkeys([*special, *alphabet]) if len(token) == 1]
    marked = sorted({char for _, rest in parts for char in rest} & {*initial})
    spellings = [*dict.fromkeys([*special, *alphabet, *(prefix + char + suffix for char in marked)])]
    numbers = {spelling: chr(number) for number, spelling in enumerate(spellings)}
    # str.translate() removes a character that is mapped to None, and numbers all others, in C.
    left_out: dict[int, str | None] = dict.fromkeys(map(ord, set().union(*counts)))
    plain = left_out | {ord(char): numbers[char] for char in initial}
    other = left_out | {ord(char): numbers[prefix + char + suffix] for char in marked}
    words = (part.translate(plain) + rest.translate(other) for part, rest in parts)
    return NumberedWords(words, counts.values(), spellings, prefix, len(special))


def _split_mark(word: str, *, prefix: str, suffix: str) -> tuple[str, str]:
    """Split a word into the part without a mark and the part with one, in the order of the word."""
    if prefix:
        return word[:1], word[1:]
    return (word[:-1], word[-1:]) if suffix else (word, "")


class MergeProgress(NamedTuple):
    """A new token, as the vocabulary spells it, and the count of the pair that it was merged from.

    `size` is the size of the vocabulary after the merge, and `tokens` the length of the corpus in tokens.
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
    min_frequency: int = 2,
    longest: int | None = None,
    ties: TieRule = "smallest",
    lowercase: bool = False,
    superwords: Superwords | None = None,
) -> Iterator[MergeProgress | TrainedVocab]:
    """Yield each new token of BPE, and then the vocabulary (Sennrich et al. 2016; of bytes, Radford et al. 2019).

    The vocabulary has `size` tokens, special tokens and alphabet included, or fewer if no pair occurs `min_frequency`
    times; a larger alphabet is kept whole, without merges. The alphabet consists of the characters of the corpus and of
    `alphabet`, at most `alphabet_limit`. No token has more than `longest` symbols. A merge that spells a special token
    makes that token. `pattern` and `lowercase` describe how the words were split; they are only recorded. With
    `superwords`, merges of bytes are learned from whole texts once the vocabulary has a given size, and it is the
    pattern of the texts that is recorded.

    >>> *grown, learned = train_bpe({"low": 5, "lower": 2}, size=9, unit="characters", special_tokens=["<pad>"])
    >>> [(step.piece, step.times, step.tokens) for step in grown], learned.pieces[:6], learned.merges[0]
    ([('lo', 7, 18), ('low', 7, 11), ('er', 2, 9)], ('<pad>', 'e', 'l', 'o', 'r', 'w'), (2, 3))

    Raises `Invalid` if a special token is empty, or, in bytes, if it is spelled like a byte.
    """
    min_frequency = max(1, min_frequency)
    special = _special(special_tokens, unknown)
    spelling: Mapping[int, str] = {}
    if unit == "bytes":
        numbered = number_bytes(counts, numbering="gpt2", special=spell_as_bytes(special))
        if ties == "smallest":  # in the order of the numbers, no matter how they are spelled
            numbered = numbered._replace(spellings=[one.translate(SPELLING) for one in numbered.spellings])
        else:
            spelling = SPELLING
    else:
        first = choose_alphabet(counts, more=alphabet, limit=alphabet_limit)
        numbered = spell_words(counts, first, special=special, suffix=END if unit == "marked" else "")
    corpus = numbered.corpus(min_frequency=min_frequency, in_order=ties == "first-seen")
    del counts, numbered  # the corpus has all that is needed of them
    rules: dict[str, Any] = {"ties": ties, "min_frequency": min_frequency}
    learner = BPELearner(corpus, allowed=MergeFilter(corpus, longest=longest), **rules)
    yield from _grow(learner, min(size, superwords.transition) if superwords else size, special, spelling=spelling)
    if superwords:
        _read_texts(corpus, superwords.texts, special, in_order=ties == "first-seen")
        pattern = superwords.pattern
        allowed = MergeFilter(corpus, longest=longest, accepted=_may_join_words)
        learner = BPELearner(corpus, allowed=allowed, **rules)
        yield from _grow(learner, size, special, spelling=spelling)
    del learner
    corpus.forget_words()
    pieces, merges, ids = _vocabulary(corpus, special, spelling=spelling, in_bytes=unit == "bytes")
    yield TrainedVocab(
        algorithm="bpe",
        unit=unit,
        pieces=pieces,
        merges=merges,
        scores=(),
        special_tokens=ids,
        unknown=unknown,
        pattern=pattern,
        lowercase=lowercase,
    )


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
    min_frequency: int = 2,
    longest: int | None = None,
    ties: TieRule = "smallest",
    lowercase: bool = False,
) -> Iterator[MergeProgress | TrainedVocab]:
    """Yield each new token of WordPiece, and then the vocabulary. The options are those of `train_bpe`.

    By count, this is BPE over characters that are marked if they continue a word, as in `tokenizers`.

    >>> *grown, learned = train_wordpiece({"hug": 3, "hugs": 5, "pug": 1}, size=11)
    >>> [step.piece for step in grown], learned.pieces[5:]
    (['##ug', 'hug'], ('u', '##g', '##s', '##u', '##ug', 'hug'))
    >>> *grown, learned = train_wordpiece({"hug": 3, "hugs": 5, "pug": 1}, size=11, weighing="score")
    >>> [step.piece for step in grown]
    ['hu', '##gs']

    Raises `Invalid` if a special token is empty.
    """
    min_frequency = max(1, min_frequency)
    special = _special(special_tokens, unknown)
    first = choose_alphabet(counts, more=alphabet, limit=alphabet_limit)
    numbered = spell_words(counts, first, special=special, prefix=CONTINUED)
    corpus = numbered.corpus(min_frequency=min_frequency, in_order=ties == "first-seen")
    kind = BPELearner if weighing == "count" else WordPieceLearner
    learner = kind(corpus, ties=ties, min_frequency=min_frequency, allowed=MergeFilter(corpus, longest=longest))
    yield from _grow(learner, size, special)
    pieces, _, ids = _vocabulary(learner.corpus, special)
    yield TrainedVocab(
        algorithm="wordpiece",
        unit="characters",
        pieces=pieces,
        merges=(),
        scores=(),
        special_tokens=ids,
        unknown=unknown,
        pattern=pattern,
        lowercase=lowercase,
    )


SPELLING = dict(enumerate(byte_alphabet()))
"""The character with which a vocabulary spells each byte. Spelled twice, a byte is spelled in the same way."""


def _read_texts(corpus: SymbolCorpus, texts: Mapping[str, int], special: Sequence[str], *, in_order: bool) -> None:
    """Replace the words of a corpus of bytes by whole texts, to which all of its merges are applied."""
    numbered = number_bytes(texts, numbering="gpt2", special=spell_as_bytes(special))
    merged = zip(apply_merges(numbered.words, corpus), numbered.counts, strict=True)
    corpus.read(*blocks(merged, corpus.edge, in_order=in_order))


def _may_join_words(spelling: str) -> bool:
    return may_join(spelling.translate(SPELLING).replace(SPELLING[ord(" ")], " "))


def _special(tokens: Sequence[str], unknown: str | None) -> tuple[str, ...]:
    """Return the special tokens, each once, with the unknown token."""
    special = dict.fromkeys(tokens)
    if "" in special or unknown == "":
        raise Invalid("A special token is empty; it has one character or more.", pointer="/special_tokens")
    return (*([unknown] if unknown and unknown not in special else []), *special)


def spell_as_bytes(special: Sequence[str]) -> tuple[str, ...]:
    """Return the special tokens that merges can make, as the bytes that a vocabulary spells like them.

    Raises `Invalid` for a single byte.
    """
    if not {*SPELLING.values()}.isdisjoint(special):
        detail = "A special token is spelled as a vocabulary spells a byte; it has two characters or more."
        raise Invalid(detail, pointer="/special_tokens")
    bytes_of_spelling = {ord(char): byte for byte, char in SPELLING.items()}
    return tuple(token.translate(bytes_of_spelling) for token in special if {*map(ord, token)} <= {*bytes_of_spelling})


def _grow(
    learner: BPELearner | WordPieceLearner,
    size: int,
    special: Sequence[str],
    *,
    spelling: Mapping[int, str] = {},
) -> Iterator[MergeProgress]:
    """Run a learner until the vocabulary has its size. Yield each token after its merge, with the new corpus length."""
    corpus = learner.corpus
    apart = len(special) - corpus.special - 1  # special tokens that no merge can make, less the edge, which is no token
    waiting: tuple[str, int] | None = None  # a learner applies a merge only when it is resumed
    for choice in learner.steps(max(0, size - apart - len(corpus.spellings))):
        if waiting:
            yield MergeProgress(*waiting, apart + len(corpus.spellings), corpus.size)
        waiting = choice.spelling.translate(spelling), choice.times
    if waiting:
        yield MergeProgress(*waiting, apart + len(corpus.spellings), corpus.size)


def _vocabulary(
    corpus: SymbolCorpus, special: Sequence[str], *, spelling: Mapping[int, str] = {}, in_bytes: bool = False
) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...], dict[str, int]]:
    """Return the tokens in the order of their ids, the merges in ids, and the ids of the special tokens."""
    start = corpus.special
    symbols = array("I", (number for number in range(start, len(corpus.spellings)) if corpus.spellings[number]))
    if in_bytes:
        order = sorted(range(256), key=byte_alphabet().__getitem__)  # the bytes in the order of their numbers
        symbols[:256] = array("I", sorted(symbols[:256], key=lambda number: order[number - start]))
    special_ids = {token: id for id, token in enumerate(special, len(symbols) if in_bytes else 0)}
    ids = [special_ids.get(token.translate(spelling), 0) for token in corpus.spellings]
    for id, symbol in enumerate(symbols, 0 if in_bytes else len(special)):
        ids[symbol] = id
    merges = tuple((ids[ord(pair[0])], ids[ord(pair[1])]) for pair in corpus.made_of.values())
    pieces = [corpus.spellings[symbol].translate(spelling) for symbol in symbols]
    return (*pieces, *special) if in_bytes else (*special, *pieces), merges, special_ids
