"""The same encoding as `sentencepiece`, with what was done to each word of the normalized text written down.

A word here is a stretch that no piece of the vocabulary reaches out of, so that each can be followed alone. What the
vocabulary lacks becomes tokens for its bytes, or one unknown token for a run of it.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby

from app.scratch.bpe import merge
from app.scratch.sentencepiece import SentencePiece
from app.scratch.sentencepiece_bpe import ScoredBPE
from app.scratch.unigram import Unigram
from app.types import CutWord, Merge, TracedWord

Cutter = Callable[[Iterable[str]], Iterable[CutWord]]
"""Cuts words in turn; characters that the vocabulary lacks are unknown tokens, one each."""


def traced(whole: SentencePiece, words: Callable[[str], Iterable[str]], cutter: Cutter, text: str) -> list[TracedWord]:
    """The words of a text. They are cut by `cutter`, and where an unknown token would join with one of the next word,
    the two are one word.

    >>> from app.scratch.sentencepiece import Normalizer
    >>> model = ScoredBPE({"a": 1, "b": 2, "ab": 3}, {"a": 0.0, "b": 0.0, "ab": -1.0})
    >>> whole = SentencePiece(model.pieces, Normalizer(dummy=False), unknown=0)
    >>> [word.cut.tokens for word in traced(whole, model.words, by_score(model), "abc! ")]
    [[(3, 0, 2)], [(0, 0, 3)]]
    """
    normal, at = whole.normalizer(text)
    found = [*cutter(words(normal))]
    if not whole.byte_ids:
        joined = [*_joined(found, whole.unknown)]
        if len(joined) < len(found):
            found = [*cutter(joined)]
    placed, here = [], 0
    spelled: dict[CutWord, CutWord] = {}
    for cut in found:
        end = here + len(cut.symbols)
        final = spelled.get(cut) or spelled.setdefault(cut, _spelled(cut, whole))
        placed.append(TracedWord(final, at[here], at[end]))
        here = end
    return placed


def by_score(model: ScoredBPE) -> Cutter:
    """Words cut by merging; a user-defined symbol is a word of its own."""

    def cut(words: Iterable[str]) -> Iterator[CutWord]:
        known: dict[tuple[str, bool], CutWord] = {}
        for word in words:
            for part in model.stretches(word):
                if part not in known:
                    known[part] = _frozen(model, part[0]) if part[1] else _merged(model, part[0])
                yield known[part]

    return cut


def by_likelihood(model: Unigram) -> Cutter:
    """Words cut at the best sum of scores, which runs on from word to word."""

    def cut(words: Iterable[str]) -> Iterator[CutWord]:
        known: dict[tuple[str, tuple[tuple[int, int], ...]], CutWord] = {}
        sum_ = 0.0
        for word in words:
            best = model.best(word, sum_)
            key = (word, tuple(best.pieces))
            if key not in known:
                known[key] = CutWord(word, [*_placed(best.pieces)], sum=sum_)
            sum_ = best.end
            yield known[key]

    return cut


def _frozen(model: ScoredBPE, word: str) -> CutWord:
    return CutWord(word, ((model.ids[word], 0, len(word)),), special=True)


def _merged(model: ScoredBPE, word: str) -> CutWord:
    done: list[Merge] = []
    parts = merge(word, model.ranks, done)
    return CutWord(word, [*_placed((model.ids.get(part, model.unknown), len(part)) for part in parts)], done)


def _placed(pieces: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    here = 0
    for id, size in pieces:
        yield id, here, here + size
        here += size


def _joined(cuts: list[CutWord], unknown: int) -> Iterator[str]:
    """The words again, those joined that an unknown token would reach across."""
    text, open_ = "", False
    for cut in cuts:
        if text and not (open_ and cut.tokens[0][0] == unknown):
            yield text
            text = ""
        text += str(cut.symbols)
        open_ = cut.tokens[-1][0] == unknown
    if text:
        yield text


def _spelled(cut: CutWord, whole: SentencePiece) -> CutWord:
    """The tokens with what is unknown in them spelled in bytes, or as one token a run."""
    if all(id != whole.unknown for id, _, _ in cut.tokens):
        return cut
    tokens: list[tuple[int, int, int]] = []
    lacking: list[tuple[int, int]] = []
    for unknown, run in groupby(cut.tokens, lambda token: token[0] == whole.unknown):
        group = [*run]
        if not unknown:
            tokens += group
            continue
        start, end = group[0][1], group[-1][2]
        lacking += [(i, i + 1) for i in range(start, end)]
        if whole.byte_ids:
            text = str(cut.symbols)
            tokens += [(whole.byte_ids[byte], i, i + 1) for i in range(start, end) for byte in text[i].encode()]
        else:
            tokens.append((whole.unknown, start, end))
    return CutWord(cut.symbols, tokens, cut.merges, lacking=lacking, sum=cut.sum)
