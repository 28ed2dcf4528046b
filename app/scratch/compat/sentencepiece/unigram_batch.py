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
from collections.abc import Hashable, Sequence
from itertools import accumulate, chain, pairwise
from math import frexp
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from ....errors import EngineFailed
from ...fast.hash_index import ranges
from ...fast.unigram.encode import HALF, LONG, LOWEST, BestSegmentation, Unigram
from ...fast.unigram.encode_batch import Cuts, UnigramBatch
from .encode import MARK, SentencePiece
from .unit_division import UnitDivision
from .unit_normalizer import PARTS, NormalizedUnits, Origins, UnitNormalizer, utf8_sizes
from .unit_table import ByteColumns, Units, UnitTable

Ints = NDArray[np.integer]
Pieces = list[tuple[int, int]]
"""(id, number of characters) of each piece of a normalized word."""
FEW = 64
"""So many new units are segmented one by one; numpy is quicker for more."""
AT_ONCE = 16_384
"""Units that are segmented in one step, to bound the memory of their arrays."""
LONGEST = 256
"""Characters of the longest units that are segmented in one step; each of them takes some calls of numpy."""
WORDS = 50_000
"""Words whose segmentations are cached, of those that depend on the sum."""
FIRST = True
"""Marks the key of a unit at the beginning of a text, which is normalized in a way of its own."""


class SegmentationCache:
    """Segmentations of words that were met.

    - `unambiguous`: the one that is the best for any sum, or None.
    - `best`: the best one for some sum before the word.
    - `segmented`: by exponent of the sum, the pieces, what they add to it, and the lowest sum relative to it.
    """

    def __init__(self) -> None:
        self.unambiguous: dict[str, Pieces | None] = {}
        self.best: dict[str, BestSegmentation] = {}
        self.segmented: dict[tuple[str, int], tuple[Pieces, float, float]] = {}

    @property
    def full(self) -> bool:
        """True if it has more than `WORDS`."""
        return len(self.unambiguous) + len(self.best) + len(self.segmented) > WORDS


