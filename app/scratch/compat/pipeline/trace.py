"""The same encoding as `pipeline`, recorded word by word: look-ups of WordPiece, merges of BPE, the lattice of Unigram.

A word here is what the pre-tokenizers leave; words that occur again share one record.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from ....types import Merge, Segmentation
from ...fast.bpe.encode import merge_many
from ...fast.bpe.encode_pairs import PairBPE
from ...fast.bpe.trace import trace_lookups
from ...fast.wordpiece.encode import WordPiece
from .encode import WordModel
from .pre_tokenizers import ALPHABET
from .word_models import WordUnigram

BYTE_OF = {char: byte for byte, char in enumerate(ALPHABET)}


class ListedPairs:
    """The merges and ids of a BPE model by the places of symbols in a word; see `types.PairRanks`.

    A part that begins a word and one that ends it are other tokens if the model has a prefix or a suffix. Words of
    bytes are spelled in GPT-2's alphabet.

    >>> pairs = ListedPairs(PairBPE({"a": 0, "b": 1, "ab": 2, "Ġ": 3, "Ġa": 4}, [("Ġ", "a"), ("a", "b")]))
    >>> pairs.id(b" a", 0, 2), pairs.rank(b" ab", 1, 2, 3), pairs.rank("ba", 0, 1, 2)
    (4, 1, None)
    """

    def __init__(self, model: PairBPE) -> None:
        self.model = model

    def id(self, symbols: bytes | str, start: int, end: int) -> int | None:
        """Return the id of a part of a word, None if it is no token."""
        model = self.model
        part = symbols[start:end]
        text = part if isinstance(part, str) else "".join([ALPHABET[byte] for byte in part])
        prefix = model.prefix if start else ""
        suffix = model.suffix if end == len(symbols) else ""
        return model.vocabulary.get(prefix + text + suffix)

    def rank(self, symbols: bytes | str, start: int, middle: int, end: int) -> int | None:
        """Return the rank of the merge of two adjacent parts, None if the pair is not listed."""
        left = self.id(symbols, start, middle)
        right = self.id(symbols, middle, end)
        entry = None if left is None or right is None else self.model.merges.get((left, right))
        return None if entry is None else entry[0]


def recorder(model: WordModel, *, byte_level: bool) -> Callable[[str], Segmentation] | None:
    """Return a function that segments a word and records how; None for a model of which nothing can be recorded."""
    segment: Callable[[str], Segmentation]
    if isinstance(model, WordPiece):
        segment = lambda word: trace_lookups(word, model)  # noqa: E731
    elif isinstance(model, PairBPE):
        pairs = ListedPairs(model)
        segment = lambda word: trace_pair_merges(_get_known_symbols(word, model, byte_level), pairs)  # noqa: E731
    elif isinstance(model, WordUnigram):
        segment = lambda word: best_path(word, model)  # noqa: E731
    else:
        return None
    cache: dict[str, Segmentation] = {}
    return lambda word: cache.get(word) or cache.setdefault(word, segment(word))


def get_symbols(word: str, *, byte_level: bool) -> bytes | str:
    """Return the bytes of a word that spells them, or else its characters.

    >>> get_symbols("Ġaé", byte_level=True), get_symbols("Ġaé", byte_level=False)
    (b' a\\xe9', 'Ġaé')
    """
    if byte_level and all(char in BYTE_OF for char in word):
        return bytes([BYTE_OF[char] for char in word])
    return word


def _get_known_symbols(word: str, model: PairBPE, byte_level: bool) -> bytes | str:
    """Return the symbols of a word without those that the model drops, so that a merge joins those beside them."""
    if model.unknown is None and any(id is None for id in model.bytes):
        pairs = ListedPairs(model)
        word = "".join(char for i, char in enumerate(word) if pairs.id(word, i, i + 1) is not None)
    return get_symbols(word, byte_level=byte_level)


def trace_pair_merges(symbols: bytes | str, pairs: ListedPairs) -> Segmentation:
    """Return the tokens and the merges of one word. A word that the model does not merge is `whole`.

    >>> model = PairBPE({"a": 0, "b": 1, "ab": 2, "?": 3}, [("a", "b")], unknown="?")
    >>> segmentation = trace_pair_merges("abé", ListedPairs(model))
    >>> segmentation.tokens, segmentation.merges, segmentation.unknown_spans
    ([(2, 0, 2), (3, 2, 3)], [(0, 0, 1, 2)], [(2, 3)])
    """
    merges: list[Merge] = []
    ends = merge_many(len(symbols), lambda *parts: pairs.rank(symbols, *parts), merges.append)
    if pairs.model.ignore_merges and (whole := pairs.model.vocabulary.get(_spell_symbols(symbols))) is not None:
        return Segmentation(symbols, ((whole, 0, len(symbols)),), merges, whole=True)
    parts = [(pairs.id(symbols, start, end), start, end) for start, end in enumerate(ends) if end]
    unknown_spans = [(start, end) for id, start, end in parts if id is None]
    return Segmentation(symbols, [*_find_tokens(symbols, parts, pairs.model)], merges, unknown_spans=unknown_spans)


def _spell_symbols(symbols: bytes | str) -> str:
    return symbols if isinstance(symbols, str) else "".join([ALPHABET[byte] for byte in symbols])


def _find_tokens(
    symbols: bytes | str, parts: Iterable[tuple[int | None, int, int]], model: PairBPE
) -> Iterator[tuple[int, int, int]]:
    """Yield the tokens of the parts: those that have no id become the tokens of their bytes, or the unknown token."""
    for lacking, group in groupby(parts, lambda part: part[0] is None):
        run = [*group]
        if not lacking:
            yield from ((id, start, end) for id, start, end in run if id is not None)
            continue
        unknown: list[tuple[int, int]] = []
        for _, start, end in run:
            ids = [model.bytes[byte] for byte in str(symbols[start:end]).encode()]
            if None not in ids:
                yield from ((id, start, end) for id in ids if id is not None)
            elif model.unknown is not None:
                unknown.append((start, end))
        if unknown and model.unknown is not None:
            spans = [(unknown[0][0], unknown[-1][1])] if model.fuse_unk else unknown
            yield from ((model.unknown, *span) for span in spans)


def best_path(word: str, model: WordUnigram) -> Segmentation:
    """Return the tokens of the best path through the lattice of one word.

    >>> model = WordUnigram([("<unk>", 0.0), ("a", -1.0), ("b", -2.0), ("ab", -2.5)], unknown=0)
    >>> segmentation = best_path("abé", model)
    >>> segmentation.tokens, segmentation.unknown_spans
    ([(3, 0, 2), (0, 2, 3)], [(2, 3)])
    """
    unknown_spans = []
    start = 0
    for id, size in model.model.best(word, 0.0).pieces:
        if id == model.model.unknown:
            unknown_spans += [(i, i + 1) for i in range(start, start + size)]
        start += size
    return Segmentation(word, model.pieces(word), unknown_spans=unknown_spans)
