"""The tokens of SentencePiece unigram models, for long texts: each word is normalized and segmented once.

If no piece has a ▁ after another character, and no rule of the normalization reaches across white space, the tokens of
a text are those of its units, which are the parts between white space. A language has few different units; the tokens
of all are gathered from columns of the different ones.

A unigram model of sentencepiece (0.2) adds scores to a running sum of 32 bits through the whole text. The lower the
sum, the coarser its rounding, and if two segmentations of a word score nearly the same, rounding decides. Below
`LOWEST` the sum starts again from 0. Most units are segmented the same at any sum (`Unigram.unambiguous_cut`);
`RunningSum` follows the sum only for the others.
"""

import re
from array import array
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from math import frexp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...fast.hash_index import ranges
from ...fast.unigram.encode import HALF, LONG, LOWEST, BestSegmentation, Unigram
from ...fast.unigram.encode_batch import Cuts, UnigramBatch, code_points
from .encode import MARK, SentencePiece

Ints = NDArray[np.integer]
Pieces = list[tuple[int, int]]
"""(id, number of characters) of each piece of a normalized word."""
Origins = Sequence[int] | None
"""Of each character of a normalized text the byte where its origin begins, then the end; None if unchanged."""
MEMORY = 64_000_000
"""Bytes of the units in a cache, which is cleared when it is full."""
FEW = 64
"""So many new units are segmented one by one; numpy is quicker for more."""
AT_ONCE = 16_384
"""Units that are segmented in one step, to bound the memory of their arrays."""


class ByteColumns(NamedTuple):
    """The tokens of a text: ids, and the bytes of the text where they start and end."""

    ids: NDArray[np.uint32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]


class UnitTokens(NamedTuple):
    """The tokens of a unit, with spans relative to its beginning, as the bytes of arrays of 32 bits.

    - `scores`: what each of its pieces adds to the sum; `lowest`: the lowest sum within it, relative to that before it.
    - `decided`: its segmentation is the same for any sum; if not, there are no tokens here.
    - `ended`: the unit that follows does not change how it is normalized and segmented.
    """

    ids: bytes = b""
    starts: bytes = b""
    ends: bytes = b""
    scores: bytes = b""
    lowest: float = 0.0
    decided: bool = True
    ended: bool = True


