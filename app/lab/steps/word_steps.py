"""The steps that do not depend on the algorithm, of a text before its words and of a word, and the base of a word's.

`bpe_steps`, `longest_match_steps` and `unigram_steps` do the same for the algorithms.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import plural
from ...scratch.compat.unicode_versions import lower
from ...types import EncodingTrace, Segmentation
from .step import Boundary, Fact, MergeTreeNode, Step, Tile, TileRow
from .tiles import NO_ID, character_row, enumeration, format_change, spell, token_row, token_tile, window, word_tile

MAX_NAMED = 5
"""Characters or tokens that a caption lists."""


class WordSteps:
    """The steps of one word, numbered from 0 within the word; `first` is the number of its first step in the run."""

    total = 1

    def __init__(self, trace: EncodingTrace, word: Segmentation, first: int) -> None:
        self.trace = trace
        self.word = word
        self.first = first

    def steps(self, start: int, stop: int) -> Iterator[Step]:
        """Yield the word's steps from `start` to `stop` (exclusive) that exist."""
        return map(self._show, range(start, min(stop, self.total)))

    def _show(self, index: int) -> Step:
        raise NotImplementedError

    @property
    def inside(self) -> tuple[Boundary, ...]:
        """Reasons for the boundaries within the word, at most as many as a row has tiles."""
        return ()

    def trees(self) -> tuple[MergeTreeNode, ...]:
        """Return the merge trees of the tokens, at most as many as a row has tiles."""
        raise NotImplementedError

    def data(self) -> Mapping[str, Any]:
        """Return the JSON data that suffices to replay the word."""
        raise NotImplementedError

    def _fall_back(self) -> Step:
        """Return the step in which characters outside the vocabulary become byte tokens or the unknown token."""
        word = self.word
        count = len(word.unknown_spans)
        spans = word.unknown_spans[:MAX_NAMED]
        characters = [Tile(spell(word.symbols[start:end]), NO_ID, start) for start, end in spans]
        more = f" and {count - MAX_NAMED:,} more" if count > MAX_NAMED else ""
        if not self.trace.byte_ids:
            outcome = "Characters outside the vocabulary become the unknown token."
        elif count > 1:
            outcome = "Byte fallback: each becomes the tokens of its UTF-8 bytes."
        else:
            outcome = "Byte fallback: it becomes the tokens of its UTF-8 bytes."
        verb = "are" if count > 1 else "is"
        caption = (*enumeration(characters), f"{more} {verb} not in the vocabulary. {outcome}")
        return Step(caption, (token_row(self.trace, word),), facts=(token_count(self.trace, word),))


class UnitSteps(WordSteps):
    """The single step of a word that is one token without any algorithm: a special token, a character, a byte."""

    def _show(self, index: int) -> Step:
        return Step(self._caption(), (token_row(self.trace, self.word),), facts=(token_count(self.trace, self.word),))

    def _caption(self) -> tuple[str | Tile, ...]:
        tile = token_tile(self.trace, self.word, 0)
        id = self.word.tokens[0][0]
        if self.word.special:
            return (tile, f" is a special token, id {id:,}: it is matched before anything else reads the text.")
        if self.trace.pattern:
            return (tile, f" occurs for the first time and gets the next id, {id:,}.")
        return (tile, f" is a token, id {id:,}.")

    def trees(self) -> tuple[MergeTreeNode, ...]:
        """Return the token as a tree of one node."""
        return (MergeTreeNode(token_tile(self.trace, self.word, 0), self.first),)

    def data(self) -> Mapping[str, Any]:
        """Return whether it is a special token."""
        return {"special": True} if self.word.special else {}


def segment_name(trace: EncodingTrace) -> str:
    """Return the name of a trace's words: pre-tokens, or segments where the tokenizer has no pre-tokenizer.

    >>> segment_name(EncodingTrace("merges", (), pattern="a|b")), segment_name(EncodingTrace("lattice", ()))
    ('pre-token', 'segment')
    """
    split = trace.pattern or trace.pretokenized or trace.method == "attempts"
    return "pre-token" if split else "segment"


def token_count(trace: EncodingTrace, word: Segmentation) -> Fact:
    """Return the number of tokens of a word as a fact."""
    return Fact(f"tokens in this {segment_name(trace)}", f"{len(word.tokens):,}")


def make_repeated_step(trace: EncodingTrace, word: Segmentation) -> Step:
    """Return the step of a word that occurred before: its tokens are the same, so the steps are not repeated."""
    row = token_row(trace, word)
    if len(word.tokens) == 1:
        caption: tuple[str | Tile, ...] = (word_tile(word), " occurred before: it is the same token again.")
    else:
        ending = " …" if len(word.tokens) > MAX_NAMED else "."
        tokens = enumeration(row.tiles[:MAX_NAMED])
        caption = (word_tile(word), " occurred before and has the same tokens again: ", *tokens, ending)
    return Step(caption, (row,), facts=(token_count(trace, word),))


