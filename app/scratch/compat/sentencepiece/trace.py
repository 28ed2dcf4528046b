"""The same encoding as `sentencepiece`, recorded word by word.

A word here is a part of the normalized text that no piece crosses (`sentencepiece.words`), so that each can be
explained alone.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from ....types import Merge, Segmentation, TracedWord
from ...fast.bpe.encode import merge
from ...fast.unigram.encode import Unigram
from .bpe import ScoredBPE
from .encode import SentencePiece

Segmenter = Callable[[Iterable[str]], Iterable[Segmentation]]
"""Segments words in order, with one unknown token for each character that is not in the vocabulary."""


def trace_words(
    sentencepiece: SentencePiece, words: Callable[[str], Iterable[str]], segment: Segmenter, text: str
) -> list[TracedWord]:
    """Return the words of a text with their segmentations. Adjacent words are joined if one unknown token covers both.

    >>> from tokenarium.scratch.compat.sentencepiece.encode import Normalizer
    >>> model = ScoredBPE({"a": 1, "b": 2, "ab": 3}, {"a": 0.0, "b": 0.0, "ab": -1.0})
    >>> whole = SentencePiece(model.pieces, Normalizer(dummy=False), unknown=0)
    >>> [word.segmentation.tokens for word in trace_words(whole, model.words, trace_by_score(model), "abc! ")]
    [[(3, 0, 2)], [(0, 0, 3)]]
    """
    normal, at = sentencepiece.normalizer(text)
    segmentations = [*segment(words(normal))]
    if not sentencepiece.byte_ids:
        joined = [*_join_unknown(segmentations, sentencepiece.unknown)]
        if len(joined) < len(segmentations):
            segmentations = [*segment(joined)]
    traced_words = []
    start = 0
    spelled: dict[Segmentation, Segmentation] = {}  # equal words share one object, which is also their key
    for word in segmentations:
        end = start + len(word.symbols)
        final = spelled.get(word) or spelled.setdefault(word, _replace_unknown(word, sentencepiece))
        traced_words.append(TracedWord(final, at[start], at[end]))
        start = end
    return traced_words


def trace_by_score(model: ScoredBPE) -> Segmenter:
    """Segment words by a BPE model; a user-defined symbol is a word of its own."""

    def segment(words: Iterable[str]) -> Iterator[Segmentation]:
        cache: dict[tuple[str, bool], Segmentation] = {}
        for word in words:
            for part in model.parts(word):
                if part not in cache:
                    cache[part] = _frozen(model, part[0]) if part[1] else _trace_merges(model, part[0])
                yield cache[part]

    return segment


def trace_by_likelihood(model: Unigram) -> Segmenter:
    """Segment words by a unigram model; the sum of scores runs on from word to word."""

    def segment(words: Iterable[str]) -> Iterator[Segmentation]:
        cache: dict[tuple[str, tuple[tuple[int, int], ...]], Segmentation] = {}
        sum_ = 0.0
        for word in words:
            best = model.best(word, sum_)
            key = (word, tuple(best.pieces))
            if key not in cache:
                cache[key] = Segmentation(word, [*_place_pieces(best.pieces)], initial_score=sum_)
            sum_ = best.end
            yield cache[key]

    return segment


def _frozen(model: ScoredBPE, word: str) -> Segmentation:
    return Segmentation(word, ((model.ids[word], 0, len(word)),), special=True)


def _trace_merges(model: ScoredBPE, word: str) -> Segmentation:
    merges: list[Merge] = []
    parts = merge(word, model.ranks, merges)
    return Segmentation(
        word, [*_place_pieces((model.ids.get(part, model.unknown), len(part)) for part in parts)], merges
    )


def _place_pieces(pieces: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    start = 0
    for id, size in pieces:
        yield id, start, start + size
        start += size


def _join_unknown(segmentations: list[Segmentation], unknown: int) -> Iterator[str]:
    """Yield the words, joined where an unknown token ends one and begins the next."""
    text = ""
    open_ = False
    for word in segmentations:
        if text and not (open_ and word.tokens[0][0] == unknown):
            yield text
            text = ""
        text += str(word.symbols)
        open_ = word.tokens[-1][0] == unknown
    if text:
        yield text


def _replace_unknown(word: Segmentation, sentencepiece: SentencePiece) -> Segmentation:
    """Replace unknown tokens by byte tokens, or without byte fallback each run of them by one."""
    if all(id != sentencepiece.unknown for id, _, _ in word.tokens):
        return word
    tokens: list[tuple[int, int, int]] = []
    unknown_spans: list[tuple[int, int]] = []
    for unknown, run in groupby(word.tokens, lambda token: token[0] == sentencepiece.unknown):
        group = [*run]
        if not unknown:
            tokens += group
            continue
        start = group[0][1]
        end = group[-1][2]
        unknown_spans += [(i, i + 1) for i in range(start, end)]
        if sentencepiece.byte_ids:
            text = str(word.symbols)
            tokens += [(sentencepiece.byte_ids[byte], i, i + 1) for i in range(start, end) for byte in text[i].encode()]
        else:
            tokens.append((sentencepiece.unknown, start, end))
    return Segmentation(
        word.symbols, tokens, word.merges, unknown_spans=unknown_spans, initial_score=word.initial_score
    )