class RunningSum:
    """The running sum of scores through the units of a text, given by their numbers.

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -2.0}
    >>> model = Unigram({"a": 1, "b": 2, "ab": 3}, scores)
    >>> sum_ = RunningSum(model, [UnitTokens(scores=array("f", [-1.0, -0.5]).tobytes())], np.array([0, 0]))
    >>> sum_.skip(0, 2), sum_.value, sum_.segment("ab"), sum_.value
    (2, -3.0, [(3, 2)], -5.0)
    """

    def __init__(self, model: Unigram, units: Sequence[UnitTokens], numbers: Ints) -> None:
        self.model = model
        self.value = 0.0
        counts = np.array([len(unit.scores) // 4 for unit in units])
        each = ranges((np.cumsum(counts) - counts)[numbers], counts[numbers])
        scores = np.frombuffer(b"".join([unit.scores for unit in units]), np.float32)[each]
        self._scores = np.append(np.float32(0), scores)  # the first is for the sum before a stretch
        self._bounds = np.append(0, np.cumsum(counts[numbers]))
        self._lowest = np.array([unit.lowest - 1 for unit in units])[numbers]  # minus what rounding may take
        self._known: dict[str, Pieces | None] = {}
        self._best: dict[str, BestSegmentation] = {}
        self._segmented: dict[tuple[str, int], tuple[Pieces, float, float]] = {}

    def skip(self, first: int, stop: int, at_once: int = 8192) -> int:
        """Add decided units until the sum may fall below `LOWEST` within one, and return the number of that or `stop`.

        To accumulate an array of 32 bits rounds at each addition.
        """
        while first < stop:
            last = min(stop, first + at_once)
            bounds = self._bounds[first : last + 1] - self._bounds[first]
            stretch = self._scores[self._bounds[first] : self._bounds[last] + 1]
            stretch[0] = self.value
            sums = np.add.accumulate(stretch)[bounds]
            falling = np.flatnonzero(sums[:-1] + self._lowest[first:last] <= LOWEST)
            added = int(falling[0]) if len(falling) else last - first
            self.value = float(sums[added])
            first += added
            if len(falling):
                break
        return first

    def segment(self, text: str) -> Pieces:
        """Add a normalized text, a long one word by word, and return its pieces."""
        if len(text) <= LONG:
            return self._segment_cached(text)
        return [*chain.from_iterable(map(self._add_word, self.model.words(text)))]

    def _add_word(self, word: str) -> Pieces:
        if word not in self._known:
            cut = self.model.unambiguous_cut(word)
            self._known[word] = cut if cut is None else [*cut]
        pieces = self._known[word]
        # No path through a word scores lower than unknown characters alone.
        if pieces is None or self.value + len(word) * self.model.unknown_score < LOWEST:
            return self._segment_cached(word)
        rounded = array("f", [self.value])
        for id, _ in pieces:
            rounded[0] += self.model.scores[id]
        self.value = rounded[0]
        return pieces

    def _segment_cached(self, word: str) -> Pieces:
        """Segment a word at this sum; cached by exponent, since rounding is the same between two powers of two."""
        before = self.value
        scale = frexp(self.value)[1]
        cached = self._segmented.get((word, scale)) if before < 0 else None
        if cached and before + cached[2] > max(-(2.0**scale), LOWEST):
            self.value += cached[1]
            return cached[0]
        best = self.model.segment_cached(word, before, self._best)
        self.value = best.end
        same_step = best.exact and frexp(best.lowest)[1] == scale and before == best.highest
        if before < 0 and same_step and best.lowest >= LOWEST:
            self._segmented[word, scale] = best.pieces, best.end - before, best.lowest - before
        return best.pieces


class SentencePieceUnigram:
    """Computes the tokens of a text unit by unit, or returns None if the model or its normalization does not allow it.

    >>> from tokenarium.scratch.compat.sentencepiece.encode import Normalizer
    >>> model = Unigram({"▁": 1, "a": 2, "▁a": 3}, {"▁": -1.0, "a": -1.0, "▁a": -1.5})
    >>> columns = SentencePieceUnigram(SentencePiece(model.pieces, Normalizer(), unknown=0), model)("a  ab")
    >>> [column.tolist() for column in columns]
    [[3, 1, 3, 0], [0, 1, 2, 4], [1, 2, 4, 5]]
    """

    def __init__(self, sentencepiece: SentencePiece, model: Unigram) -> None:
        self.sentencepiece = sentencepiece
        self.model = model
        self._collapse = sentencepiece.normalizer.collapse
        self._later = sentencepiece.normalizer.after_white_space()
        separable = model.by_stretches and model.unknown not in (id for id, _ in model.pieces(MARK))
        self._white = sentencepiece.normalizer.separators() if separable else b""
        others = b"[^" + re.escape(self._white or b" ") + b"]+"
        self._units = re.compile(others if self._collapse else b" *" + others + b"| +")
        self._scores = np.zeros(max(model.scores) + 1)
        self._scores[np.fromiter(model.scores, np.int64)] = np.fromiter(model.scores.values(), np.float64)
        self._batch = (
            UnigramBatch(model.ids, self._scores, unknown=model.unknown, rounding=HALF) if self._white else None
        )
        self._cache: dict[bytes, UnitTokens] = {}
        self._room = MEMORY

    def __call__(self, text: str) -> ByteColumns | None:
        data = text.encode()
        units = self._units.findall(data) if self._white else []
        if not units:
            return None
        spans = self._spans(data, units)
        kinds, numbers = self._find_different(units)
        while not (ended := np.array([unit.ended for unit in kinds])[numbers])[:-1].all():
            heads = np.flatnonzero(np.append(True, ended[:-1]))  # a unit that has not ended goes on with the next
            spans = np.column_stack((spans[heads, 0], spans[np.append(heads[1:] - 1, len(spans) - 1), 1]))
            units = [data[start:end] for start, end in spans.tolist()]
            kinds, numbers = self._find_different(units)
        self._decide(units, kinds, numbers)
        return self._join_units(kinds, numbers, spans)

    def ids(self, text: str) -> "NDArray[np.uint32] | None":
        """Return the ids alone if normalizing only replaces spaces and each id says how many bytes it covers."""
        if (
            not self.sentencepiece.byte_ids
            or self.sentencepiece.normalizer.mark_spaces(text) is None
            or (columns := self(text)) is None
        ):
            return None
        return columns.ids

    def _spans(self, data: bytes, units: Sequence[bytes]) -> Ints:
        """Return the start and the end of each unit, shape `(units, 2)`."""
        sizes = np.fromiter(map(len, units), np.int64, len(units))
        if not self._collapse:
            return np.column_stack((np.cumsum(sizes) - sizes, np.cumsum(sizes)))
        white = np.zeros(256, bool)
        white[[*self._white]] = True
        inside = np.flatnonzero(~white[np.frombuffer(data, np.uint8)])
        ends = np.cumsum(sizes)
        return np.column_stack((inside[ends - sizes], inside[ends - 1] + 1))

    def _find_different(self, units: Sequence[bytes]) -> tuple[list[UnitTokens], Ints]:
        """Return the different units of a text, the first one last, and the number of each unit among them."""
        index = {unit: number for number, unit in enumerate(dict.fromkeys(units[1:]))}
        numbers = np.fromiter(map(index.__getitem__, units[1:]), np.int32, len(units) - 1)
        if self._room < 0:
            self._cache = {}
            self._room = MEMORY
        kinds = [*map(self._cache.get, index)]
        new = [unit for unit, kind in zip(index, kinds, strict=True) if kind is None]
        learned = dict(zip(new, self._compute_units(new), strict=True))
        self._cache |= learned
        self._room -= sum(500 + 20 * len(unit) for unit in new)  # about what an entry takes
        of_first = self._make_units([units[0]], [self.sentencepiece.normalizer(units[0].decode())])
        return [*(kind or learned[unit] for unit, kind in zip(index, kinds, strict=True)), *of_first], np.append(
            len(index), numbers
        )

    def _compute_units(self, units: Sequence[bytes]) -> Iterator[UnitTokens]:
        for first in range(0, len(units), AT_ONCE):
            batch = units[first : first + AT_ONCE]
            yield from self._make_units(batch, [self._normalize_unit(unit.decode()) for unit in batch])

    def _normalize_unit(self, text: str) -> tuple[str, Origins]:
        """Return a unit that is not the first normalized, and the origins of its characters; None if unchanged."""
        if self._later.leaves_unchanged(text):
            return (MARK + text if self._collapse else text.replace(" ", MARK)), None
        return self._later(text)

    def _make_units(self, raw: Sequence[bytes], normalized: Sequence[tuple[str, Origins]]) -> Iterator[UnitTokens]:
        """Yield units given what they are normalized to."""
        short = [(normal, at) for normal, at in normalized if 0 < len(normal) <= LONG]
        segmented = self._segment_units(short) if short else iter(())
        for data, (normal, at) in zip(raw, normalized, strict=True):
            unit = UnitTokens(decided=not normal) if not 0 < len(normal) <= LONG else next(segmented)
            # White space at the end of a unit becomes one with that after it, and so does all that becomes nothing.
            trimmed = self._collapse and at is not None and at[-1] < len(data)
            ended = normal and not trimmed and not normal.endswith(MARK)
            yield unit if ended else unit._replace(ended=False)

    def _segment_units(self, normalized: Sequence[tuple[str, Origins]]) -> Iterator[UnitTokens]:
        """Yield units given what they are normalized to, none of it empty or long."""
        normals = [normal for normal, _ in normalized]
        cuts = self._batch.cuts(normals) if self._batch and len(normals) > FEW else self._segment_each(normals)
        owners, columns = self._tokens(normals, cuts, self._origins(normalized))
        ids, starts, ends = (column.tobytes() for column in columns)
        scores = self._scores[cuts.ids].astype(np.float32).tobytes()
        token = piece = 0
        for lowest, decided, last_token, last_piece in zip(
            cuts.lowest.tolist(),
            (cuts.margins > 0).tolist(),
            (4 * np.cumsum(np.bincount(owners, minlength=len(normals)))).tolist(),
            (4 * np.cumsum(cuts.counts)).tolist(),
            strict=True,
        ):
            tokens = slice(token, last_token)
            pieces = slice(piece, last_piece)
            decided_unit = UnitTokens(ids[tokens], starts[tokens], ends[tokens], scores[pieces], lowest)
            yield decided_unit if decided else UnitTokens(decided=False)
            token = last_token
            piece = last_piece

    def _segment_each(self, normals: Sequence[str]) -> Cuts:
        """Segment a few normalized units, without the cost of arrays; an ambiguous one is unknown characters."""
        each = [self.model.unambiguous_cut(normal) for normal in normals]
        cuts = [
            [*cut] if cut is not None else [(self.model.unknown, 1)] * len(normal)
            for cut, normal in zip(each, normals, strict=True)
        ]
        pieces = np.array([*chain.from_iterable(cuts)], np.int64)
        margins = np.array([-np.inf if cut is None else np.inf for cut in each])
        lowest = np.array([len(normal) * self.model.unknown_score for normal in normals])
        return Cuts(pieces[:, 0], pieces[:, 1], np.array([*map(len, cuts)]), margins, lowest)

    def _origins(self, normalized: Sequence[tuple[str, Origins]]) -> Ints:
        """Return the origins of all characters, and the end, of all normalized units, one after the other."""
        sizes = np.fromiter((len(normal) for normal, _ in normalized), np.int64, len(normalized))
        ends = np.cumsum(sizes)
        number = np.arange(len(sizes))
        points = code_points("".join([normal for normal, _ in normalized]))
        widths = _utf8_sizes(points)
        widths[points == ord(MARK)] = not self._collapse  # a space; or put in front, in place of the white space
        after = np.cumsum(widths)
        origins = np.zeros(len(points) + len(sizes), np.int64)
        before = np.append(0, after)[ends - sizes]
        origins[np.arange(len(points)) + np.repeat(number + 1, sizes)] = after - np.repeat(before, sizes)
        for index, (_, at) in enumerate(normalized):
            if at is not None:
                origins[ends[index] - sizes[index] + index : ends[index] + index + 1] = at
        return origins

    def _tokens(self, normals: Sequence[str], cuts: Cuts, origins: Ints) -> tuple[Ints, ByteColumns]:
        """Return the number of the unit of each token, and the tokens."""
        number = np.repeat(np.arange(len(normals)), cuts.counts)
        piece_ends = np.cumsum(cuts.sizes)
        ids = cuts.ids
        starts = origins[piece_ends - cuts.sizes + number]
        ends = origins[piece_ends + number]
        unknown = ids == self.model.unknown
        if not self.sentencepiece.byte_ids:  # a run of unknown pieces is one token
            goes_on = unknown[1:] & unknown[:-1] & (number[1:] == number[:-1])
            firsts = np.flatnonzero(np.append(True, ~goes_on))
            lasts = np.flatnonzero(np.append(~goes_on, True))
            return number[firsts], _columns(ids[firsts], starts[firsts], ends[lasts])
        text = "".join(normals)
        widths = _utf8_sizes(code_points(text))
        byte_at = np.append(0, np.cumsum(widths))[piece_ends - cuts.sizes]
        counts = np.where(unknown, widths[piece_ends - cuts.sizes], 1)
        pieces = np.repeat(np.arange(len(ids)), counts)
        bytes_ = np.frombuffer(text.encode(), np.uint8)
        of_bytes = np.array(self.sentencepiece.byte_ids)[bytes_[ranges(byte_at, counts)]]
        last = np.append(np.diff(pieces) > 0, True)  # the last byte of a character has its span
        columns = (
            np.where(unknown[pieces], of_bytes, ids[pieces]),
            starts[pieces],
            np.where(last, ends[pieces], starts[pieces]),
        )
        return number[pieces], _columns(*columns)

    def _decide(self, raw: Sequence[bytes], units: list[UnitTokens], numbers: Ints) -> None:
        """Segment the units that depend on the sum of all scores before them: appends them to `units`."""
        undecided = np.flatnonzero(~np.array([unit.decided for unit in units])[numbers])
        if not len(undecided):
            return
        sum_ = RunningSum(self.model, units, numbers)
        at = 0
        normalized = dict[tuple[bytes, bool], tuple[str, Origins]]()
        made = dict[tuple[str, tuple[int, ...]], int]()
        for next_undecided in undecided.tolist():
            while at <= next_undecided:
                at = sum_.skip(at, next_undecided)
                key = raw[at], at == 0
                if key not in normalized:
                    text = raw[at].decode()
                    normalized[key] = self._normalize_unit(text) if at else self.sentencepiece.normalizer(text)
                normal, origins = normalized[key]
                pieces = sum_.segment(normal)
                cut = normal, tuple(id for id, _ in pieces)
                if cut not in made:
                    made[cut] = len(units)
                    units.append(self._unit(normal, pieces, origins))
                numbers[at] = made[cut]
                at += 1

    def _unit(self, normal: str, pieces: Pieces, at: Origins) -> UnitTokens:
        if at is None:
            put_in_front = self._collapse and normal.startswith(MARK)
            sizes = [1 if char == MARK else len(char.encode()) for char in normal[put_in_front:]]
            at = [0] * put_in_front + [*accumulate(sizes, initial=0)]
        ids, starts, ends = zip(*self.sentencepiece.rows(normal, pieces, at), strict=True)
        return UnitTokens(array("I", ids).tobytes(), array("i", starts).tobytes(), array("i", ends).tobytes())

    def _join_units(self, units: Sequence[UnitTokens], numbers: Ints, spans: Ints) -> ByteColumns:
        """Return the tokens of a text, given its units."""
        counts = np.array([len(unit.ids) // 4 for unit in units])
        firsts = (np.cumsum(counts) - counts)[numbers]
        counts = counts[numbers]
        each = ranges(firsts, counts)
        begins = np.repeat(spans[:, 0].astype(np.int32), counts)
        ids = np.frombuffer(b"".join([unit.ids for unit in units]), np.uint32)[each]
        starts = np.frombuffer(b"".join([unit.starts for unit in units]), np.int32)[each] + begins
        ends = np.frombuffer(b"".join([unit.ends for unit in units]), np.int32)[each] + begins
        if self._collapse:  # a ▁ stands for all white space before a unit
            later = 1 + np.flatnonzero(counts[1:])
            starts[(np.cumsum(counts) - counts)[later]] = spans[later - 1, 1]
        return ByteColumns(ids, starts, ends)


def _columns(ids: Ints, starts: Ints, ends: Ints) -> ByteColumns:
    return ByteColumns(ids.astype(np.uint32), starts.astype(np.int32), ends.astype(np.int32))


def _utf8_sizes(points: NDArray[np.uint32]) -> Ints:
    """Return the number of bytes of each code point.

    >>> _utf8_sizes(code_points("aé你🌍")).tolist()
    [1, 2, 3, 4]
    """
    return 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
