"""Reasons for the boundaries between tokens.

Between two pre-tokens the pre-tokenizer is the reason. Within a pre-token it depends on the model: no merge exists or
another merge was made first (BPE), the longest match ended (WordPiece, RWKV), or every path across scores lower
(unigram).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ...scratch.compat.pipeline.normalizers import CJK
from ...scratch.compat.pipeline.pre_tokenizers import PUNCTUATION
from ...scratch.fast.unigram.lattice import sums_behind
from ...types import EncodingTrace, Merge, Segmentation, UnigramLattice
from .patterns import describe, find_alternative
from .step import Boundary, Tile
from .tiles import MAX_TILES, NO_ID, log_score, merge_priority, spell, symbol_tile, token_tile, word_tile

Explain = Callable[[int, Tile, Tile], Boundary]
"""Returns the boundary at an offset of a word, given the tokens on its left and on its right."""


def word_boundary(text: str, trace: EncodingTrace, index: int) -> Boundary:
    """Return the reason why the word (pre-token) with an index begins where it does.

    >>> from tokenarium.types import Segmentation, TracedWord
    >>> words = [TracedWord(Segmentation(text, [(id, 0, 1)]), id, id + 1) for id, text in enumerate((b"a", b"1"))]
    >>> word_boundary("a1", EncodingTrace("merges", words, "a1", r"\\p{L}+|\\p{N}{1,3}"), 1).reason[4]
    ': up to three digits.'
    """
    word = trace.words[index].segmentation
    right = token_tile(trace, word, 0)
    if not index:
        return Boundary(None, right, ("The text begins here.",))
    previous = trace.words[index - 1].segmentation
    left = token_tile(trace, previous, len(previous.tokens) - 1)
    special = right if word.special else left if previous.special else None
    if special:
        return Boundary(left, right, (special, " is a special token: it is matched first and nothing merges with it."))
    if trace.pattern:
        return Boundary(left, right, _pattern_reason(text, trace, index))
    if trace.method == "attempts":
        return Boundary(left, right, (_bert_reason(text, trace, index),))
    if trace.pretokenized:
        return Boundary(left, right, ("Pre-tokenization splits here, and no token crosses this boundary.",))
    if trace.method == "units":
        return Boundary(left, right, ("Nothing merges here: each unit is a token by itself.",))
    return Boundary(left, right, ("No token of the vocabulary spans this position.",))


def _pattern_reason(text: str, trace: EncodingTrace, index: int) -> tuple[str | Tile, ...]:
    left, right = (word_tile(trace.words[i].segmentation) for i in (index - 1, index))
    # The pattern is run again here, because splitting by it does not say which alternative matched.
    left_kind, right_kind = (_describe_match(text, trace, i) for i in (index - 1, index))
    split = "The pre-tokenization pattern splits here, and no merge crosses this boundary. "
    if left_kind == right_kind:
        return (split, left, " and ", right, f": both are {right_kind}.")
    return (split, left, f": {left_kind}; ", right, f": {right_kind}.")


def _describe_match(text: str, trace: EncodingTrace, index: int) -> str:
    """Describe the alternative of the pattern that matched a word."""
    words = trace.words
    data = text.encode()
    # Special tokens are split off before the pattern runs, so that it only sees the text between two of them.
    first = last = index
    while first and not words[first - 1].segmentation.special:
        first -= 1
    while last + 1 < len(words) and not words[last + 1].segmentation.special:
        last += 1
    segment_start = words[first - 1].byte_end if first else 0
    segment_end = words[last + 1].byte_start if last + 1 < len(words) else len(data)
    spans = (words[index].byte_start, words[index].byte_end, segment_end)
    try:
        before, word, rest = (data[a:b].decode() for a, b in pairwise((segment_start, *spans)))
    except UnicodeDecodeError:  # a later splitter has cut the bytes of a character apart
        return "a part of a character"
    segment = before + word + rest
    alternative = find_alternative(trace.pattern, segment, len(before), len(before) + len(word))
    return "a match of the pattern" if alternative is None else describe(alternative)


def _bert_reason(text: str, trace: EncodingTrace, index: int) -> str:
    """Return the reason why BERT's pre-tokenizer split here."""
    left = trace.words[index - 1]
    right = trace.words[index]
    between = text.encode()[left.byte_end : right.byte_start].decode()
    if any(char.isspace() for char in between):
        return "White space separates the two words and is dropped."
    neighbours = f"{left.segmentation.symbols!s}"[-1:] + f"{right.segmentation.symbols!s}"[:1]
    if PUNCTUATION.search(neighbours):
        return "Each punctuation character is a word of its own."
    if CJK.search(neighbours):
        return "Each Chinese character is a word of its own."
    return "The text is split into words here."