class RunningSum:
    """The running sum of scores through the units of a text, given by their numbers.

    >>> scores = {"a": -1.0, "b": -1.0, "ab": -2.0}
    >>> model = Unigram({"a": 1, "b": 2, "ab": 3}, scores)
    >>> one, table = np.array([1]), UnitTable()
    >>> table.add(["a"], Units(one, one, one, -one, one, one, -1.0 * one, one > 0, one > 0))
    >>> sum_ = RunningSum(model, table, np.array([0, 0, 0]), SegmentationCache())
    >>> sum_.skip(0, 3), sum_.value, sum_.segment("ab"), sum_.value
    (3, -3.0, [(3, 2)], -5.0)
    """

    def __init__(self, model: Unigram, table: UnitTable, numbers: Ints, cache: SegmentationCache) -> None:
        self.model = model
        self.value = 0.0
        scores, counts = table.gather_scores(numbers)
        self._scores = np.append(np.float32(0), scores)  # the first is for the sum before a stretch
        self._bounds = np.append(0, np.cumsum(counts))
        self._lowest = (table.columns.lowest - 2)[numbers]  # minus what rounding may take, `HALF` for each piece
        self._words = cache

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
        known = self._words.unambiguous
        if word not in known:
            cut = self.model.unambiguous_cut(word)
            known[word] = cut if cut is None else [*cut]
        pieces = known[word]
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
        cached = self._words.segmented.get((word, scale)) if before < 0 else None
        if cached and before + cached[2] > max(-(2.0**scale), LOWEST):
            self.value += cached[1]
            return cached[0]
        best = self.model.segment_cached(word, before, self._words.best)
        self.value = best.end
        same_step = best.exact and frexp(best.lowest)[1] == scale and before == best.highest
        if before < 0 and same_step and best.lowest >= LOWEST:
            self._words.segmented[word, scale] = best.pieces, best.end - before, best.lowest - before
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
        separable = model.by_stretches and model.unknown not in (id for id, _ in model.pieces(MARK))
        self._white = sentencepiece.normalizer.separators() if separable else b""
        others = b"[^" + re.escape(self._white or b" ") + b"\xfe\xff]+"
        part = b"[\xfe\xff]?" + others
        self._units = re.compile(part if self._collapse else part + b"| *" + others + b"| +")
        self._division = UnitDivision(sentencepiece.normalizer, model)
        self._scores = np.zeros(max(model.scores) + 1)
        self._scores[np.fromiter(model.scores, np.int64)] = np.fromiter(model.scores.values(), np.float64)
        self._batch = (
            UnigramBatch(model.ids, self._scores, unknown=model.unknown, rounding=HALF) if self._white else None
        )
        self._is_white = np.zeros(256, bool)
        self._is_white[[*self._white]] = True
        self._normalizer = UnitNormalizer(sentencepiece.normalizer)
        self._table = UnitTable()
        self._words = SegmentationCache()
        self._lock = Lock()

    def __call__(self, text: str) -> ByteColumns | None:
        data = text.encode()
        if not self._white or not data:
            return None
        borders = self._find_borders(data)
        cuts, marks = self._division.find_cuts(data, borders.reshape(-1, 2))
        units = self._units.findall(_insert(data, cuts, marks))
        if not units:
            return None
        if self._collapse:
            spans = np.sort(np.concatenate((borders, cuts, cuts)), kind="stable").reshape(-1, 2)
        else:
            ends = np.cumsum([len(unit) - unit.startswith(PARTS) for unit in units])
            spans = np.column_stack((np.append(0, ends[:-1]), ends))
        with self._lock:
            if self._table.full:
                self._table = UnitTable()
            if self._words.full:
                self._words = SegmentationCache()
            table = self._table
            numbers = self._find(table, units)
            while not (ended := table.columns.ended[numbers])[:-1].all():
                heads = np.flatnonzero(np.append(True, ended[:-1]))  # a unit that has not ended goes on with the next
                spans = np.column_stack((spans[heads, 0], spans[np.append(heads[1:] - 1, len(spans) - 1), 1]))
                units = [
                    (units[head][:1] if units[head].startswith(PARTS) else b"") + data[start:end]
                    for head, (start, end) in zip(heads.tolist(), spans.tolist(), strict=True)
                ]
                numbers = self._find(table, units)
            self._decide(table, units, numbers)
            return self._join_units(table, numbers, spans)

    def ids(self, text: str) -> "NDArray[np.uint32] | None":
        """Return the ids alone if normalizing only replaces spaces and each id says how many bytes it covers.

        Where pieces divide a symbol of the user, offsets say only that they come from the symbol.
        """
        whole = self.sentencepiece
        if not (whole.byte_ids or whole.normalizer.verbatim) or whole.normalizer.mark_spaces(text) is None:
            return None
        columns = self(text)
        ids = columns.ids if columns else np.fromiter((id for id, _, _ in whole.encode(text)), np.uint32)
        return ids if whole.byte_ids or not (ids == whole.unknown).any() else None

    def _find_borders(self, data: bytes) -> Ints:
        """Return in turn where white space ends and where it begins."""
        inside = np.zeros(len(data) + 2, bool)
        inside[1:-1] = ~self._is_white[np.frombuffer(data, np.uint8)]
        return np.flatnonzero(inside[1:] != inside[:-1])

    def _find(self, table: UnitTable, units: Sequence[bytes]) -> Ints:
        """Return the number of each unit of a text; new ones are added to the table."""
        first = units[0]
        if None in map(table.numbers.get, units):
            new = [*{*units}.difference(table.numbers)]
            for start in range(0, len(new), AT_ONCE):
                batch = new[start : start + AT_ONCE]
                table.add(batch, self._make_units(self._normalizer.later(batch)))
        if (key := (first, FIRST)) not in table.numbers:
            table.add([key], self._make_units(self._normalizer.first(first)))
        numbers = np.frombuffer(array("i", map(table.numbers.__getitem__, units)), np.int32).copy()
        numbers[0] = table.numbers[key]
        return numbers

    def _make_units(self, normalized: NormalizedUnits) -> Units:
        """Segment normalized units. What depends on the sum before it, is empty or long, is left undecided or empty."""
        chars, sizes, origins, _ = normalized
        short = (sizes > 0) & (sizes <= LONGEST)
        if not short.all():
            firsts = np.cumsum(sizes) - sizes
            chars = chars[ranges(firsts[short], sizes[short])]
            origins = origins[ranges((firsts + np.arange(len(sizes)))[short], sizes[short] + 1)]
        columns = no_tokens(len(sizes))._replace(decided=sizes == 0, ended=self._have_ended(normalized))
        if not len(chars):
            return columns
        cuts = self._cuts(chars, sizes[short])
        owners, tokens = self._tokens(chars, cuts, origins)
        columns.tokens[short] = np.bincount(owners, minlength=len(cuts.counts))
        columns.pieces[short] = cuts.counts
        columns.lowest[short] = cuts.lowest
        columns.decided[short] = cuts.margins > 0
        scores = self._scores[cuts.ids].astype(np.float32)
        return columns._replace(ids=tokens.ids, starts=tokens.starts, ends=tokens.ends, scores=scores)

    def _have_ended(self, units: NormalizedUnits) -> NDArray[np.bool_]:
        """Return which units the next one does not change: white space at the end of a unit becomes one with that
        after it, and so does all that becomes nothing."""
        last = np.append(ord(MARK), units.chars)[np.cumsum(units.sizes)]
        ended: NDArray[np.bool_] = (units.sizes > 0) & ~units.trimmed & (last != ord(MARK))
        return ended

    def _cuts(self, chars: NDArray[np.uint32], sizes: Ints) -> Cuts:
        """Segment normalized units, none of them empty or long."""
        text = _decode(chars)
        ends = np.cumsum(sizes)
        if not self._batch or len(sizes) <= FEW:
            return self._segment_each([text[start:end] for start, end in pairwise([0, *ends.tolist()])])
        cuts = self._batch.cuts(chars, sizes)
        if int(cuts.sizes.sum()) != len(chars):
            raise EngineFailed("The from-scratch engine lost a part of the normalized text.")
        self.model.cache_lattices({text[ends[at] - sizes[at] : ends[at]]: edges for at, edges in cuts.edges.items()})
        return cuts

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

    def _tokens(self, chars: NDArray[np.uint32], cuts: Cuts, origins: Ints) -> tuple[Ints, ByteColumns]:
        """Return the number of the unit of each token, and the tokens."""
        number = np.repeat(np.arange(len(cuts.counts)), cuts.counts)
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
        widths = utf8_sizes(chars)
        byte_at = np.append(0, np.cumsum(widths))[piece_ends - cuts.sizes]
        counts = np.where(unknown, widths[piece_ends - cuts.sizes], 1)
        pieces = np.repeat(np.arange(len(ids)), counts)
        bytes_ = np.frombuffer(_decode(chars).encode(), np.uint8)
        of_bytes = np.array(self.sentencepiece.byte_ids)[bytes_[ranges(byte_at, counts)]]
        last = np.append(np.diff(pieces) > 0, True)  # the last byte of a character has its span
        columns = (
            np.where(unknown[pieces], of_bytes, ids[pieces]),
            starts[pieces],
            np.where(last, ends[pieces], starts[pieces]),
        )
        return number[pieces], _columns(*columns)

    def _decide(self, table: UnitTable, raw: Sequence[bytes], numbers: Ints) -> None:
        """Segment the units that depend on the sum of all scores before them; changes their `numbers`."""
        undecided = np.flatnonzero(~table.columns.decided[numbers])
        if not len(undecided):
            return
        sum_ = RunningSum(self.model, table, numbers, self._words)
        at = 0
        normalized = dict[tuple[bytes, bool], tuple[str, Origins]]()
        # By the identity of pieces, too, which are kept so that no others have it.
        made = dict[tuple[bytes, bool, int], tuple[Pieces, int]]()
        new = dict[Hashable, tuple[int, Units]]()
        for next_undecided in undecided.tolist():
            while at <= next_undecided:
                at = sum_.skip(at, next_undecided)
                key = raw[at], at == 0
                if key not in normalized:
                    unit = raw[at]
                    normalized[key] = (
                        self._normalizer.normalize(unit) if at else self.sentencepiece.normalizer(unit.decode())
                    )
                normal, origins = normalized[key]
                pieces = sum_.segment(normal)
                if (same := (*key, id(pieces))) not in made:
                    cut = key, tuple(pieces)
                    if cut not in table.numbers and cut not in new:
                        new[cut] = len(table.numbers) + len(new), self._unit(normal, pieces, origins)
                    made[same] = pieces, new[cut][0] if cut in new else table.numbers[cut]
                numbers[at] = made[same][1]
                at += 1
        if new:
            table.add([*new], Units(*map(np.concatenate, zip(*(unit for _, unit in new.values()), strict=True))))

    def _unit(self, normal: str, pieces: Pieces, at: Origins) -> Units:
        if at is None:
            put_in_front = self._collapse and normal.startswith(MARK)
            sizes = [1 if char == MARK else len(char.encode()) for char in normal[put_in_front:]]
            at = [0] * put_in_front + [*accumulate(sizes, initial=0)]
        tokens = np.array([*self.sentencepiece.rows(normal, pieces, at)], np.int64)
        columns = _columns(*tokens.T)
        return no_tokens(1)._replace(
            ids=columns.ids, starts=columns.starts, ends=columns.ends, tokens=np.array([len(tokens)])
        )

    def _join_units(self, table: UnitTable, numbers: Ints, spans: Ints) -> ByteColumns:
        """Return the tokens of a text, given its units."""
        (ids, starts, ends), counts = table.gather_tokens(numbers)
        begins = np.repeat(spans[:, 0].astype(np.int32), counts)
        starts += begins
        ends += begins
        if self._collapse:  # a ▁ stands for all white space before a unit
            later = 1 + np.flatnonzero(counts[1:])
            starts[(np.cumsum(counts) - counts)[later]] = spans[later - 1, 1]
        return ByteColumns(ids, starts, ends)


def _insert(data: bytes, places: Ints, marks: NDArray[np.uint8]) -> bytes:
    """Return a text with a byte inserted at each of these places.

    >>> _insert(b"abc", np.array([1, 2]), np.array([45, 46], np.uint8))
    b'a-b.c'
    """
    return np.insert(np.frombuffer(data, np.uint8), places, marks).tobytes() if len(places) else data


def no_tokens(size: int) -> Units:
    """Return so many units without tokens."""
    zeros = np.zeros(size, np.int32)
    yes = np.ones(size, bool)
    none = zeros[:0]
    return Units(
        ids=none.astype(np.uint32),
        starts=none,
        ends=none,
        scores=none.astype(np.float32),
        tokens=zeros,
        pieces=zeros.copy(),
        lowest=np.zeros(size),
        decided=yes,
        ended=yes,
    )


def _decode(chars: NDArray[np.uint32]) -> str:
    return chars.tobytes().decode("utf-32-le", "surrogatepass")


def _columns(ids: Ints, starts: Ints, ends: Ints) -> ByteColumns:
    return ByteColumns(ids.astype(np.uint32), starts.astype(np.int32), ends.astype(np.int32))
