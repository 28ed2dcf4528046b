"""Long units of a text, as of a language without spaces, divided where neither normalization nor a piece crosses.

Parts of a unit repeat more often than the whole, and `unigram_batch` normalizes and segments each once. A place between
two characters divides if no rule of the normalization reaches across it, and no piece of the vocabulary that occurs
there. Of characters whose normalization is not simply another character, the surroundings stay undivided.

No text can be divided before it is seen. In a given text few positions are crossed by a piece that is there, and equal
parts between the others are segmented once.
"""

from collections.abc import Collection, Iterable
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...fast.unigram.encode import HALF, BestSegmentation, Unigram
from ...fast.unigram.encode_batch import PieceReach, UnigramBatch, code_points
from .charsmap import CharsMap
from .encode import MARK, Normalizer, Pieces
from .unit_normalizer import CHANGED, UNCHANGED, utf8_sizes

Ints = NDArray[np.integer]
LONG = 96
"""Bytes of a unit from which it is divided."""
LEAST, SHARE = 10_000, 4
"""Bytes of long units in a text from which they are divided, and the share of the text that they must be. For fewer,
the index of a large vocabulary and the look-up of characters take longer than what they save."""
APART = 4
"""Of adjacent places, one in so many is taken: parts of single characters would take longer than what they save."""
MEMORY = 100_000
"""The maximum number of characters whose rules are cached."""
KEPT, REPLACED, ODD = 0, 1, 2
"""What normalization makes of a character: the same, another one, or anything else."""
SHORT_TEXT = 500
"""Shorter texts are segmented as they are."""
LONG_PART = 256
"""Longer parts are segmented one by one."""


class CharRules(NamedTuple):
    """The rules that begin with a character: what it becomes alone, and all characters after it in longer ones."""

    becomes: str
    followers: frozenset[str]


