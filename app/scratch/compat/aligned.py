"""A text that keeps, through every change, the code points of the input that each of its characters came from.

Hugging Face `tokenizers` calls it NormalizedString. Normalizers change the text before it is split into words, and
each token must still have a span in the input as it was typed.

Unicode's normalization forms (UAX 15) of such a text are by the tables of version 9.0.

A long text is divided into units that can be normalized apart, and each different one is normalized once.
"""

import unicodedata
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..fast.ranges import ranges
from .unicode_versions import BARRIER

Change = tuple[str, int]
"""A character of the new text, and which old ones it replaces: 0 replaces the next old character, 1 is inserted and
replaces none, −n replaces the next one and n more. `tokenizers` encodes changes in the same way."""
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
SHORT, MANY = 1_000, 20
"""To normalize a text of fewer characters, or that has each fewer times, is faster than to divide it into units."""
KEPT, CHANGING, JOINING = 0, 1, 2
"""Whether a form keeps a character, may change it, or may also reorder it, or compose it with one before it."""


@dataclass(frozen=True, slots=True)
class AlignedText:
    """A text whose character i came from the code points `starts[i]` to `ends[i]` of the input.

    `at` is where the original text began in the input, even if its first characters have been removed since.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    at: int = 0

    @classmethod
    def of(cls, text: str, at: int = 0) -> "AlignedText":
        """Return an unchanged text that begins at code point `at` of the input.

        >>> AlignedText.of("ab", at=5).span(0, 2)
        (5, 7)
        """
        return cls(text, range(at, at + len(text)), range(at + 1, at + len(text) + 1), at)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the code points of the input that the characters `start:end` (at least one) came from."""
        return self.starts[start], self.ends[end - 1]

    def __getitem__(self, part: slice) -> "AlignedText":
        starts = self.starts[part]
        return AlignedText(self.text[part], starts, self.ends[part], starts[0] if starts else self.at)

    def __len__(self) -> int:
        return len(self.text)

    def apply_changes(self, changes: Iterable[Change], *, skip: int = 0) -> "AlignedText":
        """Return the text after a list of changes, without its first `skip` characters.

        An inserted character gets the span of the one before it; at the very beginning, an empty span.

        >>> AlignedText.of("né").apply_changes([("n", 0), ("e", 0), ("s", 1)]).ends
        [1, 2, 2]
        >>> AlignedText.of("abc").apply_changes([("x", 0), ("y", -1)]).starts
        [0, 1]
        """
        chars = []
        starts = []
        ends = []
        old = skip
        for char, change in changes:
            if change > 0:
                start, end = (self.starts[old - 1], self.ends[old - 1]) if old else (self.at, self.at)
            else:
                start = self.starts[old]
                end = self.ends[old]
                old += 1 - change
            chars.append(char)
            starts.append(start)
            ends.append(end)
        return AlignedText("".join(chars), starts, ends, self.at)

    def replace_parts(
        self, starts: NDArray[np.int64], ends: NDArray[np.int64], parts: Sequence["AlignedText"]
    ) -> "AlignedText":
        """Replace the characters between these positions, which are in order, by texts that are aligned to them.

        >>> changed = AlignedText("++", [0, 0], [1, 1])
        >>> AlignedText.of("a-b").replace_parts(np.array([1]), np.array([2]), [changed])
        AlignedText(text='a++b', starts=array('i', [0, 1, 1, 2]), ends=array('i', [1, 2, 2, 3]), at=0)
        """
        if not parts:
            return self
        kept = [*zip([0, *ends.tolist()], [*starts.tolist(), len(self)], strict=True)]
        texts = [self.text[start:end] for start, end in kept]
        joined = "".join(chain.from_iterable(zip(texts, [part.text for part in parts], strict=False))) + texts[-1]
        begins, sizes = np.zeros((2, 2 * len(parts) + 1), np.int64)  # what is kept and what is new, in turn
        begins[1::2], begins[2::2] = starts, ends
        sizes[::2] = np.append(starts, len(self)) - begins[::2]
        sizes[1::2] = lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        firsts = ranges(begins, sizes)
        lasts = firsts + 1
        new = ranges((np.cumsum(sizes) - sizes)[1::2], lengths)
        firsts[new] = np.repeat(starts, lengths) + [place for part in parts for place in part.starts]
        lasts[new] = np.repeat(starts, lengths) + [place for part in parts for place in part.ends]
        starts, ends = _column(self.starts)[firsts], np.append(self.at, _column(self.ends))[lasts]
        starts[lasts == 0] = self.at  # what is put in front of all else comes from no character
        return AlignedText(joined, _array(starts), _array(ends), self.at)

    def filter_characters(self, predicate: Callable[[str], bool]) -> "AlignedText":
        """Return only the characters for which `filter_characters` is true.

        >>> AlignedText.of("a-b").filter_characters(str.isalpha)
        AlignedText(text='ab', starts=[0, 2], ends=[1, 3], at=0)
        """
        kept = [i for i, char in enumerate(self.text) if predicate(char)]
        if len(kept) == len(self.text):
            return self  # keeps `range` columns, which take no memory
        starts = [self.starts[i] for i in kept]
        ends = [self.ends[i] for i in kept]
        return AlignedText("".join([self.text[i] for i in kept]), starts, ends, self.at)

    def replace_text(self, text: str) -> "AlignedText":
        """Replace the text by another of the same length, character by character."""
        return AlignedText(text, self.starts, self.ends, self.at)

    def map_characters(self, become: Callable[[str], str]) -> "AlignedText":
        """Replace each character by one or more, which all get its span.

        >>> AlignedText.of("aß").map_characters(str.upper)
        AlignedText(text='ASS', starts=[0, 1, 1], ends=[1, 2, 2], at=0)
        """
        new = [become(char) for char in self.text]
        text = "".join(new)
        if len(text) == len(self.text):
            return self.replace_text(text)
        return self.apply_changes((char, int(i > 0)) for chars in new for i, char in enumerate(chars))


