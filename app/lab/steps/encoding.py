"""A run that encodes a text with the from-scratch engine of a tokenizer.

Its steps show the text, its pre-tokens, the algorithm on each of them, and the tokens.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, chain, islice
from typing import Any, Literal

from ...errors import Invalid, TooLarge, plural
from ...registry import Registry
from ...types import EncodingTrace, Segmentation, Traced
from ..tokenize import utf8_length
from . import bpe_steps, longest_match_steps, unigram_steps
from .boundaries import word_boundary
from .bpe_steps import BPESteps
from .drawing import distinct
from .examples import TOYS
from .longest_match_steps import LongestMatchSteps
from .step import Boundary, Branch, Fact, Lattice, MergeTreeNode, Run, Step, TileRow
from .tiles import MAX_TILES, spell, token_tile, window, word_tile
from .unigram_steps import SegmentationOptions, UnigramSteps
from .word_steps import UnitSteps, WordSteps, initial_steps, make_repeated_step, notes, segment_name

MAX_CHARACTERS = 20_000
"""Characters of the longest text that can be followed."""
MAX_ENCODED = 240
"""Tokens that the last step shows; the others are only counted."""
AROUND = 15
"""Pre-tokens shown around the one on stage."""
CACHED_WORDS = 8
"""Words whose steps are kept, because neighbouring windows of steps ask for them."""
MAX_PATHS = 50
MAX_TEMPERATURE = 100


def encode(
    registry: Registry,
    text: str,
    *,
    tokenizer: str,
    special: Literal["text", "parse"] = "text",
    paths: int = 5,
    temperature: float | None = None,
    seed: int = 0,
) -> Run:
    """Return a run that encodes a text.

    For a unigram model, `paths` is the number of best segmentations to list; with a `temperature`, another
    segmentation is sampled.

    Raises `TooLarge` for more than 20,000 characters, `LoneSurrogate`, `UnknownTokenizer`, and `Invalid` for a
    tokenizer without a trace or an option out of range.
    """
    if len(text) > MAX_CHARACTERS:
        message = f"The text has {len(text):,} characters; the limit is {MAX_CHARACTERS:,}."
        raise TooLarge(message, limit=MAX_CHARACTERS, pointer="/text")
    utf8_length(text, pointer="/text")  # raises for a lone surrogate
    if not 1 <= paths <= MAX_PATHS:
        raise Invalid(f"paths must be from 1 to {MAX_PATHS}.", pointer="/paths")
    if temperature is not None and not 0 <= temperature <= MAX_TEMPERATURE:
        raise Invalid(f"temperature must be from 0 to {MAX_TEMPERATURE}.", pointer="/temperature")
    engine = TOYS[tokenizer]() if tokenizer in TOYS else registry.get(tokenizer, "scratch")
    if not isinstance(engine, Traced):
        raise Invalid("The tokenizer cannot be followed step by step.", pointer="/tokenizer")
    trace = engine.trace(text, special=special)
    return EncodingRun(
        tokenizer=tokenizer,
        name=engine.info.title,
        text=text,
        trace=trace,
        special=special,
        options=SegmentationOptions(paths, temperature, seed),
    )


def count_steps(trace: EncodingTrace, word: Segmentation, options: SegmentationOptions) -> int:
    """Return the number of steps of a word, without computing its steps."""
    if word.special or trace.method == "units":
        return 1
    if trace.method in ("attempts", "walks"):
        return longest_match_steps.count_steps(word)
    if trace.method == "lattice":
        return unigram_steps.count_steps(word, options)
    return bpe_steps.count_steps(word)


def word_steps(trace: EncodingTrace, word: Segmentation, first: int, options: SegmentationOptions) -> WordSteps:
    """Return the steps of a word; `first` is the number of its first step."""
    if word.special or trace.method == "units":
        return UnitSteps(trace, word, first)
    if trace.method in ("attempts", "walks"):
        return LongestMatchSteps(trace, word, first)
    if trace.lattice:
        return UnigramSteps(trace, trace.lattice, word, first, options)
    return BPESteps(trace, word, first)


@dataclass(frozen=True, eq=False)
class EncodingRun:
    """The trace of an encoding as steps; implements `Run`. Steps are computed when they are requested."""

    tokenizer: str
    name: str
    text: str
    trace: EncodingTrace
    special: str = "text"
    options: SegmentationOptions = field(default_factory=SegmentationOptions)
    branch: Branch = field(default="encode", init=False)
    chart: Sequence[int] = field(default=(), init=False)
    _steps_by_word: dict[int, WordSteps] = field(default_factory=dict, init=False)

    @property
    def title(self) -> str:
        return f"Encoding with {self.name}"

    @cached_property
    def notes(self) -> Sequence[str]:
        return notes(self.trace)

    @cached_property
    def _initial_steps(self) -> list[Step]:
        return initial_steps(self.text, self.trace)

    @cached_property
    def _first_occurrences(self) -> list[int]:
        """By word, the index of the first word with the same symbols and tokens."""
        by_content: dict[tuple[bytes | str, bool, tuple[tuple[int, int, int], ...]], int] = {}
        # Words are mostly shared objects: looking these up first spares hashing their tokens.
        by_object: dict[Segmentation, int] = {}
        occurrences = []
        for index, traced in enumerate(self.trace.words):
            word = traced.segmentation
            first = by_object.get(word)
            if first is None:
                first = by_content.setdefault((word.symbols, word.special, tuple(word.tokens)), index)
                by_object[word] = first
            occurrences.append(first)
        return occurrences

    @cached_property
    def _starts(self) -> list[int]:
        """The number of each word's first step, and that of the run's last step."""
        # A repeated word has a single step.
        counts = (
            count_steps(self.trace, traced.segmentation, self.options) if first == index else 1
            for index, (first, traced) in enumerate(zip(self._first_occurrences, self.trace.words, strict=True))
        )
        return [*accumulate(counts, initial=len(self._initial_steps))]

    @cached_property
    def _tokens_before(self) -> list[int]:
        """The number of tokens before each word, and that of all tokens."""
        return [*accumulate((len(traced.segmentation.tokens) for traced in self.trace.words), initial=0)]

    @cached_property
    def total(self) -> int:
        return self._starts[-1] + 1 if self.text else 1

    def steps(self, start: int, stop: int) -> Iterator[Step]:
        first = max(0, start)
        return (replace(step, number=number) for number, step in enumerate(self._iter_steps(first, stop), first))

    def _iter_steps(self, step: int, stop: int) -> Iterator[Step]:
        stop = min(stop, self.total)
        while step < stop:
            if step < len(self._initial_steps):
                yield self._initial_steps[step]
                step += 1
            elif (index := self._word_at(step)) is None:
                yield self._last_step()
                step += 1
            else:
                end = min(stop, self._starts[index + 1])
                yield from self._iter_word(index, step, end)
                step = end

    def _word_at(self, step: int) -> int | None:
        """Return the index of the word on stage at a step, if any."""
        index = bisect_right(self._starts, step) - 1
        return index if 0 <= index < len(self.trace.words) else None

    def _word_steps(self, index: int) -> WordSteps:
        """Return the steps of a word, or of the first word that equals it."""
        first = self._first_occurrences[index]
        steps = self._steps_by_word.get(first)
        if steps is None:
            steps = word_steps(self.trace, self.trace.words[first].segmentation, self._starts[first], self.options)
            # Steps are read in order, so dropping all at once is as good as an LRU cache.
            if len(self._steps_by_word) >= CACHED_WORDS:
                self._steps_by_word.clear()
            self._steps_by_word[first] = steps
        return steps

    def _iter_word(self, index: int, start: int, stop: int) -> Iterator[Step]:
        """Yield the steps of a word from `start` to `stop`, with its position among the words."""
        around = self._around(index) if len(self.trace.words) > 1 else None
        facts = (
            Fact(segment_name(self.trace), f"{index + 1:,} of {len(self.trace.words):,}"),
            Fact("tokens so far", f"{self._tokens_before[index]:,}"),
        )
        if self._first_occurrences[index] == index:
            first = self._starts[index]
            steps = self._word_steps(index).steps(start - first, stop - first)
        else:
            steps = iter([make_repeated_step(self.trace, self.trace.words[index].segmentation)])
        for step in steps:
            yield replace(step, around=around, facts=facts + step.facts, stage="model")

    def _around(self, index: int) -> TileRow:
        """Return the words around one, which is marked new; those after it are not processed yet."""
        words = self.trace.words
        shown = window(len(words), index, width=AROUND)
        tiles = tuple(
            word_tile(words[i].segmentation, at=i, mark="new" if i == index else "rest" if i > index else "")
            for i in shown
        )
        return TileRow(tiles, left_out_before=shown.start, left_out_after=len(words) - shown.stop)

    def _last_step(self) -> Step:
        """Return the step of the result: the tokens of the text."""
        count = self._tokens_before[-1]
        tokens = (
            (traced.segmentation, index)
            for traced in self.trace.words
            for index in range(len(traced.segmentation.tokens))
        )
        shown = islice(tokens, MAX_ENCODED)
        tiles = [token_tile(self.trace, word, index, at=at) for at, (word, index) in enumerate(shown)]
        ids = " ".join(f"{tile.key}" for tile in tiles)
        row = TileRow(distinct(tiles), left_out_after=count - len(tiles))
        facts = (Fact("tokens", f"{count:,}"), Fact("ids", ids + (" …" if row.left_out_after else "")))
        caption = (f"The text is {plural(count, 'token')}.",)
        return Step(caption, (row,), facts=facts, lattice=self._final_lattice(), stage="tokens")

    def _final_lattice(self) -> Lattice | None:
        """Return the lattice of a text of one word with its best path, if it has one."""
        steps = self._word_steps(0) if len(self.trace.words) == 1 else None
        return steps.final_lattice if isinstance(steps, UnigramSteps) and len(steps.text) > 1 else None

    def trees(self, step: int) -> tuple[MergeTreeNode, ...]:
        """Return the trees of the word on stage; for the last step, those of the first `MAX_TILES` tokens."""
        index = self._word_at(step)
        if index is not None:
            return self._word_steps(index).trees()
        all_ = (self._word_steps(i).trees() for i in range(min(MAX_TILES, len(self.trace.words))))
        return tuple(islice(chain.from_iterable(all_), MAX_TILES)) if step == self.total - 1 else ()

    def boundaries(self, step: int) -> tuple[Boundary, ...]:
        """Return the boundaries of the word on stage; for the last step, the first `MAX_TILES` of the text."""
        index = self._word_at(step)
        if index is not None:
            return self._list_boundaries(index)
        # Of the steps without a word only the last one shows tokens.
        if step != self.total - 1:
            return ()
        boundaries: list[Boundary] = []
        for index in range(len(self.trace.words)):
            if len(boundaries) >= MAX_TILES:
                break
            boundaries += self._list_boundaries(index)
        return tuple(boundaries[:MAX_TILES])

    def _list_boundaries(self, index: int) -> tuple[Boundary, ...]:
        return (word_boundary(self.text, self.trace, index), *self._word_steps(index).inside)

    def origin(self, token: int) -> tuple[int, MergeTreeNode | None, Boundary | None, Lattice | None]:
        """Return the last step that made a token, its tree, why it begins there, and the lattice of its word."""
        word = bisect_right(self._tokens_before, token) - 1
        at = token - self._tokens_before[word]
        steps = self._word_steps(word)
        boundaries = self._list_boundaries(word)
        nodes = steps.trees()
        node = nodes[at] if at < len(nodes) else None
        # A word that occurred before has no steps of its own here: those of the first one tell how it came about.
        made = node.step if node else None
        step = made if made is not None else self._starts[word + 1] - 1
        final = steps.final_lattice if isinstance(steps, UnigramSteps) and len(steps.text) > 1 else None
        return step, node, boundaries[at] if at < len(boundaries) else None, final

    @cached_property
    def ids(self) -> list[int]:
        """The token ids of the encoding."""
        return [id for traced in self.trace.words for id, _, _ in traced.segmentation.tokens]

    def data(self) -> Mapping[str, Any]:
        words = []
        for index, (traced, first) in enumerate(zip(self.trace.words, self._first_occurrences, strict=True)):
            word: dict[str, Any] = {
                **_json_text(traced.segmentation.symbols),
                "byte_start": traced.byte_start,
                "byte_end": traced.byte_end,
                "ids": [id for id, _, _ in traced.segmentation.tokens],
            }
            words.append({**word, **({"like": first} if first < index else self._word_steps(index).data())})
        return {
            "branch": "encode",
            "tokenizer": self.tokenizer,
            "special": self.special,
            "method": self.trace.method,
            "normalized": self.trace.normal,
            "pieces": words,
            "ids": self.ids,
        }


def _json_text(symbols: bytes | str) -> dict[str, str]:
    """Return symbols as JSON; bytes that are not valid UTF-8 in hex, too."""
    if isinstance(symbols, str):
        return {"text": symbols}
    try:
        return {"text": symbols.decode()}
    except UnicodeDecodeError:
        return {"text": spell(symbols), "bytes": symbols.hex()}
