"""The encoding of a text step by step, by the from-scratch engine of a tokenizer: the text, its words, what is done
to each, the tokens."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, islice
from typing import Any, Literal

from app.errors import Invalid, TooLarge
from app.lab.steps.encode import opening
from app.lab.steps.encode.boundaries import beginning
from app.lab.steps.encode.paths import Options
from app.lab.steps.encode.plays import Play, length, play
from app.lab.steps.encode.tiles import MOST, token, window, word
from app.lab.steps.encode.toys import TOYS
from app.lab.steps.frames import Boundary, Branch, Fact, Frame, Node, Row, Run
from app.lab.steps.spelling import spelled
from app.lab.tokenize import utf8_length
from app.registry import Registry
from app.types import CutWord, Trace, Traced

LIMIT = 20_000
"""Characters of a text that can be followed."""
ENCODED = 240
"""Tokens that the last frame shows; the others are counted."""
AROUND = 15
"""Words about the one on stage."""
REMEMBERED = 8
"""Words whose frames may be asked for again soon."""
MOST_PATHS, HOTTEST = 50, 100


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
    """Follow the encoding of a text. `paths` is how many of the best cuts a unigram model shows; with a
    `temperature` it also shows one that is drawn.

    Raises `TooLarge` for more than 20,000 characters, `LoneSurrogate`, `UnknownTokenizer`, and `Invalid` for a
    tokenizer that cannot be followed or an option out of its range.
    """
    if len(text) > LIMIT:
        raise TooLarge(f"The text has {len(text):,} characters; the limit is {LIMIT:,}.", limit=LIMIT, pointer="/text")
    utf8_length(text, pointer="/text")
    _check(paths, temperature)
    engine = TOYS[tokenizer]() if tokenizer in TOYS else registry.get(tokenizer, "scratch")
    if not isinstance(engine, Traced):
        raise Invalid(f"{tokenizer} cannot be followed step by step.", pointer="/tokenizer")
    trace = engine.trace(text, special=special)
    return EncodingRun(tokenizer, engine.info.title, text, trace, special, Options(paths, temperature, seed))


def _check(paths: int, temperature: float | None) -> None:
    if not 1 <= paths <= MOST_PATHS:
        raise Invalid(f"{paths} is not a number of paths from 1 to {MOST_PATHS}.", pointer="/paths")
    if temperature is not None and not 0 <= temperature <= HOTTEST:
        raise Invalid(f"{temperature} is not a temperature from 0 to {HOTTEST}.", pointer="/temperature")


@dataclass(frozen=True, eq=False)
class EncodingRun:
    """A trace of an encoding that can be looked at from any step. A frame is made when it is asked for."""

    tokenizer: str
    name: str
    text: str
    trace: Trace
    special: str = "text"
    options: Options = field(default_factory=Options)
    branch: Branch = field(default="encode", init=False)
    chart: Sequence[int] = field(default=(), init=False)
    _plays: dict[int, Play] = field(default_factory=dict, init=False)

    @property
    def title(self) -> str:
        return f"Encoding with {self.name}"

    @cached_property
    def notes(self) -> Sequence[str]:
        return opening.notes(self.trace)

    @cached_property
    def _opening(self) -> list[Frame]:
        return opening.frames(self.text, self.trace)

    @cached_property
    def _firsts(self) -> list[int]:
        """By word, the first that was cut just so."""
        seen: dict[tuple[bytes | str, bool, tuple[tuple[int, int, int], ...]], int] = {}
        same: dict[CutWord, int] = {}
        firsts = []
        for index, found in enumerate(self.trace.words):
            cut = found.cut
            first = same.get(cut)
            if first is None:
                first = same[cut] = seen.setdefault((cut.symbols, cut.special, tuple(cut.tokens)), index)
            firsts.append(first)
        return firsts

    @cached_property
    def _starts(self) -> list[int]:
        """The first frame of each word, and the last frame of all."""
        lengths = (
            length(self.trace, found.cut, self.options) if first == index else 1
            for index, (first, found) in enumerate(zip(self._firsts, self.trace.words, strict=True))
        )
        return [*accumulate(lengths, initial=len(self._opening))]

    @cached_property
    def _counts(self) -> list[int]:
        """The tokens before each word, and all of them."""
        return [*accumulate((len(found.cut.tokens) for found in self.trace.words), initial=0)]

    @cached_property
    def total(self) -> int:
        return self._starts[-1] + 1 if self.text else 1

    def frames(self, start: int, stop: int) -> Iterator[Frame]:
        step, stop = max(0, start), min(stop, self.total)
        while step < stop:
            if step < len(self._opening):
                yield self._opening[step]
                step += 1
            elif (index := self._word(step)) is None:
                yield self._outcome()
                step += 1
            else:
                upto = min(stop, self._starts[index + 1])
                yield from self._staged(index, step, upto)
                step = upto

    def _word(self, step: int) -> int | None:
        """The word on stage at a step, if one is."""
        index = bisect_right(self._starts, step) - 1
        return index if 0 <= index < len(self.trace.words) else None

    def _play(self, index: int) -> Play:
        """The frames of a word, or of the first that was cut alike."""
        first = self._firsts[index]
        found = self._plays.get(first)
        if found is None:
            found = play(self.trace, self.trace.words[first].cut, self._starts[first], self.options)
            if len(self._plays) >= REMEMBERED:
                self._plays.clear()
            self._plays[first] = found
        return found

    def _staged(self, index: int, start: int, stop: int) -> Iterator[Frame]:
        around = self._around(index)
        counted = (
            Fact("piece", f"{index + 1:,} of {len(self.trace.words):,}"),
            Fact("tokens so far", f"{self._counts[index]:,}"),
        )
        if self._firsts[index] == index:
            first = self._starts[index]
            found = self._play(index).frames(start - first, stop - first)
        else:
            found = iter([opening.again(self.trace, self.trace.words[index].cut, start)])
        for frame in found:
            yield replace(frame, around=around, facts=counted + frame.facts)

    def _around(self, index: int) -> Row:
        shown = window(len(self.trace.words), index, most=AROUND)
        tiles = tuple(
            word(self.trace.words[i].cut, at=i, mark="new" if i == index else "rest" if i > index else "")
            for i in shown
        )
        return Row(tiles, left_out_before=shown.start, left_out_after=len(self.trace.words) - shown.stop)

    def _outcome(self) -> Frame:
        count = self._counts[-1]
        every = ((found.cut, index) for found in self.trace.words for index in range(len(found.cut.tokens)))
        tiles = [token(self.trace, cut, index, at=at) for at, (cut, index) in enumerate(islice(every, ENCODED))]
        ids = [f"{tile.key}" for tile in tiles]
        more = " …" if count > len(ids) else ""
        return Frame(
            self.total - 1,
            "tokens",
            (f"The text is {count:,} token{'s' * (count != 1)}.",),
            (Row(tuple(tiles), left_out_after=count - len(tiles)),),
            facts=(Fact("tokens", f"{count:,}"), Fact("ids", " ".join(ids) + more)),
        )

    def trees(self, step: int) -> tuple[Node, ...]:
        index = self._word(step)
        return () if index is None else self._play(index).trees()

    def boundaries(self, step: int) -> tuple[Boundary, ...]:
        """Of the word on stage; at the last frame, of the first words as many as a row shows."""
        index = self._word(step)
        if index is not None:
            return (beginning(self.text, self.trace, index), *self._play(index).inside)
        if step != self.total - 1:
            return ()
        found: list[Boundary] = []
        for index in range(len(self.trace.words)):
            if len(found) >= MOST:
                break
            found += (beginning(self.text, self.trace, index), *self._play(index).inside)
        return tuple(found[:MOST])

    @cached_property
    def ids(self) -> list[int]:
        """The ids of the encoding."""
        return [id for found in self.trace.words for id, _, _ in found.cut.tokens]

    def data(self) -> Mapping[str, Any]:
        pieces = []
        for index, (found, first) in enumerate(zip(self.trace.words, self._firsts, strict=True)):
            piece: dict[str, Any] = {
                "text": _text(found.cut.symbols),
                "byte_start": found.byte_start,
                "byte_end": found.byte_end,
                "ids": [id for id, _, _ in found.cut.tokens],
            }
            pieces.append({**piece, **({"like": first} if first < index else self._play(index).data())})
        return {
            "branch": "encode",
            "tokenizer": self.tokenizer,
            "special": self.special,
            "method": self.trace.method,
            "normalized": self.trace.normal,
            "pieces": pieces,
            "ids": self.ids,
        }


def _text(symbols: bytes | str) -> str:
    """Symbols as JSON can hold them; a single byte that is no character as hex."""
    if isinstance(symbols, str):
        return symbols
    try:
        return symbols.decode()
    except UnicodeDecodeError:
        return spelled(symbols)