def _column(places: Sequence[int]) -> NDArray[np.int64]:
    return np.arange(places.start, places.stop) if isinstance(places, range) else np.asarray(places, np.int64)


def _array(values: NDArray[np.integer]) -> "array[int]":
    return array("i", values.astype(np.int32).tobytes())


def normalize_to_form(form: Form, text: AlignedText) -> AlignedText:
    """Return a text in a normalization form.

    >>> normalize_to_form("NFC", AlignedText.of("ne\u0301")).ends
    [1, 2]
    """
    if unicodedata.is_normalized(form, text.text):
        return text  # then each part between newer characters is normalized, too
    if len(text) < SHORT:
        return _normalize(form, text)
    codes = np.frombuffer(text.text.encode("utf-32-le", "surrogatepass"), "<u4")
    counts = np.bincount(codes)
    different = np.flatnonzero(counts)
    if len(text) < MANY * len(different):
        return _normalize(form, text)
    kinds = counts.astype(np.uint8)  # by code point; all that occur are set
    kinds[different] = [_kind(form, chr(code)) for code in different.tolist()]
    return _normalize_units(form, text, kinds[codes])


def _kind(form: Form, char: str) -> int:
    if BARRIER.match(char):
        return KEPT
    first = unicodedata.normalize("NFKD" if "K" in form else "NFD", char)[0]
    # All that is reordered or composed with what is before are marks, and the vowels and last consonants of hangul.
    if unicodedata.category(first)[0] == "M" or "\u1100" <= first <= "\u11ff":
        return JOINING
    return KEPT if unicodedata.is_normalized(form, char) else CHANGING


def _normalize_units(form: Form, text: AlignedText, kinds: NDArray[np.uint8]) -> AlignedText:
    """Normalize a text of characters of these kinds unit by unit: one that changes, or any and those that join it."""
    joining = np.append(kinds == JOINING, False)
    begins = ((kinds == CHANGING) | joining[1:]) & ~joining[:-1]
    begins[0] |= joining[0]
    starts = np.flatnonzero(begins)
    ends = np.flatnonzero(~joining[1:] & ((kinds == CHANGING) | joining[:-1])) + 1
    units = [text.text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    made = {unit: _normalize(form, AlignedText.of(unit)) for unit in {*units}}
    made = {unit: new for unit, new in made.items() if new != AlignedText.of(unit)}
    changed = [i for i, unit in enumerate(units) if unit in made]
    return text.replace_parts(starts[changed], ends[changed], [made[units[i]] for i in changed])


def _normalize(form: Form, text: AlignedText) -> AlignedText:
    return text.apply_changes(change for part in _between(text.text) for change in _form(form, part))


def _between(text: str) -> Iterable[str]:
    """Split a text around each character that Unicode 9.0 does not know: nothing is composed across it."""
    position = 0
    for match in BARRIER.finditer(text):
        yield from (text[position : match.start()], match.group())
        position = match.end()
    yield text[position:]


def _form(normalization_form: Form, text: str) -> list[Change]:
    if BARRIER.match(text):
        return [(text, 0)]
    decomposed: Form = "NFKD" if "K" in normalization_form else "NFD"
    changes = [(new, int(i > 0)) for char in text for i, new in enumerate(unicodedata.normalize(decomposed, char))]
    changes = list(_order_marks(changes))
    return changes if normalization_form == decomposed else _compose(changes)


def _order_marks(changes: Iterable[Change]) -> Iterable[Change]:
    """Canonical ordering: sort adjacent combining marks by their combining class."""
    marks: list[Change] = []
    for change in changes:
        if unicodedata.combining(change[0]):
            marks.append(change)
            continue
        yield from sorted(marks, key=lambda mark: unicodedata.combining(mark[0]))
        marks.clear()
        yield change
    yield from sorted(marks, key=lambda mark: unicodedata.combining(mark[0]))


def _compose(changes: list[Change]) -> list[Change]:
    """Canonical composition: a mark that is not blocked composes with the last starter."""
    composed: list[Change] = []
    # the index of the last starter (class 0), and the class of the mark before
    base = -1
    last = 0
    for char, change in changes:
        own = unicodedata.combining(char)
        if base >= 0 and (last < own or base == len(composed) - 1):
            joined = unicodedata.normalize("NFC", composed[base][0] + char)
            if len(joined) == 1:
                composed[base] = (joined, composed[base][1] + change - 1)
                continue
        if own == 0:
            base = len(composed)
        last = own
        composed.append((char, change))
    return composed