def initial_steps(text: str, trace: EncodingTrace) -> list[Step]:
    """Return the steps before the first word: the text, its normal form if it differs, and the pre-tokens."""
    steps = [_text_step(text)]
    if not text:
        return steps
    if trace.normal != text:
        steps.append(_normalization_step(text, trace))
    steps.append(_pre_tokenization_step(trace))
    return steps


def _text_step(text: str) -> Step:
    size = len(text.encode())
    caption = (
        f"The text has {plural(len(text), 'character')} and {plural(size, 'byte')} in UTF-8."
        if text
        else "The text is empty and has no tokens."
    )
    facts = (Fact("characters", f"{len(text):,}"), Fact("bytes", f"{size:,}"))
    return Step((caption,), (character_row(text),), facts=facts, stage="text")


def _normalization_step(text: str, trace: EncodingTrace) -> Step:
    # The trace has only the result of normalization; which rule applied is inferred from it.
    if trace.normal == lower(text):
        caption = "The text is converted to lower case."
    elif trace.method == "attempts":
        caption = (
            "The text is normalized: lower case, no accents, no control characters, spaces around Chinese characters."
        )
    elif trace.normal.replace("▁", " ") in (f" {text}", text):
        prefix = ", and one ▁ is added in front" if len(trace.normal) > len(text) else ""
        caption = f"Each space is written as ▁{prefix}."
    else:
        caption = "The text is normalized: this is what the model reads."
    change = len(trace.normal) - len(text)
    facts = (Fact("characters", f"{len(trace.normal):,}", format_change(change) if change else ""),)
    rows = (character_row(text, "before"), character_row(trace.normal, "after"))
    return Step((caption,), rows, facts=facts, stage="normalize")


def _pre_tokenization_step(trace: EncodingTrace) -> Step:
    count = len(trace.words)
    tiles = tuple(
        word_tile(traced.segmentation, at=i, mark="special" if traced.segmentation.special else "")
        for i, traced in zip(window(count, 0), trace.words, strict=False)
    )
    row = TileRow(tiles, left_out_after=count - len(tiles))
    facts = (Fact(f"{segment_name(trace)}s", f"{count:,}"),)
    return Step((_pre_tokenization_caption(trace),), (row,), facts=facts, stage="pre-tokenize")


def _pre_tokenization_caption(trace: EncodingTrace) -> str:
    count = len(trace.words)
    pre_tokens = plural(count, "pre-token")
    special = (
        " Special tokens are split off first." if any(traced.segmentation.special for traced in trace.words) else ""
    )
    if trace.pattern and trace.method == "units":
        return f"The pre-tokenization pattern splits the text into {pre_tokens}, each of which is a token."
    if trace.pattern:
        boundaries = " No merge crosses their boundaries." if count > 1 else ""
        return f"The pre-tokenization pattern splits the text into {pre_tokens}.{boundaries}{special}"
    if trace.pretokenized:
        boundaries = " No token crosses their boundaries." if count > 1 else ""
        return f"The text is split into {pre_tokens}.{boundaries}{special}"
    if trace.method == "attempts":
        return f"White space and punctuation split the text into {pre_tokens}; white space is dropped.{special}"
    if trace.method == "units":
        return f"The text consists of {plural(count, 'unit')}, each of which is a token.{special}"
    if count == 1:
        return "There is no pre-tokenizer."
    alone = f"No token spans the boundaries between these {count:,} segments, so each can be followed on its own."
    return f"There is no pre-tokenizer. {alone}{special}"


def notes(trace: EncodingTrace) -> tuple[str, ...]:
    """Return a note about words that are tokens of the vocabulary though no merges produce them, if there are any."""
    if trace.method != "merges":
        return ()
    # A dict rather than a set keeps the words in the order of the text.
    unreached = {
        traced.segmentation.symbols: None
        for traced in trace.words
        if traced.segmentation.whole and not is_reached(traced.segmentation)
    }
    if not unreached:
        return ()
    words = [f"“{spell(word)}”" if isinstance(word, bytes) else word for word in [*unreached][:MAX_NAMED]]
    more = f" and {len(unreached) - MAX_NAMED:,} more" if len(unreached) > MAX_NAMED else ""
    up_to = "" if trace.pairs else " up to their rank"
    return (f"The vocabulary contains tokens that no merges{up_to} produce: {', '.join(words)}{more}.",)


def is_reached(word: Segmentation) -> bool:
    """True if the merges of a word that is one token of the vocabulary produce that token."""
    size = len(word.symbols)
    return size == 1 or (bool(word.merges) and word.merges[-1][1::2] == (0, size))