def _token_boundaries(
    trace: EncodingTrace, word: Segmentation, explain: Explain, *, fallback_step: int
) -> tuple[Boundary, ...]:
    """Return the boundaries between a word's first tokens; byte fallback and unknown tokens need no `explain`."""
    boundaries = []
    for index in range(min(MAX_TILES, len(word.tokens)) - 1):
        tiles = [token_tile(trace, word, i) for i in (index, index + 1)]
        # The last step of the word decided these: it is the one in which byte fallback happens.
        lacking = next((side for side, tile in enumerate(tiles) if tile.mark in ("byte", "unknown")), None)
        left, right = tiles
        if lacking is None:
            boundaries.append(explain(word.tokens[index + 1][1], left, right))
        else:
            _, start, end = word.tokens[index + lacking]
            char = Tile(spell(word.symbols[start:end]), NO_ID, start)
            tokens = "the tokens of its bytes merge" if trace.byte_ids else "the unknown token merges"
            reason = (char, f" is not in the vocabulary; {tokens} with nothing.")
            boundaries.append(Boundary(left, right, reason, fallback_step))
    return tuple(boundaries)


def bpe_boundaries(trace: EncodingTrace, word: Segmentation, first: int, total: int) -> tuple[Boundary, ...]:
    """Return why the remaining symbols of a word do not merge. Its steps are `first` to `first + total - 1`."""
    missed = find_missed_merges(trace, word, [start for _, start, _ in word.tokens[1:MAX_TILES]])

    def explain(position: int, left: Tile, right: Tile) -> Boundary:
        if position not in missed:
            return Boundary(left, right, ("The vocabulary has no merge of ", left, " and ", right, "."))
        merge = missed[position]
        return Boundary(left, right, _explain_outranked(trace, word, position, merge), first + merge.step)

    return _token_boundaries(trace, word, explain, fallback_step=first + total - 1)


@dataclass(frozen=True, slots=True)
class MissedMerge:
    """A merge across a position that was possible until another one took one of its parts, at a step of the word."""

    rank: float
    start: int
    end: int
    step: int
    taken_by: Merge


def find_missed_merges(trace: EncodingTrace, word: Segmentation, positions: Sequence[int]) -> dict[int, MissedMerge]:
    """Return by position the last merge that was possible across it.

    >>> word = Segmentation(b"abc", [(1, 0, 2), (2, 2, 3)], [(5, 0, 1, 2)])
    >>> find_missed_merges(EncodingTrace("merges", (), ranks={b"ab": 5, b"bc": 7}), word, [2])[2].rank
    7
    """
    # The extent of the symbols on either side of each position, as merges make them grow.
    left = {position: position - 1 for position in positions}
    right = {position: position + 1 for position in positions}
    missed: dict[int, MissedMerge] = {}
    for step, merge in enumerate(word.merges, 1):
        _, start, _, end = merge
        for position, side, edge in ((end, left, start), (start, right, end)):
            if position in side:
                rank = trace.rank(word.symbols, left[position], position, right[position])
                # A later merge overwrites an earlier one: the last is the one that closed the boundary.
                if rank is not None:
                    missed[position] = MissedMerge(rank, left[position], right[position], step, merge)
                side[position] = edge
    return missed


def _explain_outranked(
    trace: EncodingTrace, word: Segmentation, position: int, merge: MissedMerge
) -> tuple[str | Tile, ...]:
    def tile(start: int, end: int) -> Tile:
        return symbol_tile(trace, word.symbols, start, end)

    rank, start, middle, end = merge.taken_by
    return (
        tile(merge.start, position),
        " and ",
        tile(position, merge.end),
        f" could have merged ({merge_priority(trace, word.symbols, merge.rank)}), but ",
        tile(start, middle),
        " and ",
        tile(middle, end),
        f" merged first ({merge_priority(trace, word.symbols, rank)}).",
    )


def longest_match_boundaries(trace: EncodingTrace, word: Segmentation, steps: Sequence[int]) -> tuple[Boundary, ...]:
    """Return why longest matches end where they do; `steps` are the steps that found them."""
    boundaries = []
    for index in range(min(MAX_TILES, len(word.tokens)) - 1):
        left, right = (token_tile(trace, word, i) for i in (index, index + 1))
        reason = (left, " is the longest token of the vocabulary that matches at its position.")
        boundaries.append(Boundary(left, right, reason, steps[index]))
    return tuple(boundaries)


def unigram_boundaries(
    trace: EncodingTrace,
    model: UnigramLattice,
    word: Segmentation,
    sums: Sequence[float],
    *,
    best_step: int,
    fallback_step: int,
) -> tuple[Boundary, ...]:
    """Return why no token spans the positions: none exists, or the best path with one has a lower score.

    `sums` are the best sums of scores by position. `best_step` is the step that traces the best path back,
    `fallback_step` the one of byte fallback and unknown tokens.
    """
    text = str(word.symbols)
    sums_to_end = sums_behind(model, text)

    def explain(position: int, left: Tile, right: Tile) -> Boundary:
        # The best path through a token is the best one to its start, the token, and the best one from its end.
        paths = [
            (sums[start] + score + sums_to_end[end], start, end)
            for start in range(max(0, position - model.longest), position)
            for end, score, _ in model.edges(text, start)
            if end > position
        ]
        if not paths:
            return Boundary(left, right, ("No token of the vocabulary spans this position.",))
        best, start, end = max(paths)
        comparison = f"the best sum is {log_score(best)}, {log_score(sums[-1] - best)} lower."
        reason = ("With ", symbol_tile(trace, text, start, end), f" across this position, {comparison}")
        return Boundary(left, right, reason, best_step)

    return _token_boundaries(trace, word, explain, fallback_step=fallback_step)