class UnitDivision:
    """Divides the long units of a text for a model of which no piece has a ▁ after another character.

    >>> pieces = {piece: id for id, piece in enumerate("ab") } | {"ab": 2}
    >>> division = UnitDivision(Normalizer(collapse=True), Unigram(pieces, dict.fromkeys(pieces, -1.0)))
    >>> cuts, kinds = division.find_cuts(b"ab" * 5_000 + b" ab", np.array([[0, 10_000], [10_001, 10_003]]))
    >>> cuts.tolist() == [*range(2, 10_000, 2)], {*kinds.tolist()} == {*UNCHANGED}
    (True, True)
    """

    def __init__(self, normalizer: Normalizer, model: Unigram) -> None:
        self._charsmap = normalizer.charsmap
        self._first_kind = KEPT if normalizer.collapse else ODD  # one ▁ comes in front of a unit, or any number
        self.can_divide = not normalizer.verbatim
        self._model = model
        self._reach: PieceReach | None = None
        self._rules: dict[str, CharRules | None] = {}

    def find_cuts(self, data: bytes, spans: Ints) -> tuple[Ints, NDArray[np.uint8]]:
        """Return the places, in bytes, at which parts begin within long units, and the mark of each such part.

        `spans`: where the text between white space starts and ends, shape `(n, 2)`.
        """
        long = spans[spans[:, 1] - spans[:, 0] >= LONG]
        if not self.can_divide or int((long[:, 1] - long[:, 0]).sum()) < max(LEAST, len(data) // SHARE):
            return np.zeros(0, np.int64), np.zeros(0, np.uint8)
        mark = MARK.encode()
        text = mark + mark.join([data[start:end] for start, end in long.tolist()])
        chars = code_points(text.decode())
        first = np.zeros(len(chars), bool)  # the marks between units
        sizes = utf8_sizes(chars)
        begins = np.cumsum(sizes) - sizes
        lengths = long[:, 1] - long[:, 0]
        at_unit = np.cumsum(lengths + len(mark)) - lengths - len(mark)
        first[np.searchsorted(begins, at_unit)] = True
        kinds, normal, known = self._look_up(chars)
        kinds[first] = self._first_kind
        cut = self._divides(kinds, normal, known)
        cut[first] = False
        cut[1:] &= ~first[:-1]
        places = np.flatnonzero(cut)
        unit = np.cumsum(first)[places] - 1
        changed = np.logical_or.reduceat(kinds > KEPT, np.flatnonzero(cut | first))
        changed = changed[~first[np.flatnonzero(cut | first)]]
        in_data = begins[places] - at_unit[unit] - len(mark) + long[unit, 0]
        return in_data, np.where(changed, CHANGED[0], UNCHANGED[0]).astype(np.uint8)

    def _divides(
        self, kinds: NDArray[np.uint8], normal: NDArray[np.uint32], known: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """Return before which characters no piece can cross, and no two unknown ones meet, which are one token."""
        if self._reach is None:
            self._reach = PieceReach(self._model.ids)
        starts = np.arange(len(normal))
        farthest = np.maximum.accumulate(starts + self._reach.sizes(normal))
        cut = np.append(False, (farthest[:-1] <= starts[1:]) & (known[:-1] | known[1:]))
        odd = np.flatnonzero(kinds == ODD)
        reach, size = self._model.longest, len(normal) + 1
        steps = np.bincount(np.maximum(odd - reach, 0), minlength=size)
        steps -= np.bincount(np.minimum(odd + reach + 1, size - 1), minlength=size)
        return _thin_out(cut & (np.cumsum(steps[:-1]) == 0))

    def _look_up(self, chars: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.uint32], NDArray[np.bool_]]:
        """Return of each character its kind, the character that it becomes, and whether that is a piece."""
        counts = np.bincount(chars)
        different = np.flatnonzero(counts)
        kinds = np.full(len(counts), ODD, np.uint8)
        normal = np.arange(len(counts), dtype=np.uint32)
        known, begins, follows = np.zeros((3, len(counts)), bool)
        rules = self._find_rules(map(chr, different.tolist()))
        following = frozenset().union(*(rule.followers for rule in rules if rule))
        for code, rule in zip(different.tolist(), rules, strict=True):
            if rule is None:
                return np.full(len(chars), ODD, np.uint8), normal[chars], known[chars]
            new = rule.becomes
            begins[code] = bool(rule.followers)
            follows[code] = chr(code) in following
            if len(new) == 1 and new not in (" ", MARK) and not follows[code]:
                normal[code] = ord(new)
                kinds[code] = KEPT if ord(new) == code else REPLACED
                known[code] = new in self._model.ids
        each = kinds[chars]
        each[:-1][begins[chars[:-1]] & follows[chars[1:]]] = ODD
        return each, normal[chars], known[chars]

    def _find_rules(self, chars: Iterable[str]) -> list[CharRules | None]:
        if len(self._rules) > MEMORY:
            self._rules.clear()
        found = list[CharRules | None]()
        for char in chars:
            if char not in self._rules:
                self._rules[char] = _rules(self._charsmap, char)
            found.append(self._rules[char])
        return found


def _thin_out(cut: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return only the first of adjacent places, and every `APART`th after it.

    >>> _thin_out(np.array([0, 1, 1, 1, 1, 1, 0, 1], bool)).astype(int).tolist()
    [0, 1, 0, 0, 0, 1, 0, 1]
    """
    places = np.flatnonzero(cut)
    number = np.arange(len(places))
    begins = np.diff(places, prepend=-2) > 1
    number -= np.maximum.accumulate(np.where(begins, number, 0))
    thinned = np.zeros(len(cut), bool)
    thinned[places[number % APART == 0]] = True
    return thinned


def _rules(charsmap: CharsMap | None, char: str) -> CharRules | None:
    """Return the rules that begin with a character; None if these are too many."""
    if charsmap is None:
        return CharRules(char, frozenset())
    data = char.encode()
    followers = charsmap.find_followers(data)
    size, new = charsmap.match_longest(data, 0)
    if followers is None or 0 < size < len(data):
        return None
    return CharRules(new if size else char, followers)


class CrossingUnigram:
    """A unigram model that segments long texts in parts, with the result of `Unigram.pieces`.

    >>> model = Unigram({"a": 1, "b": 2, "a▁b": 3}, {"a": -1.0, "b": -1.0, "a▁b": -2.5})
    >>> text = "aa▁bb" * 200
    >>> [*CrossingUnigram(model).pieces(text)] == [*model.pieces(text)]
    True
    """

    def __init__(self, model: Unigram) -> None:
        self.model = model

    def pieces(self, text: str) -> Pieces:
        """Yield (id, number of characters) for each piece of a normalized text."""
        if len(text) < SHORT_TEXT or self.model.has_words:
            return self.model.pieces(text)
        parts = self._reach.divide(text)
        short = [part for part in {*parts} if len(part) <= LONG_PART]
        return chain.from_iterable(self.model.segment_words(parts, known=self._segment(short)))

    @cached_property
    def _reach(self) -> PieceReach:
        return PieceReach(self.model.ids)

    @cached_property
    def _batch(self) -> UnigramBatch:
        scores = np.zeros(max(self.model.scores) + 1)
        scores[[*self.model.scores]] = [*self.model.scores.values()]
        return UnigramBatch(self.model.ids, scores, unknown=self.model.unknown, rounding=HALF)

    def _segment(self, parts: Collection[str]) -> dict[str, BestSegmentation]:
        """Return the segmentation of each part for which it is the same for any sum before the part."""
        if not parts:
            return {}
        cuts = self._batch.cuts(code_points("".join(parts)), np.fromiter(map(len, parts), np.int64, len(parts)))
        pieces = [*zip(cuts.ids.tolist(), cuts.sizes.tolist(), strict=True)]
        spans = pairwise([0, *np.cumsum(cuts.counts).tolist()])
        known = dict[str, BestSegmentation]()
        for part, span, lowest, margin in zip(parts, spans, cuts.lowest.tolist(), cuts.margins.tolist(), strict=True):
            if margin > 0:
                highest = self.model.rise * len(part)
                known[part] = BestSegmentation(pieces[slice(*span)], 0.0, lowest, highest, True, margin)
        return known
