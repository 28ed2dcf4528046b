"""Measure a vocabulary: its tokens and their lengths, and the tokens a text takes at smaller vocabulary sizes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

from ...files.vocab_entries import spell_raw
from ...scratch.compat.pipeline.pre_tokenizers import BYTE_OF
from ...scratch.fast.bpe.encode_pairs import END
from ...scratch.fast.bpe.symbol_corpus import SymbolCorpus
from ...scratch.fast.unigram.encode import Unigram
from ...scratch.fast.wordpiece.encode import WordPiece
from ...types import TrainedVocab, Unit

MAX_LENGTH = 16
"""Tokens of this length and longer are counted together."""
FIRST_SIZE = 500
"""The curve begins with a vocabulary of about this size, and doubles it."""
MIN_SAVING = 0.04
"""Doubling a vocabulary pays as long as it saves this share of the tokens."""
LACKING = 0x10FFFF
"""The code point that stands for a symbol outside of the vocabulary."""

Point = tuple[int, int]
"""The size of a vocabulary, and the tokens that a text has in it."""


def readable(piece: str, unit: Unit) -> str:
    """A token as people read it: one of bytes as the text that they are in UTF-8, or as byte names.

    >>> readable("Ġthe", "bytes"), readable("âĤ", "bytes"), readable("##ing", "characters")
    (' the', '<0xE2><0x82>', '##ing')
    """
    if unit != "bytes" or not all(char in BYTE_OF for char in piece):
        return piece
    return spell_raw(bytes(map(BYTE_OF.__getitem__, piece)))


def length(piece: str, unit: Unit) -> int:
    """The length of a token in bytes or characters, without the marks of its position in a word.

    >>> length("Ġthe", "bytes"), length("##ing", "characters"), length("low</w>", "marked")
    (4, 3, 3)
    """
    if unit == "bytes":
        return len(piece)
    bare = piece.removesuffix(END) if unit == "marked" else piece.removeprefix("##").removeprefix("▁")
    return len(bare or piece)


def length_distribution(pieces: Iterable[str], unit: Unit) -> list[int]:
    """The number of tokens of each length from 1 on, those of `MAX_LENGTH` and more together.

    >>> length_distribution(["a", "b", "ab"], "characters")[:3]
    [2, 1, 0]
    """
    counts = [0] * MAX_LENGTH
    for piece in pieces:
        counts[min(length(piece, unit), MAX_LENGTH) - 1] += 1
    return counts


def longest(pieces: Sequence[str], unit: Unit, *, limit: int = 24) -> list[str]:
    """The longest tokens; of equally long ones, those learned first.

    >>> longest(["a", "abc", "ab"], "characters", limit=2)
    ['abc', 'ab']
    """
    return [readable(piece, unit) for piece in sorted(pieces, key=lambda piece: -length(piece, unit))[:limit]]


def sizes(smallest: int, largest: int) -> list[int]:
    """The vocabulary sizes at which a curve is measured.

    >>> sizes(300, 8000), sizes(70, 70)
    ([300, 500, 1000, 2000, 4000, 8000], [70])
    """
    doubled = [smallest]
    size = FIRST_SIZE
    while size < largest:
        doubled += [size] * (size > smallest)
        size *= 2
    return [*doubled, largest] if largest > smallest else doubled


def curve(learned: TrainedVocab, counts: Mapping[str, int]) -> list[Point]:
    """The number of tokens that the counted words have in the vocabulary as it was at each size.

    Merges and WordPiece's tokens are added in the order in which they were learned. A Unigram vocabulary has no such
    order: its characters are added first, then its other tokens by falling probability.

    >>> learned = TrainedVocab("bpe", "characters", ("l", "o", "w", "lo", "low"), merges=((0, 1), (3, 2)))
    >>> curve(learned, {"low": 2, "lo": 1})
    [(3, 8), (5, 3)]
    """
    if learned.algorithm == "bpe":
        return [*_bpe_curve(learned, counts)]
    tokens = _wordpiece_tokens if learned.algorithm == "wordpiece" else _unigram_tokens
    order = _order(learned)
    alphabet = sum(_single(piece, learned) for piece in learned.pieces)  # what is there before anything is learned
    return [(size, tokens(learned, order[:size], counts)) for size in sizes(alphabet, len(learned.pieces))]


def _bpe_curve(learned: TrainedVocab, counts: Mapping[str, int]) -> Iterator[Point]:
    """The curve of BPE: apply one merge after another to all words, and count the tokens that are left."""
    ids = {piece: id for id, piece in enumerate(learned.pieces)}
    corpus = SymbolCorpus([symbols(word, learned, ids) for word in counts], counts.values(), learned.pieces)
    reachable = {*range(len(learned.pieces))} - {ids[learned.pieces[a] + learned.pieces[b]] for a, b in learned.merges}
    smallest, *remaining = sizes(len(reachable), len(learned.pieces))
    yield smallest, corpus.size
    for a, b in learned.merges:
        merged = learned.pieces[a] + learned.pieces[b]
        corpus.unmade[merged] = chr(ids[merged])  # the symbol that the merge makes, where there is such a pair
        if chr(a) + chr(b) in corpus.pairs:
            corpus.merge(chr(a) + chr(b), merged)
        reachable.add(ids[merged])
        if remaining and len(reachable) == remaining[0]:
            yield remaining.pop(0), corpus.size


def symbols(word: str, learned: TrainedVocab, ids: Mapping[str, int]) -> str:
    """The base units of a word, as a string whose code points are their ids, or `LACKING`.

    >>> symbols("lox", TrainedVocab("bpe", "characters", ("l", "o")), {"l": 0, "o": 1})
    '\\x00\\x01\\U0010ffff'
    """
    if learned.unit == "bytes":
        return word.encode().decode("latin-1")
    units = [*word]
    if learned.unit == "marked":
        units[-1:] = [units[-1] + "</w>"]
    return "".join(chr(ids.get(unit, LACKING)) for unit in units)


def _single(piece: str, learned: TrainedVocab) -> bool:
    """True if a token is a character, a byte, or special."""
    return (
        piece in learned.special_tokens
        or len(piece.removeprefix("##")) == 1
        or (learned.byte_fallback and piece.startswith("<0x") and len(piece) == 6)
    )


def _order(learned: TrainedVocab) -> Sequence[int]:
    """Ids in the order in which a growing vocabulary gets them."""
    scores = learned.scores or [0.0] * len(learned.pieces)
    return sorted(range(len(scores)), key=lambda id: (not _single(learned.pieces[id], learned), -scores[id], id))


def _wordpiece_tokens(learned: TrainedVocab, ids: Sequence[int], counts: Mapping[str, int]) -> int:
    unknown = learned.unknown or ""
    model = WordPiece({learned.pieces[id]: id for id in (learned.special_tokens[unknown], *ids)}, unknown=unknown)
    return sum(len(model.pieces(word)) * count for word, count in counts.items())


def _unigram_tokens(learned: TrainedVocab, ids: Sequence[int], counts: Mapping[str, int]) -> int:
    vocab = {learned.pieces[id]: id for id in ids if learned.pieces[id] not in learned.special_tokens}
    unknown = len(learned.pieces)
    tokens = 0
    model = Unigram(vocab, {piece: learned.scores[id] for piece, id in vocab.items()}, unknown=unknown)
    for word, count in counts.items():
        start = 0
        for id, size in model.pieces(word):
            # With byte fallback, an unknown character takes a token for each of its bytes.
            tokens += count * (
                len(word[start : start + size].encode()) if learned.byte_fallback and id == unknown else 1
            )
            start += size
    return tokens


def knee(points: Sequence[Point]) -> int | None:
    """The size from which doubling the vocabulary no longer pays, or None if the curve does not reach it.

    >>> knee([(1000, 100), (2000, 90), (4000, 88), (8000, 87)]), knee([(1000, 100), (2000, 50)])
    (2000, None)
    """
    for (small, before), (large, after) in pairwise(points):
        if large >= 2 * small and before - after < MIN_SAVING * before:
            return small
    return None
